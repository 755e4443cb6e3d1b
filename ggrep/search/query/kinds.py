"""Classifies a query by rule, without a model; each kind has its own weights.

The first rule that holds decides:

| kind | when |
|---|---|
| `phrase` | nothing stands outside of double quotes |
| `symbol` | it is one name, maybe dotted or with `()` |
| `path` | it is a path or a file's name, at most two words beside it |
| `error` | it reads like a message: `KeyError: ...`, `error: ...`, a line of a stack trace |
| `question` | it opens with a question word or ends with a question mark |
| `words` | anything else |
"""

import re
from enum import Enum
from typing import Final

from ggrep.search.query.query_paths import SpelledPath, is_file


class QueryKind(Enum):
    """The kind of a query; the value is its name in `--explain`."""

    PHRASE = "phrase"
    SYMBOL = "symbol"
    PATH = "path"
    ERROR = "error"
    QUESTION = "question"
    WORDS = "words"


NAME: Final = re.compile(r"\w+(?:(?:\.|::|#|->)\w+)*")
QUOTED: Final = re.compile(
    r'(?<!\S)"([^"]+)"(?=[\s,.;:?!)]|$)'
    r"|\N{LEFT DOUBLE QUOTATION MARK}"
    r"([^\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}]+)"
    r"\N{RIGHT DOUBLE QUOTATION MARK}"
)
"""A phrase in double quotes; those inside of code, as in `print("x")`, are not."""

_WORDS_BESIDE_A_PATH: Final = 2
_ERROR: Final = re.compile(
    r"""\b[A-Z]\w*(?:Error|Exception|Warning|Fault|Panic)\b\s*[:(\[]
      | (?i:\b(?:error|exception|panic(?:ked)?|fatal|failure|warning|traceback)\b[^:]{0,40}:)
      | (?i:\b(?:errno|exit\ (?:code|status)|error\ code)\b\s*(?:[:=]\s*)?-?\d)
      | (?i:^\s*(?:cannot|can't|could\ not|couldn't|failed\ to|unable\ to|no\ such|undefined
            |unexpected|unhandled|invalid|missing|expected)\b.{12,}[:'"`(])
      | ^\s*(?:at\s+\S+\s*\(|File\s".+",\sline\s\d)
      | \b(?:E|ERR|TS|CS|C|LNK|SQLSTATE)[-_]?\d{3,5}\b
    """,
    re.VERBOSE | re.MULTILINE,
)
_QUESTION: Final = re.compile(
    r"(?i)^\s*(?:how|where|what|which|why|when|who|does|do|is|are|can|should|explain|show)\b|\?\s*$"
)


def kind_of(text: str, plain: str, names: list[str], places: tuple[SpelledPath, ...]) -> QueryKind:
    """Return the kind of a query.

    Args:
        text: the query, free of control characters.
        plain: the same without positions behind paths.
        names: what NAME finds in it.
        places: what `places_of` finds in it.
    """
    if not NAME.search(QUOTED.sub(" ", text)):
        return QueryKind.PHRASE
    if len(names) == 1 and names[0] == plain.rstrip("()") and not is_file(plain):
        return QueryKind.SYMBOL
    if places and len(text.split()) <= len(places) + _WORDS_BESIDE_A_PATH:
        return QueryKind.PATH
    if _ERROR.search(text):
        return QueryKind.ERROR
    return QueryKind.QUESTION if _QUESTION.search(text) else QueryKind.WORDS


def phrases_of(text: str, kind: QueryKind) -> tuple[str, ...]:
    """Return the phrases in double quotes, with blanks collapsed, each once.

    None in a message: what it quotes was somebody's value.
    """
    if kind is QueryKind.ERROR:
        return ()
    found = (" ".join((match[1] or match[2]).split()) for match in QUOTED.finditer(text))
    return tuple(dict.fromkeys(phrase for phrase in found if phrase))

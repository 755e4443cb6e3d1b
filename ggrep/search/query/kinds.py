"""Classifies a query by rules, without a model; each kind of query has its own weights.

The first rule that applies decides:

| kind | when |
|---|---|
| `phrase` | there is no text outside of double quotes |
| `symbol` | the query is one name, possibly dotted or with `()` |
| `path` | the query has paths or file names, and at most two other words |
| `error` | the query is like a message: `KeyError: ...`, `error: ...`, a line of a stack trace |
| `question` | the query begins with a question word or ends with a question mark |
| `words` | anything else |
"""

import re
from enum import Enum
from typing import Final

from ggrep.base.scripts import WORD
from ggrep.index.lexical.tokens import is_unspaced
from ggrep.search.query.query_paths import SpelledPath, is_file


class QueryKind(Enum):
    """The kind of a query; the value is its name in `--explain`."""

    PHRASE = "phrase"
    SYMBOL = "symbol"
    PATH = "path"
    ERROR = "error"
    QUESTION = "question"
    WORDS = "words"


NAME: Final = re.compile(rf"[{WORD}]+(?:(?:\.|::|#|->)[{WORD}]+)*")
QUOTED: Final = re.compile(
    r'(?<!\S)"([^"]+)"(?=[\s,.;:?!)]|$)'
    r"|\N{LEFT DOUBLE QUOTATION MARK}"
    r"([^\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}]+)"
    r"\N{RIGHT DOUBLE QUOTATION MARK}"
)
"""A phrase in double quotes; quotes in code, as in `print("x")`, do not count."""

_WORDS_BESIDE_A_PATH: Final = 2
_MOST_RUN: Final = 9
"""Longest run of letters that can be a name instead of a sentence, in scripts without spaces."""
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
    r"(?i)^\s*(?:how|where|what|which|why|when|who|does|do|is|are|can|should|explain|show)\b|[?\uff1f\u061f]\s*$"
)


def kind_of(text: str, plain: str, names: list[str], places: tuple[SpelledPath, ...]) -> QueryKind:
    """Return the kind of a query.

    Args:
        text: the query, without control characters.
        plain: the query without positions (`:12`) after paths.
        names: the matches of NAME in the query.
        places: the paths that `places_of` returns for the query.
    """
    if not NAME.search(QUOTED.sub(" ", text)):
        return QueryKind.PHRASE
    alone = len(names) == 1 and names[0] == plain.rstrip("()") and not is_file(plain)
    if alone and not (is_unspaced(plain) and len(plain) > _MOST_RUN):
        return QueryKind.SYMBOL
    if places and len(text.split()) <= len(places) + _WORDS_BESIDE_A_PATH:
        return QueryKind.PATH
    if _ERROR.search(text):
        return QueryKind.ERROR
    return QueryKind.QUESTION if _QUESTION.search(text) else QueryKind.WORDS


def phrases_of(text: str, kind: QueryKind) -> tuple[str, ...]:
    """Return the distinct phrases in double quotes, with runs of blanks replaced by one blank.

    Return none for a message, because quoted texts in messages are values of one program run.
    """
    if kind is QueryKind.ERROR:
        return ()
    phrases = (" ".join((match[1] or match[2]).split()) for match in QUOTED.finditer(text))
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))

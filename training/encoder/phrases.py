"""What a comment says, as one line a person could type: markup gone, code told from prose."""

import re
from typing import Final

MAX_WORDS: Final = 40
MIN_WORDS: Final = 3

_LICENCE: Final = re.compile(
    r"licen[sc]ed?\b|copyright|\(c\) *\d{4}|©|spdx-|all rights reserved"
    r"|permission is hereby|redistribution|without warrant|as is\"|public domain",
    re.IGNORECASE,
)
_DIRECTIVE: Final = re.compile(
    r"eslint-|tslint:|@ts-|@jsx|@flow|\bnoqa\b|type: *ignore|pylint:|pragma[: ]|mypy:|\bnolint"
    r"|\bgo:[a-z]|^\+build|istanbul|[cv]8 ignore|prettier-|biome-|rubocop:|clang-format|shellcheck"
    r"|luacheck:|stylelint|js[hl]int|^globals? \w+,|\bvim?:|-\*-|\bcoding[:=]|sourcemappingurl"
    r"|@generated|do not (?:edit|modify)|auto-?generated|(?:file|code) (?:is|was) generated"
    r"|^generated (?:by|from)|fmt: *o|\bisort:|flake8|nosec\b|nosonar|<reference"
    r"|^#?(?:end)?region\b|webpack\w+:|frozen_string_literal|suppresswarnings|resharper|phpcs"
    r"|@codecoverage|@phpstan|@psalm|swiftlint|ktlint|^(?:falls?[ -]?through)\W*$",
    re.IGNORECASE,
)
_REMINDER: Final = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|^(?:todo|fixme)\b", re.IGNORECASE)

_CREDIT: Final = re.compile(
    r"^(?:see (?:also )?\S+ for|contributors?\b|original(?:ly)? (?:written|author|code|version)"
    r"|(?:written|created|maintained|contributed|ported) by|authors?\b|part of the"
    r"|this file is part of|include:|inherit|constructor$|changes to this file"
    r"|(?:adapted|modified|taken|copied|borrowed|ported|derived|forked) from|based on the\b"
    r"|(?:package|import) \S+\.\S+$)",
    re.IGNORECASE,
)

_INLINE: Final = (
    (re.compile(r"\b[a-z]+://\S+|\bwww\.\S+", re.IGNORECASE), " "),
    (re.compile(r"<(?:see|paramref|typeparamref|seealso)\s+\w+=\"(?:\w:)?([^\"]+)\"\s*/?>"), r"\1"),
    (re.compile(r"\{@\w+\s+([^{}]*)\}"), r"\1"),
    (re.compile(r"\{@\w+\}"), " "),
    (re.compile(r"!\[[^\]\n]*\](?:\([^)\n]*\))?"), " "),
    (re.compile(r"\[([^\[\]\n]+)\](?:\([^()\n]*\)|\[[^\[\]\n]*\])"), r"\1"),
    (re.compile(r":[a-z]+(?::[a-z]+)?:`~?!?([^`<]+?)\s*(?:<[^`>]*>)?`"), r"\1"),
    (re.compile(r"`([^`<>]+?)\s*<[^`>]*>`_+"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>\n]{0,80}>"), " "),
    (re.compile(r"&(?:lt|gt|amp|nbsp|quot|#\d+);"), " "),
    (re.compile(r"\[([A-Za-z_`][^\[\]\n]{0,60})\]"), r"\1"),
    (re.compile(r"[\\@](?:c|p|a|e|em|ref|link|endlink|code|b)\s+(?=\w)"), ""),
    (
        re.compile(r"`+_*|\*\*+|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|'''?(?=\w)|(?<=\w)'''?(?!\w)"),
        "",
    ),
    (re.compile(r"(?<!\w)'([A-Za-z_][\w.']*)'(?!\w)"), r"\1"),
    (re.compile(r"(?<!\S)([+@])([A-Za-z_(][^+@\n]{0,60})\1(?!\w)"), r"\2"),
    (re.compile(r"/\*+|\*+/"), " "),
    (re.compile(r"\(\s*\)"), ""),
    (re.compile(r"\(\s*(?:see|via)?\s*\)"), ""),
)
_LABEL: Final = re.compile(
    r"^(?:(?:purpose|description|summary|abstract|name|brief|module|file|internal|note)\s*:\s*"
    r"|[\w+/-]{1,60}\.(?:swift|mm?|hh?|hpp|cc?|cpp|cxx|kts?|java|[cm]?[jt]sx?|py|rb|go|rs|lua|sh|cs"
    r"|php|scala|hs|vim|p[lm]|exs?)(?:\s*[-:\u2013\u2014]+\s+|\s+(?=[A-Z])|$))",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(
    r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!\bvs)(?<!\bcf)[.!?:](?=\s+[A-Z\"'(<`\[0-9]|\s*$)|\.(?=\s)(?<!e\.g\.)"
    r"(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<!cf\.)"
)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_'\u2019-]*")
_CODE_MARKS: Final = re.compile(r"[;={}\\|&<>$\[\]]|\w\(|\)\.|->|::|\+\+")
_EDGES: Final = " \t\r\n-=*#~.,:;/|>\"'"


def is_licence(text: str) -> bool:
    """Return whether it speaks of rights rather than of code."""
    return _LICENCE.search(text) is not None


def is_directive(line: str) -> bool:
    """Return whether it speaks to a tool."""
    return _DIRECTIVE.search(line) is not None


def is_reminder(line: str) -> bool:
    """Return whether it says what is yet to be done."""
    return _REMINDER.search(line) is not None


def plain(text: str) -> str:
    """Return the text on one line without markup, links and the rules around it."""
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return " ".join(text.split()).strip(_EDGES)


def sentences(text: str) -> tuple[str, str]:
    """Return the first sentence and what follows it."""
    end = _ENDS.search(text)
    while end is not None and len(_WORD.findall(text, 0, end.start())) < 2:
        end = _ENDS.search(text, end.end())
    if end is None:
        return text.strip(_EDGES), ""
    return text[: end.start()].strip(_EDGES), text[end.end() :].strip(_EDGES)


def unlabelled(text: str) -> str:
    """Return a sentence without the file name or the word `Purpose:` in front of it."""
    return _LABEL.sub("", text, count=1)


def clipped(text: str) -> str:
    """Return its first `MAX_WORDS` words."""
    words = text.split()
    return text if len(words) <= MAX_WORDS else " ".join(words[:MAX_WORDS]).rstrip(",;:")


def words_of(text: str) -> list[str]:
    """Return the words that begin with a letter."""
    return _WORD.findall(text)


def is_phrase(text: str, least: int = MIN_WORDS) -> bool:
    """Return whether it is prose in Latin letters of at least that many words."""
    words = words_of(text)
    if len(words) < least or len({word.lower() for word in words}) < least - 1:
        return False
    if is_licence(text) or is_directive(text) or is_reminder(text) or _CREDIT.match(text):
        return False
    dense = text.replace(" ", "")
    letters = sum(len(word) for word in words)
    return letters >= 0.7 * len(dense) and not is_code(text)


def is_code(text: str) -> bool:
    """Return whether it looks like statements that were commented out."""
    if text.rstrip().endswith((";", "{", "}", ");")):
        return True
    marks = len(_CODE_MARKS.findall(text))
    return marks > 0 and marks * 6 > len(words_of(text))

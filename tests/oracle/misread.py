"""Which of ctags' tags are no definitions, as their own lines show.

It reads scripts and Haskell without a grammar: one method named `set` and it takes what stands in
bodies for members, and a line without a semicolon lends its place to the next name.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tests.oracle.definitions import Tag

SCRIPTS: Final = frozenset({"javascript", "tsx", "typescript"})
RESERVED: Final = {
    "haskell": frozenset({"class", "data", "instance", "newtype", "type", "where"}),
    **dict.fromkeys(
        SCRIPTS,
        frozenset(
            {
                *("abstract", "class", "const", "enum", "export", "exports", "function"),
                *("interface", "let", "namespace", "symbol", "type", "var"),
            }
        ),
    ),
}
"""Words that name nothing; `exports` is what a module gives, whatever its name."""


def rightly_read(language: str, tags: Iterable[Tag], lines: Sequence[str]) -> list[Tag]:
    """Return one file's tags without those that the line they name shows to be none."""
    pairs = [(tag, lines[tag.line - 1] if tag.line <= len(lines) else "") for tag in tags]
    closed: set[str] = set()
    if language == "javascript":
        closed = {tag.name for tag, line in pairs if _is_local(tag, line)}
    return [
        tag
        for tag, line in pairs
        if _stands_there(language, tag, line)
        and not (language == "javascript" and _is_local(tag, line))
        and closed.isdisjoint(tag.scope.split("."))
    ]


def _stands_there(language: str, tag: Tag, line: str) -> bool:
    if language not in RESERVED:
        return True
    named = tag.name not in RESERVED[language] and not tag.name.startswith("[")
    there = re.search(rf"(?<!\w){re.escape(tag.name)}(?!\w)", line) is not None
    return named and there and (language != "javascript" or _is_member(tag, line))


def _is_member(tag: Tag, line: str) -> bool:
    """Say whether a field is set in its line; what is set of a prototype is no class."""
    if tag.kind == "field":
        name = re.escape(tag.name.removeprefix("#"))
        return re.match(rf"\s*(?:static\s+)?#?{name}\s*(?:=|;|$)", line) is not None
    return tag.kind != "class" or f"{tag.name}.prototype." not in line


def _is_local(tag: Tag, line: str) -> bool:
    """Say whether a tag stands in a body: variables and objects that are indented."""
    if not line[:1].isspace():
        return False
    if tag.kind == "class":
        return re.search(r"\b(?:class|function)\b|=>", line) is None and _is_set(tag, line)
    return tag.kind in {"constant", "variable"} and not line.lstrip().startswith("export")


def _is_set(tag: Tag, line: str) -> bool:
    return re.search(rf"{re.escape(tag.name)}(?:\[.*\])?\s*\??\??=", line) is not None

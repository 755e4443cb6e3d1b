"""Literal blocks of reStructuredText and AsciiDoc: code and diagrams."""

import re
from typing import Final

from ggrep.parse.chunking.diagrams import FENCES
from ggrep.parse.chunking.sections import Fence

_DIRECTIVE: Final = re.compile(r"(?P<indent> *)\.\. (?P<name>[\w-]{1,40})::(?P<argument>.*)")
_CODE: Final = frozenset({"code", "code-block", "sourcecode", "literalinclude", "parsed-literal"})
_ATTRIBUTES: Final = re.compile(r"\[(?P<words>[^\]\[]{1,200})\]")
_DELIMITER: Final = re.compile(r"(?:-{4,}|\.{4,}|--|\+{4,}|/{4,})\Z")


def rst_fences(lines: list[str]) -> list[Fence]:
    """Return directives that hold code or a diagram, with all that is indented below them."""
    found: list[Fence] = []
    number = 0
    while number < len(lines):
        directive = _DIRECTIVE.match(lines[number])
        name = directive["name"].lower() if directive is not None else ""
        if directive is None or not (name in FENCES or name in _CODE):
            number += 1
            continue
        last = _last_indented(lines, number, len(directive["indent"]))
        language = directive["argument"].strip() if name in _CODE else name
        found.append(Fence(number, last, language.lower(), _opening(lines, number, last)))
        number = last + 1
    return found


def _last_indented(lines: list[str], first: int, indent: int) -> int:
    last = first
    for number in range(first + 1, len(lines)):
        line = lines[number]
        if line and len(line) - len(line.lstrip()) <= indent:
            break
        last = number if line else last
    return last


def _opening(lines: list[str], first: int, last: int) -> int:
    """Return how many lines the directive and its options take."""
    count = 1
    while first + count <= last and lines[first + count].lstrip().startswith(":"):
        count += 1
    return count


def asciidoc_fences(lines: list[str]) -> list[Fence]:
    """Return delimited blocks, with the attributes above them; an open one ends with the file."""
    found: list[Fence] = []
    first, opened, language = 0, "", ""
    for number, line in enumerate(lines):
        if opened:
            if line == opened:
                found.append(Fence(first, number, language, 2))
                opened = ""
        elif _DELIMITER.match(line):
            above = _ATTRIBUTES.fullmatch(lines[number - 1]) if number else None
            language = _language(above["words"]) if above is not None else ""
            first, opened = number - (above is not None), line
    if opened and opened != "--":
        found.append(Fence(first, len(lines) - 1, language, 2))
    return found


def _language(words: str) -> str:
    parts = [part.strip().lower() for part in words.split(",")]
    named = parts[1] if parts[0] in {"source", "listing"} and len(parts) > 1 else parts[0]
    return named.partition("%")[0].partition("#")[0]

"""The labels that a diagram connects, as chunking writes them: `Client -[calls]-> Server`."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

MOST_RELATIONS: Final = 96

_LABELLED: Final = re.compile(r"(.{1,120}?) -\[[^\n]{0,200}?\]-> (.{1,120})")
_PLAIN: Final = re.compile(r"(.{1,120}?) -> (.{1,120})")
_LINKED: Final = re.compile(r"(.{1,120}?) links to (.{1,120})")


def relations_in(extras: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs of labels, sorted; a label is one line and holds no message."""
    found = {pair for extra in extras for line in extra.splitlines() for pair in _pair(line)}
    return sorted(found)[:MOST_RELATIONS]


def _pair(line: str) -> Iterator[tuple[str, str]]:
    if line.startswith(("File: ", "Imports: ", "Defines: ", "group ", "step ", "if ")):
        return
    match = (
        _LABELLED.fullmatch(line)
        or _PLAIN.fullmatch(line.split(": ", maxsplit=1)[0])
        or _LINKED.fullmatch(line)
    )
    if match is not None:
        yield " ".join(match[1].split()), " ".join(match[2].split())

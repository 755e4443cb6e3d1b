"""Definitions that a person found, reading files drawn by lot: for languages ctags cannot read.

`read_by_hand/<language>.txt` holds a path a line, and below it a line number and a name for each
type, function, method, field, constant and module that the file defines. Locals do not count.
"""

from pathlib import Path

from tests.oracle.definitions import Tag

_FOLDER = Path(__file__).parent / "read_by_hand"


def tags_by_hand(language: str) -> list[Tag]:
    """Return what was read of a language."""
    results: list[Tag] = []
    path = ""
    for line in (_FOLDER / f"{language}.txt").read_text().splitlines():
        number, _, name = line.partition(" ")
        if number.isdigit():
            results.append(Tag(path, int(number), name, "definition"))
        else:
            path = line
    return results

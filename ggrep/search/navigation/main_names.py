"""Finds the main definitions of files by the names of their chunks."""

from collections.abc import Sequence
from typing import Final

from ggrep.base.clock import Deadline
from ggrep.index.store.view import SnapshotView
from ggrep.model.sanitise import sanitise_line
from ggrep.search.query.listing import ListedFile
from ggrep.search.query.row_reading import row_details
from ggrep.search.query.segments import open_segments

MOST_NAMES: Final = 6
_MOST_CHARACTERS: Final = 110
_LONGEST: Final = 48
_TYPES: Final = frozenset({"class", "interface", "enum", "typealias", "module", "section"})
_FUNCTIONS: Final = frozenset({"function", "method"})

_Named = tuple[int, str, str, int]
"""Depth, kind, name and number of lines of a definition."""


def main_names(
    view: SnapshotView, files: Sequence[ListedFile], deadline: Deadline
) -> list[tuple[tuple[str, ...], int]]:
    """Return the main names of each file, in source order, and the number of further names.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    return [_main(named) for named in _named(view, files, deadline)]


def ranked_names(
    view: SnapshotView, files: Sequence[ListedFile], deadline: Deadline
) -> list[list[tuple[str, str]]]:
    """Return names of each file with their shown forms: types first, long definitions before short.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    return [
        [(named[place][2], _shown(named[place])) for place in _order(named, _top(named))]
        for named in _named(view, files, deadline)
    ]


def _named(
    view: SnapshotView, files: Sequence[ListedFile], deadline: Deadline
) -> list[list[_Named]]:
    results: dict[tuple[int, int], list[_Named]] = {}
    for place, segment in enumerate(open_segments(view)):
        numbers = sorted(item.file for item in files if item.segment == place)
        image = segment.image
        rows = [
            row for file in numbers for row in segment.rows_of(file) if not image.row_anchors[row]
        ]
        deadline.check("reading names")
        for row, details in zip(rows, row_details(view, segment, rows), strict=True):
            kind = image.types[int(image.row_types[row])]
            first, last = image.lines(row)
            named = results.setdefault((place, int(image.row_files[row])), [])
            name, depth = details.name, len(details.breadcrumb)
            every = (name,) if name else details.names
            named += [(depth, kind if name else "", each, last - first) for each in every]
    return [results.get((item.segment, item.file), []) for item in files]


def _main(named: Sequence[_Named]) -> tuple[tuple[str, ...], int]:
    """Return the top-level names to show of a file; if there is only one, also its members."""
    top = _top(named)
    kept: list[int] = []
    taken = 0
    for place in _order(named, top)[:MOST_NAMES]:
        taken += len(_shown(named[place])) + 2
        if kept and taken > _MOST_CHARACTERS:
            break
        kept.append(place)
    return tuple(_shown(named[place]) for place in sorted(kept)), len(top) - len(kept)


def _top(named: Sequence[_Named]) -> list[int]:
    least = min((depth for depth, _, _, _ in named), default=0)
    top = _once(named, least)
    if len(top) == 1:
        top += _once(named, least + 1)
    public = [place for place in top if not named[place][2].startswith("_")]
    return public or top


def _order(named: Sequence[_Named], top: Sequence[int]) -> list[int]:
    return sorted(top, key=lambda place: _rank(named[place], place))


def _once(named: Sequence[_Named], depth: int) -> list[int]:
    """Return the indices of the distinct names at a depth; overloads count once."""
    first: dict[str, int] = {}
    for place, (deep, _, name, _) in enumerate(named):
        if deep == depth:
            first.setdefault(name, place)
    return list(first.values())


def _rank(named: _Named, place: int) -> tuple[int, int, int, int]:
    depth, kind, _, lines = named
    group = 0 if kind in _TYPES else 1 if kind in _FUNCTIONS else 2
    return depth, group, -lines, place


def _shown(named: _Named) -> str:
    _, kind, name, _ = named
    text = sanitise_line(name)
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f"{text}()" if kind in _FUNCTIONS else text

"""Selects the definitions of a file that fit into a budget of bytes, and shortens their lines.

Tests are dropped first, then members, then types; among equals, small definitions first.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.outline import OutlineEntry, bare_label, entry_line, size_of
from ggrep.parse.languages.inner_tests import LineRange, is_inside

FORMS: Final = ((110, False), (60, True), (36, True), (0, True))
"""Maximum length of a definition's head, 0 for only its name, and whether types are left out.

The first form with which all definitions fit is used, else the last form.
"""
_FUNCTIONS: Final = frozenset({"function", "method"})
_VALUES: Final = frozenset({"constant", "field", "block"})
_MEMBER_RANKS: Final = 2
"""Number of ranks by which each level of nesting moves a definition back."""


class Chosen(Struct, frozen=True):
    """The entries that are shown, in source order.

    Attributes:
        left_out: number of omitted entries by kind, largest first.
        whole_bytes: size of the lines of all entries.
    """

    entries: tuple[OutlineEntry, ...]
    left_out: dict[str, int]
    whole_bytes: int


def joined_fields(entries: Sequence[OutlineEntry]) -> list[OutlineEntry]:
    """Return the entries, with adjacent fields joined into one entry."""
    results: list[OutlineEntry] = []
    for entry in entries:
        last = results[-1] if results else None
        if last is not None and _is_bare(last) and _is_bare(entry) and last.depth == entry.depth:
            results[-1] = replace(
                last,
                name=f"{last.name}, {entry.name}",
                end_line=max(last.end_line, entry.end_line),
            )
        else:
            results.append(entry)
    return results


def around(entries: Sequence[OutlineEntry], line: int) -> list[OutlineEntry]:
    """Return the innermost entry that contains a line, its enclosing entries and its members.

    If no entry contains the line, return all entries.
    """
    holding = [
        place for place, entry in enumerate(entries) if entry.start_line <= line <= entry.end_line
    ]
    if not holding:
        return list(entries)
    inner = max(holding, key=lambda place: (entries[place].depth, place))
    parents = _parents(entries)
    kept = {inner}
    place = inner
    while (place := parents[place]) >= 0:
        kept.add(place)
    for place in range(inner + 1, len(entries)):
        if entries[place].depth <= entries[inner].depth:
            break
        kept.add(place)
    return [entries[place] for place in sorted(kept)]


def chosen(
    entries: Sequence[OutlineEntry],
    room: int,
    *,
    depth: int = 0,
    tests: Sequence[LineRange] = (),
) -> Chosen:
    """Return the entries to show within `room` bytes.

    Args:
        entries: entries of one file, in source order.
        room: maximum bytes of their lines.
        depth: number of levels that may be shown; 0 for all.
        tests: the line ranges of tests inside the file.
    """
    shallow = [place for place, entry in enumerate(entries) if not depth or entry.depth < depth]
    whole = size_of([entry_line(_cut(entry, *FORMS[0])) for entry in entries])
    made: dict[int, OutlineEntry] = {}
    for width, bare in FORMS:
        made = {place: _cut(entries[place], width, bare) for place in shallow}
        if size_of([entry_line(each) for each in made.values()]) <= room:
            return _told(entries, made, whole, tests)
    ranks = _ranks(entries, tests)
    parents = _parents(entries)
    kept: dict[int, OutlineEntry] = {}
    left, dropped_rank = room, None
    for place in sorted(shallow, key=lambda place: ranks[place]):
        if dropped_rank is not None and ranks[place][:2] != dropped_rank:
            break
        wanted = [place]
        while (parent := parents[wanted[-1]]) >= 0:
            wanted.append(parent)
        cost = size_of([entry_line(made[each]) for each in wanted if each not in kept])
        if cost > left:
            dropped_rank = ranks[place][:2]
            continue
        left -= cost
        kept.update((each, made[each]) for each in wanted)
    return _told(entries, kept, whole, tests)


def _told(
    entries: Sequence[OutlineEntry],
    kept: dict[int, OutlineEntry],
    whole: int,
    tests: Sequence[LineRange],
) -> Chosen:
    counts: Counter[str] = Counter()
    for place, entry in enumerate(entries):
        if place not in kept:
            is_test = is_inside(tests, entry.start_line, entry.end_line)
            counts["test" if is_test else entry.kind] += _names(entry)
    left = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    shown = tuple(kept[place] for place in sorted(kept))
    return Chosen(shown, dict(left), whole)


def _ranks(
    entries: Sequence[OutlineEntry], tests: Sequence[LineRange]
) -> list[tuple[bool, int, bool, int, int]]:
    """Return the sort keys of entries; the entry with the lowest key is dropped last."""
    return [
        (
            is_inside(tests, entry.start_line, entry.end_line),
            _class_of(entry.kind) + _MEMBER_RANKS * entry.depth,
            entry.name.rpartition(".")[2].startswith("_"),
            entry.start_line - entry.end_line,
            place,
        )
        for place, entry in enumerate(entries)
    ]


def _class_of(kind: str) -> int:
    """Return the position of a kind in the order: types and headings, functions, values."""
    return 1 if kind in _FUNCTIONS else 3 if kind in _VALUES else 0


def _parents(entries: Sequence[OutlineEntry]) -> list[int]:
    """Return the index of each entry's parent entry; -1 at the top level."""
    parents: list[int] = []
    above: list[int] = []
    for place, entry in enumerate(entries):
        while above and entries[above[-1]].depth >= entry.depth:
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(place)
    return parents


def _is_bare(entry: OutlineEntry) -> bool:
    return entry.kind == "field" and not entry.signature


def _names(entry: OutlineEntry) -> int:
    return entry.name.count(", ") + 1 if _is_bare(entry) else 1


def _cut(entry: OutlineEntry, width: int, bare: bool) -> OutlineEntry:  # noqa: FBT001 - of a pair
    """Return an entry with its text shortened to a width; a definition's own name is never cut."""
    if not width and entry.signature:
        return replace(entry, signature=entry.name)
    width = width or FORMS[-2][0]
    if entry.signature and (bare or len(entry.signature) > width):
        entry = replace(entry, signature=bare_label(entry.signature))
    shown = entry.signature or entry.name
    if len(shown) <= width:
        return entry
    if entry.signature:
        most = max(width, len(entry.name)) - 1
        return replace(entry, signature=shown[:most].rstrip(" ,(") + "…")
    return replace(entry, name=_fewer(shown, width)) if ", " in shown else entry


def _fewer(names: str, width: int) -> str:
    """Return as many of the first names as fit, with the number of dropped names."""
    every = names.split(", ")
    kept = [every[0]]
    for name in every[1:]:
        if len(", ".join((*kept, name))) > width - 4:
            break
        kept.append(name)
    more = len(every) - len(kept)
    return ", ".join(kept) + (f" +{more}" if more else "")

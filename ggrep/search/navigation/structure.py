"""Makes the outline of a file without syntax tree from the names of its chunks."""

from collections.abc import Sequence

from ggrep.index.store.view import SnapshotView
from ggrep.model.outline import OutlineEntry
from ggrep.model.sanitise import sanitise_line
from ggrep.search.query.row_reading import row_details
from ggrep.search.query.segments import SearchableSegment


def structure_of(view: SnapshotView, segment: SearchableSegment, file: int) -> list[OutlineEntry]:
    """Return an entry for each named chunk of a file, with its depth of nesting.

    Raises:
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    image = segment.image
    rows = [row for row in segment.rows_of(file) if not image.row_anchors[row]]
    details = row_details(view, segment, rows)
    trails = [(*each.breadcrumb, each.name) if each.name else each.breadcrumb for each in details]
    results: list[OutlineEntry] = []
    for place, (row, shown) in enumerate(zip(rows, details, strict=True)):
        name, names, kind = shown.name, shown.names, image.types[int(image.row_types[row])]
        if not names or kind == "diagram":
            continue
        first, last = image.lines(row)
        if name:
            last = max(last, _end(image.lines(row)[1], place, rows, trails, segment))
        local = [name, *(each for each in names if each != name)] if name else names
        results.append(
            OutlineEntry(
                depth=len(shown.breadcrumb),
                kind=kind if name else "block",
                name=sanitise_line(", ".join(local)),
                signature="",
                start_line=first,
                end_line=last,
            )
        )
    return _without_gaps(results)


def _end(
    last: int,
    place: int,
    rows: Sequence[int],
    trails: Sequence[tuple[str, ...]],
    segment: SearchableSegment,
) -> int:
    """Return the last line of a chunk's definition, which can continue in the following chunks."""
    local = trails[place]
    for after in range(place + 1, len(rows)):
        if trails[after][: len(local)] != local:
            break
        last = max(last, segment.image.lines(rows[after])[1])
    return last


def _without_gaps(entries: Sequence[OutlineEntry]) -> list[OutlineEntry]:
    """Return the entries; each is at most one level deeper than its enclosing entry."""
    results: list[OutlineEntry] = []
    above: list[tuple[int, int]] = []
    for entry in entries:
        while above and above[-1][0] >= entry.depth:
            above.pop()
        depth = above[-1][1] + 1 if above else 0
        above.append((entry.depth, depth))
        results.append(
            OutlineEntry(
                depth, entry.kind, entry.name, entry.signature, entry.start_line, entry.end_line
            )
        )
    return results

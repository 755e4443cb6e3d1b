"""Counts all lines and files that match a text or expression, shown or not."""

from collections import Counter
from typing import Final

from ggrep.model.filters import keys_of_scope, place_in_scope
from ggrep.model.limits import LimitHit
from ggrep.model.response import FileMatches, MatchTotals
from ggrep.model.sanitise import sanitise_line
from ggrep.search.query.pipeline import Ranked

MOST_LISTED_FILES: Final = 10_000
"""Maximum number of files listed with the number of their matching lines."""


def listing_cuts(totals: MatchTotals | None) -> tuple[LimitHit, ...]:
    """Return the limit that cut the list of files; none if the list is complete."""
    if totals is None or not 0 < len(totals.by_file) < totals.files:
        return ()
    return (LimitHit("max_listed_files", MOST_LISTED_FILES, totals.files),)


def match_totals(ranked: Ranked) -> MatchTotals | None:
    """Return the totals of a request that matches lines; None for other requests."""
    request = ranked.request
    if ranked.verified is None or not request.is_exact:
        return None
    lines: Counter[tuple[int, int]] = Counter()
    for place, (segment, matches) in enumerate(
        zip(ranked.segments, ranked.verified.matches, strict=True)
    ):
        files = segment.image.row_files[matches.rows].tolist()
        for file, count in zip(files, matches.lines.tolist(), strict=True):
            lines[place, file] += count
    by_file: tuple[FileMatches, ...] = ()
    if request.list_files:
        keys = keys_of_scope(request.scope)
        paths = {ranked.segments[place].image.path(file): n for (place, file), n in lines.items()}
        ordered = sorted(paths, key=lambda path: (place_in_scope(path, keys), path.encode()))
        by_file = tuple(
            FileMatches(sanitise_line(path), paths[path]) for path in ordered[:MOST_LISTED_FILES]
        )
    return MatchTotals(lines.total(), len(lines), by_file)

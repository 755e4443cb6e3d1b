"""Scans a work tree for a query until its time is up."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ggrep.base.deadline import Deadline
from ggrep.base.ids import PathKey
from ggrep.config.settings import Settings
from ggrep.model.request import Find, SearchRequest
from ggrep.parse.source.git_listing import Listing
from ggrep.parse.source.glimpse import Glimpse
from ggrep.parse.source.walk import apart_below
from ggrep.search.query.finding import read_query
from ggrep.search.query.literal import Literal, Pattern
from ggrep.search.query.regex import compile_regex
from ggrep.search.query.understand import ParsedQuery
from ggrep.search.scan.needles import needles_of
from ggrep.search.scan.sighting import Sighted, Sightings, promise_of, sightings_for
from ggrep.search.scan.wanted import Wanted

LOOK_MS: Final = 1_050.0
"""Until when a tree is listed and looked through, from when the question was put."""
LEAST_MS: Final = 350.0
"""How long it is looked through in any case, however long it took to list."""


@dataclass(frozen=True, slots=True)
class Tree:
    """What is looked through.

    Attributes:
        root: canonical.
        settings: what is eligible.
        apart: directories that are never gone into.
        listing: waits for git's listing of the root; None where there is none.
    """

    root: Path
    settings: Settings
    apart: Sequence[Path]
    listing: Callable[[], Listing | None]


@dataclass(frozen=True, slots=True)
class Looked:
    """What was seen of a tree.

    Attributes:
        best: files that may answer, the best first.
        ignore_files: that had a say.
        listed_files: files there were, at most; None where they were not listed.
        complete: all of it was seen.
    """

    query: ParsedQuery
    seen: Sightings
    best: Sequence[Sighted]
    ignore_files: Sequence[tuple[PathKey, bytes]]
    listed_files: int | None
    complete: bool


def look_through(tree: Tree, request: SearchRequest, deadline: Deadline, asked_ms: float) -> Looked:
    """Return the files of a tree that may answer.

    Args:
        tree: where to look.
        request: the question.
        deadline: of the request.
        asked_ms: when the question was put, on the deadline's clock.

    Raises:
        InvalidRequest: the question cannot be understood, or the root cannot be read.
        Cancelled: the request was ended.
    """
    time = Deadline(deadline.clock, asked_ms + LOOK_MS)
    query, wanted = read_query(request), Wanted(request)
    needles, pattern = needles_of(query), _pattern(request)
    listing = tree.listing()
    listed = _listed(listing, wanted)
    promise = promise_of(listed or (), needles)
    walk = Glimpse(
        tree.root,
        tree.settings,
        listing,
        apart_below(tree.root, tree.apart),
        promise=lambda path: promise.get(path, 0.0),
        leads=wanted.leads,
    )
    seen, complete = sightings_for(query, needles), True
    left_ms = max(time.remaining_ms(), LEAST_MS)
    time = Deadline.after(deadline.clock, min(left_ms, deadline.remaining_ms() / 2))
    for one in walk.pass_by():
        deadline.check("the scan")
        if time.remaining_ms() <= 0.0:
            complete = False
            break
        if one is not None and wanted.has(one.file.path_key):
            data = one.read()
            matched = None if pattern is None else pattern.first(data, 0, deadline) is not None
            seen.look(one.file, data, matched=matched)
    total = seen.files if complete else None if listed is None else len(listed)
    best = seen.best(query, request.mode)
    return Looked(query, seen, best, walk.ignore_files, total, complete)


def _listed(listing: Listing | None, wanted: Wanted) -> list[bytes] | None:
    if listing is None:
        return None
    paths = (*listing.tracked, *listing.untracked)
    return [path for path in paths if wanted.has(os.fsdecode(path))]


def _pattern(request: SearchRequest) -> Pattern | None:
    """Return what every hit has to hold; None for what may hold anything."""
    match request.find:
        case Find.EXACT_TEXT:
            return Literal(request.query)
        case Find.REGEX:
            return compile_regex(request.query)
        case _:
            return None

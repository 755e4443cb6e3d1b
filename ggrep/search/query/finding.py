"""Interprets a search's query by the request's `find`: words, definition, usage, text or code.

The words of the query determine the scores. If every hit must contain something, such as a
definition of a name or an exact text, rows without it are removed.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.index.lexical.bm25 import inverse_document_frequency
from ggrep.index.lexical.layout import MAX_QUERY_TERMS
from ggrep.index.store.view import SnapshotView
from ggrep.model.confidence import TopFile, TopFiles, Wording
from ggrep.model.limits import LimitHit
from ggrep.model.request import CollectionStatistics, Find, SearchRequest
from ggrep.search.query.blend import Part
from ggrep.search.query.eligible import Mask
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.literal import Matches, matching_rows, pattern_of
from ggrep.search.query.naming import defining_rows, name_of, using_rows
from ggrep.search.query.row_reading import row_texts
from ggrep.search.query.score import DECIMALS, SegmentScores
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.query.targets import find_target, is_place
from ggrep.search.query.understand import (
    ParsedQuery,
    as_description,
    as_name,
    parse_query,
    query_of_words,
)

_OF_NAMES: Final = frozenset({Find.DEFINITION, Find.USAGE})
_LEAST: Final = 10.0**-DECIMALS
"""Score of a row that the request's `find` matches, but that has no other evidence."""


MOST_COUNTED: Final = 512
"""Maximum number of distinct terms of a text whose frequencies are looked up."""


class VerifiedRows(Struct, frozen=True):
    """The rows that match, if a request's `find` requires a definition, usage, text or expression.

    Attributes:
        matches: the matching rows of each segment.
        limits: the limits that the search for these rows hit.
    """

    matches: tuple[Matches, ...]
    limits: tuple[LimitHit, ...]

    @property
    def total(self) -> int:
        """Return the number of rows."""
        return sum(len(matches.rows) for matches in self.matches)

    def within(self, masks: Sequence[Mask]) -> "VerifiedRows":
        """Return the matching rows that are in `masks`, per segment."""
        pairs = zip(self.matches, masks, strict=True)
        return replace(self, matches=tuple(matches.within(mask) for matches, mask in pairs))


class Seed(Struct, frozen=True):
    """A place in the code whose text is the query.

    Attributes:
        query: the code, parsed.
        segment: the segment of `row`. The row is the place itself, which is not shown.
    """

    query: ParsedQuery
    segment: int
    row: int


def read_query(request: SearchRequest) -> ParsedQuery:
    """Return the interpretation of a request's query. Needs no index, so places are not resolved.

    Raises:
        InvalidRequest: the query is empty or not of the form that `find` requires.
    """
    text = request.query
    if (pattern := pattern_of(request)) is not None:
        return query_of_words(text, pattern.needs, QueryKind.PHRASE)
    match request.find:
        case Find.AUTO:
            query = parse_query(text)
        case Find.CONCEPT:
            query = as_description(parse_query(text))
        case Find.DEFINITION | Find.USAGE:
            query = as_name(parse_query(name_of(text)))
        case _:  # similar code
            query = code_query(text)
    return query


def seed_for(
    segments: Sequence[SearchableSegment],
    view: SnapshotView,
    request: SearchRequest,
    deadline: Deadline,
) -> Seed | None:
    """Return the place whose code is the query; None if the query is not a place.

    Raises:
        InvalidRequest: the place does not exist.
        DeadlineExceeded: time ran out.
    """
    if request.find is not Find.SIMILAR_CODE or not is_place(request.query.strip()):
        return None
    return seed_of(view, segments, request.query.strip(), deadline)


def refuse_place(request: SearchRequest) -> None:
    """Raise if the query names a place, because a place exists in one repository only.

    Raises:
        InvalidRequest: the query names a place.
    """
    if request.find is Find.SIMILAR_CODE and is_place(request.query.strip()):
        raise InvalidRequest(
            f"query: the place {request.query.strip()!r} belongs to one repository; paste its code"
            " to search several repositories for similar code"
        )


def narrowed(
    query: ParsedQuery, request: SearchRequest, statistics: CollectionStatistics
) -> ParsedQuery:
    """Return the query to score; only its rarest terms if the request is for similar code."""
    return most_telling(query, statistics) if request.find is Find.SIMILAR_CODE else query


def wants_vector(request: SearchRequest) -> bool:
    """Return whether vector similarity counts in a request's scores."""
    return request.vectors and not request.is_exact


def find_rows(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    request: SearchRequest,
    eligible: Sequence[Mask],
    deadline: Deadline,
) -> VerifiedRows | None:
    """Return the eligible rows that `find` matches; None if every row may be shown.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    if request.find not in _OF_NAMES and not request.is_exact:
        return None
    text = request.query
    limits: tuple[LimitHit, ...] = ()
    if (pattern := pattern_of(request)) is not None:
        matches, limits = matching_rows(view, segments, pattern, eligible, deadline)
    elif request.find is Find.USAGE:
        matches, limits = using_rows(view, segments, name_of(text), eligible, deadline)
    else:
        matches = defining_rows(view, segments, name_of(text), eligible, deadline)
    return VerifiedRows(tuple(matches), limits)


def only_verified(
    segment: SearchableSegment, scores: SegmentScores, matches: Matches
) -> tuple[SegmentScores, Mask]:
    """Return the scores of the matching rows, all above 0, and a mask of these rows."""
    rows = matches.rows
    mask = np.zeros(segment.image.rows, dtype=np.bool_)
    mask[rows] = True
    kept = scores.only(segment.image, rows)
    total = np.maximum(np.round(kept.total * matches.factors, DECIMALS), _LEAST)
    parts = {**kept.parts, "found": Part(1.0, matches.factors)}
    return replace(kept, total=total, parts=parts), mask


def verified_leaders(verified: VerifiedRows, scores: Sequence[SegmentScores]) -> TopFiles:
    """Return the confidence features of verified rows: one complete match, or none without rows."""
    best = max(
        (
            float(scored.at(matches.rows).max())
            for scored, matches in zip(scores, verified.matches, strict=True)
            if len(matches.rows)
        ),
        default=0.0,
    )
    leaders = (TopFile(best, best, 1.0, 0.0, 1.0, spelt=True),) if best else ()
    return TopFiles(leaders, 1.0, 0.0, Wording.QUOTED)


def unshown(
    verified: VerifiedRows | None, request: SearchRequest, shown: int
) -> tuple[LimitHit, ...]:
    """Return the limit because of which some verified rows are not shown; none if all are shown."""
    return () if verified is None else not_shown(verified.total, request, shown)


def not_shown(total: int, request: SearchRequest, shown: int) -> tuple[LimitHit, ...]:
    """Return the limit because of which only `shown` of `total` rows are shown; none if all are."""
    if total <= shown:
        return ()
    if shown >= request.limit:
        return (LimitHit("max_results", request.limit, total),)
    return (LimitHit("max_per_file", request.per_file, total),)


def code_query(text: str) -> ParsedQuery:
    """Return code as a query of its words.

    Raises:
        InvalidRequest: the code has no words.
    """
    query = query_of_words(text, (text,), QueryKind.WORDS, most=MOST_COUNTED)
    if not query.terms:
        raise InvalidRequest("the query is empty; enter at least one word of code")
    return query


def seed_of(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    place: str,
    deadline: Deadline,
) -> Seed:
    """Return the place that a query names, with its code.

    Raises:
        InvalidRequest: the place does not exist, or its text has no words.
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    target = find_target(segments, place, deadline)
    if target.row is None:
        raise InvalidRequest(f"query: {place!r} is empty")
    (text,) = row_texts(view, segments[target.segment], [target.row])
    return Seed(code_query(text), target.segment, target.row)


def most_telling(query: ParsedQuery, statistics: CollectionStatistics) -> ParsedQuery:
    """Return the query with only its rarest terms, at most MAX_QUERY_TERMS.

    Terms that do not occur in the collection are dropped.
    """
    figures = {entry.term: entry.chunks for entry in statistics.terms}
    occurring = [term for term in query.terms if figures.get(term, 0) > 0] or list(query.terms)
    by_rarity = sorted(
        occurring,
        key=lambda term: (
            -query.share(term)
            * inverse_document_frequency(statistics.chunks, figures.get(term, 0)),
            term.encode(),
        ),
    )
    kept = sorted(by_rarity[:MAX_QUERY_TERMS], key=lambda term: term.encode())
    limits = query.limits_hit
    if len(occurring) > MAX_QUERY_TERMS:
        limits = (*limits, LimitHit("max_query_terms", MAX_QUERY_TERMS, len(query.terms)))
    return replace(
        query, terms=tuple(kept), spellings=query.spellings & frozenset(kept), limits_hit=limits
    )

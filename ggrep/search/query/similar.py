"""Code as a query: pasted, or taken from a place in the index."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ggrep.base.deadline import Deadline
from ggrep.base.errors import CorruptStore, InvalidRequest
from ggrep.index.lexical.bm25 import inverse_document_frequency
from ggrep.index.lexical.layout import MAX_QUERY_TERMS
from ggrep.index.store.tables import take_texts
from ggrep.index.store.view import SnapshotView, gone
from ggrep.model.limits import LimitHit
from ggrep.model.statistics import CollectionStatistics
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.query.targets import find_target
from ggrep.search.query.understand import ParsedQuery, query_of_words

MOST_COUNTED: Final = 512
"""Distinct terms of a text whose frequencies are looked up; those that tell most are scored."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A place whose code is the query.

    Attributes:
        query: its code, read.
        segment: of the row that must not be shown, as it is the place itself.
    """

    query: ParsedQuery
    segment: int
    row: int


def code_query(text: str) -> ParsedQuery:
    """Return code as a query of its words.

    Raises:
        InvalidRequest: it has none.
    """
    query = query_of_words(text, (text,), QueryKind.WORDS, most=MOST_COUNTED)
    if not query.terms:
        raise InvalidRequest("query: nothing to search for; give at least one word of code")
    return query


def seed_of(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    place: str,
    deadline: Deadline,
) -> Seed:
    """Return the place that a query names.

    Raises:
        InvalidRequest: there is no such place, or no words in it.
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    target = find_target(segments, place, deadline)
    if target.row is None:
        raise InvalidRequest(f"query: {place!r} is empty")
    try:
        (text,) = take_texts(view.store, segments[target.segment].image.name, [target.row])
    except CorruptStore as error:
        if (removed := gone(view)) is not None:
            raise removed from error
        raise
    return Seed(code_query(text), target.segment, target.row)


def most_telling(query: ParsedQuery, statistics: CollectionStatistics) -> ParsedQuery:
    """Return the query reduced to the number of terms that are scored, the rarest ones.

    A term that stands nowhere in the collection tells nothing.
    """
    figures = {entry.term: entry.chunks for entry in statistics.terms}
    held = [term for term in query.terms if figures.get(term, 0) > 0] or list(query.terms)
    by_rarity = sorted(
        held,
        key=lambda term: (
            -inverse_document_frequency(statistics.chunks, figures.get(term, 0)),
            term.encode(),
        ),
    )
    kept = sorted(by_rarity[:MAX_QUERY_TERMS], key=lambda term: term.encode())
    limits = query.limits_hit
    if len(held) > MAX_QUERY_TERMS:
        limits = (*limits, LimitHit("max_query_terms", MAX_QUERY_TERMS, len(query.terms)))
    return replace(
        query, terms=tuple(kept), spellings=query.spellings & frozenset(kept), limits_hit=limits
    )

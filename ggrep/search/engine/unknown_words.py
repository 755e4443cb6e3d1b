"""Says which words of a question nothing indexed holds, whatever else matches."""

from collections.abc import Iterator
from typing import Final

from ggrep.base.clock import Deadline
from ggrep.index.lexical.layout import CHUNK_FIELDS, FILE_FIELDS
from ggrep.index.lexical.tokens import query_terms, spelled_words, whole_terms
from ggrep.model.confidence import Confidence
from ggrep.model.limits import Notice
from ggrep.model.sanitise import sanitise_line
from ggrep.search.navigation.definitions import near_names
from ggrep.search.navigation.name_candidates import Searched, split_name
from ggrep.search.query.correction import CORRECTED
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.understand import is_stop_word

_KINDS: Final = CORRECTED | {QueryKind.SYMBOL}
"""Queries in words and names; messages, paths and quoted text may contain values of a run."""
_MOST: Final = 5
_LIKENESS: Final = 3
"""A name is near if no more than one letter of so many is another."""


def unknown_word_notices(
    ranked: Ranked, confidence: Confidence, deadline: Deadline
) -> tuple[Notice, ...]:
    """Return a notice of names that nothing indexed contains, with the nearest ones.

    Other words are named where the answer is in doubt: a small repository lacks many common ones.
    Where nothing matches at all, and no name is near, there is nothing to say.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    if ranked.query.kind not in _KINDS or ranked.found is not None:
        return ()
    unknown = [*_names(ranked), *(_words(ranked) if confidence is not Confidence.STRONG else ())]
    unknown = list(dict.fromkeys(unknown))[:_MOST]
    if not unknown:
        return ()
    message = f"nothing here contains {', '.join(f'`{sanitise_line(word)}`' for word in unknown)}"
    searched = Searched(ranked.view, ranked.segments, ranked.eligible)
    near = [
        name.name
        for word in unknown
        if word in ranked.query.names
        for name in near_names(searched, split_name(word), deadline)
        if name.order[0] <= len(word) // _LIKENESS
    ]
    if not near and not any(best.numbers.any() for best in ranked.best):
        return ()
    if near:
        message += f"; nearest: {', '.join(dict.fromkeys(near))}"
    return (Notice("unknown_words", message),)


def _names(ranked: Ranked) -> Iterator[str]:
    """Yield the names that no visible row and no path contains, as they were typed."""
    for name in ranked.query.names:
        last = name.rpartition(".")[2]
        terms = query_terms(last) if last.isalpha() and last.islower() else ()
        if not any(_occurs(ranked, term) for term in (*terms, *whole_terms(last)[:1])):
            yield name


def _words(ranked: Ranked) -> Iterator[str]:
    """Yield the other words that nothing contains in any form."""
    parts = {part for name in ranked.query.names for part in spelled_words(name)}
    for word in spelled_words(ranked.query.text):
        spoken = word not in parts and not is_stop_word(word)
        if spoken and not any(_occurs(ranked, term) for term in query_terms(word)):
            yield word


def _occurs(ranked: Ranked, term: str) -> bool:
    return any(
        segment.visible_rows[segment.row_postings.rows_with(term, range(CHUNK_FIELDS))].any()
        or segment.visible_files[segment.file_postings.rows_with(term, range(FILE_FIELDS))].any()
        for segment in ranked.segments
    )

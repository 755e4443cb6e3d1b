"""Quoted phrases: which rows hold them word for word.

Postings know which rows hold all words of a phrase; the text of those is read and looked into.
That makes a quoted phrase cost as much as reading those rows, and never wrong.
"""

from collections.abc import Sequence

import numpy as np

from ggrep.domain.deadline import Deadline
from ggrep.errors import CorruptStore
from ggrep.lexical.layout import BODY
from ggrep.lexical.tokens import word_terms, words
from ggrep.query.eligible import Mask
from ggrep.query.segments import SearchableSegment
from ggrep.store.tables import take_texts
from ggrep.store.view import SnapshotView, gone

_BATCH_ROWS = 2048


def rows_with_phrases(
    view: SnapshotView,
    segment: SearchableSegment,
    phrases: Sequence[str],
    eligible: Mask,
    deadline: Deadline,
) -> Mask:
    """Return bool (rows,): the eligible rows whose own text holds every phrase.

    Letter case and the kind of blanks between words do not matter. A phrase that runs over the
    border of two chunks is in neither.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    mask = eligible.copy()
    for word in dict.fromkeys(word for phrase in phrases for word in words(phrase)):
        held = np.zeros(len(mask), dtype=np.bool_)
        held[segment.row_postings.rows_with(word_terms(word)[0], range(BODY, BODY + 1))] = True
        mask &= held
    folded = [" ".join(phrase.split()).casefold() for phrase in phrases]
    rows = np.flatnonzero(mask)
    for start in range(0, len(rows), _BATCH_ROWS):
        deadline.check("phrases")
        batch = rows[start : start + _BATCH_ROWS]
        for row, text in zip(batch.tolist(), _texts(view, segment, batch.tolist()), strict=True):
            plain = " ".join(text.split()).casefold()
            mask[row] = all(phrase in plain for phrase in folded)
    return mask


def _texts(view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]) -> list[str]:
    try:
        return take_texts(view.store, segment.image.name, rows)
    except CorruptStore as error:
        if (removed := gone(view)) is not None:
            raise removed from error
        raise

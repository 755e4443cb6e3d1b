"""Quoted phrases: which rows contain them word for word.

Postings know which rows hold all words of a phrase; the text of those is read and looked into.
That makes a quoted phrase cost as much as reading those rows, and never wrong.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ggrep.base.deadline import Deadline
from ggrep.index.lexical.tokens import word_terms, words
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.eligible import Mask
from ggrep.search.query.row_reading import BATCH_ROWS, row_texts
from ggrep.search.query.segments import SearchableSegment

_WORD = re.compile(r"\w+")


def rows_with_phrases(
    view: SnapshotView,
    segment: SearchableSegment,
    phrases: Sequence[str],
    eligible: Mask,
    deadline: Deadline,
) -> Mask:
    """Return bool (rows,): the eligible rows whose own text holds every phrase.

    Letter case and the kind of blanks between words do not matter. A phrase that runs over the
    border of two chunks is in neither. One that is a single word is looked for in postings alone.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    mask = eligible.copy()
    for word in dict.fromkeys(word for phrase in phrases for word in words(phrase)):
        held = np.zeros(len(mask), dtype=np.bool_)
        held[segment.rows_with(word_terms(word)[0])] = True
        mask &= held
    patterns = [_pattern(phrase) for phrase in phrases if not _WORD.fullmatch(phrase)]
    if patterns:
        rows = np.flatnonzero(mask)
        mask[rows] = _hold(view, segment, rows, patterns, deadline)
    return mask


def rows_verbatim(
    view: SnapshotView,
    segment: SearchableSegment,
    text: str,
    deadline: Deadline,
) -> npt.NDArray[np.int64]:
    """Return the visible rows whose own text holds `text` word for word, as a phrase would be.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    lists = [segment.rows_with(word_terms(word)[0]) for word in dict.fromkeys(words(text))]
    lists.sort(key=len)
    found = lists[0] if lists else np.zeros(0, np.uint32)
    for rows in lists[1:]:
        if not len(found):
            break  # so that no list below is empty
        places = np.minimum(np.searchsorted(rows, found), len(rows) - 1)
        found = found[rows[places] == found]
    kept = found[segment.visible_rows[found]].astype(np.int64)
    return kept[_hold(view, segment, kept, [_pattern(text)], deadline)]


def _hold(
    view: SnapshotView,
    segment: SearchableSegment,
    rows: npt.NDArray[np.int64],
    patterns: Sequence[re.Pattern[str]],
    deadline: Deadline,
) -> Mask:
    """Return, for each row, whether its own text matches every pattern."""
    held = np.zeros(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), BATCH_ROWS):
        deadline.check("phrases")
        batch = rows[start : start + BATCH_ROWS].tolist()
        for place, text in enumerate(row_texts(view, segment, batch), start=start):
            plain = " ".join(text.split()).casefold()
            held[place] = all(pattern.search(plain) for pattern in patterns)
    return held


def _pattern(phrase: str) -> re.Pattern[str]:
    """Return what finds a phrase that does not begin or end inside of a longer word."""
    text = " ".join(phrase.split()).casefold()
    before = r"(?<!\w)" if _WORD.match(text) else ""
    after = r"(?!\w)" if _WORD.match(text[-1]) else ""
    return re.compile(before + re.escape(text) + after)

"""Finds the rows that contain a quoted phrase word for word.

Postings list the rows that contain all words of a phrase; the text of these rows is read and
compared. The result is exact.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ggrep.base.clock import Deadline
from ggrep.base.scripts import nfc
from ggrep.index.lexical.tokens import is_one_word, whole_terms
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.eligible import Mask
from ggrep.search.query.row_reading import BATCH_ROWS, row_texts
from ggrep.search.query.segments import SearchableSegment

_ONE_WORD = re.compile(r"\w+", re.ASCII)


def rows_with_phrases(
    view: SnapshotView,
    segment: SearchableSegment,
    phrases: Sequence[str],
    eligible: Mask,
    deadline: Deadline,
) -> Mask:
    """Return bool (rows,): the eligible rows whose own text contains every phrase.

    Letter case and the kind of blanks between words are ignored. A phrase that crosses the border
    of two chunks is not found. For a phrase of one word, the postings suffice.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    mask = eligible.copy()
    for term in dict.fromkeys(term for phrase in phrases for term in whole_terms(phrase)):
        with_term = np.zeros(len(mask), dtype=np.bool_)
        with_term[segment.rows_with(term)] = True
        mask &= with_term
    texts = [_plain(phrase) for phrase in phrases if not _ONE_WORD.fullmatch(phrase)]
    if texts:
        rows = np.flatnonzero(mask)
        mask[rows] = _hold(view, segment, rows, texts, deadline)
    return mask


def rows_verbatim(
    view: SnapshotView,
    segment: SearchableSegment,
    text: str,
    deadline: Deadline,
) -> npt.NDArray[np.int64]:
    """Return the visible rows whose own text contains `text` word for word, compared like a phrase.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    lists = [segment.rows_with(term) for term in whole_terms(text)]
    lists.sort(key=len)
    common = lists[0] if lists else np.zeros(0, np.uint32)
    for rows in lists[1:]:
        if not len(common):
            break  # the lists below must not be empty
        places = np.minimum(np.searchsorted(rows, common), len(rows) - 1)
        common = common[rows[places] == common]
    kept = common[segment.visible_rows[common]].astype(np.int64)
    return kept[_hold(view, segment, kept, [_plain(text)], deadline)]


def _hold(
    view: SnapshotView,
    segment: SearchableSegment,
    rows: npt.NDArray[np.int64],
    phrases: Sequence[str],
    deadline: Deadline,
) -> Mask:
    """Return, for each row, whether its own text contains every phrase."""
    containing = np.zeros(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), BATCH_ROWS):
        deadline.check("phrases")
        batch = rows[start : start + BATCH_ROWS].tolist()
        for place, text in enumerate(row_texts(view, segment, batch), start=start):
            plain = _plain(text)
            containing[place] = all(_holds(plain, phrase) for phrase in phrases)
    return containing


def _plain(text: str) -> str:
    """Return a text in NFC, case-folded, with one blank between words."""
    return nfc(" ".join(text.split())).casefold()


def _holds(text: str, phrase: str) -> bool:
    """Return whether a text contains a phrase at borders of words."""
    place = text.find(phrase)
    while place >= 0:
        end = place + len(phrase)
        before, after = text[max(place - 1, 0) : place], text[end : end + 1]
        if not (is_one_word(before, phrase[0]) or is_one_word(phrase[-1], after)):
            return True
        place = text.find(phrase, place + 1)
    return False

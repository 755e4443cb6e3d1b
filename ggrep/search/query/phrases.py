"""Quoted phrases: which rows contain them word for word.

Postings know which rows hold all words of a phrase; the text of those is read and looked into.
That makes a quoted phrase cost as much as reading those rows, and never wrong.
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
    """Return bool (rows,): the eligible rows whose own text holds every phrase.

    Letter case and the kind of blanks between words do not matter. A phrase that runs over the
    border of two chunks is in neither. One that is a single word is looked for in postings alone.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    mask = eligible.copy()
    for term in dict.fromkeys(term for phrase in phrases for term in whole_terms(phrase)):
        held = np.zeros(len(mask), dtype=np.bool_)
        held[segment.rows_with(term)] = True
        mask &= held
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
    """Return the visible rows whose own text holds `text` word for word, as a phrase would be.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    lists = [segment.rows_with(term) for term in whole_terms(text)]
    lists.sort(key=len)
    found = lists[0] if lists else np.zeros(0, np.uint32)
    for rows in lists[1:]:
        if not len(found):
            break  # so that no list below is empty
        places = np.minimum(np.searchsorted(rows, found), len(rows) - 1)
        found = found[rows[places] == found]
    kept = found[segment.visible_rows[found]].astype(np.int64)
    return kept[_hold(view, segment, kept, [_plain(text)], deadline)]


def _hold(
    view: SnapshotView,
    segment: SearchableSegment,
    rows: npt.NDArray[np.int64],
    phrases: Sequence[str],
    deadline: Deadline,
) -> Mask:
    """Return, for each row, whether its own text holds every phrase."""
    held = np.zeros(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), BATCH_ROWS):
        deadline.check("phrases")
        batch = rows[start : start + BATCH_ROWS].tolist()
        for place, text in enumerate(row_texts(view, segment, batch), start=start):
            plain = _plain(text)
            held[place] = all(_holds(plain, phrase) for phrase in phrases)
    return held


def _plain(text: str) -> str:
    """Return a text in NFC and one case, its words one blank apart."""
    return nfc(" ".join(text.split())).casefold()


def _holds(text: str, phrase: str) -> bool:
    """Return whether a phrase stands in a text, not beginning or ending inside of a word."""
    place = text.find(phrase)
    while place >= 0:
        end = place + len(phrase)
        before, after = text[max(place - 1, 0) : place], text[end : end + 1]
        if not (is_one_word(before, phrase[0]) or is_one_word(phrase[-1], after)):
            return True
        place = text.find(phrase, place + 1)
    return False

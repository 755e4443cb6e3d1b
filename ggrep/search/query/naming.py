"""Which chunks define a name, and which use it."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.base.deadline import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.index.lexical.layout import SYMBOL
from ggrep.index.store.view import SnapshotView
from ggrep.model.limits import LimitHit
from ggrep.model.written_names import declared_name
from ggrep.search.query.eligible import Mask
from ggrep.search.query.literal import Literal, Matches, matching_rows
from ggrep.search.query.row_reading import BATCH_ROWS, row_columns
from ggrep.search.query.segments import SearchableSegment

_SEPARATORS: Final = re.compile(r"::|->|[.#/]")
_OTHER_CASE: Final = 0.1
"""What is left of the score of a name in another letter case: it is another name."""


def name_of(query: str) -> str:
    """Return the name that a query is, its parts joined by dots.

    Raises:
        InvalidRequest: it is none.
    """
    name = _SEPARATORS.sub(".", declared_name(query).removesuffix("()").strip()).strip(".")
    if not re.fullmatch(r"\w+(?:\.\w+)*", name):
        raise InvalidRequest(f"query: {query!r} is not a name")
    return name


def defining_rows(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    name: str,
    eligible: Sequence[Mask],
    deadline: Deadline,
) -> list[Matches]:
    """Return the eligible rows that define the name, per segment.

    One in another letter case counts for little. Of a name with parts all must fit the end of the
    definition's qualified name.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    found = []
    for segment, mask in zip(segments, eligible, strict=True):
        rows = _symbol_rows(segment, name)
        rows = rows[mask[rows]]
        factors = np.zeros(len(rows))
        for start in range(0, len(rows), BATCH_ROWS):
            deadline.check("definitions")
            batch = rows[start : start + BATCH_ROWS].tolist()
            factors[start : start + len(batch)] = _fits(view, segment, batch, name)
        kept = factors > 0.0
        found.append(Matches(rows[kept], np.zeros(int(kept.sum()), np.int64), factors[kept]))
    return found


def using_rows(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    name: str,
    eligible: Sequence[Mask],
    deadline: Deadline,
) -> tuple[list[Matches], tuple[LimitHit, ...]]:
    """Return the eligible rows that hold the name's last part as a word and do not define it.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    last = name.rpartition(".")[2]
    masks = []
    defined = defining_rows(view, segments, last, eligible, deadline)
    for mask, rows in zip(eligible, defined, strict=True):
        own = mask.copy()
        own[rows.rows[rows.factors == 1.0]] = False
        masks.append(own)
    return matching_rows(view, segments, _Word(last), masks, deadline)


class _Word(Literal):
    """A text that begins and ends where a word does."""

    __slots__ = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the text with something around it that is no word."""
        return (f" {self.text} ",)

    def first(self, data: bytes, start: int, deadline: Deadline) -> tuple[int, int] | None:
        """Return where the word first stands at or behind `start`, and ends."""
        while (found := super().first(data, start, deadline)) is not None:
            before, after = data[max(found[0] - 4, 0) : found[0]], data[found[1] : found[1] + 4]
            if not (_ends_word(before) or _begins_word(after)):
                return found
            start = found[0] + 1
        return None


def _ends_word(data: bytes) -> bool:
    return bool(re.search(r"\w\Z", data.decode(errors="ignore")))


def _begins_word(data: bytes) -> bool:
    return bool(re.match(r"\w", data.decode(errors="ignore")))


def _symbol_rows(segment: SearchableSegment, name: str) -> npt.NDArray[np.int64]:
    last = name.rpartition(".")[2]
    term = last.strip("_").casefold() or last
    return segment.row_postings.rows_with(term, range(SYMBOL, SYMBOL + 1)).astype(np.int64)


def _fits(
    view: SnapshotView, segment: SearchableSegment, rows: list[int], name: str
) -> list[float]:
    """Return how much each row's definitions count as one of the name."""
    columns = row_columns(view, segment, rows, ("names", "qualified_name", "breadcrumb"))
    return [_fit(name, *row) for row in zip(*columns, strict=True)]


def _fit(name: str, names: list[str], qualified: str, breadcrumb: list[str]) -> float:
    crumb = ".".join(breadcrumb)
    every = {qualified, *(f"{crumb}.{own}" if crumb else own for own in names)}
    if names:  # what a chunk defines beside its first definition may stand inside of that
        every |= {f"{qualified}.{own}" for own in names[1:]}
    if any(_ends_with(one, name) for one in every):
        return 1.0
    folded = name.casefold()
    return _OTHER_CASE if any(_ends_with(one.casefold(), folded) for one in every) else 0.0


def _ends_with(qualified: str, name: str) -> bool:
    return qualified == name or qualified.endswith(f".{name}")

"""Finds the chunks that define a name, and the chunks that use it."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.base.scripts import WORD, nfc
from ggrep.index.lexical.layout import SYMBOL
from ggrep.index.lexical.tokens import folded_name
from ggrep.index.store.row_texts import RowDetails
from ggrep.index.store.view import SnapshotView
from ggrep.model.limits import LimitHit
from ggrep.model.written_names import declared_name
from ggrep.search.query.eligible import Mask
from ggrep.search.query.literal import Matches, literal, matching_rows
from ggrep.search.query.row_reading import BATCH_ROWS, row_details
from ggrep.search.query.segments import SearchableSegment

_SEPARATORS: Final = re.compile(r"::|->|[.#/]")
_DOTTED: Final = re.compile(rf"[{WORD}]+(?:\.[{WORD}]+)*")
_OTHER_CASE: Final = 0.1
"""Factor of a definition in another letter case, which is probably another name."""


def name_of(query: str) -> str:
    """Return the name that a query consists of, its parts joined by dots.

    Raises:
        InvalidRequest: the query is not a name.
    """
    name = _SEPARATORS.sub(".", declared_name(query).removesuffix("()").strip()).strip(".")
    if not _DOTTED.fullmatch(name):
        raise InvalidRequest(f"query: {query!r} is not a valid name")
    return name


def defining_rows(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    name: str,
    eligible: Sequence[Mask],
    deadline: Deadline,
) -> list[Matches]:
    """Return the eligible rows that define the name, per segment.

    A definition in another letter case has a low factor. The qualified name of a definition must
    end with all parts of the name.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    matches = []
    for segment, mask in zip(segments, eligible, strict=True):
        rows = _symbol_rows(segment, name)
        rows = rows[mask[rows]]
        factors = np.zeros(len(rows))
        for start in range(0, len(rows), BATCH_ROWS):
            deadline.check("definitions")
            batch = rows[start : start + BATCH_ROWS].tolist()
            factors[start : start + len(batch)] = _fits(view, segment, batch, name)
        kept = factors > 0.0
        matches.append(Matches(rows[kept], np.zeros(int(kept.sum()), np.int64), factors[kept]))
    return matches


def using_rows(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    name: str,
    eligible: Sequence[Mask],
    deadline: Deadline,
) -> tuple[list[Matches], tuple[LimitHit, ...]]:
    """Return the eligible rows that contain the name's last part as a word and do not define it.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    last = name.rpartition(".")[2]
    masks = []
    defined = defining_rows(view, segments, last, eligible, deadline)
    for mask, rows in zip(eligible, defined, strict=True):
        allowed = mask.copy()
        allowed[rows.rows[rows.factors == 1.0]] = False
        masks.append(allowed)
    return matching_rows(view, segments, literal(last, whole_words=True), masks, deadline)


def _symbol_rows(segment: SearchableSegment, name: str) -> npt.NDArray[np.int64]:
    last = name.rpartition(".")[2]
    return segment.row_postings.rows_with(folded_name(last), range(SYMBOL, SYMBOL + 1)).astype(
        np.int64
    )


def _fits(
    view: SnapshotView, segment: SearchableSegment, rows: list[int], name: str
) -> list[float]:
    """Return the factor of each row as a definition of the name; 0 for other rows."""
    return [_fit(name, row) for row in row_details(view, segment, rows)]


def _fit(name: str, row: RowDetails) -> float:
    names, qualified, crumb = row.names, row.qualified_name, ".".join(row.breadcrumb)
    every = {qualified, *(f"{crumb}.{part}" if crumb else part for part in names)}
    if names:  # further definitions of a chunk can be inside of its first definition
        every |= {f"{qualified}.{part}" for part in names[1:]}
    spelled = list(map(nfc, every))
    if any(_ends_with(spelling, name) for spelling in spelled):
        return 1.0
    folded = name.casefold()
    return (
        _OTHER_CASE if any(_ends_with(spelling.casefold(), folded) for spelling in spelled) else 0.0
    )


def _ends_with(qualified: str, name: str) -> bool:
    return qualified == name or qualified.endswith(f".{name}")

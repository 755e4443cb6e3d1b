"""Files and rows related to the best code: they mention what it defines, or define what it uses.

A question in plain words finds the mechanism. Its tests rarely repeat the question, but they name
what the mechanism defines. Its helpers rarely repeat the question either, but the mechanism names
them. Both are looked up in the postings and count by how rare the names are.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.index.lexical.layout import SYMBOL
from ggrep.index.lexical.tokens import folded_name
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.slate.file_candidates import RelatedFiles

MOST_NAMES: Final = 24
"""Names that are looked up."""

_NAMES_OF_A_ROW: Final = 12
_SHORTEST: Final = 4
_COMMON: Final = 0.02
"""Share of all chunks that a name may stand in before it says nothing."""

_MOST_DEFINITIONS: Final = 3
"""Rows that may define a name that the best code uses; with more it is unknown which is meant."""

_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")
_ENOUGH: Final = 3
"""So many of the rarest names, mentioned, make a companion as good as any."""


class Origin(Struct, frozen=True):
    """A row whose names are searched for.

    Attributes:
        weight: 0 to 1, how well it answers the question.
    """

    segment: int
    row: int
    weight: float


def companions(ranked: Ranked, origins: Sequence[Origin], deadline: Deadline) -> RelatedFiles:
    """Return how files and rows relate to the origins.

    Raises:
        CorruptStore: the text of an origin cannot be read.
        DeadlineExceeded: time ran out.
    """
    weights = _weighed(ranked.segments, _names(ranked, origins, deadline))
    enough = sum(sorted(weights.values(), reverse=True)[:_ENOUGH])
    files, rows = [], []
    for segment, eligible in zip(ranked.segments, ranked.eligible, strict=True):
        deadline.check("companions")
        by_file, by_row = np.zeros(segment.image.files), np.zeros(segment.image.rows)
        row_files = segment.image.row_files
        for name, weight in weights.items():
            found = segment.rows_with(name)
            by_row[found] += weight
            by_file[row_files[found]] += weight  # of a file with several rows once
        if enough > 0.0:
            by_file, by_row = np.minimum(by_file / enough, 1.0), np.minimum(by_row / enough, 1.0)
        own = [o.row for o in origins if ranked.segments[o.segment] is segment]
        by_file[segment.image.row_files[own]] = 0.0  # what defines them is no companion of itself
        by_row[~eligible] = 0.0
        shown = np.zeros(segment.image.files, dtype=np.bool_)
        shown[segment.image.row_files[eligible]] = True
        by_file[~shown] = 0.0
        files.append(by_file)
        rows.append(by_row)
    return RelatedFiles(tuple(files), tuple(rows), _used(ranked, origins, deadline))


def _used(
    ranked: Ranked, origins: Iterable[Origin], deadline: Deadline
) -> tuple[npt.NDArray[np.float64], ...]:
    """Return per segment float64 (rows,): how much of what the origins use each row defines."""
    names: dict[str, float] = {}
    for origin in origins:
        deadline.check("companions")
        (text,) = ranked.segments[origin.segment].texts.texts([origin.row])
        for name in map(folded_name, set(_IDENTIFIER.findall(text))):
            if len(name) >= _SHORTEST:
                names[name] = max(origin.weight, names.get(name, 0.0))
    segments, used = ranked.segments, [np.zeros(each.image.rows) for each in ranked.segments]
    chunks = sum(int(segment.visible_rows.sum()) for segment in segments)
    for name, weight in names.items():
        found = [
            segment.row_postings.rows_with(name, range(SYMBOL, SYMBOL + 1)) for segment in segments
        ]
        rows = [
            each[segment.visible_rows[each]] for each, segment in zip(found, segments, strict=True)
        ]
        defining = sum(map(len, rows))
        if 0 < defining <= _MOST_DEFINITIONS:
            holding = sum(_holding(segment, name) for segment in segments)
            value = weight * _rarity(chunks, max(holding, 1)) / math.sqrt(defining)
            for figures, at in zip(used, rows, strict=True):
                figures[at] = np.maximum(figures[at], value)
    for figures, eligible in zip(used, ranked.eligible, strict=True):
        figures[~eligible] = 0.0
    return tuple(used)


def _names(ranked: Ranked, origins: Iterable[Origin], deadline: Deadline) -> dict[str, float]:
    """Return the terms of the names that the origins define, with the best origin's weight."""
    found: dict[str, float] = {}
    by_segment: dict[int, dict[int, float]] = {}
    for origin in origins:
        by_segment.setdefault(origin.segment, {})[origin.row] = origin.weight
    for place, weights in sorted(by_segment.items()):
        deadline.check("companions")
        rows = np.array(sorted(weights), dtype=np.int64)
        defined = ranked.segments[place].row_postings.terms_at(rows, SYMBOL)
        for row, names in defined.items():
            for name in sorted(names, key=str.encode)[:_NAMES_OF_A_ROW]:
                if len(name) >= _SHORTEST:
                    found[name] = max(found.get(name, 0.0), weights[row])
    best = sorted(found.items(), key=lambda item: (-item[1], item[0].encode()))
    return dict(best[: 2 * MOST_NAMES])


def _weighed(segments: Sequence[SearchableSegment], names: Mapping[str, float]) -> dict[str, float]:
    """Return the rarest of the names, weighed by how rare they are; in the order of their bytes."""
    chunks = sum(int(segment.visible_rows.sum()) for segment in segments)
    weighed: dict[str, float] = {}
    for name, weight in names.items():
        holding = sum(_holding(segment, name) for segment in segments)
        if 1 < holding <= max(_COMMON * chunks, 8):
            weighed[name] = weight * _rarity(chunks, holding)
    best = sorted(weighed.items(), key=lambda item: (-item[1], item[0].encode()))[:MOST_NAMES]
    return dict(sorted(best, key=lambda item: item[0].encode()))


def _rarity(chunks: int, holding: int) -> float:
    """Return 1 for a name of a single chunk, and less for a name of more chunks."""
    return math.log(1.0 + chunks / holding) / math.log(1.0 + chunks)


def _holding(segment: SearchableSegment, name: str) -> int:
    """Return how many visible rows hold a name."""
    return int(np.count_nonzero(segment.visible_rows[segment.rows_with(name)]))

"""Finds files and rows that mention names of the best code, or define names that it uses.

A query in plain words finds the best code, the *origins*. Tests of this code rarely contain the
query's words, but they mention names that the code defines. Helpers of this code rarely contain the
query's words, but the code mentions the helpers' names. Names that the origins define or use are
searched for in the postings; rare names count more.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from ggrep.base.clock import Deadline
from ggrep.index.lexical.layout import SYMBOL
from ggrep.index.lexical.tokens import folded_name
from ggrep.model.slate_material import FileCandidate
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.slate.file_candidates import Figures, RelatedFiles
from ggrep.search.slate.file_rows import rows_of

ORIGINS: Final = 5
"""Number of best files whose names are searched for in other files."""

_ROWS_OF_ORIGIN: Final = 2
MOST_NAMES: Final = 24
"""Maximum number of names that are searched for."""

_NAMES_OF_A_ROW: Final = 12
_SHORTEST: Final = 4
_COMMON: Final = 0.02
"""Maximum share of all chunks that contain a name; more frequent names are ignored."""

_MOST_DEFINITIONS: Final = 3
"""Maximum number of rows that define a used name; if there are more, the name is ambiguous."""

_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")
_ENOUGH: Final = 3
"""Number of the rarest names whose mention yields the maximum value of 1."""


Origins: TypeAlias = Mapping[tuple[int, int], float]
"""The rows of the best code, by segment and row, with their relative scores from 0 to 1."""


def best_rows_of(ranked: Ranked, code: Sequence[FileCandidate]) -> Origins:
    """Return the best rows of the best files, with their relative scores."""
    best = max((each.score for each in code), default=0.0)
    return {
        (each.segment, row.row): min(row.score / best, 1.0)
        for each, rows in zip(code, rows_of(ranked, code, _ROWS_OF_ORIGIN), strict=True)
        for row in rows.best
    }


def companions(ranked: Ranked, origins: Origins, deadline: Deadline) -> RelatedFiles:
    """Return how closely files and rows are related to the origins.

    Raises:
        CorruptStore: the text of an origin cannot be read.
        DeadlineExceeded: time ran out.
    """
    weights = _weighed(ranked.segments, _names(ranked, origins, deadline))
    enough = sum(sorted(weights.values(), reverse=True)[:_ENOUGH]) or 1.0
    files, rows = [], []
    for place, segment in enumerate(ranked.segments):
        deadline.check("companions")
        image, eligible = segment.image, ranked.eligible[place]
        by_file, by_row = np.zeros(image.files), np.zeros(image.rows)
        for name, weight in weights.items():
            holding = segment.rows_with(name)
            by_row[holding] += weight
            by_file[image.row_files[holding]] += weight  # several rows of a file count once
        by_row[~eligible] = 0.0
        shown = np.zeros(image.files, dtype=np.bool_)
        shown[image.row_files[eligible]] = True
        by_file[~shown] = 0.0
        # The files of the origins are not related to themselves.
        by_file[image.row_files[[row for at, row in origins if at == place]]] = 0.0
        files.append(np.minimum(by_file / enough, 1.0))
        rows.append(np.minimum(by_row / enough, 1.0))
    return RelatedFiles(tuple(files), tuple(rows), _used(ranked, origins, deadline))


def _used(ranked: Ranked, origins: Origins, deadline: Deadline) -> tuple[Figures, ...]:
    """Return, per segment, each row's largest weight of a name that it defines and origins use."""
    names: dict[str, float] = {}
    for (place, row), weight in origins.items():
        deadline.check("companions")
        (text,) = ranked.segments[place].texts.texts([row])
        for name in map(folded_name, set(_IDENTIFIER.findall(text))):
            if len(name) >= _SHORTEST:
                names[name] = max(weight, names.get(name, 0.0))
    segments, symbol = ranked.segments, range(SYMBOL, SYMBOL + 1)
    chunks = _visible(segments)
    used = tuple(np.zeros(segment.image.rows) for segment in segments)
    for name, weight in names.items():
        definitions = [segment.row_postings.rows_with(name, symbol) for segment in segments]
        rows = [at[each.visible_rows[at]] for at, each in zip(definitions, segments, strict=True)]
        defining = sum(map(len, rows))
        if 0 < defining <= _MOST_DEFINITIONS:
            _, rarity = _rarity(segments, name, chunks)
            for figures, at in zip(used, rows, strict=True):
                figures[at] = np.maximum(figures[at], weight * rarity / math.sqrt(defining))
    for figures, eligible in zip(used, ranked.eligible, strict=True):
        figures[~eligible] = 0.0
    return used


def _names(ranked: Ranked, origins: Origins, deadline: Deadline) -> dict[str, float]:
    """Return the names that the origins define, with the weight of the best origin of each name."""
    weights: dict[str, float] = {}
    for place, segment in enumerate(ranked.segments):
        deadline.check("companions")
        rows = np.array(sorted(row for at, row in origins if at == place), dtype=np.int64)
        for row, names in segment.row_postings.terms_at(rows, SYMBOL).items():
            for name in sorted(names, key=str.encode)[:_NAMES_OF_A_ROW]:
                if len(name) >= _SHORTEST:
                    weights[name] = max(weights.get(name, 0.0), origins[place, row])
    best = sorted(weights.items(), key=lambda item: (-item[1], item[0].encode()))
    return dict(best[: 2 * MOST_NAMES])


def _weighed(segments: Sequence[SearchableSegment], names: Mapping[str, float]) -> dict[str, float]:
    """Return the names with the largest products of weight and rarity, and these products.

    Very common names are omitted. The order is that of the names' bytes.
    """
    chunks = _visible(segments)
    weighed: dict[str, float] = {}
    for name, weight in names.items():
        holding, rarity = _rarity(segments, name, chunks)
        if 1 < holding <= max(_COMMON * chunks, 8):
            weighed[name] = weight * rarity
    best = sorted(weighed.items(), key=lambda item: (-item[1], item[0].encode()))[:MOST_NAMES]
    return dict(sorted(best, key=lambda item: item[0].encode()))


def _rarity(segments: Sequence[SearchableSegment], name: str, chunks: int) -> tuple[int, float]:
    """Return the number of visible rows with a name, and its rarity, at most 1."""
    of_segments = (segment.visible_rows[segment.rows_with(name)] for segment in segments)
    holding = sum(int(np.count_nonzero(visible)) for visible in of_segments)
    return holding, math.log(1.0 + chunks / max(holding, 1)) / math.log(1.0 + chunks)


def _visible(segments: Sequence[SearchableSegment]) -> int:
    return sum(int(segment.visible_rows.sum()) for segment in segments)

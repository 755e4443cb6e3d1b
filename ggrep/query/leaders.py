"""The best files of a ranked snapshot, with what confidence is judged by."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ggrep.domain.confidence import LEADERS, Leader, Leading, ordered_leaders
from ggrep.domain.statistics import CollectionStatistics
from ggrep.lexical.bm25 import inverse_document_frequency
from ggrep.lexical.layout import FILE_FIELDS, SCORED_FIELDS
from ggrep.query.eligible import Mask
from ggrep.query.kinds import QueryKind
from ggrep.query.score import DECIMALS, SegmentScores
from ggrep.query.segments import SearchableSegment
from ggrep.query.understand import ParsedQuery
from ggrep.query.weights import Weights

Scores = npt.NDArray[np.float64]


class Leaders:
    """Finds the leaders of one query over one snapshot.

    Args:
        query: the query that was scored.
        statistics: of the collection it was scored against.
        weights: those in force for its kind.
    """

    def __init__(
        self, query: ParsedQuery, statistics: CollectionStatistics, weights: Weights
    ) -> None:
        self._query = query
        self._roots = [term for term in query.terms if term not in query.spellings]
        self._statistics = statistics
        self._weights = weights

    def leading(
        self,
        segments: Sequence[SearchableSegment],
        scores: Sequence[SegmentScores],
        eligible: Sequence[Mask],
    ) -> Leading:
        """Return the best files by their best eligible row."""
        parts = list(zip(segments, scores, eligible, strict=True))
        best = [_best_of_files(*part) for part in parts]
        floor = _floor(np.concatenate([*best, np.zeros(0)]))
        tied: list[tuple[bytes, Leader]] = []
        above: list[Leader] = []
        for (segment, scored, mask), by_file in zip(parts, best, strict=True):
            for file in np.flatnonzero(by_file >= floor).tolist():
                leader = self._leader(segment, scored, mask, file)
                if by_file[file] > floor:
                    above.append(leader)
                else:
                    tied.append((segment.image.path_bytes(file), leader))
        tied.sort(key=lambda pair: pair[0])
        left = LEADERS - len(above)
        leaders = ordered_leaders([*above, *(leader for _, leader in tied[:left])])
        return Leading(leaders, self._rarity(), self._query.kind is QueryKind.SYMBOL)

    def _rarity(self) -> float:
        chunks = self._statistics.chunks
        idfs = [
            inverse_document_frequency(chunks, self._statistics.frequency(term).chunks)
            for term in self._roots
        ]
        return round(sum(idfs) / len(idfs) / math.log(chunks + 2), DECIMALS)

    def _leader(
        self, segment: SearchableSegment, scored: SegmentScores, mask: Mask, file: int
    ) -> Leader:
        image = segment.image
        start, end = int(image.file_rows[file]), int(image.file_rows[file + 1])
        row = start + int(np.argmax(np.where(mask[start:end], scored.total[start:end], 0.0)))
        held = {t for t in self._query.terms if _holds(segment, t, file, start, end)}
        return Leader(
            score=float(scored.total[row]),
            evidence=round(self._evidence(scored, row, slice(start, end)), DECIMALS),
            stem=round(float(scored.stems[file]), DECIMALS),
            found=round(sum(term in held for term in self._roots) / len(self._roots), DECIMALS),
            spelt=len(held) == len(self._query.terms),
        )

    def _evidence(self, scored: SegmentScores, row: int, file: slice) -> float:
        """Return the row's score as it would be without an encoder."""
        parts, weights = scored.parts, self._weights
        lexical = parts["lexical"][file]
        own = weights.text * float(parts["lexical"][row])
        around = weights.file * math.cbrt(math.fsum((lexical * lexical * lexical).tolist()))
        rest = sum(float(parts[name][row]) for name in _LEXICAL_PARTS if name in parts)
        return (own + around + rest) * float(parts["prior"][row]) * float(parts["further"][row])


_LEXICAL_PARTS = ("path", "stem", "symbol", "location")


def _holds(segment: SearchableSegment, term: str, file: int, start: int, end: int) -> bool:
    """Return whether a file's rows (from `start` to `end`) or its path hold `term`."""
    rows = segment.row_postings.rows_with(term, range(SCORED_FIELDS))
    place = int(np.searchsorted(rows, start))
    if place < len(rows) and rows[place] < end:
        return True
    files = segment.file_postings.rows_with(term, range(FILE_FIELDS))
    place = int(np.searchsorted(files, file))
    return place < len(files) and int(files[place]) == file


def _best_of_files(segment: SearchableSegment, scored: SegmentScores, mask: Mask) -> Scores:
    """Return, per file, the score of its best eligible row; 0 without one."""
    image = segment.image
    rows = image.file_rows.astype(np.int64)
    filled = np.flatnonzero(np.diff(rows))
    best = np.zeros(image.files, dtype=np.float64)
    if len(filled):
        best[filled] = np.maximum.reduceat(np.where(mask, scored.total, 0.0), rows[:-1][filled])
    return best


def _floor(best: Scores) -> float:
    """Return the score that the last leader has; any positive one where there are few files."""
    positive = best[best > 0.0]
    if not len(positive):
        return math.inf
    if len(positive) <= LEADERS:
        return float(positive.min())
    return float(-np.partition(-positive, LEADERS - 1)[LEADERS - 1])

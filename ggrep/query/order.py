"""The order of candidates: the one place that breaks ties within a repository."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ggrep.query.score import SegmentScores
from ggrep.query.segments import SearchableSegment

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scored row, in order.

    Attributes:
        segment: place in the snapshot's segments; `row` and `file` within that segment.
        corpus: place in CORPORA.
    """

    segment: int
    row: int
    file: int
    corpus: int
    score: float
    lexical: float


def ordered_candidates(
    segments: Sequence[SearchableSegment],
    scores: Sequence[SegmentScores],
    eligible: Sequence[Mask],
    *,
    most: int,
) -> tuple[list[Candidate], dict[int, int]]:
    """Return the best `most` rows of each corpus in one order, and how many each corpus had.

    Order: score, secondary score, path key, start line, row id; then the place in the store,
    which only a store that holds several roots ever needs.
    """
    columns = _gather(segments, scores, eligible)
    counts = {
        corpus: int(number)
        for corpus, number in enumerate(np.bincount(columns.corpus, minlength=4))
        if number
    }
    keep = _best(columns, counts, most, segments)
    order = np.lexsort((-columns.lexical[keep], -columns.score[keep]))
    picked = _break_ties(columns, keep[order], segments)
    return _cut(picked, counts, most), counts


@dataclass(frozen=True, slots=True)
class _Columns:
    segment: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]
    file: npt.NDArray[np.int64]
    corpus: npt.NDArray[np.int64]
    score: npt.NDArray[np.float64]
    lexical: npt.NDArray[np.float64]

    def candidate(self, place: int) -> Candidate:
        return Candidate(
            segment=int(self.segment[place]),
            row=int(self.row[place]),
            file=int(self.file[place]),
            corpus=int(self.corpus[place]),
            score=float(self.score[place]),
            lexical=float(self.lexical[place]),
        )


def _gather(
    segments: Sequence[SearchableSegment],
    scores: Sequence[SegmentScores],
    eligible: Sequence[Mask],
) -> _Columns:
    parts: list[list[npt.NDArray[np.generic]]] = [[] for _ in range(6)]
    for place, (segment, scored, mask) in enumerate(zip(segments, scores, eligible, strict=True)):
        rows = np.flatnonzero(mask & (scored.total > 0.0))
        image = segment.image
        columns: list[npt.NDArray[np.generic]] = [
            np.full(len(rows), place, dtype=np.int64),
            rows,
            image.row_files[rows].astype(np.int64),
            image.row_corpora[rows].astype(np.int64),
            scored.total[rows],
            scored.lexical[rows],
        ]
        for part, column in zip(parts, columns, strict=True):
            part.append(column)
    empty = np.zeros(0)
    segment_, row, file, corpus = (
        np.concatenate([*part, empty]).astype(np.int64) for part in parts[:4]
    )
    score, lexical = (np.concatenate([*part, empty]).astype(np.float64) for part in parts[4:])
    return _Columns(segment_, row, file, corpus, score, lexical)


def _best(
    columns: _Columns,
    counts: dict[int, int],
    most: int,
    segments: Sequence[SearchableSegment],
) -> npt.NDArray[np.int64]:
    """Return places that hold the first `most` of each corpus, and hardly any more."""
    kept = []
    for corpus in counts:
        places = np.flatnonzero(columns.corpus == corpus)
        better, tied, left = _split(places, columns.score, most)
        kept.append(better)
        better, tied, left = _split(tied, columns.lexical, left)
        kept += [better, _by_first_paths(columns, tied, left, segments)]
    return np.concatenate(kept) if kept else np.zeros(0, dtype=np.int64)


def _split(
    places: npt.NDArray[np.int64], column: npt.NDArray[np.float64], most: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
    """Return the places above the `most`-th value, those that equal it, and how many of them count.

    All are above it when there are no more than `most`.
    """
    if len(places) <= most:
        return places, places[:0], most - len(places)
    values = column[places]
    floor = -np.partition(-values, most - 1)[most - 1] if most else np.inf
    better = places[values > floor]
    return better, places[values == floor], most - len(better)


def _by_first_paths(
    columns: _Columns,
    places: npt.NDArray[np.int64],
    most: int,
    segments: Sequence[SearchableSegment],
) -> npt.NDArray[np.int64]:
    """Return, of rows with equal scores, those in each segment's first files that hold `most`.

    A common word ties thousands of rows, and comparing paths one by one would take longer than
    scoring did. Within a segment files lie by path, so the rest cannot come first.
    """
    kept = [places[:0]]
    for segment in np.unique(columns.segment[places]) if most else ():
        own = places[columns.segment[places] == segment]
        if len(own) > most:
            image, files = segments[int(segment)].image, columns.file[own]
            last = int(np.partition(files, most - 1)[most - 1])
            path = image.path_bytes(last)
            while last + 1 < image.files and image.path_bytes(last + 1) == path:
                last += 1  # in a store of several roots, files of one path lie together
            own = own[files <= last]
        kept.append(own)
    return np.concatenate(kept)


def _break_ties(
    columns: _Columns, places: npt.NDArray[np.int64], segments: Sequence[SearchableSegment]
) -> list[Candidate]:
    """Sort each run of equal scores by what else tells rows apart."""
    if not len(places):
        return []
    score, lexical = columns.score[places], columns.lexical[places]
    starts = np.flatnonzero((np.diff(score) != 0) | (np.diff(lexical) != 0)) + 1
    bounds = [0, *starts.tolist(), len(places)]
    candidates = [columns.candidate(int(place)) for place in places]
    for start, end in pairwise(bounds):
        if end - start > 1:
            run = candidates[start:end]
            run.sort(key=lambda candidate: _identity(candidate, segments))
            candidates[start:end] = run
    return candidates


def _identity(
    candidate: Candidate, segments: Sequence[SearchableSegment]
) -> tuple[bytes, int, bytes, int, int]:
    image = segments[candidate.segment].image
    return (
        image.path_bytes(candidate.file),
        image.lines(candidate.row)[0],
        image.row_id(candidate.row),
        candidate.segment,
        candidate.row,
    )


def _cut(candidates: list[Candidate], counts: dict[int, int], most: int) -> list[Candidate]:
    if all(number <= most for number in counts.values()):
        return candidates
    left = dict.fromkeys(counts, most)
    kept = []
    for candidate in candidates:
        if left[candidate.corpus] > 0:
            left[candidate.corpus] -= 1
            kept.append(candidate)
    return kept

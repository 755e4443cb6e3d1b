"""Orders candidates; ties within a repository are broken only here."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.model.corpus import CORPORA, Corpus
from ggrep.search.query.best_rows import BestRows, last_of_best
from ggrep.search.query.score import DECIMALS, SegmentScores
from ggrep.search.query.segments import SearchableSegment


class Candidate(Struct, frozen=True):
    """A scored row.

    Attributes:
        segment: position in the snapshot's segments; `row` and `file` are numbers within the
            segment.
        corpus: position in CORPORA.
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
    best: Sequence[BestRows],
    corpora: Sequence[Corpus],
    *,
    most: int,
) -> tuple[list[Candidate], dict[int, int]]:
    """Return the best `most` rows of each corpus in one order, and the number of rows per corpus.

    Order: score, secondary score, path key, start line, row id; then snapshot, segment and row,
    which matter only for a joint view or a store of several roots.
    """
    numbers = sum((each.numbers for each in best), np.zeros(len(CORPORA), dtype=np.int64))
    counts = {
        place: int(numbers[place])
        for place, corpus in enumerate(CORPORA)
        if corpus in corpora and numbers[place]
    }
    columns = _gather(scores, best, counts, most)
    keep = _best(columns, counts, most, segments)
    order = np.lexsort((-columns.lexical[keep], -columns.score[keep]))
    picked = _break_ties(columns, keep[order], segments)
    return _cut(picked, counts, most), counts


class _Columns(Struct, frozen=True):
    segment: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]
    file: npt.NDArray[np.int64]
    corpus: npt.NDArray[np.int64]
    score: npt.NDArray[np.float64]
    lexical: npt.NDArray[np.float64]

    def candidates(self, places: npt.NDArray[np.int64]) -> list[Candidate]:
        """Return the rows at some positions."""
        columns = (self.segment, self.row, self.file, self.corpus, self.score, self.lexical)
        return list(map(Candidate, *(column[places].tolist() for column in columns)))


_NO_ROWS, _NO_SCORES = np.zeros(0, np.int64), np.zeros(0)
_NO_COLUMNS = _Columns(_NO_ROWS, _NO_ROWS, _NO_ROWS, _NO_ROWS, _NO_SCORES, _NO_SCORES)


def _gather(
    scores: Sequence[SegmentScores],
    best: Sequence[BestRows],
    counts: dict[int, int],
    most: int,
) -> _Columns:
    """Return the rows that can be among the best `most` rows of a corpus.

    A row is returned if it scores at least as much as the last of the corpus' best `most` files.
    """
    floors = np.full(len(CORPORA), np.inf)
    for corpus, number in counts.items():
        figures = [each.best[corpus] for each in best] if number > most else []
        floors[corpus] = last_of_best(figures, most) if most else 0.0
    parts: list[tuple[npt.NDArray[np.generic], ...]] = []
    for place, (scored, each) in enumerate(zip(scores, best, strict=True)):
        reaching = (each.best >= floors[:, None]) & (each.best > 0.0)
        numbers, at = each.rows_of(np.logical_or.reduce(reaching))
        corpora, total = each.corpora[numbers], each.scores(scored, numbers, at)
        kept = (total >= floors[corpora]) & (total > 0.0)
        numbers, at = numbers[kept], at[kept]
        places = each.places[numbers]
        parts.append(
            (
                np.full(len(places), place),
                scored.rows[places],
                each.runs.files[at],
                corpora[kept].astype(np.int64),
                total[kept],
                np.round(scored.lexical[places], DECIMALS),
            )
        )
    return _Columns(*map(np.concatenate, zip(*parts, strict=True))) if parts else _NO_COLUMNS


def _best(
    columns: _Columns,
    counts: dict[int, int],
    most: int,
    segments: Sequence[SearchableSegment],
) -> npt.NDArray[np.int64]:
    """Return the positions of the best `most` rows of each corpus, and of a few further rows."""
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
    """Return the positions of values above the `most`-th, of equal values, and the number missing.

    The number of missing positions is `most` minus the number above. If there are at most `most`
    positions, all positions count as above.
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
    """Return, of equally scored rows, the rows in each segment's first files by path.

    The first files are the files that contain the first `most` rows of the segment. A common word
    results in thousands of rows with equal scores; comparing all their paths would take longer than
    scoring.
    """
    kept = [places[:0]]
    for segment in np.flatnonzero(np.bincount(columns.segment[places])) if most else ():
        tied = places[columns.segment[places] == segment]
        if len(tied) > most:
            files = _path_places(segments[int(segment)], columns.file[tied])
            last = _last_alike(segments[int(segment)], int(np.partition(files, most - 1)[most - 1]))
            tied = tied[files <= last]
        kept.append(tied)
    return np.concatenate(kept)


def _path_places(segment: SearchableSegment, files: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the positions of some files among the segment's files sorted by path."""
    return files if segment.ranks is None else segment.ranks[files].astype(np.int64)


def _last_alike(segment: SearchableSegment, place: int) -> int:
    """Return the last position of a file with the same path.

    Several roots can contain the same path.
    """
    image, order = segment.image, segment.image.files_by_path
    last = place
    path = image.path_bytes(int(order[last]))
    while last + 1 < image.files and image.path_bytes(int(order[last + 1])) == path:
        last += 1
    return last


def _break_ties(
    columns: _Columns, places: npt.NDArray[np.int64], segments: Sequence[SearchableSegment]
) -> list[Candidate]:
    """Return the candidates; candidates with equal scores are sorted by `_identity`."""
    if not len(places):
        return []
    score, lexical = columns.score[places], columns.lexical[places]
    starts = np.flatnonzero((np.diff(score) != 0) | (np.diff(lexical) != 0)) + 1
    bounds = [0, *starts.tolist(), len(places)]
    candidates = columns.candidates(places)
    for start, end in pairwise(bounds):
        if end - start > 1:
            run = candidates[start:end]
            run.sort(key=lambda candidate: _identity(candidate, segments))
            candidates[start:end] = run
    return candidates


def _identity(
    candidate: Candidate, segments: Sequence[SearchableSegment]
) -> tuple[bytes, int, bytes, int, int, int]:
    segment = segments[candidate.segment]
    image = segment.image
    return (
        image.path_bytes(candidate.file),
        image.lines(candidate.row)[0],
        image.row_id(candidate.row),
        segment.owner_of(candidate.file),
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

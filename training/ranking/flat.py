"""The ranking of many questions at once, for weights that change and signals that do not.

The signals of all questions of one kind lie one behind the other, files numbered through, so that
one call of `blend` weighs them all.
"""

from collections.abc import Iterable, Sequence
from math import log2
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import fields, replace

from ggrep.interfaces.evaluation.measures import DEPTH
from ggrep.search.query.blend import Signals, blend
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.score import DECIMALS
from ggrep.search.query.segments import FileRuns
from ggrep.search.query.weights import Fusion, Weights
from training.ranking.points import Point

Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
KEPT: Final = 40
"""Files of a question, best first at any of the extremes, that other weights can bring forward."""

_GAINS: Final = np.array([1.0 / log2(rank + 2) for rank in range(DEPTH)])
_OPTIONAL: Final = frozenset({"location", "verbatim", "near", "near_file", "substance"})


class Known(Struct, frozen=True):
    """What is known of one question's rows, of all segments; they lie by file.

    Attributes:
        signals: with `near` and `near_file` as for a floor of 0.
        eligible: bool (n,): rows that may be shown.
        relevant: bool (n,): rows of files that answer the question.
        answers: how many files answer it, whether they are among these or not.
        usual: NDCG@10 of what a search with the usual weights shows.
    """

    repo: str
    kind: QueryKind
    signals: Signals
    eligible: Mask
    relevant: Mask
    answers: int
    usual: float


class Flat:
    """Many questions, ranked under any weights."""

    def __init__(self, known: Sequence[Known]) -> None:
        self.repos = np.array([each.repo for each in known])
        self.names = np.array([each.kind is QueryKind.SYMBOL for each in known], dtype=np.bool_)
        self._ideals = np.array([_GAINS[: each.answers].sum() for each in known])
        self._groups = [
            _group(kind, [(n, each) for n, each in enumerate(known) if each.kind is kind])
            for kind in dict.fromkeys(each.kind for each in known)
        ]

    def ndcg(self, point: Point) -> Scores:
        """Return float64 (questions,): NDCG@10 over files, in the order they were given."""
        gains = np.zeros(len(self._ideals))
        for group in self._groups:
            best = group.best(point.weights(group.kind), point.fusion)
            group.add_gains(gains, best)
        found: Scores = gains / self._ideals
        return found


class _Group(Struct, frozen=True):
    """The questions of one kind.

    Attributes:
        begins: int64 (files,): the first row of each file.
        questions: int64 (files,): the place of the file's question, ascending.
        relevant: bool (files,).
    """

    kind: QueryKind
    signals: Signals
    eligible: Mask
    begins: npt.NDArray[np.int64]
    questions: npt.NDArray[np.int64]
    relevant: Mask

    def best(self, weights: Weights, fusion: Fusion) -> Scores:
        """Return the figure that each file is shown by; 0 for one that is not."""
        return best_of_files(self.signals, self.eligible, self.begins, weights, fusion)

    def add_gains(self, gains: Scores, best: Scores) -> None:
        """Add what the first files gain to the figures of their questions.

        Files that tie stand as they lie, by path; a search looks at the words' figure before.
        """
        order = np.lexsort((-best, self.questions))
        sorted_ = self.questions[order]
        starts = np.searchsorted(sorted_, sorted_, side="left")
        ranks = np.arange(len(order)) - starts
        hit = (ranks < DEPTH) & self.relevant[order] & (best[order] > 0.0)
        np.add.at(gains, sorted_[hit], _GAINS[ranks[hit]])


def best_of_files(
    signals: Signals,
    eligible: Mask,
    begins: npt.NDArray[np.int64],
    weights: Weights,
    fusion: Fusion,
) -> Scores:
    """Return float64 (files,): the best figure of each file's rows that may be shown.

    Args:
        signals: with `near` and `near_file` as for a floor of 0; rows lie by file.
        eligible: bool (n,).
        begins: int64 (files,): the first row of each file.
        weights: the blend.
        fusion: likewise; both figures of the cosine are reckoned anew for its floor.
    """
    if not len(begins):
        return np.zeros(0)
    total, _ = blend(above(signals, fusion.floor), FileRuns.of(signals.files), weights, fusion)
    shown = np.where(eligible, np.round(total, DECIMALS), 0.0)
    best: Scores = np.maximum.reduceat(shown, begins)
    return best


def above(signals: Signals, floor: float) -> Signals:
    """Return the signals as they are under another floor; they were gathered with none."""

    def counted(cosine: Scores | None) -> Scores | None:
        return None if cosine is None else np.maximum(cosine - floor, 0.0) * (1.0 / (1.0 - floor))

    return replace(signals, near=counted(signals.near), near_file=counted(signals.near_file))


def joined(parts: Sequence[Signals]) -> Signals:
    """Return signals one behind the other, rows and files numbered through.

    What a part does not hold is 0 in it; what none holds stays None.
    """
    columns: dict[str, Any] = {}
    for each in fields(Signals):
        values = [getattr(part, each.name) for part in parts]
        if each.name in _OPTIONAL:
            if all(value is None for value in values):
                columns[each.name] = None
                continue
            values = [
                np.zeros(len(part.rows)) if value is None else value
                for part, value in zip(parts, values, strict=True)
            ]
        columns[each.name] = np.concatenate(values)
    sizes = [file_numbers(part.files) for part in parts]
    counts = np.cumsum([0, *(int(size[-1]) + 1 if len(size) else 0 for size in sizes)])
    shifted = [size + count for size, count in zip(sizes, counts[:-1], strict=True)]
    columns["files"] = np.concatenate(shifted)
    columns["rows"] = np.arange(len(columns["files"]))
    return Signals(**columns)


def file_numbers(files: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the files of rows that lie by file, numbered from 0 without a gap."""
    numbers: npt.NDArray[np.int64] = np.cumsum(np.diff(files, prepend=files[:1]) != 0)
    return numbers


def begins_of(files: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the first row of each file."""
    return np.flatnonzero(np.diff(files, prepend=-1) != 0)


def thinned(known: Known, points: Iterable[Point], most: int = KEPT) -> Known:
    """Return the question with the files alone that are among the best `most` at any point.

    A fit moves weights within the points' bounds: what is far behind at all of them stays behind.
    """
    begins = begins_of(known.signals.files)
    chosen = np.zeros(len(begins), dtype=np.bool_)
    for point in points:
        best = best_of_files(
            known.signals, known.eligible, begins, point.weights(known.kind), point.fusion
        )
        chosen[np.argsort(-best, kind="stable")[:most]] = True
    rows = chosen[file_numbers(known.signals.files)]
    kept: dict[str, Any] = {
        each.name: None if value is None else value[rows]
        for each in fields(Signals)
        for value in (getattr(known.signals, each.name),)
    }
    return replace(
        known,
        signals=Signals(**kept),
        eligible=known.eligible[rows],
        relevant=known.relevant[rows],
    )


def _group(kind: QueryKind, members: Sequence[tuple[int, Known]]) -> _Group:
    signals = joined([each.signals for _, each in members])
    begins = begins_of(signals.files)
    rows = [np.full(len(each.eligible), place) for place, each in members]
    return _Group(
        kind=kind,
        signals=signals,
        eligible=np.concatenate([each.eligible for _, each in members]),
        begins=begins,
        questions=np.concatenate(rows)[begins],
        relevant=np.concatenate([each.relevant for _, each in members])[begins],
    )

"""Asks questions once and keeps the first files of code of each, with all their features."""

import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.index.lexical.tokens import words
from ggrep.interfaces.evaluation.questions import request_of
from ggrep.interfaces.evaluation.suite import Case
from ggrep.search.engine.engine import Engine
from ggrep.search.query.best_rows import CODE, last_of_best
from ggrep.search.query.file_features import FileFeatures
from ggrep.search.query.pipeline import Ranked, rank
from training.ranking.gather import UNCORRECTED, engine_of

MOST_FILES: Final = 60
_LONG_WORD: Final = 4
_FEWEST: Final = 3
_NUMBERS: Final = 3


class Listed(Struct, frozen=True):
    """The first files of an answer, best first.

    Attributes:
        repo: that was asked.
        features: float64 (files, FEATURES).
        scores: float64 (files,), of each file's best row, uncorrected.
        answers: bool (files,).
    """

    repo: str
    features: npt.NDArray[np.float64]
    scores: npt.NDArray[np.float64]
    answers: npt.NDArray[np.bool_]


def lists_of(cases: Sequence[Case], home: Path) -> Iterator[Listed]:
    """Yield the lists of all cases, each with vectors and without.

    Those that hold no answer, or nothing else, teach nothing and are left out. Repositories without
    an index get one.
    """
    by_path: dict[Path, list[Case]] = {}
    for case in cases:
        by_path.setdefault(case.target.path, []).append(case)
    for path, asked in by_path.items():
        engine = engine_of(path, home, "static")
        for case in asked:
            for vectors in (True, False):
                found = _listed(engine, case, vectors=vectors)
                if found.answers.any() and not found.answers.all():
                    yield found


def shortened(case: Case) -> Case | None:
    """Return the case asked in some of its words, drawn by lot; None where it has few already.

    Commits and comments speak in sentences, and users often in four or five words.
    """
    text = case.question.query
    long = dict.fromkeys(word for word in words(text) if len(word) >= _LONG_WORD)
    lots = {word: sha256(f"{text}:{word}".encode()).digest() for word in long}
    number = _FEWEST + sha256(text.encode()).digest()[0] % _NUMBERS
    if len(long) <= number:
        return None
    kept = set(sorted(long, key=lots.__getitem__)[:number])
    question = replace(case.question, query=" ".join(word for word in long if word in kept))
    return replace(case, question=question)


def _listed(engine: Engine, case: Case, *, vectors: bool) -> Listed:
    request = replace(request_of(case.question), vectors=vectors)
    never = Deadline.never(engine.clock)
    ranked = rank(
        engine.view(),
        request,
        encoder=engine.encoder,
        statistics=None,
        deadline=never,
        files=MOST_FILES,
        weights=UNCORRECTED,
    )
    features = FileFeatures(ranked.query, ranked.statistics)
    wanted = frozenset(os.fsencode(path) for path in case.expected.relevant)
    columns: list[npt.NDArray[np.float64]] = []
    scores, answers = [], []
    for place, files, best in _first(ranked):
        segment = ranked.segments[place]
        columns.append(features.of(segment, ranked.scores[place], files))
        scores.append(best)
        answers.append([segment.image.path_bytes(file) in wanted for file in files.tolist()])
    if not columns:
        return Listed(case.repo, np.zeros((0, 0)), np.zeros(0), np.zeros(0, np.bool_))
    score = np.concatenate(scores)
    order = np.argsort(-score, kind="stable")
    return Listed(
        case.repo,
        np.concatenate(columns)[order],
        score[order],
        np.concatenate(answers).astype(np.bool_)[order],
    )


def _first(
    ranked: Ranked,
) -> Iterator[tuple[int, npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """Yield, by segment, its place, those of the best MOST_FILES that it has, and their scores."""
    least = last_of_best([each.best[CODE] for each in ranked.best], MOST_FILES)
    for place, each in enumerate(ranked.best):
        code = each.best[CODE]
        kept = (code >= least) & (code > 0.0)
        if kept.any():
            yield place, each.runs.files[kept], code[kept]

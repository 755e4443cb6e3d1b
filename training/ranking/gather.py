"""Asks every question of a suite once and keeps what is known of the rows, before it is weighed."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import NoIndex
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.interfaces.evaluation.measures import score
from ggrep.interfaces.evaluation.questions import request_of
from ggrep.interfaces.evaluation.suite import Case
from ggrep.search.engine.engine import Engine
from ggrep.search.query.blend import Signals
from ggrep.search.query.pipeline import Ranked, encode_query, rank
from ggrep.search.query.quota_choice import choose
from ggrep.search.query.score import QueryVector, Scorer, SegmentScores
from ggrep.search.query.weights import DEFAULT_WEIGHTS, Fusion
from training.ranking.flat import KEPT, Known, joined, thinned
from training.ranking.points import NONE, extremes

UNCORRECTED: Final = replace(DEFAULT_WEIGHTS, learned=0)
"""Without the learned correction, which looks at the parts that are fitted or gathered here."""

_EVERYTHING = Fusion(row=1.0, file=1.0, floor=0.0)


def gather(cases: Sequence[Case], home: Path, encoder: str) -> tuple[str, list[Known]]:
    """Return the encoder's name and what is known of every case, in their order.

    Repositories without an index get one.

    Args:
        cases: of single repositories.
        home: where indexes lie.
        encoder: as the setting of that name.
    """
    by_path: dict[Path, list[int]] = {}
    for place, case in enumerate(cases):
        by_path.setdefault(case.target.path, []).append(place)
    known: dict[int, Known] = {}
    name = NONE
    for path, places in by_path.items():
        engine = engine_of(path, home, encoder)
        name = engine.encoder.identity.name if engine.encoder else NONE
        for place in places:
            known[place] = thinned(_known(engine, cases[place]), extremes(name))
        if sys.stderr.isatty():
            sys.stderr.write(f"\rsignals: {len(known)} of {len(cases)} questions")
    sys.stderr.write("\n" if sys.stderr.isatty() else "signals: done\n")
    return name, [known[place] for place in range(len(cases))]


def engine_of(path: Path, home: Path, encoder: str) -> Engine:
    """Return the engine of a folder, which is indexed where it is not."""
    root = canonical_root(path, enclosing=False)
    environ = os.environ  # noqa: TID251 - a program of its own
    engine = Engine(root, Home(home), environ=environ, flags={"encoder": encoder})
    try:
        engine.view()
    except NoIndex:
        engine.sync()
    return engine


def _known(engine: Engine, case: Case) -> Known:
    request = request_of(case.question)
    never = Deadline.never(engine.clock)
    encoder = engine.encoder
    encoded = encode_query(request.query, encoder, never)
    ranked = rank(
        engine.view(),
        request,
        encoder=encoder,
        statistics=None,
        deadline=never,
        files=KEPT,
        weights=UNCORRECTED,
        encoded=encoded,
    )
    vector = None
    if encoded is not None:
        values = np.asarray(encoded.values, dtype=np.int8)
        vector = QueryVector(values, encoded.scale, _EVERYTHING)
    # Cosines are not looked at where they are switched off, and a fit may switch them on.
    weights = replace(ranked.weights, dense=1.0)
    scorer = Scorer(ranked.query, ranked.statistics, weights, request.mode, vector)
    found = [
        scorer.signals(segment, never, _verbatim(scored))[0]
        for segment, scored in zip(ranked.segments, ranked.scores, strict=True)
    ]
    most = engine.settings.max_candidates
    chosen = choose(ranked, request.corpora, request.limit, most=most, deadline=never)
    files = tuple(
        dict.fromkeys(
            str(ranked.segments[each.segment].image.path(each.file)) for each in chosen.candidates
        )
    )
    wanted = frozenset(case.expected.relevant)
    return Known(
        repo=case.repo,
        kind=ranked.query.kind,
        signals=joined(found),
        eligible=np.concatenate(
            [mask[part.rows] for mask, part in zip(ranked.eligible, found, strict=True)]
        ),
        relevant=np.array([path in wanted for path in _paths(ranked, found)], dtype=np.bool_),
        answers=len(wanted),
        usual=score(case.expected, files).ndcg10 or 0.0,
    )


def _verbatim(scored: SegmentScores) -> npt.NDArray[np.int64] | None:
    """Return the rows that were found to hold the query word for word."""
    part = scored.parts.get("verbatim")
    return None if part is None else scored.rows[part.values > 0.0]


def _paths(ranked: Ranked, found: Sequence[Signals]) -> Iterator[str]:
    """Yield the path of every row."""
    for segment, part in zip(ranked.segments, found, strict=True):
        paths = {file: segment.image.path(file) for file in np.unique(part.files).tolist()}
        yield from (paths[file] for file in part.files.tolist())

"""Verdicts over a thousand real packages: of who shows nothing it is said whether that matters.

Some members of each question are silent. The answer says which of them could have changed it; asked
again with all others of them speaking, it has to be the same.
"""

import random
import time
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from bench.many_packages import lay_out
from bench.package_answers import build, questions
from bench.serving import CLOCK, load_average
from ggrep.base.clock import Deadline
from ggrep.base.ids import RepoId
from ggrep.federation.routing import repo_scores
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.model.batched_query import BatchedPoolResponse, BatchedQuery
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.joint_pools import joint_pools
from ggrep.search.query.joint_view import JointView, join
from ggrep.service.location import open_engine

ASKED: Final = 150
_SEED: Final = 11
_NEVER: Final = Deadline.never(CLOCK)
_SPEAKING: Final = (1, 5, 10, 50)
"""Of the members with the best scores, as `--max-repos` takes them."""


class Told(Struct):
    """What verdicts came to.

    Attributes:
        pairs: of a question and a silent member.
        ruled_out: of these, the members that could change nothing.
        wrong: questions whose answer another one of those changed.
        with_silent: processor time of all questions, in seconds; `plain` with nobody silent.
    """

    questions: int = 0
    pairs: int = 0
    ruled_out: int = 0
    wrong: int = 0
    with_silent: float = 0.0
    plain: float = 0.0


def measure_verdicts(folder: Path, number: int, asked: int = ASKED) -> list[str]:
    """Return lines: how many verdicts there were, and how many were wrong."""
    roots = lay_out(folder, number)
    environ = build(folder)
    engines = [open_engine(root, environ) for root in roots]
    views = [engine.describe_current(_NEVER)[0] for engine in engines]
    view = join(views, OpenedPacks(engines[0].home).packs())
    chance, told = random.Random(_SEED), Told()
    for search in questions(roots, asked):
        top = chance.choice((1, 5, 10))
        base = BatchedQuery(replace(search, limit=top), top, 20, chance.random() < 0.8)
        _judge(engines[0], view, base, _silent(engines[0], view, base, chance), told)
    return [
        f"verdicts: {len(roots)} repositories, {told.questions} questions, {load_average()}",
        f"  {told.pairs} pairs, {told.ruled_out} ruled out, {told.wrong} questions wrong",
        f"  CPU of a question: {1000 * told.with_silent / told.questions:.0f} ms with silent ones,"
        f" {1000 * told.plain / told.questions:.0f} ms without",
    ]


def _silent(
    engine: Engine, view: JointView, asked: BatchedQuery, chance: random.Random
) -> tuple[int, ...]:
    """Return who is silent: all but a few with the best scores, or some at random."""
    every = range(len(view.members))
    if chance.random() < 0.3:
        return tuple(sorted(chance.sample(every, len(every) // 2)))
    figures = _asked(engine, view, replace(asked, counting=True)).figures
    scores = repo_scores({RepoId(str(member)): figures.of(member) for member in every})
    ordered = sorted(every, key=lambda member: (-scores[RepoId(str(member))], member))
    return tuple(sorted(ordered[chance.choice(_SPEAKING) :]))


def _judge(
    engine: Engine, view: JointView, asked: BatchedQuery, silent: tuple[int, ...], told: Told
) -> None:
    begun = time.process_time()
    answer = _asked(engine, view, replace(asked, silent=silent))
    judged = time.process_time()
    _asked(engine, view, asked)
    told.plain += time.process_time() - judged
    told.with_silent += judged - begun
    again = _asked(engine, view, replace(asked, silent=answer.reaching))
    told.questions += 1
    told.pairs += len(silent)
    told.ruled_out += len(silent) - len(answer.reaching)
    told.wrong += (answer.lists, answer.leading) != (again.lists, again.leading)


def _asked(engine: Engine, view: JointView, question: BatchedQuery) -> BatchedPoolResponse:
    return joint_pools(
        view, question, encoder=engine.encoder, settings=engine.settings, deadline=_NEVER
    )

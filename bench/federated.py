"""Measures one store over all files of a workspace, and searches of fewer repositories.

One store is what `global` is to equal. With fewer repositories searched, some answers
are lost. No encoder takes part; nothing measured depends on the machine.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.federation.merge import MergedHit, RankedList, merge_global
from ggrep.federation.routing import repo_scores
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.interfaces.evaluation.figures import mean
from ggrep.interfaces.evaluation.measures import score
from ggrep.interfaces.evaluation.questions import Answer, CaseHit, request_of
from ggrep.interfaces.evaluation.report import Run, scored_run
from ggrep.interfaces.evaluation.suite import Case, Suite, jobs_of
from ggrep.interfaces.evaluation.suite_processes import JobResult
from ggrep.model.corpus import Mode, bucket_of, select
from ggrep.model.request import PoolRequest, StatisticsRequest, sum_statistics
from ggrep.search.engine.engine import Engine
from tests.fakes.union import build_union

ALL: Final = 1 << 40
"""More hits than there are."""
KEPT: Final = (("one", 0.0), ("a third", 1 / 3), ("a half", 1 / 2), ("two thirds", 2 / 3))
"""Shares of a workspace's repositories that are searched."""


class Asked(Struct, frozen=True):
    """A question with what its workspace's repositories gave.

    Attributes:
        lists: measured against all of them together.
        scores: of the repositories.
        home: holds the answer.
    """

    case: Case
    lists: tuple[RankedList, ...]
    scores: Mapping[RepoId, float]
    home: RepoId


class Routed(Struct, frozen=True):
    """What is left when a share of the repositories is searched.

    Attributes:
        home_kept: share of questions whose repository was searched.
        ndcg10: with merging by score.
    """

    kept: str
    home_kept: float
    ndcg10: float


def union_run(suite: Suite) -> Run:
    """Return the suite asked of one store over all files of each workspace."""
    outcomes = []
    for job in jobs_of(suite.cases):
        workspace = _workspace(job.target.path)
        aliases = {repo.repo_id: repo.alias for repo in workspace.repos}
        with TemporaryDirectory(prefix="ggrep-union-") as home:
            roots = [repo.root_canonical for repo in workspace.repos]
            store = build_union(Path(home), roots, "none")
            answers = tuple(
                Answer(
                    question.id,
                    tuple(
                        _found(f"{aliases[RepoId(repo)]}/{hit.path}", hit.score)
                        for repo, hit in store.search(request_of(question))
                    ),
                )
                for question in job.questions
            )
        outcomes.append(JobResult(job, answers))
    return scored_run(suite, outcomes)


def ask(suite: Suite) -> Iterator[Asked]:
    """Yield the questions of a suite, asked; requires that the repositories have indexes."""
    deadline = Deadline.never(SystemClock())
    home = Home(Path(os.environ["GGREP_HOME"]))

    @cache
    def engine(root: Path) -> Engine:
        return Engine(root, home, environ=os.environ, flags={"encoder": "none"})

    for case in suite.cases:
        repos = _workspace(case.target.path).repos
        request = request_of(case.question)
        figures = {
            repo.repo_id: engine(repo.root_canonical)
            .ask(StatisticsRequest(request), deadline)
            .statistics
            for repo in repos
        }
        total = sum_statistics(figures[repo] for repo in sorted(figures))
        pool = PoolRequest(request, request.limit, total)
        lists = tuple(
            RankedList(
                repo.repo_id,
                repo.alias,
                repo.priority,
                engine(repo.root_canonical).ask(pool, deadline).blended,
            )
            for repo in repos
        )
        (answers,) = (repo.repo_id for repo in repos if repo.alias == case.repo)
        yield Asked(case, lists, repo_scores(figures), answers)


def measured(questions: Iterable[Asked]) -> list[Routed]:
    """Return what is left with fewer repositories."""
    kept: dict[str, list[tuple[float, float]]] = {}
    for asked in questions:
        for name, share in (*KEPT, ("all", 1.0)):
            kept.setdefault(name, []).append(_routed(asked, share))
    return [
        Routed(name, *(mean([row[column] for row in rows]) for column in range(2)))
        for name, rows in kept.items()
    ]


def _routed(asked: Asked, share: float) -> tuple[float, float]:
    """Return whether the home repository is kept, and the NDCG@10."""
    number = max(1, ceil(len(asked.lists) * share - 1e-9))
    best = sorted(asked.lists, key=lambda item: (-asked.scores[item.repo_id], item.repo_id))
    lists = best[:number]
    is_kept = any(item.repo_id == asked.home for item in lists)
    merged = merge_global(lists, per_repo_top=ALL)
    found = score(asked.case.expected, _files(asked.case, merged)).ndcg10
    return float(is_kept), found or 0.0


def _found(file: str, figure: float) -> CaseHit:
    return CaseHit(file, 1, 1, figure, section="", kind="", name="", qualified_name="")


def _files(case: Case, merged: Sequence[MergedHit]) -> list[str]:
    shown = select(
        merged,
        mode=Mode(case.question.mode),
        limit=case.question.limit,
        per_file=case.question.per_file,
        bucket=lambda item: bucket_of(item.hit.corpus),
        file=lambda item: (item.repo_id, item.hit.path),
    )
    return list(dict.fromkeys(f"{item.repo_alias}/{item.hit.path}" for item in shown))


@cache
def _workspace(path: Path) -> Workspace:
    return load_workspace(path, resolve_root=lambda root: canonical_root(root, enclosing=False))

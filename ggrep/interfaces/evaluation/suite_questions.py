"""Asks a repository or a workspace questions, in this process."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, TypeVar

import anyio
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.config.root import canonical_root
from ggrep.config.settings import home_from
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import WorkspaceRepo, load_workspace
from ggrep.federation.workspace_slates import SlateShape, federated_slate
from ggrep.index.sync.sync_report import Progress
from ggrep.interfaces.evaluation.questions import (
    Answer,
    CaseHit,
    CaseQuery,
    QueriedPath,
    request_of,
)
from ggrep.interfaces.evaluation.visible_lines import shown_slate
from ggrep.model.corpus import bucket_of
from ggrep.model.request import Request
from ggrep.model.response import Hit, RepoDescription
from ggrep.model.slate import Budgets, Slate, SlateRequest
from ggrep.search.engine.engine import Engine
from ggrep.service.searchers import ReadySearchers

Flags: TypeAlias = Mapping[str, object]
"""Settings that beat the configured ones, as flags of the command line do."""


class RepoAsker:
    """Asks one repository."""

    def __init__(self, target: QueriedPath, environ: Mapping[str, str], flags: Flags) -> None:
        directory = target.path.resolve()
        root = canonical_root(target.path, enclosing=not target.alone)
        self._scope = "" if directory == root else directory.relative_to(root).as_posix()
        self._engine = Engine(root, home_from(environ), environ=environ, flags=flags)

    def sync(self, progress: Callable[[str], Progress]) -> None:
        """Bring the index up to date; `progress` gets the repository's name."""
        self._engine.sync(progress=progress(self._engine.identity.root.name))

    def require_index(self) -> None:
        """Do nothing when there is an index to ask.

        Raises:
            NoIndex: there is none; nothing was ever published.
        """
        self._engine.view()

    def ask(self, question: CaseQuery) -> Answer:
        """Return the answer; a question that failed says so in it."""
        return _timed(question, self._search)

    def lines_of(self, file: str) -> int | None:
        """Return how many lines a file has; None where there is none."""
        return _lines_of(self._engine.identity.root / file)

    def _search(self, question: CaseQuery) -> Answer:
        request = request_of(question, scope=self._scope)
        answer = Answer(question.id)
        if question.searched:
            response = self._engine.search(request)
            hits = tuple(_found(hit, hit.path) for hit in response.hits)
            answer = Answer(question.id, hits, stated_confidence(response))
        for size in question.slates:
            budgets = Budgets(size).for_agents()
            gathered = self._engine.ask(SlateRequest(request, budgets=budgets))
            answer = _with_slate(answer, question, gathered.slate, stated_confidence(gathered))
        return answer


class WorkspaceAsker:
    """Asks the enabled repositories of a workspace, one after the other."""

    def __init__(
        self, target: QueriedPath, environ: Mapping[str, str], flags: Flags, merge: str | None
    ) -> None:
        def root_of(path: Path) -> Path:
            return canonical_root(path, enclosing=not target.alone)

        self._workspace = load_workspace(target.path, resolve_root=root_of, whole=True)
        self._environ, self._flags = environ, flags
        self._merge = merge
        self._searchers: dict[Path, EngineInPlace] = {}

    def sync(self, progress: Callable[[str], Progress]) -> None:
        """Bring the index of every enabled repository up to date."""
        for repo in self._workspace.repos:
            if repo.enabled:
                engine = self._searcher(repo).engine
                engine.sync(progress=progress(repo.alias or repo.repo_id))

    def require_index(self) -> None:
        """Do nothing when every enabled repository has an index to ask.

        Raises:
            NoIndex: one has none; nothing was ever published.
        """
        for repo in self._workspace.repos:
            if repo.enabled:
                self._searcher(repo).engine.view()

    def ask(self, question: CaseQuery) -> Answer:
        """Return the answer; a question that failed says so in it."""
        return _timed(question, self._search)

    def lines_of(self, file: str) -> int | None:
        """Return how many lines a file has; None where there is none."""
        name, _, path = file.partition("/")
        roots = [
            repo.root_canonical
            for repo in self._workspace.repos
            if (repo.alias or repo.repo_id) == name
        ]
        return _lines_of(roots[0] / path) if roots else None

    def _searcher(self, repo: WorkspaceRepo) -> "EngineInPlace":
        root = repo.root_canonical
        if root not in self._searchers:
            home = home_from(self._environ)
            engine = Engine(root, home, environ=self._environ, flags=self._flags)
            self._searchers[root] = EngineInPlace(engine)
        return self._searchers[root]

    def _search(self, question: CaseQuery) -> Answer:
        request = FederatedRequest(
            search=request_of(question),
            top=question.limit,
            merge_strategy=self._merge,
            # An expectation names one copy of a text; which one an answer shows is no matter.
            fold=False,
            # A figure over some of the repositories would pass for one over all.
            strict=True,
        )
        return anyio.run(self._asked, question, request)

    async def _asked(self, question: CaseQuery, request: FederatedRequest) -> Answer:
        searchers, clock = ReadySearchers(self._searcher), SystemClock()
        answer = Answer(question.id)
        if question.searched:
            response = await federated_search(self._workspace, request, searchers, clock)
            if response.error is not None:
                raise response.error
            hits = tuple(
                _found(merged.hit, f"{merged.repo_alias or merged.repo_id}/{merged.hit.path}")
                for merged in response.hits
            )
            answer = Answer(question.id, hits, stated_confidence(response))
        for size in question.slates:
            shape = SlateShape(budgets=Budgets(size).for_agents())
            found = await federated_slate(self._workspace, request, shape, searchers, clock)
            if found.error is not None:
                raise found.error
            if found.slate is not None:
                stated = stated_confidence(found)
                answer = _with_slate(answer, question, found.slate, stated)
        return answer


Asker: TypeAlias = RepoAsker | WorkspaceAsker


def _lines_of(path: Path) -> int | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


R = TypeVar("R")


class EngineInPlace:
    """One engine behind the searcher protocol, without threads: nothing else is waiting."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return what a coordinator must know before it asks."""
        return self.engine.describe(deadline)

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        """Return the answer to a request."""
        return self.engine.ask(request, deadline)


def open_asker(
    target: QueriedPath,
    environ: Mapping[str, str],
    *,
    flags: Flags = MappingProxyType({}),
    merge: str | None = None,
) -> Asker:
    """Return what asks the target.

    Raises:
        GgrepError: there is nothing to ask, or its settings are wrong.
    """
    if target.is_workspace:
        return WorkspaceAsker(target, environ, flags, merge)
    return RepoAsker(target, environ, flags)


def stated_confidence(response: object) -> str | None:
    """Return the word with which a response states its confidence; None where it states none."""
    stated = getattr(response, "confidence", None)
    for name in ("level", "value"):
        stated = getattr(stated, name, stated)
    return None if stated is None else str(stated)


def _with_slate(answer: Answer, question: CaseQuery, slate: Slate, stated: str | None) -> Answer:
    """Return the answer with one slate more; its confidence counts where no search has one."""
    return replace(
        answer,
        confidence=answer.confidence if question.searched else stated,
        slates=(*answer.slates, shown_slate(slate)),
    )


def _found(hit: Hit, file: str) -> CaseHit:
    return CaseHit(
        file=file,
        start_line=hit.start_line,
        end_line=hit.end_line,
        score=hit.score,
        section=bucket_of(hit.corpus).value,
        kind=hit.chunk_type,
        name=hit.name,
        qualified_name=hit.qualified_name,
    )


def _timed(question: CaseQuery, search: Callable[[CaseQuery], Answer]) -> Answer:
    clock = SystemClock()
    begun_ms = clock.monotonic_ms()
    try:
        answer = search(question)
    except GgrepError as error:
        answer = Answer(question.id, error=str(error))
    return replace(answer, elapsed_ms=clock.monotonic_ms() - begun_ms)

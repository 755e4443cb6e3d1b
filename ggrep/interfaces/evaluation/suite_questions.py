"""Answers queries of suites to a repository or a workspace, in this process."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, TypeVar

import anyio
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import GgrepError, InvalidRequest
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
"""Settings that override configured settings, like flags of the command line."""


class RepoAsker:
    """Answers queries to one repository."""

    def __init__(self, target: QueriedPath, environ: Mapping[str, str], flags: Flags) -> None:
        directory = target.path.resolve()
        root = canonical_root(target.path, enclosing=not target.alone)
        self._scope = "" if directory == root else directory.relative_to(root).as_posix()
        self._engine = Engine(root, home_from(environ), environ=environ, flags=flags)

    @property
    def roots(self) -> tuple[Path, ...]:
        """Return the root of the repository."""
        return (self._engine.identity.root,)

    def sync(self, progress: Callable[[str], Progress]) -> None:
        """Bring the index up to date; `progress` is called with the repository's name."""
        self._engine.sync(progress=progress(self._engine.identity.root.name))

    def require_index(self) -> None:
        """Raise unless there is an index.

        Raises:
            NoIndex: the repository was never indexed.
        """
        self._engine.view()

    def ask(self, question: CaseQuery) -> Answer:
        """Return the answer, which contains the error if the query failed."""
        return _timed(question, self._search)

    def lines_of(self, file: str) -> int | None:
        """Return the number of lines of a file; None if it does not exist."""
        return _lines_of(self._engine.identity.root / file)

    def _search(self, question: CaseQuery) -> Answer:
        request = request_of(question, scope=self._scope)
        answer = Answer(question.id)
        if question.searched:
            response = self._engine.search(request)
            hits = tuple(_case_hit(hit, hit.path) for hit in response.hits)
            answer = Answer(question.id, hits, stated_confidence(response))
        for size in question.slates:
            budgets = Budgets(size).for_agents()
            gathered = self._engine.ask(SlateRequest(request, budgets=budgets))
            answer = _with_slate(answer, question, gathered.slate, stated_confidence(gathered))
        return answer


class WorkspaceAsker:
    """Answers queries to a workspace; queries its enabled repositories one after another."""

    def __init__(
        self, target: QueriedPath, environ: Mapping[str, str], flags: Flags, merge: str | None
    ) -> None:
        def root_of(path: Path) -> Path:
            return canonical_root(path, enclosing=not target.alone)

        self._workspace = load_workspace(target.path, resolve_root=root_of, whole=True)
        if self._workspace.remotes:
            raise InvalidRequest("repositories of a team server cannot be measured; leave them out")
        self._environ, self._flags = environ, flags
        self._merge = merge
        self._searchers: dict[Path, EngineInPlace] = {}

    @property
    def roots(self) -> tuple[Path, ...]:
        """Return the roots of the enabled repositories."""
        return tuple(repo.root_canonical for repo in self._workspace.repos if repo.enabled)

    def sync(self, progress: Callable[[str], Progress]) -> None:
        """Bring the index of every enabled repository up to date."""
        for repo in self._workspace.repos:
            if repo.enabled:
                engine = self._searcher(repo).engine
                engine.sync(progress=progress(repo.alias or repo.repo_id))

    def require_index(self) -> None:
        """Raise unless every enabled repository has an index.

        Raises:
            NoIndex: an enabled repository has no index.
        """
        for repo in self._workspace.repos:
            if repo.enabled:
                self._searcher(repo).engine.view()

    def ask(self, question: CaseQuery) -> Answer:
        """Return the answer, which contains the error if the query failed."""
        return _timed(question, self._search)

    def lines_of(self, file: str) -> int | None:
        """Return the number of lines of a file; None if it does not exist."""
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
            # An expectation names one copy of a text; an answer that omits copies may show another.
            fold=False,
            # A partial answer would be measured as if it came from all repositories.
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
                _case_hit(merged.hit, f"{merged.repo_alias or merged.repo_id}/{merged.hit.path}")
                for merged in response.hits
            )
            answer = Answer(question.id, hits, stated_confidence(response))
        for size in question.slates:
            shape = SlateShape(budgets=Budgets(size).for_agents())
            slated = await federated_slate(self._workspace, request, shape, searchers, clock)
            if slated.error is not None:
                raise slated.error
            if slated.slate is not None:
                stated = stated_confidence(slated)
                answer = _with_slate(answer, question, slated.slate, stated)
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
    """A searcher that runs an engine in the event loop's thread, so a query blocks the loop."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the description that a coordinator needs before it queries the repository."""
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
    """Return an object that queries a repository or workspace.

    Raises:
        GgrepError: the repository or workspace cannot be opened, or its settings are not valid.
    """
    if target.is_workspace:
        return WorkspaceAsker(target, environ, flags, merge)
    return RepoAsker(target, environ, flags)


def stated_confidence(response: object) -> str | None:
    """Return the confidence of a response as a word; None if it has no confidence."""
    stated = getattr(response, "confidence", None)
    for name in ("level", "value"):
        stated = getattr(stated, name, stated)
    return None if stated is None else str(stated)


def _with_slate(answer: Answer, question: CaseQuery, slate: Slate, stated: str | None) -> Answer:
    """Return the answer with one more slate; without a search, the slate sets the confidence."""
    return replace(
        answer,
        confidence=answer.confidence if question.searched else stated,
        slates=(*answer.slates, shown_slate(slate)),
    )


def _case_hit(hit: Hit, file: str) -> CaseHit:
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

"""A query to a workspace: run by the client, or in the process of a daemon.

In a daemon's process only daemons that run are asked. None is started, and no index is read: where
a daemon is missing, or the user would have to be told of a wait, the client does it all by itself.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import anyio
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline, Stop
from ggrep.base.errors import Cancelled, GgrepError, UsageError
from ggrep.config.home import Home
from ggrep.config.settings import home_from
from ggrep.daemon.plan import WorkspacePlan
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.searcher import RepoSearcher
from ggrep.federation.selection import path_resolver, select_repos
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.interfaces.cli.daemon_contact import address_of, watching
from ggrep.interfaces.cli.parsing.flags import said
from ggrep.interfaces.cli.queries.federation_options import Repositories
from ggrep.interfaces.cli.queries.one_search import shown
from ggrep.interfaces.cli.queries.query import Site, asks_plainly
from ggrep.interfaces.cli.queries.run_query import view_of
from ggrep.interfaces.cli.queries.search_options import Asking, Typed, request_of
from ggrep.interfaces.cli.terminal import Terminal, ended_at, open_terminal, show_progress
from ggrep.interfaces.cli.workspaces.workspace_file import load
from ggrep.model.answer_view import ViewOptions
from ggrep.protocol.client.starting import NotStarted
from ggrep.service.daemon_choice import asking_of, asks_daemon
from ggrep.service.federator import Federator, Learnt, learnt_of
from ggrep.service.places import Place, open_engine
from ggrep.service.searchers import OwnIndexes, OwnReading, ReadySearchers, engine_searchers
from ggrep.service.workspace_calls import configured

if TYPE_CHECKING:
    from ggrep.render.printed import Rendered

T = TypeVar("T")

_LOOK_S: Final = 0.05
_MOST_LEARNT: Final = 8
"""Clients of which it is kept where daemons are met."""


class WorkspaceQuery(Struct, Generic[T], frozen=True):
    """A query to a workspace.

    Attributes:
        ask: has the repositories answer; places are read from a directory.
        printed: returns the output.
        kept: writes the receipt of an answer; None for none.
    """

    typed: Typed
    repositories: Repositories
    ask: Callable[[Federator, Workspace, FederatedRequest, Path], Awaitable[T]]
    printed: "Callable[[T, ViewOptions], Rendered]"
    kept: Callable[[T], None] | None = None

    def answer(self) -> int:
        """Run it and print; return the exit status."""
        terminal = open_terminal(plain=self.typed.output.plain)
        workspace, request = _prepared(terminal, self.typed, self.repositories)
        flags = self.typed.asking.overrides
        # A receipt is replayed without daemons, which could publish meanwhile.
        offline = self.kept is not None or self.typed.asking.offline
        here = OwnIndexes(terminal.environ, flags, terminal.tell)
        only_here = offline or bool(terminal.environ.get("GGREP_OFFLINE"))
        federator = partial(
            Federator,
            home_from(terminal.environ),
            terminal.environ,
            SystemClock(),
            flags=flags,
            told=terminal.tell,
            fallback=None if only_here else here,
            through=lambda _: engine_searchers(terminal.environ, flags),
        )
        with ended_at(request.deadline or Deadline.never(SystemClock())):
            answer = anyio.run(
                _asked, federator, lambda each: self.ask(each, workspace, request, Path())
            )
        if self.kept is not None:
            self.kept(answer)
        view = shown(self.typed, view_of(terminal, json=self.typed.output.json))
        rendered = self.printed(answer, view)
        terminal.write_answer(rendered, json=view.json)
        return rendered.exit_status

    def plan(self, site: Site) -> WorkspacePlan | None:
        """Return what a daemon's process is to do: ask the daemons that run."""
        if self.kept is not None or not asks_plainly(self.typed.asking):
            return None
        view, here = shown(self.typed, site.view), Path(site.view.cwd)
        workspace, request = _asked_of(self.typed, self.repositories, site.environ, here)

        def run(stop: Stop, client: str) -> "Rendered":
            def ask(federator: Federator) -> Awaitable[T]:
                return self.ask(federator, workspace, request, here)

            return self.printed(_coordinated(ask, site, stop, client), view)

        return WorkspacePlan(run)


async def _asked(federator: Callable[[], Federator], ask: Callable[[Federator], Awaitable[T]]) -> T:
    """Return the answer that a new federator gives."""
    asked = federator()
    try:
        return await ask(asked)
    finally:
        with anyio.CancelScope(shield=True):
            await asked.aclose()


def _prepared(
    terminal: Terminal, typed: Typed, repositories: Repositories
) -> tuple[Workspace, FederatedRequest]:
    """Return the workspace and the request, after syncing the indexes if requested.

    The time limit counts from the start of the command, or from the end of the sync.

    Raises:
        UsageError: a flag was given that no workspace heeds.
    """
    workspace, request = _asked_of(typed, repositories, terminal.environ, Path())
    if typed.asking.sync:
        _sync(terminal, workspace, request, typed.asking)
        terminal = replace(terminal, began_ms=None)
    return workspace, replace(request, deadline=terminal.deadline(request.search.timeout_ms))


def _asked_of(
    typed: Typed, repositories: Repositories, environ: Mapping[str, str], here: Path
) -> tuple[Workspace, FederatedRequest]:
    """Return the workspace and the request, typed in the directory `here`.

    Raises:
        UsageError: a flag was given that no workspace heeds.
        WorkspaceError: the file is wrong.
    """
    _refuse(typed, repositories)
    workspace = load(here / repositories.files[0])
    # Without hits there is still an answer: who was asked, and what became of them.
    search = request_of(typed, scope="", least=0)
    request = FederatedRequest(
        search=search,
        top=search.limit,
        base_dirs=(Path.cwd() / here,),
        **said(FederatedRequest, repositories),
    )
    return workspace, configured(request, environ, workspace)


def _refuse(typed: Typed, repositories: Repositories) -> None:
    """Raise for options that a workspace search does not support.

    Raises:
        UsageError: names the flags and, where the contract has one, its code.
    """
    if len(repositories.files) > 1:
        raise UsageError(
            "--workspace was given more than once",
            code="ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG",
        )
    if typed.asking.repo is not None:
        raise UsageError(
            "--repo and --workspace cannot go together; choose with --select or --only",
            code="ERR_FEDERATED_REPO_FLAG_NOT_ALLOWED",
        )
    if typed.paths:
        raise UsageError("a PATH and --workspace cannot go together; use --filter path:")
    if typed.output.receipt is not None:
        _refuse_what_no_receipt_holds(typed, repositories)


def _refuse_what_no_receipt_holds(typed: Typed, given: Repositories) -> None:
    """Raise for options whose results differ between runs or machines.

    Raises:
        UsageError: names the flag.
    """
    for flag, is_given in {
        "--stats": given.stats,
        "--debug-include-paths": given.include_paths,
        "--profile": typed.asking.profile is not None,
    }.items():
        if is_given:
            raise UsageError(f"{flag} and --receipt cannot go together")
    if any(token.startswith(("/", "~")) for token in (*given.select, *given.only)):
        raise UsageError("--receipt: choose repositories by alias or id, not by absolute path")


def _sync(
    terminal: Terminal, workspace: Workspace, request: FederatedRequest, asking: Asking
) -> None:
    """Sync the indexes of the selected repositories, one after another."""
    resolve = path_resolver((workspace.workspace_dir, *request.base_dirs))
    for repo in sorted(select_repos(workspace, request, resolve).repos, key=_by_id):
        if repo.missing is not None:
            continue  # the answer says so
        label, root = repo.alias or repo.repo_id, repo.root_canonical
        flags = asking.overrides
        address = address_of(Place(root, ""), terminal, flags)
        if asks_daemon(address, terminal.environ, offline=asking.offline):
            with watching(terminal, label) as watch:
                daemon = asking_of(address, terminal.environ, terminal.tell)
                daemon.sync(watch, strict=asking.strict_sync)
        else:
            with show_progress(terminal, label) as progress:
                engine = open_engine(root, terminal.environ, flags=flags)
                engine.sync(strict=asking.strict_sync, progress=progress)


def _by_id(repo: WorkspaceRepo) -> str:
    return repo.repo_id


def _coordinated(
    ask: Callable[[Federator], Awaitable[T]], site: Site, stop: Stop, client: str
) -> T:
    """Return an answer of daemons that run.

    Args:
        ask: has them answer.
        site: whose variables and home count.
        stop: ends it early.
        client: who asks, as daemons tell their clients apart.

    Raises:
        NotStarted: a daemon is missing, or a message for people is due.
        Cancelled: it was ended.
        GgrepError: as the answer does.

    Requires: this thread runs no event loop.
    """
    told: list[str] = []
    environ = {**site.environ, "GGREP_OFFLINE": "1"}  # none is started
    federator = partial(
        Federator,
        site.home,
        environ,
        SystemClock(),
        learnt=_learnt(site.home, tuple(sorted(environ.items())), client),
        client_name=client,
        told=told.append,
        through=lambda daemons: OwnReading(daemons, ReadySearchers(_refused), told.append),
        descriptors=False,
    )
    answers: list[T] = []
    failed: list[GgrepError] = []

    async def run() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(_watch, stop, group.cancel_scope)
            try:
                answers.append(await _asked(federator, ask))
            except GgrepError as error:
                failed.append(error)  # a group would wrap it
            group.cancel_scope.cancel()

    anyio.run(run)
    for error in failed:
        raise error
    if told:
        raise NotStarted(told[0])
    if not answers:
        raise Cancelled(stop.reason or "cancelled")
    return answers[0]


async def _watch(stop: Stop, scope: anyio.CancelScope) -> None:
    while stop.reason is None:  # noqa: ASYNC110 - other threads set it
        await anyio.sleep(_LOOK_S)
    scope.cancel()


@lru_cache(maxsize=_MOST_LEARNT)
def _learnt(home: Home, environ: tuple[tuple[str, str], ...], client: str) -> Learnt:
    return learnt_of(home, dict(environ), {}, client)


def _refused(repo: WorkspaceRepo) -> RepoSearcher:
    raise NotStarted(f"{repo.alias or repo.repo_id}: no daemon")

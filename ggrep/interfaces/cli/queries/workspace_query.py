"""A query to a workspace: run by the client, or in the process of a daemon.

In a daemon's process, only running daemons are queried: no daemon is started and no index is read.
If a daemon is missing, or a message must be shown to the user, the client runs the query itself.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Stop, SystemClock
from ggrep.base.errors import Cancelled, GgrepError, UsageError
from ggrep.config.home import Home
from ggrep.config.settings import home_from
from ggrep.daemon.plan import WorkspacePlan
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.editing import MERGE_LINE
from ggrep.federation.envelope import Envelope
from ggrep.federation.fanout_session import SHARE_LIMIT
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.searcher import RepoSearcher
from ggrep.federation.selection import select_repos
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.interfaces.cli.daemon_contact import address_of, watching
from ggrep.interfaces.cli.parsing.flags import request_fields
from ggrep.interfaces.cli.queries.one_search import shown
from ggrep.interfaces.cli.queries.query import PlanContext, asks_plainly, view_of
from ggrep.interfaces.cli.queries.query_options import WorkspaceOptions
from ggrep.interfaces.cli.queries.search_options import IndexOptions, TypedSearch, request_of
from ggrep.interfaces.cli.terminal import Terminal, ended_at, open_terminal, show_progress
from ggrep.interfaces.cli.workspaces.workspace_file import load
from ggrep.model.limits import UNCOUNTED, UNSEEN, LimitHit, Notice
from ggrep.model.outline import counted
from ggrep.model.request import ViewOptions
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import with_file
from ggrep.protocol.client.channels import Local
from ggrep.protocol.client.starting import NotStarted
from ggrep.render.style import Style
from ggrep.service.daemon_choice import daemon_client_of, uses_daemon
from ggrep.service.federator import Federator, Learnt, learnt_of
from ggrep.service.location import Location, open_engine
from ggrep.service.searchers import (
    FallbackSearchers,
    IndexFallback,
    ReadySearchers,
    engine_searchers,
)
from ggrep.service.workspace_calls import configured

if TYPE_CHECKING:
    from ggrep.render.printed import Rendered

T = TypeVar("T")

_LOOK_S: Final = 0.05
_MOST_LEARNT: Final = 8
"""Maximum number of clients whose daemon addresses are cached."""


class WorkspaceQuery(Struct, Generic[T], frozen=True):
    """A query to a workspace; `kept`, if given, writes the receipt of an answer."""

    typed: TypedSearch
    repositories: WorkspaceOptions
    ask: Callable[[Federator, Workspace, FederatedRequest, Path], Awaitable[T]]
    printed: "Callable[[T, ViewOptions], Rendered]"
    kept: Callable[[T], None] | None = None

    def answer(self) -> int:
        """Run the query and print the answer; return the exit status."""
        terminal = open_terminal(plain=self.typed.output.plain)
        asking = self.typed.asking
        workspace, request = _asked_of(self.typed, self.repositories, terminal.environ, Path())
        if self.kept is not None and workspace.remotes:
            raise UsageError("--receipt: the snapshots of a team server are not kept for a replay")
        if asking.sync:
            _sync(terminal, workspace, request, asking)
        # The timeout starts with the command, or after the sync.
        timed = replace(terminal, began_ms=None) if asking.sync else terminal
        deadline = timed.deadline(request.search.timeout_ms)
        request = replace(request, deadline=deadline)
        flags = asking.overrides
        # A query with a receipt uses no daemons, which could publish meanwhile.
        offline = self.kept is not None or asking.offline or terminal.environ.get("GGREP_OFFLINE")
        here = IndexFallback(terminal.environ, flags, terminal.tell)
        federator = partial(
            Federator,
            home_from(terminal.environ),
            terminal.environ,
            SystemClock(),
            flags=flags,
            notify=terminal.tell,
            fallback=None if offline else here,
            through=lambda _: engine_searchers(terminal.environ, flags),
        )
        with ended_at(deadline):
            answer = anyio.run(
                _asked, federator, lambda each: self.ask(each, workspace, request, Path())
            )
        if self.kept is not None:
            self.kept(answer)
        view = shown(self.typed, view_of(terminal, json=self.typed.output.json))
        rendered = self.printed(answer, view)
        terminal.write_answer(rendered, json=view.json)
        return rendered.exit_status

    def plan(self, site: PlanContext) -> WorkspacePlan | None:
        """Return the plan that a daemon executes by querying the running daemons."""
        if self.kept is not None or not asks_plainly(self.typed.asking):
            return None
        view, here = shown(self.typed, site.view), Path(site.view.cwd)
        workspace, request = _asked_of(self.typed, self.repositories, site.environ, here)
        if workspace.remotes:
            return None  # a daemon contacts no server, and lacks the token of the command

        async def run(stop: Stop, client: str, local: Local) -> "Rendered":
            def ask(federator: Federator) -> Awaitable[T]:
                return self.ask(federator, workspace, request, here)

            answer = await _coordinated(ask, site, stop, client, local)
            return await to_thread.run_sync(self.printed, answer, view, abandon_on_cancel=True)

        return WorkspacePlan(run)


async def _asked(federator: Callable[[], Federator], ask: Callable[[Federator], Awaitable[T]]) -> T:
    asked = federator()
    try:
        return await ask(asked)
    finally:
        with anyio.CancelScope(shield=True):
            await asked.aclose()


def _asked_of(
    typed: TypedSearch, repositories: WorkspaceOptions, environ: Mapping[str, str], here: Path
) -> tuple[Workspace, FederatedRequest]:
    """Return the workspace and the request of a search that was typed in the directory `here`."""
    _refuse(typed, repositories)
    workspace = load(here / repositories.files[0])
    # An answer without hits still reports on each repository.
    search = request_of(typed, scope="", least=0)
    request = FederatedRequest(
        search=search,
        top=search.limit,
        base_dirs=(Path.cwd() / here,),
        **request_fields(FederatedRequest, repositories),
    )
    return workspace, configured(request, environ, workspace)


def _refuse(typed: TypedSearch, repositories: WorkspaceOptions) -> None:
    """Raise for typed options that a workspace search does not support."""
    if len(repositories.files) > 1:
        raise UsageError(
            "--workspace was given more than once", code="ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG"
        )
    if typed.asking.repo is not None:
        raise UsageError(
            "--repo and --workspace cannot go together; select repositories with "
            "--select or --only",
            code="ERR_FEDERATED_REPO_FLAG_NOT_ALLOWED",
        )
    if typed.paths:
        raise UsageError("a PATH and --workspace cannot go together; use --filter path:")
    if typed.output.receipt is None:
        return
    # These options make results differ between runs or machines.
    for flag, is_given in {
        "--stats": repositories.stats,
        "--debug-include-paths": repositories.include_paths,
        "--profile": typed.asking.profile is not None,
    }.items():
        if is_given:
            raise UsageError(f"{flag} and --receipt cannot go together")
    if any(token.startswith(("/", "~")) for token in (*repositories.select, *repositories.only)):
        raise UsageError("--receipt: select repositories by alias or id, not by absolute path")


def _sync(
    terminal: Terminal, workspace: Workspace, request: FederatedRequest, asking: IndexOptions
) -> None:
    """Sync the indexes of the selected repositories, one after another."""
    repos = select_repos(workspace, request).repos
    for repo in sorted(repos, key=lambda repo: repo.repo_id):
        if repo.missing is not None:
            continue  # the answer reports this failure
        label, root = repo.alias or repo.repo_id, repo.root_canonical
        flags = asking.overrides
        address = address_of(Location(root, ""), terminal, flags)
        if uses_daemon(address, terminal.environ, offline=asking.offline):
            with watching(terminal, label) as watch:
                daemon = daemon_client_of(address, terminal.environ, terminal.tell)
                daemon.sync(watch, strict=asking.strict_sync)
        else:
            with show_progress(terminal, label) as progress:
                engine = open_engine(root, terminal.environ, flags=flags)
                engine.sync(strict=asking.strict_sync, progress=progress)


async def _coordinated(
    ask: Callable[[Federator], Awaitable[T]],
    site: PlanContext,
    stop: Stop,
    client: str,
    local: Local,
) -> T:
    """Return the answer of running daemons; runs in the event loop of the `local` daemons."""
    messages: list[str] = []
    environ = {**site.environ, "GGREP_OFFLINE": "1"}  # starts no daemon
    federator = partial(
        Federator,
        site.home,
        environ,
        SystemClock(),
        learnt=_learnt(site.home, tuple(sorted(environ.items())), client),
        client_name=client,
        local=local,
        notify=messages.append,
        through=lambda daemons: FallbackSearchers(
            daemons, ReadySearchers(_refused), messages.append
        ),
        descriptors=False,
    )
    answers: list[T] = []
    failed: list[GgrepError] = []

    async with anyio.create_task_group() as group:
        group.start_soon(_watch, stop, group.cancel_scope)
        try:
            answers.append(await _asked(federator, ask))
        except GgrepError as error:
            failed.append(error)  # the task group would wrap the error
        group.cancel_scope.cancel()
    if failed:
        raise failed[0]
    if messages:
        raise NotStarted(messages[0])
    if not answers:
        raise Cancelled(stop.reason or "cancelled")
    return answers[0]


async def _watch(stop: Stop, scope: anyio.CancelScope) -> None:
    while stop.reason is None:  # noqa: ASYNC110 - other threads set it
        await anyio.sleep(_LOOK_S)
    scope.cancel()


@lru_cache(maxsize=_MOST_LEARNT)
def _learnt(home: Home, environ: tuple[tuple[str, str], ...], client: str) -> Learnt:
    return learnt_of(home, dict(environ), {}, client, _memory())


@cache
def _memory() -> CoordinatorCache:
    return CoordinatorCache()


def _refused(repo: WorkspaceRepo) -> RepoSearcher:
    raise NotStarted(f"{repo.alias or repo.repo_id}: no daemon")


_MOST_NAMED = 8
"""Maximum number of repositories that one line names; the JSON document contains all."""


def merge_note(response: FederatedResponse, cwd: str) -> str:
    """Return a line that suggests a better merge strategy; empty if a strategy is configured."""
    if not response.merge_unsaid:
        return ""
    file = sanitise_line(str(_file_of(response, cwd)))
    return (
        f"hits are merged by rank only, because neither the command nor {file} sets a strategy;"
        f" better: --merge global, or in {file}: {MERGE_LINE}\n"
    )


def times_of(response: Envelope) -> str:
    """Return a line with the total duration, and the slowest repositories if known."""
    names = {repo.repo_id: repo.alias or repo.repo_id for repo in response.workspace.repos}
    slowest = sorted(response.repo_elapsed_ms, key=lambda item: (-item[1], item[0]))
    each = ", ".join(f"{names[repo]} {ms:.0f} ms" for repo, ms in slowest[:_MOST_NAMED])
    known = " from memory" if response.from_memory else ""
    # One query over all indexes of a host has no times of single repositories.
    shares = f": {each}" if each else ""
    repos = counted(len(response.reports), "repo")
    return f"{repos} in {response.elapsed_ms:.0f} ms{known}{shares}\n"


def notices_of(response: Envelope, cwd: str) -> list[Notice]:
    """Return the notices, with paths relative to `cwd`; equal notices of repositories share a line.

    If several repositories have unsearched files, one line without counts names the repositories.
    """
    items = (*response.warnings, *response.errors)
    several = sum(item.code == UNSEEN for item in items) > 1
    repos_of: dict[tuple[str, str], set[str | None]] = {}
    for item in items:
        message = UNCOUNTED if several and item.code == UNSEEN else item.message
        repos_of.setdefault((item.code, message), set()).add(item.repo_id)
    file = _file_of(response, cwd)
    return [
        Notice(code, _prefix(response.workspace, repos) + with_file(message, file))
        for (code, message), repos in repos_of.items()
    ]


def limits_of(response: Envelope) -> list[LimitHit]:
    """Return the limits hit, each with its repository; omit `deadline_share`, which is an error."""
    names = {repo.repo_id: repo.alias or repo.repo_id for repo in response.workspace.repos}
    results = []
    for entry in response.limits_hit:
        limit, repo = entry.limit, names.get(entry.repo_id) if entry.repo_id else None
        if limit.code == SHARE_LIMIT:
            continue
        if repo is not None:
            place = f"{repo}:{limit.path_key}" if limit.path_key else repo
            limit = replace(limit, path_key=place)
        results.append(limit)
    return results


def failure_of(response: Envelope, view: ViewOptions) -> str:
    """Return the failure's line, whose suggested commands include the workspace's file."""
    error = response.error
    if error is None:
        return ""
    mark = Style(view.notes_colour).paint("bad", "error: ")
    line = with_file(str(error), _file_of(response, view.cwd))
    return f"{mark}{sanitise_line(line)}\n"


def for_agent(text: str, response: Envelope, view: ViewOptions) -> str:
    """Return the text for agents, whose suggested commands include the workspace's file."""
    return with_file(text, _file_of(response, view.cwd)) + "\n"


def _file_of(response: Envelope, cwd: str) -> Path:
    return Path(os.path.relpath(response.workspace.workspace_path, cwd or None))


def _prefix(workspace: Workspace, repos: set[str | None]) -> str:
    """Return the repositories' names and a colon; empty if the whole workspace is meant."""
    names = [repo.alias or repo.repo_id for repo in workspace.repos if repo.repo_id in repos]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}: " if names else ""

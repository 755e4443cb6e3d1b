"""`ggrep workspace build` and `ggrep workspace watch`."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from signal import SIGINT, SIGTERM
from types import FrameType
from typing import Annotated, ClassVar, Final, get_args

import anyio
from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base.clock import SystemClock
from ggrep.base.errors import Cancelled, InvalidRequest, UsageError
from ggrep.config.home import Home
from ggrep.config.remotes import Remote, read_remotes, remote_named
from ggrep.config.settings import home_from, without_token
from ggrep.federation.building import (
    DEFAULT_BUILDS,
    MAX_BUILDS,
    BuildPlan,
    BuildResult,
    ending_signal,
)
from ggrep.federation.building import build as build_repos
from ggrep.federation.watch import Change, ReloadingFile, Surroundings, Watch
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.federation.workspace_state import store_manifest
from ggrep.index.repo_identity import require_modest
from ggrep.interfaces.cli.parsing.flags import EncoderFlag, Flag, PlainFlag, RemoteFlag
from ggrep.interfaces.cli.terminal import Terminal, end_as, open_terminal, show_done
from ggrep.interfaces.cli.text_tables import plural
from ggrep.interfaces.cli.workspaces.state import alias_of, build_json, event_json
from ggrep.interfaces.cli.workspaces.workspace_file import (
    FileArgument,
    FileOption,
    Survey,
    chosen_file,
    load,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import with_file
from ggrep.model.sync import IndexChange, SyncJob
from ggrep.service.build_engines.cluster import Engine
from ggrep.service.build_engines.engine import LocalEngine, open_engine


class RemoteOptions(Struct, frozen=True):
    """Options of a build: the engine, and the transfers from and to a remote."""

    title: ClassVar = "Remotes and clusters"

    engine: Annotated[
        str,
        Flag("--engine", "Build in local processes, or on a Ray cluster.", words=get_args(Engine)),
    ] = "local"
    cluster: Annotated[
        str | None, Flag("--cluster", "HOST:PORT of the head node of Ray; default: RAY_ADDRESS.")
    ] = None
    no_local: Annotated[
        bool,
        Flag("--no-local", "Build and push on the cluster only; do not pull into the ggrep home."),
    ] = False
    remote: RemoteFlag = None
    no_pull: Annotated[bool, Flag("--no-pull", "Index everything locally; pull nothing.")] = False
    push: Annotated[bool, Flag("--push", "Push each index to the remote.")] = False


def build(
    elsewhere: RemoteOptions,
    *,
    file: FileArgument = None,
    named: FileOption = None,
    include_disabled: Annotated[
        bool, Flag("--include-disabled", "Also build disabled repositories.")
    ] = False,
    concurrency: Annotated[
        int | None,
        Flag(
            "--concurrency",
            "Build this many repositories in parallel; default: one per core, at most 4.",
            least=1,
            most=MAX_BUILDS,
        ),
    ] = None,
    strict: Annotated[
        bool,
        Flag("--strict", "Fail when a file cannot be indexed; start no build after a failure."),
    ] = False,
    how: Survey,
) -> int:
    """Build or update the index of every enabled repository, then write the manifest.

    With a remote, each index is pulled and then updated. A cluster pulls, indexes and pushes; then
    the indexes are pulled into the ggrep home.
    """
    opened = how.open(file, named)
    terminal, home = opened.terminal, opened.home
    repos = [repo for repo in opened.workspace.repos if repo.enabled or include_disabled]
    at_once = concurrency or min(DEFAULT_BUILDS, os.cpu_count() or 1)
    abreast = max(1, min(at_once, len(repos)))
    known = without_token(terminal.environ)  # a node needs no token
    environ = {name: value for name, value in known.items() if name.startswith("GGREP_")}
    _require_sense(elsewhere)
    remote = _remote(elsewhere, home)
    jobs = _Jobs(home, environ, {"encoder": how.encoder}, remote, strict=strict)
    engine = open_engine(
        elsewhere.engine,  # type: ignore[arg-type] # one of its words
        elsewhere.cluster,
        terminal.environ,
        abreast=abreast,
    )
    try:
        here = partial(jobs.here, abreast=abreast, pull=not elsewhere.no_pull, push=elsewhere.push)
        job = jobs.there if engine.is_remote else here
        plan = BuildPlan(job, engine.worker, engine.abreast, strict)
        results = anyio.run(_build, repos, plan, terminal, opened.file)
    finally:
        engine.close()
    if engine.is_remote and not elsewhere.no_local:
        results = _brought_here(results, jobs, abreast, terminal, opened.file)
    outcome = opened.state()
    store_manifest(outcome, SystemClock().now())
    if how.json:
        terminal.write_json(build_json(outcome, results), pretty=True)
    failed = sum(result.status != "passed" for result in results)
    terminal.tell(f"{summary_text(results)}{slowest(results)}")
    # If a signal ended a worker, the same signal ends this process.
    if (ended_by := ending_signal(results)) is not None:
        end_as(ended_by)
    return int(failed > 0)


def slowest(results: Sequence[BuildResult]) -> str:
    """Return a text about the slowest builds; empty if there are only a few builds."""
    if len(results) <= _FEW:
        return ""
    slowest = sorted(results, key=lambda each: -each.duration_ms)[:_FEW]
    times = (
        f"{each.repo.alias or each.repo.repo_id} {each.duration_ms / 1000:.1f} s"
        for each in slowest
    )
    return f"; slowest: {', '.join(times)}"


class _Jobs(Struct, frozen=True):
    """Creates the build job of each repository."""

    home: Home
    environ: Mapping[str, str]
    flags: Mapping[str, object]
    remote: Remote | None
    strict: bool

    def here(self, repo: WorkspaceRepo, *, abreast: int, pull: bool, push: bool) -> SyncJob:
        """Return a job that a process on this machine runs with this ggrep home."""
        require_modest(repo.root_canonical, self.home)
        return SyncJob(
            repo.root_canonical,
            self.home.base,
            self.environ,
            self.flags,
            strict=self.strict,
            abreast=abreast,
            remote=asdict(self.remote) if self.remote else {},
            pull=pull and self.remote is not None,
            push=push,
        )

    def there(self, repo: WorkspaceRepo) -> SyncJob:
        """Return a job for a node of the cluster, which has its own home."""
        environ = {name: value for name, value in self.environ.items() if name != "GGREP_HOME"}
        # A cluster runs one job on each core.
        flags = {**self.flags, "parse_workers": 1}
        job = self.here(repo, abreast=1, pull=True, push=True)
        return replace(job, environ=environ, flags=flags)


def _require_sense(elsewhere: RemoteOptions) -> None:
    is_local = elsewhere.engine == "local"
    if is_local and elsewhere.no_local:
        raise UsageError("--no-local requires --engine ray")
    if not is_local and (elsewhere.no_pull or elsewhere.push):
        raise UsageError("a build on a cluster always pulls and pushes; omit --no-pull and --push")


def _remote(elsewhere: RemoteOptions, home: Home) -> Remote | None:
    """Return the named or default remote; None if no remote is needed or known."""
    remotes = read_remotes(home.remotes)
    needed = elsewhere.engine != "local" or elsewhere.push or elsewhere.remote is not None
    if needed:
        return remote_named(remotes, elsewhere.remote)
    with suppress(InvalidRequest):  # several remotes, and none was named
        return remote_named(remotes, None)
    return None


def _brought_here(
    results: Sequence[BuildResult], jobs: _Jobs, abreast: int, terminal: Terminal, file: Path
) -> tuple[BuildResult, ...]:
    """Pull into this home the indexes that a cluster built; return the final outcomes."""
    built = [result.repo for result in results if result.status == "passed"]
    terminal.tell(f"{len(built)} of {len(results)} built on the cluster; pulling them")
    job = partial(jobs.here, abreast=abreast, pull=True, push=False)
    plan = BuildPlan(job, LocalEngine(abreast).worker, abreast)
    here = {each.repo.repo_id: each for each in anyio.run(_build, built, plan, terminal, file)}
    return tuple(
        here.get(result.repo.repo_id) or replace(result, outcome=None) for result in results
    )


_FEW: Final = 3
_PUSHED: Final = {"new": ", pushed", "present": ", already at the remote", "failed": "", None: ""}


def build_text(result: BuildResult) -> str:
    """Return a text about the build of one repository."""
    outcome, error = result.outcome, f": {result.error}" if result.error else ""
    took = f"in {result.duration_ms / 1000:.1f} s"
    if outcome is None:
        return f"{result.status} {took}{error}"
    files = ""
    if outcome.pulled:
        files = f", {plural(outcome.pulled, 'file')} pulled"
        files += f", {outcome.indexed} indexed" if outcome.indexed else ""
    return f"{outcome.change} {took}{files}{_PUSHED[outcome.pushed]}{error}"


def summary_text(results: Sequence[BuildResult]) -> str:
    """Return the numbers of built and pushed repositories."""
    outcomes = [result.outcome for result in results if result.outcome]
    changes = Counter(outcome.change for outcome in outcomes)
    counts = ", ".join(f"{changes[word]} {word}" for word in get_args(IndexChange) if changes[word])
    text = f"{len(outcomes)} of {len(results)} built"
    text += f": {counts}" if counts else ""
    pushed = Counter(outcome.pushed for outcome in outcomes if outcome.pushed)
    if pushed:
        text += f"; {pushed['new']} pushed"
        text += f", {pushed['present']} already at the remote" if pushed["present"] else ""
    return text


async def _build(
    repos: Sequence[WorkspaceRepo], plan: BuildPlan, terminal: Terminal, file: Path
) -> tuple[BuildResult, ...]:
    """Build repositories; on an interrupt or termination, end all workers."""
    total, done = len(repos), 0

    def ended(result: BuildResult) -> None:
        nonlocal done
        done += 1
        name = result.repo.alias or result.repo.repo_id
        message = f"[{done}/{total}] {name}: {build_text(result)}"
        terminal.tell(with_file(message, file) if result.error else message)
        for notice in result.outcome.notices if result.outcome else ():
            if notice.code != "not_pushed":  # the error, which the message contains
                terminal.tell(sanitise_line(f"{name}: warning: {notice.message}"))
        draw(done)

    results: tuple[BuildResult, ...] | None = None
    with show_done(terminal, "Building", "repositories", total) as draw:
        async with anyio.create_task_group() as group:
            group.start_soon(_cancel_on_signal, group.cancel_scope)
            results = await build_repos(repos, plan, SystemClock(), ended=ended)
            group.cancel_scope.cancel()
    if results is None:
        raise Cancelled("interrupted")
    return results


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(SIGINT, SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


_PAUSE_S: Final = 2.0


def watch(
    file: FileArgument = None,
    named: FileOption = None,
    once: Annotated[
        bool, Flag("--once", "Start missing daemons once and return, for scripts.")
    ] = False,
    encoder: EncoderFlag = None,
    json: Annotated[bool, Flag("--json", "Print each change as one line of JSON.")] = False,
    plain: PlainFlag = False,
) -> int:
    """Keep the daemons of all enabled repositories running, until Ctrl-C."""
    terminal = open_terminal(plain=plain)
    followed = ReloadingFile(chosen_file(file, named), load)
    clock, flags = SystemClock(), {} if encoder is None else {"encoder": encoder}
    around = Surroundings(
        followed.workspace, home_from(terminal.environ), terminal.environ, clock, flags=flags
    )
    eye, out = Watch(around), _Out(terminal, json=json)
    with _until_signalled() as ended:
        while True:
            changed = followed.look()
            if changed is not None:
                out.tell(changed, followed.workspace)
            around.workspace = followed.workspace
            changes = eye.look()
            for change in changes:
                out.tell(change, around.workspace)
            if once or ended.wait(_PAUSE_S):
                break
    wanted = sum(repo.enabled for repo in around.workspace.repos)
    if not json:
        terminal.tell(f"{len(eye.served)} of {plural(wanted, 'enabled repo')} served")
    return int(once and len(eye.served) < wanted)


class _Out:
    """Writes changes of daemons as lines of text or as JSON documents."""

    def __init__(self, terminal: Terminal, *, json: bool) -> None:
        self._terminal = terminal
        self._json = json

    def tell(self, change: Change, workspace: Workspace) -> None:
        """Write one change."""
        if self._json:
            self._terminal.write_json(event_json(change, workspace), pretty=False)
            return
        name = alias_of(change, workspace) or change.repo_id
        prefix = f"{self._terminal.style.paint('repo', sanitise_line(name))}: " if name else ""
        self._terminal.write(f"{prefix}{sanitise_line(change.message)}\n")


@contextmanager
def _until_signalled() -> Iterator[threading.Event]:
    """Yield an event that is set on an interrupt or termination."""
    stopping = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

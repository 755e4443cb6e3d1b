"""`ggrep workspace build`: builds the indexes of a workspace, a few at a time, in processes."""

import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from signal import SIGINT, SIGTERM
from typing import Annotated

import anyio

from ggrep.base.clock import SystemClock
from ggrep.base.errors import Cancelled
from ggrep.daemon.sync_process import SyncProcess
from ggrep.federation.building import BuildPlan, BuildResult, ending_signal
from ggrep.federation.building import build as build_repos
from ggrep.federation.manifest_file import keep
from ggrep.federation.upkeep_limits import BUILDS_A_WORKER, DEFAULT_BUILDS, MAX_BUILDS
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.index.repo_identity import require_modest
from ggrep.interfaces.cli.parsing.flags import Flag
from ggrep.interfaces.cli.terminal import Terminal, show_done
from ggrep.interfaces.cli.workspaces.workspace_file import FileArgument, FileOption, Survey
from ggrep.interfaces.cli.workspaces.workspace_json import build_json
from ggrep.model.hints import with_file
from ggrep.model.sync_jobs import SyncJob


def build(
    *,
    file: FileArgument = None,
    named: FileOption = None,
    include_disabled: Annotated[
        bool, Flag("--include-disabled", "Build disabled repositories too.")
    ] = False,
    concurrency: Annotated[
        int | None,
        Flag(
            "--concurrency",
            "Build this many repositories in parallel; default: one for each core, 4 at most.",
            least=1,
            most=MAX_BUILDS,
        ),
    ] = None,
    strict: Annotated[
        bool,
        Flag(
            "--strict",
            "Fail when a file cannot be indexed; build nothing after a failure.",
        ),
    ] = False,
    how: Survey,
) -> int:
    """Build or update the index of every enabled repository, then write the manifest."""
    opened = how.open(file, named)
    terminal, home = opened.terminal, opened.home
    repos = [repo for repo in opened.workspace.repos if repo.enabled or include_disabled]
    at_once = concurrency or min(DEFAULT_BUILDS, os.cpu_count() or 1)
    abreast = max(1, min(at_once, len(repos)))
    environ = {name: value for name, value in terminal.environ.items() if _is_ours(name)}

    def job(repo: WorkspaceRepo) -> SyncJob:
        root = repo.root_canonical
        require_modest(root, home)
        flags = {"encoder": how.encoder}
        return SyncJob(root, home.base, environ, flags, strict=strict, abreast=abreast)

    worker = partial(SyncProcess, most_jobs=BUILDS_A_WORKER)
    plan = BuildPlan(job, worker, abreast, strict)
    results = anyio.run(_build, repos, plan, terminal, opened.file)
    found = opened.survey()
    keep(found, home, SystemClock().now())
    if how.json:
        terminal.write_json(build_json(found, results, home), pretty=True)
    failed = sum(result.status != "passed" for result in results)
    terminal.tell(f"{len(results) - failed} of {len(results)} built")
    # The parent of a worker that a signal ended is ended by it as well.
    ended_by = ending_signal(results)
    if ended_by is not None:
        end_as(ended_by)
    return int(failed > 0)


def end_as(number: int) -> None:
    """End this process by the same signal as a worker, so that the parent sees it."""
    sys.stdout.flush()
    sys.stderr.flush()
    if number != signal.SIGKILL:  # nobody can choose what that one does
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


async def _build(
    repos: Sequence[WorkspaceRepo], plan: BuildPlan, terminal: Terminal, file: Path
) -> tuple[BuildResult, ...]:
    """Build; on an interrupt or termination, end all workers.

    Raises:
        Cancelled: somebody did.
    """
    total, done = len(repos), 0

    def ended(result: BuildResult) -> None:
        nonlocal done
        done += 1
        name = result.repo.alias or result.repo.repo_id
        told = f"[{done}/{total}] {name}: {result.status} in {result.duration_ms / 1000:.1f} s"
        terminal.tell(with_file(f"{told}: {result.error}", file) if result.error else told)
        draw(done)

    results: tuple[BuildResult, ...] | None = None
    with show_done(terminal, "Building", "repositories", total) as draw:
        async with anyio.create_task_group() as group:
            group.start_soon(_heed, group.cancel_scope)
            results = await build_repos(repos, plan, SystemClock(), ended=ended)
            group.cancel_scope.cancel()
    if results is None:
        raise Cancelled("interrupted")
    return results


async def _heed(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(SIGINT, SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


def _is_ours(variable: str) -> bool:
    return variable.startswith("GGREP_")

"""`ggrep workspace build`: builds each index of a workspace in a process of its own."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from signal import SIGINT, SIGTERM
from typing import Annotated

import anyio

from ggrep.base.clock import SystemClock
from ggrep.base.errors import Cancelled
from ggrep.federation.building import BuildPlan, BuildResult, ending_signal
from ggrep.federation.building import build as build_repos
from ggrep.federation.manifest_file import keep
from ggrep.federation.upkeep_limits import DEFAULT_BUILDS, MAX_BUILDS
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.interfaces.cli.parsing.flags import Flag
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.interfaces.cli.workspaces.workspace_file import FileArgument, FileOption, Survey
from ggrep.interfaces.cli.workspaces.workspace_json import build_json
from ggrep.model.hints import with_file


def build(
    *,
    file: FileArgument = None,
    named: FileOption = None,
    include_disabled: Annotated[
        bool, Flag("--include-disabled", "Build disabled repositories too.")
    ] = False,
    concurrency: Annotated[
        int,
        Flag(
            "--concurrency", "Build this many repositories in parallel.", least=1, most=MAX_BUILDS
        ),
    ] = DEFAULT_BUILDS,
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
    environ = {**terminal.environ, "GGREP_HOME": str(home.base)}
    options = [
        *(["--strict"] if strict else []),
        *(["--encoder", how.encoder] if how.encoder else []),
    ]
    plan = BuildPlan(lambda repo: [*_line(repo), *options], environ, concurrency, strict)
    results = anyio.run(_build, repos, plan, terminal, opened.file)
    found = opened.survey()
    keep(found, home, SystemClock().now())
    if how.json:
        terminal.write_json(build_json(found, results, home), pretty=True)
    failed = sum(result.status != "passed" for result in results)
    terminal.tell(f"{len(results) - failed} of {len(results)} built")
    # The parent of a child that a signal ended is ended by it as well.
    ended_by = ending_signal(results)
    if ended_by is not None:
        end_as(ended_by)
    return int(failed > 0)


def end_as(number: int) -> None:
    """End this process by the same signal as a child, so that the parent sees it."""
    sys.stdout.flush()
    sys.stderr.flush()
    if number != signal.SIGKILL:  # nobody can choose what that one does
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


async def _build(
    repos: Sequence[WorkspaceRepo], plan: BuildPlan, terminal: Terminal, file: Path
) -> tuple[BuildResult, ...]:
    """Build; on an interrupt or termination, end all children.

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

    results: tuple[BuildResult, ...] | None = None
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


def _line(repo: WorkspaceRepo) -> list[str]:
    return [sys.executable, "-m", "ggrep", "index", "--plain", "--path", str(repo.root_canonical)]

"""`ggrep workspace build`: builds each index of a workspace in a process of its own."""

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT, SIGTERM

import anyio

from ggrep.base.clock import SystemClock
from ggrep.base.errors import Cancelled
from ggrep.federation.building import BuildPlan, BuildResult, build, ending_signal
from ggrep.federation.manifest_file import keep
from ggrep.federation.survey import survey
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.interfaces.cli.workspaces.workspace_file import home_of, load
from ggrep.interfaces.cli.workspaces.workspace_json import build_json
from ggrep.model.hints import with_file


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which repositories to build, and how."""

    include_disabled: bool
    concurrency: int
    strict: bool
    encoder: str | None


def build_workspace(terminal: Terminal, file: Path, wanted: Wanted, *, json: bool) -> int:
    """Build the wanted repositories, then write the manifest; return 1 if one failed.

    If a signal ended a child, it ends this process as well.
    """
    workspace, home = load(file), home_of(terminal)
    repos = [repo for repo in workspace.repos if repo.enabled or wanted.include_disabled]
    environ = {**terminal.environ, "GGREP_HOME": str(home.base)}
    plan = BuildPlan(lambda repo: _line(repo, wanted), environ, wanted.concurrency, wanted.strict)
    results = anyio.run(_build, repos, plan, terminal, file)
    found = survey(workspace, home, terminal.environ, flags={"encoder": wanted.encoder})
    keep(found, home, SystemClock().now())
    if json:
        terminal.write_json(build_json(found, results, home), pretty=True)
    failed = sum(result.status != "passed" for result in results)
    terminal.tell(f"{len(results) - failed} of {len(results)} built")
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
        results = await build(repos, plan, SystemClock(), ended=ended)
        group.cancel_scope.cancel()
    if results is None:
        raise Cancelled("interrupted")
    return results


async def _heed(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(SIGINT, SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


def _line(repo: WorkspaceRepo, wanted: Wanted) -> list[str]:
    line = [sys.executable, "-m", "ggrep", "index", "--plain", "--path", str(repo.root_canonical)]
    line += ["--strict"] if wanted.strict else []
    return [*line, "--encoder", wanted.encoder] if wanted.encoder else line

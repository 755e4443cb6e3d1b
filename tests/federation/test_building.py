"""Building in child processes: order, places, failures, signals and ends."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from ggrep.base.clock import SystemClock
from ggrep.federation.building import (
    STDERR_BYTES,
    BuildPlan,
    BuildResult,
    build,
    ending_signal,
)
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from tests.fakes.workspaces import make_workspace

PATH = {"PATH": os.environ["PATH"]}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return four repositories."""
    return make_workspace(tmp_path.resolve(), "a", "b", "c", "d")


def shell(**scripts: str) -> Callable[[WorkspaceRepo], list[str]]:
    """Return commands: the script named by a repository's alias, else one that does nothing."""
    return lambda repo: ["/bin/sh", "-c", scripts.get(repo.alias or "", "exit 0")]


async def run(workspace: Workspace, plan: BuildPlan, **told: object) -> tuple[BuildResult, ...]:
    """Return what became of each repository."""
    return await build(workspace.repos[::-1], plan, SystemClock(), **told)  # type: ignore[arg-type] # a callable


async def test_results_come_by_id(workspace: Workspace) -> None:
    """Whoever was done first."""
    results = await run(workspace, BuildPlan(shell(), PATH))

    assert [result.repo.alias for result in results] == ["a", "b", "c", "d"]
    assert {(result.status, result.exit_code, result.error) for result in results} == {
        ("passed", 0, None)
    }
    assert all(result.duration_ms >= 0 for result in results)


async def test_a_failure_tells_the_last_error_and_stops_nobody(workspace: Workspace) -> None:
    """The rest of the workspace is built all the same."""
    scripts = {"b": "echo 'error: no room' >&2; echo after >&2; exit 3"}
    results = await run(workspace, BuildPlan(shell(**scripts), PATH))

    assert [result.status for result in results] == ["passed", "failed", "passed", "passed"]
    assert (results[1].exit_code, results[1].signal) == (3, None)
    assert results[1].error == "no room"


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("exit 4", "status 4"),
        ("echo plain >&2; echo >&2; exit 4", "plain"),
        ("printf 'error: a\\033[2Jb' >&2; exit 4", "ab"),
    ],
)
async def test_there_is_always_a_reason(workspace: Workspace, script: str, error: str) -> None:
    """And it is safe on a terminal."""
    results = await run(workspace, BuildPlan(shell(a=script), PATH))

    assert results[0].error == error


async def test_strict_begins_nothing_after_a_failure(workspace: Workspace) -> None:
    """What was not begun is said to be skipped."""
    began: list[str | None] = []

    def command(repo: WorkspaceRepo) -> list[str]:
        began.append(repo.alias)
        return shell(b="exit 1")(repo)

    results = await run(workspace, BuildPlan(command, PATH, concurrency=1, strict=True))

    assert began == ["a", "b"]
    assert [result.status for result in results] == ["passed", "failed", "skipped", "skipped"]
    assert results[2].error == "another repository failed"
    assert (results[2].exit_code, results[2].duration_ms) == (None, 0)


async def test_no_more_run_at_once_than_told(workspace: Workspace) -> None:
    """Each takes cores and memory."""
    at_once, most = 0, 0

    def command(repo: WorkspaceRepo) -> list[str]:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        return shell()(repo)

    def ended(_: BuildResult) -> None:
        nonlocal at_once
        at_once -= 1

    await run(workspace, BuildPlan(command, PATH, concurrency=2), ended=ended)

    assert (at_once, most) == (0, 2)


async def test_a_signal_is_kept(workspace: Workspace) -> None:
    """A child killed for want of memory is no ordinary failure."""
    results = await run(workspace, BuildPlan(shell(c="kill -9 $$"), PATH))

    assert (results[2].exit_code, results[2].signal) == (None, signal.SIGKILL)
    assert results[2].status == "failed"
    assert ending_signal(results) == signal.SIGKILL
    assert ending_signal(results[:2]) is None


async def test_a_child_that_cannot_be_started_is_a_failure_of_its_own(
    workspace: Workspace,
) -> None:
    """The others are built."""
    sound = shell()
    plan = BuildPlan(lambda r: ["/no/such/program"] if r.alias == "a" else sound(r), PATH)
    results = await run(workspace, plan)

    assert [result.status for result in results] == ["failed", "passed", "passed", "passed"]
    assert (results[0].exit_code, results[0].signal) == (None, None)
    assert results[0].error == "the build could not be started: No such file or directory"


async def test_a_child_that_says_much_is_not_held_up(workspace: Workspace) -> None:
    """A pipe that nobody reads is full at 64 KiB, and the writer waits for ever."""
    much = 4 * STDERR_BYTES
    script = (
        f"head -c {much} /dev/zero; head -c {much} /dev/zero >&2; echo 'error: end' >&2; exit 1"
    )
    results = await run(workspace, BuildPlan(shell(a=script), PATH))

    assert results[0].error is not None
    assert results[0].error.endswith("end")


async def test_cancelled_it_ends_its_children(workspace: Workspace, tmp_path: Path) -> None:
    """Ctrl-C must not leave processes behind that write into stores."""
    note = tmp_path / "pid"
    script = f"echo $$ > {note}.new; mv {note}.new {note}; exec sleep 60"
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(run, workspace, BuildPlan(shell(a=script), PATH, concurrency=1))
            while not note.exists():  # noqa: ASYNC110 - another process writes it
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()

    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


async def test_an_empty_selection_builds_nothing() -> None:
    """Every repository may be disabled."""
    assert await build((), BuildPlan(shell(), PATH), SystemClock()) == ()

"""Building in worker processes: order, places, failures, signals and ends."""

import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import anyio
import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.errors import Busy, GgrepError, Unasked
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.daemon.sync_process import SyncProcess
from ggrep.federation.building import BuildPlan, BuildResult, build, ending_signal
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.model.sync import SyncFailed, SyncJob, SyncOutcome, SyncProgress
from tests.fakes.sync_workers import hanging_ended, write_worker
from tests.fakes.workspaces import make_workspace

OUTCOME = SyncOutcome("store", "s1", True, 1, 0, 0, 2, 1, 0, 0, 0, 0, 0, (), 5, 5)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path.resolve(), "a", "b", "c", "d")


def job(repo: WorkspaceRepo) -> SyncJob:
    return SyncJob(repo.root_canonical, repo.root_canonical.parent / "home")


async def at_once(_: str) -> None:
    """Build a repository in no time."""


class Workers(Struct):
    """Workers of no process: `act` is called with the name of what is built.

    Attributes:
        began: what was begun, in order.
        running: how many are at work.
        most: how many were at once.
    """

    act: Callable[[str], Awaitable[None]] = at_once
    began: list[str] = field(default_factory=list)
    started: int = 0
    closed: int = 0
    running: int = 0
    most: int = 0

    def new(self) -> "Worker":
        self.started += 1
        return Worker(self)


class Worker(Struct):
    """One of them."""

    of: Workers

    async def run(self, job: SyncJob, on_progress: Callable[[SyncProgress], None]) -> SyncOutcome:
        del on_progress
        self.of.began.append(job.root.name)
        self.of.running += 1
        self.of.most = max(self.of.most, self.of.running)
        await anyio.lowlevel.checkpoint()
        try:
            await self.of.act(job.root.name)
        finally:
            self.of.running -= 1
        return OUTCOME

    async def aclose(self) -> None:
        self.of.closed += 1


def failing(**errors: GgrepError) -> Workers:
    """Return workers that fail at some repositories."""

    async def act(name: str) -> None:
        if name in errors:
            raise errors[name]

    return Workers(act)


def plan_of(workers: Workers, concurrency: int = 2, *, strict: bool = False) -> BuildPlan:
    return BuildPlan(job, workers.new, concurrency, strict)


async def run(workspace: Workspace, plan: BuildPlan, **told: object) -> tuple[BuildResult, ...]:
    return await build(workspace.repos[::-1], plan, SystemClock(), **told)  # type: ignore[arg-type] # a callable


def report(results: tuple[BuildResult, ...]) -> list[BuildResult]:
    """Return results without how long they took."""
    return [replace(result, duration_ms=0) for result in results]


async def test_results_come_by_id(workspace: Workspace) -> None:
    finished = anyio.Event()

    async def act(name: str) -> None:
        if name == "a":
            await finished.wait()
        elif name == "d":
            finished.set()

    results = await run(workspace, plan_of(Workers(act)))

    assert [result.repo.alias for result in results] == ["a", "b", "c", "d"]
    assert {(result.status, result.exit_code, result.error) for result in results} == {
        ("passed", 0, None)
    }
    assert all(result.duration_ms >= 0 for result in results)


async def test_many_at_once_report_what_one_after_the_other_does(workspace: Workspace) -> None:
    """A report that hangs on the number of cores compares with no other."""
    errors = {"b": SyncFailed("no room", code="budget_exceeded"), "d": SyncFailed("", signal=9)}
    first = await run(workspace, plan_of(failing(**errors), 1))
    four = await run(workspace, plan_of(failing(**errors), 4))

    assert report(first) == report(four)
    assert [result.status for result in first] == ["passed", "failed", "passed", "failed"]


async def test_a_worker_builds_one_repository_after_another(workspace: Workspace) -> None:
    """Its start takes longer than a small index does; each is ended at the end."""
    workers = Workers()
    await run(workspace, plan_of(workers, 2))

    assert len(workers.began) == 4
    assert (workers.started, workers.closed) == (2, 2)
    assert (workers.running, workers.most) == (0, 2)


@pytest.mark.parametrize(
    ("error", "code", "reported"),
    [
        (SyncFailed("no room", code="budget_exceeded"), 1, "no room"),
        (SyncFailed("old", code="incompatible", exit_status=13), 13, "old"),
        (Busy("held", retry_after_ms=7), 10, "held, retry after 7 ms"),
        (SyncFailed("a\033[2Jb"), 1, "ab"),
    ],
)
async def test_a_failure_tells_why_and_stops_nobody(
    workspace: Workspace, error: GgrepError, code: int, reported: str
) -> None:
    results = await run(workspace, plan_of(failing(b=error)))

    assert [result.status for result in results] == ["passed", "failed", "passed", "passed"]
    assert (results[1].exit_code, results[1].signal) == (code, None)
    assert results[1].error == reported


async def test_what_may_not_be_built_reaches_no_worker(workspace: Workspace) -> None:
    workers = Workers()

    def chosen(repo: WorkspaceRepo) -> SyncJob:
        if repo.alias == "a":
            raise Unasked("a directory of the system")
        return job(repo)

    results = await run(workspace, replace(plan_of(workers), job=chosen))

    assert sorted(workers.began) == ["b", "c", "d"]
    assert (results[0].status, results[0].exit_code) == ("failed", 2)


async def test_strict_begins_nothing_after_a_failure(workspace: Workspace) -> None:
    workers = failing(b=SyncFailed("refused"))
    results = await run(workspace, plan_of(workers, 1, strict=True))

    assert workers.began == ["a", "b"]
    assert [result.status for result in results] == ["passed", "failed", "skipped", "skipped"]
    assert results[2].error == "another repository failed"
    assert (results[2].exit_code, results[2].duration_ms) == (None, 0)


def processes(directory: Path, python: str, **acts: str) -> BuildPlan:
    def chosen(repo: WorkspaceRepo) -> SyncJob:
        environ: Mapping[str, str] = {"act": acts.get(repo.alias or "", "answer")}
        return SyncJob(repo.root_canonical, directory / "pids", environ)

    return BuildPlan(chosen, lambda: SyncProcess(python, silence_ms=60_000), concurrency=1)


async def test_a_killed_worker_costs_its_repository_alone(
    workspace: Workspace, tmp_path: Path
) -> None:
    """One that ran out of memory is no ordinary failure; the next repository gets another."""
    results = await run(workspace, processes(tmp_path, write_worker(tmp_path), b="killed"))

    assert [result.status for result in results] == ["passed", "failed", "passed", "passed"]
    assert (results[1].exit_code, results[1].signal) == (None, signal.SIGKILL)
    assert results[1].error == "ended by signal 9"
    assert ending_signal(results) == signal.SIGKILL
    assert ending_signal(results[:1]) is None


@pytest.mark.slow
async def test_a_worker_that_says_nothing_more_costs_its_repository_alone(
    workspace: Workspace, tmp_path: Path
) -> None:
    plan = processes(tmp_path, write_worker(tmp_path), a="hang")
    python = write_worker(tmp_path)
    hasty = replace(plan, worker=lambda: SyncProcess(python, silence_ms=4_000))
    results = await run(workspace, hasty)

    assert [result.status for result in results] == ["failed", "passed", "passed", "passed"]
    assert "heartbeat" in (results[0].error or "")
    await hanging_ended(tmp_path)


async def test_a_worker_that_cannot_be_started_fails_what_it_was_to_build(
    workspace: Workspace, tmp_path: Path
) -> None:
    results = await run(workspace, processes(tmp_path, str(tmp_path / "missing")))

    assert {result.status for result in results} == {"failed"}
    assert all("cannot be started" in (result.error or "") for result in results)


async def test_cancelled_it_ends_its_workers(workspace: Workspace, tmp_path: Path) -> None:
    """Ctrl-C must not leave processes behind that write into stores."""
    plan = processes(tmp_path, write_worker(tmp_path), b="hang")
    built: list[str | None] = []
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            reported = {"ended": lambda result: built.append(result.repo.alias)}
            group.start_soon(lambda: run(workspace, plan, **reported))
            # Another process writes the file, and another one may be slower than it.
            while not (built and (tmp_path / "pids").exists()):  # noqa: ASYNC110 - see above
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()

    assert built == ["a"]
    await hanging_ended(tmp_path)


@pytest.mark.slow
async def test_a_build_that_was_ended_goes_on_where_it_ended(
    workspace: Workspace, tmp_path: Path
) -> None:
    for repo in workspace.repos:
        (repo.root_canonical / "a.py").write_text(f"def of_{repo.alias}():\n    return 1\n")
    home = Home(tmp_path / "home")

    def chosen(repo: WorkspaceRepo) -> SyncJob:
        flags = {"encoder": "hashed"}
        return SyncJob(repo.root_canonical, home.base, flags=flags, abreast=1)

    plan = BuildPlan(chosen, SyncProcess, 1)
    async with anyio.create_task_group() as group:
        reported = {"ended": lambda _: group.cancel_scope.cancel()}
        group.start_soon(lambda: run(workspace, plan, **reported))
    (first,) = home.data.glob("*/" + store_files.active_file(Path()).name)
    before = first.read_bytes()
    results = await run(workspace, plan)

    assert [result.status for result in results] == ["passed"] * 4
    assert first.read_bytes() == before
    assert len(list(home.data.glob("*/" + store_files.active_file(Path()).name))) == 4

"""The worker is kept while it is useful, and killed with all it started when it is not."""

import errno
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from ggrep.base import stable_json
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded
from ggrep.daemon.sync_process import SyncProcess
from ggrep.daemon.worker_child import WorkerChild
from ggrep.model.sync import SyncFailed, SyncJob, SyncOutcome, SyncProgress, priority_from
from tests.fakes.repos import open_engine, paths, write_tree
from tests.fakes.sync_workers import hanging_ended, write_worker

END_S = 600.0


def job(tmp_path: Path, act: str, **given: Any) -> SyncJob:
    return SyncJob(tmp_path, tmp_path / "pids", environ={"act": act}, **given)


def ignore(_: SyncProgress) -> None:
    """Nobody watches."""


async def until(holds: Callable[[], bool]) -> None:
    """Wait for another process."""
    with anyio.fail_after(END_S):
        while not holds():  # noqa: ASYNC110 - another process
            await anyio.sleep(0.005)


async def test_wishes_reach_the_worker_before_a_job_and_while_it_is_done(tmp_path: Path) -> None:
    """A question may come before the first index has begun, or when it has long begun."""
    output = {"store_id": "s", "paths": ["a.py", "b.py"]}
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:
        await process.prioritise("s", ["a.py", "b.py"])
        reported = await process.run(job(tmp_path, "tell", store_id="s"), ignore)
        again = await process.run(job(tmp_path, "tell", store_id="s"), ignore)
        heard: list[SyncOutcome] = []

        async def listen() -> None:
            heard.append(await process.run(job(tmp_path, "listen", store_id="s"), began))

        def began(_: SyncProgress) -> None:
            group.start_soon(process.prioritise, "s", ["c.py"])

        async with anyio.create_task_group() as group:
            group.start_soon(listen)

        assert stable_json.loads(reported.snapshot_id.encode()) == [output]
        assert again.snapshot_id == reported.snapshot_id, "said once"
        assert priority_from(heard[0].snapshot_id.encode()) == ("s", ("c.py",))


async def test_one_worker_serves_job_after_job(tmp_path: Path) -> None:
    """Starting one costs more than a sync of one file."""
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:
        assert process.pid is None
        reports: list[SyncProgress] = []
        first = await process.run(job(tmp_path, "answer"), reports.append)
        second = await process.run(job(tmp_path, "answer"), ignore)

        assert first.snapshot_id == second.snapshot_id == str(process.pid)
        assert [progress.stage for progress in reports] == ["scan"]
        assert process.starts == 1


async def test_a_worker_is_replaced_after_so_many_syncs(tmp_path: Path) -> None:
    async with aclosing(SyncProcess(write_worker(tmp_path), most_jobs=2)) as process:
        reports = [await process.run(job(tmp_path, "answer"), ignore) for _ in range(5)]

        assert len({outcome.snapshot_id for outcome in reports}) == 3
        assert process.starts == 3


async def test_a_worker_of_low_impact_does_no_other_job(tmp_path: Path) -> None:
    """A process cannot raise its priority again."""
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:
        for low_impact in (False, True, True, False):
            await process.run(job(tmp_path, "answer", low_impact=low_impact), ignore)

        assert process.starts == 3


async def test_jobs_wait_for_one_another_in_order(tmp_path: Path) -> None:
    """Two syncs at a time would take both cores from whoever searches."""
    order: list[int] = []
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:

        async def one(number: int) -> None:
            await process.run(job(tmp_path, "answer"), ignore)
            order.append(number)

        async with anyio.create_task_group() as tasks:
            for number in range(5):
                tasks.start_soon(one, number)
                await anyio.lowlevel.checkpoint()

    assert order == [0, 1, 2, 3, 4]


async def test_a_worker_that_ended_while_idle_is_replaced(
    tmp_path: Path,
) -> None:
    """It ends by itself after a while, and may do so the moment it is asked."""
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:
        first = await process.run(job(tmp_path, "last"), ignore)
        second = await process.run(job(tmp_path, "answer"), ignore)

        assert first.snapshot_id != second.snapshot_id


async def test_errors_come_back_as_what_they_are(tmp_path: Path) -> None:
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:
        with pytest.raises(Busy, match=r"^held, retry after 77 ms$") as busy:
            await process.run(job(tmp_path, "busy"), ignore)
        with pytest.raises(SyncFailed, match="full") as full:
            await process.run(job(tmp_path, "refuse"), ignore)

        assert busy.value.retry_after_ms == 77
        assert full.value.code == "budget_exceeded"
        assert process.starts == 1


async def test_a_failure_says_what_a_command_would_end_with(tmp_path: Path) -> None:
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:
        reports = []
        for each in ("status", "crash", "killed"):
            with pytest.raises(SyncFailed) as failed:
                await process.run(job(tmp_path, each), ignore)
            reports.append((failed.value.exit_status, failed.value.signal))

        assert reports == [(13, None), (1, None), (1, signal.SIGKILL)]


@pytest.mark.parametrize(("act", "output"), [("crash", "it broke"), ("garble", "worker ended")])
async def test_a_worker_that_breaks_costs_one_sync(tmp_path: Path, act: str, output: str) -> None:
    """Its last words say why; the next sync gets another worker."""
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:
        with pytest.raises(SyncFailed, match=output):
            await process.run(job(tmp_path, act), ignore)
        await process.run(job(tmp_path, "answer"), ignore)

        assert process.starts == 2


async def test_a_missing_interpreter_is_a_failed_sync(tmp_path: Path) -> None:
    """An upgrade may take it away while the daemon runs."""
    async with aclosing(SyncProcess(str(tmp_path / "missing"))) as process:
        with pytest.raises(SyncFailed, match="cannot be started"):
            await process.run(job(tmp_path, "answer"), ignore)


async def test_cancelling_kills_the_worker_and_its_children(tmp_path: Path) -> None:
    """Parse processes would else go on for seconds."""
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(process.run, job(tmp_path, "hang"), ignore)
            await until((tmp_path / "pids").exists)
            tasks.cancel_scope.cancel()
        await hanging_ended(tmp_path)

        assert process.pid is None


@pytest.mark.slow
@pytest.mark.parametrize("bound", ["silence", "deadline"])
async def test_a_worker_that_hangs_is_killed_in_the_end(tmp_path: Path, bound: str) -> None:
    """All other stores of the host wait for their turn."""
    async with aclosing(
        SyncProcess(write_worker(tmp_path), silence_ms=300 if bound == "silence" else 300_000)
    ) as process:
        given = {"deadline_ms": 300} if bound == "deadline" else {}
        wanted = DeadlineExceeded if bound == "deadline" else SyncFailed
        with pytest.raises(wanted, match="than 300 ms" if given else "sent no heartbeat for 0.3 s"):
            await process.run(job(tmp_path, "hang", **given), ignore)

        assert process.pid is None


async def test_closing_cancels_the_running_sync(tmp_path: Path) -> None:
    """A host that stops does not wait for minutes of indexing."""
    messages: list[type[Exception]] = []
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:

        async def one() -> None:
            try:
                await process.run(job(tmp_path, "hang"), ignore)
            except Cancelled as error:
                messages.append(type(error))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one)
            tasks.start_soon(one)  # waits for its turn, and does not get it
            await until((tmp_path / "pids").exists)
            await process.aclose()
        await hanging_ended(tmp_path)

    assert messages == [Cancelled, Cancelled]


def real_job(root: Path, home: Path, **given: Any) -> SyncJob:
    return SyncJob(root, home, flags={"encoder": "hashed", "parse_workers": 1}, **given)


@pytest.mark.slow
async def test_the_real_worker_indexes_and_compacts(root: Path, home: Path) -> None:
    """It does what the command does, a compaction included; nothing but answers comes back."""
    write_tree(root, {"a.py": "def lighthouse():\n    return 1\n", "keep.py": "kept = 1\n"})
    stages: list[str] = []
    async with aclosing(SyncProcess()) as process:

        async def sync(**given: Any) -> SyncOutcome:
            wanted = SyncJob(root, home, flags={"encoder": "hashed", "parse_workers": 1}, **given)
            return await process.run(wanted, lambda output: stages.append(output.stage))

        first = await sync()
        write_tree(root, {"a.py": "def beacon():\n    return 2\n", "b.py": "buoy = 1\n"})
        second = await sync()
        with pytest.raises(SyncFailed, match="select store") as caught:
            await sync(store_id="another")
        assert caught.value.code == "invalid_request"
        assert process.starts == 1
    engine = open_engine(root, home)

    assert paths(engine, "beacon")[0] == "a.py"
    assert first.published
    assert first.cpu_ms > 0
    assert second.compaction is not None  # a third of the rows were dead
    assert second.snapshot_id == engine.view().manifest.snapshot_id
    assert list(dict.fromkeys(stages)) == ["scan", "index", "publish", "upkeep"]


_HOST = """
import anyio, sys
from pathlib import Path
from ggrep.model.sync import SyncJob
from ggrep.daemon.sync_process import SyncProcess

async def main():
    process = SyncProcess()
    tell = lambda progress: print(process.pid, progress.stage, flush=True)
    job = SyncJob(Path(sys.argv[1]), Path(sys.argv[2]), flags={"parse_workers": 2})
    await process.run(job, tell)

anyio.run(main)
"""


@pytest.mark.slow
def test_a_host_that_is_killed_leaves_no_worker_and_no_parser(root: Path, home: Path) -> None:
    """Orphans would hold the lease and a core, and nobody would know of them."""
    source = "".join(f"def f{n}(a, b):\n    return [a * {n} for _ in b]\n" for n in range(400))
    write_tree(root, {f"f{n}.py": source for n in range(150)})
    with subprocess.Popen(
        [sys.executable, "-c", _HOST, str(root), str(home)], stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        try:
            while "index" not in (line := host.stdout.readline()):
                assert line
            worker = psutil.Process(int(line.split()[0]))
            end = time.monotonic() + END_S
            while not (parsers := worker.children(recursive=True)):
                assert time.monotonic() < end
        finally:
            host.kill()
        _, alive = psutil.wait_procs([worker, *parsers], timeout=END_S)
        for process in alive:
            process.kill()

    assert not alive


async def test_a_failed_start_is_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first index must not fail because so much else was starting."""
    refusals = [OSError(errno.EAGAIN, "no room"), OSError(errno.EFAULT, "no room")]
    start = WorkerChild.start

    async def starting(*arguments: Any, **named: Any) -> WorkerChild:
        if refusals:
            raise refusals.pop()
        return await start(*arguments, **named)

    monkeypatch.setattr(WorkerChild, "start", starting)
    async with aclosing(SyncProcess(write_worker(tmp_path))) as process:
        await process.run(job(tmp_path, "answer"), ignore)

        assert process.starts == 1

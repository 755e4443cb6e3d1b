"""Query workers answer as the host does, and none of their failures costs an answer."""

import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import psutil
import pytest
import pytest_asyncio

from ggrep.base import stable_json
from ggrep.base.build import build_id
from ggrep.base.clock import Deadline, Stop, SystemClock
from ggrep.base.errors import Cancelled, DeadlineExceeded
from ggrep.base.fair_queue import Lane
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.daemon import query_process
from ggrep.daemon.admitting import Caller, run_admitted_with, spent_from_now
from ggrep.daemon.event_log import EventLog
from ggrep.daemon.qos.admission import Admission, AdmissionLimits
from ggrep.daemon.qos.permits import CpuPermits
from ggrep.daemon.query_job import QueryAnswer, QueryJob, StoreToOpen, query_answer
from ggrep.daemon.query_process import QueryProcesses
from ggrep.model.index_freshness import IndexFreshness
from ggrep.model.limits import Notice
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.model.slate import SlateRequest
from ggrep.model.status import QueryWorkers
from ggrep.protocol.wire.messages import Ask, Search, message_json
from tests.daemon.conftest import TREE
from tests.fakes.repos import indexed, open_engine

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLOCK = SystemClock()
REQUEST = SearchRequest("settle invoice", deterministic=True)
MESSAGES = (
    Search(REQUEST),
    Search(REQUEST, values=True),
    Search(REQUEST, render=ViewOptions(columns=80)),
    Ask(SlateRequest(REQUEST)),
    Ask(SlateRequest(REQUEST), values=True),
)


class Workers:
    """Query workers over one store.

    Attributes:
        store: the store as they open it.
    """

    def __init__(self, root: Path, home: Path, **given: Any) -> None:
        engine = open_engine(root, home)
        self.engine = engine
        self.store = StoreToOpen.of(root, Home(home), engine.settings)
        self.processes = QueryProcesses(2, build_id(), **given)
        self.log = EventLog(home / "logs", engine.identity.store_id, CLOCK)
        self._events = home / "logs" / f"{engine.identity.store_id}.jsonl"

    async def ready(self) -> int:
        """Return the process id of a free worker; start it if there is none."""
        if not self.processes.is_free(self.store.key):
            await self.processes.prepare(self.store, self.log)
        return self.processes.pids[-1]

    def events(self) -> list[dict[str, Any]]:
        """Return what was logged of workers, without times and ids of stores."""
        lines: list[Any] = list(map(stable_json.loads, self._events.read_bytes().splitlines()))
        rest = {"at", "level", "store_id"}
        return [{key: line[key] for key in line.keys() - rest} for line in lines]

    async def answer(
        self,
        message: Any = MESSAGES[0],
        deadline: Deadline | None = None,
        store: str = "",
        **given: Any,
    ) -> QueryAnswer | None:
        job = QueryJob(store or self.store.key, message_json("", message), "id", **given)
        return await self.processes.answer(job, deadline or Deadline.after(CLOCK, 60_000))


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - another process
        await anyio.sleep(0.005)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workers]:
    """Return workers over the small tree; tests that damage its store put it right again."""
    base = tmp_path_factory.mktemp("workers").resolve()
    indexed(base / "repo", base / "home", TREE)
    result = Workers(base / "repo", base / "home")
    async with aclosing(result.processes):
        yield result


async def test_a_worker_answers_with_the_bytes_of_the_host(workers: Workers) -> None:
    """Document, value and text, of searches and slates; with little time left the host answers."""
    pid = await workers.ready()
    assert await workers.answer(deadline=Deadline.after(CLOCK, 100)) is None
    assert workers.processes.pids == (pid,)
    for message in MESSAGES:
        output = await workers.answer(message)
        assert output is not None
        ask: Any = workers.engine.search if isinstance(message, Search) else workers.engine.ask
        answer = ask(message.request, request_id="id")
        expected = query_answer(answer, message, workers.engine.identity.root)
        assert stable_json.dumps(output.body) == stable_json.dumps(expected.body)
        assert output.logged.hits == expected.logged.hits > 0
        assert output.segments == expected.segments


async def test_what_the_daemon_knows_stands_in_the_answer(workers: Workers) -> None:
    """Notices and the state of syncs are those of the job, not of the worker."""
    await workers.ready()
    message = Search(SearchRequest("settle invoice"))
    notices = (Notice("watch_polling", "late"),)
    output = await workers.answer(message, notices=notices, standing=IndexFreshness(failure="full"))
    plain = await workers.answer(message)

    assert output is not None
    assert plain is not None
    assert [notice.code for notice in output.logged.warnings] == [
        "sync_failed",
        "watch_polling",
    ]
    assert plain.logged.warnings == ()


async def test_a_worker_is_started_by_queries_that_keep_meeting() -> None:
    """Eight within ten seconds; a few are no reason to load everything a second time."""
    key, processes = "store", QueryProcesses(2, build_id())

    assert [processes.is_short(key, at_ms) for at_ms in range(8)] == [False] * 7 + [True]
    assert not processes.is_short(key, 20_000.0)


async def test_queries_of_one_store_start_no_worker_for_another() -> None:
    """A worker would open the other store for a single query."""
    processes = QueryProcesses(2, build_id())
    for at_ms in range(8):
        processes.is_short("another", at_ms)

    assert not processes.is_short("store", 8)
    assert processes.is_short("another", 8)


async def test_a_query_that_a_worker_answers_does_not_occupy_the_host() -> None:
    """The next query is computed by the host, which has nothing else to compute."""
    shared = SimpleNamespace(
        clock=CLOCK, cpu=CpuPermits(2, CLOCK), threads=anyio.CapacityLimiter(2)
    )
    daemon: Any = SimpleNamespace(
        shared=shared, admission=Admission(AdmissionLimits(2, 2, 2), CLOCK)
    )
    asked: list[str] = []
    ended = anyio.Event()

    async def run(name: str) -> None:
        caller = Caller(name, name, Lane.INTERACTIVE, name, Stop())

        async def elsewhere() -> str | None:
            asked.append(name)
            if len(asked) == 1:
                await ended.wait()
            return name

        deadline, spent = Deadline.never(CLOCK), spent_from_now(daemon)
        await run_admitted_with(daemon, caller, deadline, spent, lambda: name, elsewhere)

    async with anyio.create_task_group() as group:
        async with shared.cpu.hold("computing", Lane.INTERACTIVE, Deadline.never(CLOCK)):
            group.start_soon(run, "handed on")
            await until(lambda: bool(asked))
        await run("computed")
        assert asked == ["handed on"]
        ended.set()


async def test_workers_are_counted_and_their_ends_are_logged(workers: Workers) -> None:
    """A worker that is killed has answered what it answered, and the next one takes its place."""
    await workers.ready()
    fresh = Workers(workers.engine.identity.root, workers.engine.home.base)
    processes, before = fresh.processes, len(workers.events())
    assert processes.load() == QueryWorkers(max_running=2)
    async with aclosing(processes):
        pid = await fresh.ready()
        await fresh.answer()
        assert processes.load() == QueryWorkers(1, 2, 1, 1)
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not processes.pids)
        assert not processes.is_free(fresh.store.key)
        await processes.reap()
        assert processes.load() == QueryWorkers(0, 2, 1, 1)
        last = await fresh.ready()
        assert await fresh.answer() is not None
        await processes.aclose()
        opened, ended = {"event": "query_worker_opened"}, {"event": "query_worker_ended"}
        assert fresh.events()[before:] == [
            opened | {"pid": pid},
            ended | {"pid": pid, "reason": "died", "signal": signal.SIGKILL, "answered": 1},
            opened | {"pid": last},
            ended | {"pid": last, "reason": "the host ends", "signal": None, "answered": 1},
        ]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_the_host_answers_for_a_worker_that_dies_or_is_stopped(
    workers: Workers, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Nearly all of the time is left for it."""
    if number == signal.SIGKILL:
        monkeypatch.setattr(query_process, "is_stopped", lambda _: False)
    pid = await workers.ready()
    os.kill(pid, signal.SIGSTOP)
    answers: list[QueryAnswer | None] = []

    async def ask() -> None:
        answers.append(await workers.answer(deadline=deadline))

    deadline = Deadline.after(CLOCK, 600_000)
    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        if number == signal.SIGKILL:
            await anyio.sleep(0.1)
            os.kill(pid, number)
    assert answers == [None]
    assert deadline.remaining_ms() > 560_000
    assert not psutil.pid_exists(pid)
    assert await workers.answer() is None, "there is none any more"


async def test_a_hanging_worker_is_ended(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is over by then; the worker is killed, and the permit is free."""
    monkeypatch.setattr(query_process, "is_stopped", lambda _: False)
    monkeypatch.setattr(query_process, "_GRACE_MS", 50.0)
    pid = await workers.ready()
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(DeadlineExceeded):
        await workers.answer(deadline=Deadline.after(CLOCK, 400))
    assert not psutil.pid_exists(pid)
    await workers.ready()
    assert await workers.answer() is not None


async def test_an_idle_worker_ends_by_itself(workers: Workers) -> None:
    workers = Workers(workers.engine.identity.root, workers.engine.home.base, idle_ms=50)
    async with aclosing(workers.processes):
        await workers.ready()
        await until(lambda: not workers.processes.pids)
        await workers.processes.reap()
        assert workers.events()[-1]["reason"] == "idle for too long"


async def test_a_cancel_spares_the_worker(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is the daemon's; the next job is answered."""
    monkeypatch.setattr(query_process, "is_stopped", lambda _: False)  # else it ends at once
    pid = await workers.ready()
    os.kill(pid, signal.SIGSTOP)
    stop = Stop()
    deadline = Deadline.after(CLOCK, 600_000, stop)

    async def ask() -> None:
        with pytest.raises(Cancelled, match="the client closed the connection"):
            await workers.answer(deadline=deadline)

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await anyio.sleep(0.1)
        stop.set("the client closed the connection")
        group.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.2)
        os.kill(pid, signal.SIGCONT)
    assert workers.processes.pids == (pid,)
    assert await workers.answer() is not None


async def test_deadlines_hold_in_workers(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told what is left when it gets the job."""
    monkeypatch.setattr(query_process, "_LEAST_MS", 0.0)
    await workers.ready()
    with pytest.raises(DeadlineExceeded):
        await workers.answer(deadline=Deadline.after(CLOCK, 0.01))


async def test_the_host_answers_over_a_store_that_no_worker_has_open(workers: Workers) -> None:
    """Also if a worker has closed it for others, or it is damaged, as only the host rebuilds it."""
    await workers.ready()
    assert await workers.answer(store="another") is None
    (uses,) = workers.processes._workers.values()
    uses.logs["closed"] = workers.log
    assert await workers.answer(store="closed") is None
    assert not workers.processes.is_free("closed")
    assert await workers.answer() is not None
    pointer = store_files.active_file(workers.engine.identity.store)
    pointed = pointer.read_bytes()
    pointer.write_bytes(b"damaged")
    assert await workers.answer() is None
    assert workers.processes.pids
    pointer.write_bytes(pointed)


async def test_a_worker_of_another_build_is_not_used(workers: Workers) -> None:
    """As after an upgrade, while the old daemon still runs."""
    workers = Workers(workers.engine.identity.root, workers.engine.home.base)
    workers.processes = QueryProcesses(2, "another")
    async with aclosing(workers.processes):
        await workers.processes.prepare(workers.store, workers.log)
        assert workers.events()[-1]["reason"] == "another build"
        assert workers.processes.pids == ()
        assert workers.processes.starts == 1

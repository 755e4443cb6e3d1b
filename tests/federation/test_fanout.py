"""Fanout: bounded, under one deadline, and blind to the order of answers."""

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import anyio
import anyio.lowlevel
import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, GgrepError, InvalidRequest, NoIndex
from ggrep.base.ids import RepoId
from ggrep.federation.fanout import RepoOutcome, fan_out
from tests.fakes.clocks import ManualClock
from tests.fakes.virtual_time import VirtualClock, run_virtually

Call = Callable[[], Awaitable[str]]


def never() -> Deadline:
    return Deadline.never(ManualClock(datetime(2025, 1, 1, tzinfo=UTC)))


def after(timeout_ms: float) -> Deadline:
    return Deadline.after(ManualClock(datetime(2025, 1, 1, tzinfo=UTC)), timeout_ms)


def answers(value: str, steps: int = 0) -> Call:
    async def call() -> str:
        for _ in range(steps):
            await anyio.lowlevel.checkpoint()
        return value

    return call


def fails(error: Exception, steps: int = 0) -> Call:
    async def call() -> str:
        for _ in range(steps):
            await anyio.lowlevel.checkpoint()
        raise error

    return call


async def hangs() -> str:
    await anyio.sleep_forever()
    raise AssertionError


async def run(calls: dict[str, Call], **options: object) -> dict[RepoId, RepoOutcome[str]]:
    settings = {"concurrency": 4, "deadline": never()} | options
    return await fan_out({RepoId(key): call for key, call in calls.items()}, **settings)


def run_within(
    timeout_ms: float, calls: dict[str, Call], **options: object
) -> dict[RepoId, RepoOutcome[str]]:
    """Return the outcomes after so much virtual time at most."""

    async def work() -> dict[RepoId, RepoOutcome[str]]:
        return await run(calls, deadline=Deadline.after(VirtualClock(), timeout_ms), **options)

    return run_virtually(work)


def lasting(seconds: float) -> Call:
    async def call() -> str:
        await anyio.sleep(seconds)
        return "slow"

    return call


def codes(outcomes: dict[RepoId, RepoOutcome[str]]) -> dict[str, str]:
    return {repo: o.error.code if o.error else str(o.value) for repo, o in outcomes.items()}


async def test_never_more_calls_at_once_than_allowed() -> None:
    """A workspace of a hundred must not open a hundred sockets."""
    running, most = 0, 0

    async def call() -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(3):
            await anyio.lowlevel.checkpoint()
        running -= 1
        return "x"

    outcomes = await run({str(n): call for n in range(9)}, concurrency=3)

    assert most == 3
    assert len(outcomes) == 9


async def test_outcomes_come_by_id_and_one_failure_leaves_the_others_alone() -> None:
    calls = {"b": answers("b", 5), "a": answers("a", 9), "c": answers("c", 3)}
    outcomes = await run(calls | {"d": fails(NoIndex("x"))})

    assert list(outcomes) == ["a", "b", "c", "d"]
    assert codes(outcomes) == {"a": "a", "b": "b", "c": "c", "d": "no_index"}
    assert await run({}) == {}


async def test_a_bug_in_one_repository_s_path_is_its_own_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Anything unexpected becomes `internal` with a logged traceback, without its text."""
    with caplog.at_level(logging.ERROR):
        outcomes = await run({"a": fails(KeyError("/secret")), "b": answers("ok")})

    assert codes(outcomes) == {"a": "internal", "b": "ok"}
    assert "/secret" not in str(outcomes[RepoId("a")].error)
    assert caplog.records[0].exc_info is not None


@pytest.mark.parametrize("concurrency", [1, 2])
def test_one_that_hangs_costs_the_others_nothing(concurrency: int) -> None:
    outcomes = run_within(30, {"a": hangs, "b": answers("ok")}, concurrency=concurrency)

    assert codes(outcomes) == {"a": "timeout", "b": "ok"}


async def test_calls_that_never_started_time_out_and_a_busy_daemon_is_not_waited_for() -> None:
    outcomes = await run({"a": hangs, "b": hangs, "c": hangs}, deadline=after(0), concurrency=1)

    assert codes(outcomes) == {"a": "timeout", "b": "timeout", "c": "timeout"}

    outcomes = await run({"a": fails(Busy(retry_after_ms=60_000))}, deadline=after(5_000))

    assert codes(outcomes) == {"a": "busy"}


def test_the_end_of_each_call_is_told_once() -> None:
    reports: list[tuple[str, str | None]] = []
    run_within(
        30,
        {"a": hangs, "b": answers("ok"), "c": fails(NoIndex("none"))},
        concurrency=1,
        done=lambda repo, outcome: reports.append((repo, outcome.value)),
    )

    assert sorted(reports) == [("a", None), ("b", "ok"), ("c", None)]


async def test_cancellation_is_passed_on() -> None:
    """A client that went away is no repository's failure."""
    stopped = []

    async def call() -> str:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.append(True)
        return ""

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: run({"a": call, "b": call}))
            await anyio.wait_all_tasks_blocked()
            scope.cancel()

    assert stopped == [True, True]
    assert scope.cancelled_caught


@pytest.mark.parametrize("steps", [(0, 9), (9, 0), (4, 4)])
async def test_strict_reports_the_first_failure_by_id(steps: tuple[int, int]) -> None:
    """Two failures: which one is the answer's must not depend on which came first."""
    calls = {
        "a": answers("ok", 20),
        "b": fails(InvalidRequest("b"), steps[0]),
        "c": fails(GgrepError("c"), steps[1]),
        "d": hangs,
    }

    outcomes = await run(calls, strict=True)

    assert codes(outcomes) == {"a": "ok", "b": "invalid_request", "c": "skipped", "d": "skipped"}


async def test_strict_stops_scheduling() -> None:
    started = []

    async def call() -> str:
        started.append(True)
        return ""

    await run({"a": fails(NoIndex("x")), "b": call}, strict=True, concurrency=1)

    assert started == []


async def test_a_busy_daemon_is_asked_once_more() -> None:
    tries = []

    async def call() -> str:
        tries.append(True)
        if len(tries) == 1:
            raise Busy(retry_after_ms=0)
        return "ok"

    async def always() -> str:
        raise Busy(retry_after_ms=0)

    outcomes = await run({"a": call, "b": always})

    assert codes(outcomes) == {"a": "ok", "b": "busy"}


@pytest.mark.parametrize("overtakes", [False, True])
def test_two_places_for_three_calls_are_two_turns(overtakes: bool) -> None:
    """A turn that is begun counts whole, or the last in line would have no time."""
    calls = {"a": hangs, "b": hangs, "c": answers("ok")}
    outcomes = run_within(30, calls, concurrency=2, overtakes=overtakes)

    assert codes(outcomes) == {"a": "timeout", "b": "timeout", "c": "ok"}


@pytest.mark.parametrize(("overtakes", "slow"), [(False, "timeout"), (True, "slow")])
def test_a_slow_call_may_be_overtaken_instead_of_ended(overtakes: bool, slow: str) -> None:
    calls = {"a": lasting(0.9), "b": lasting(0.9), **{name: answers("ok") for name in "cdef"}}
    outcomes = run_within(1_000, calls, concurrency=2, overtakes=overtakes)

    assert codes(outcomes) == {"a": slow, "b": slow, **dict.fromkeys("cdef", "ok")}


def test_a_call_that_its_share_ended_is_made_once_more() -> None:
    begun: list[str] = []

    def cold(name: str) -> Call:
        async def call() -> str:
            begun.append(name)
            if begun.count(name) == 1:
                await anyio.sleep_forever()
            return name

        return call

    calls = {"a": cold("a"), "b": hangs, "c": answers("c"), "d": answers("d")}

    async def ask() -> tuple[dict[RepoId, RepoOutcome[str]], float]:
        clock = VirtualClock()
        outcomes = await run(calls, deadline=Deadline.after(clock, 8_000), concurrency=1)
        return outcomes, clock.monotonic_ms()

    outcomes, at_ms = run_virtually(ask)
    assert codes(outcomes) == {"a": "a", "b": "timeout", "c": "c", "d": "d"}
    assert begun == ["a", "a"]
    assert at_ms == 2_000 + 2_000 + 2_000, "a hung one took more than its share twice"


def test_who_has_nobody_waiting_behind_may_take_all_the_time() -> None:
    calls = {"a": lasting(0.8), "b": answers("b"), "c": answers("c")}

    assert codes(run_within(1_000, calls, concurrency=2)) == {"a": "slow", "b": "b", "c": "c"}


def test_a_busy_daemon_is_not_waited_for_beyond_its_share() -> None:
    calls = {"a": fails(Busy(retry_after_ms=700)), "b": answers("b")}

    assert codes(run_within(1_000, calls, concurrency=1)) == {"a": "busy", "b": "b"}


async def test_what_a_strict_failure_decided_is_not_told_of() -> None:
    """It comes to `Skipped`, however it ended."""
    reports: list[str] = []

    async def stubborn() -> str:
        with anyio.CancelScope(shield=True):
            for _ in range(9):
                await anyio.lowlevel.checkpoint()
        return "late"

    await run(
        {"a": fails(NoIndex("x"), 2), "b": stubborn},
        strict=True,
        done=lambda repo, _: reports.append(repo),
    )

    assert reports == ["a"]

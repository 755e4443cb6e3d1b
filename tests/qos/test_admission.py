"""Who gets in, who waits, who is sent away; and that nothing is left behind of any of them."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any

import anyio
import pytest
from anyio.abc import TaskGroup
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base.clock import Deadline, Stop, SystemClock
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded
from ggrep.base.fair_queue import Lane
from ggrep.daemon.qos.admission import Admission, AdmissionLimits
from ggrep.model.response import Admitted
from tests.fakes.clocks import ManualClock

QUICK = Lane.INTERACTIVE
LANES = st.sampled_from(Lane)


def manual_clock() -> ManualClock:
    return ManualClock(datetime(2030, 1, 1, tzinfo=UTC))


async def settle() -> None:
    for _ in range(8):
        await anyio.lowlevel.checkpoint()


class Daemon:
    """An admission and queries that run until they are told to end."""

    tasks: TaskGroup

    def __init__(self, limits: AdmissionLimits) -> None:
        self.clock = manual_clock()
        self.admission = Admission(limits, self.clock)
        self.never = Deadline.never(self.clock)
        self.served: list[str] = []
        self.seen: dict[str, Admitted] = {}
        self.errors: dict[str, Exception] = {}
        self.ends: dict[str, anyio.Event] = {}
        self.scopes: dict[str, anyio.CancelScope] = {}

    async def query(
        self, name: str, client: str, lane: Lane = QUICK, deadline: Deadline | None = None
    ) -> None:
        end = self.ends[name] = anyio.Event()
        scope = self.scopes[name] = anyio.CancelScope()
        with scope:
            try:
                async with self.admission.admit(client, lane, deadline or self.never) as admitted:
                    self.served.append(name)
                    self.seen[name] = admitted
                    await end.wait()
            except (Busy, Cancelled, DeadlineExceeded) as error:
                self.errors[name] = error

    async def start(self, name: str, client: str, **options: Any) -> None:
        self.tasks.start_soon(partial(self.query, name, client, **options))
        await settle()

    @property
    def load(self) -> tuple[int, int]:
        """Return running and waiting queries."""
        statistics = self.admission.statistics()
        return statistics.in_flight, statistics.queue_depth


@asynccontextmanager
async def in_daemon(limits: AdmissionLimits) -> AsyncIterator[Daemon]:
    """Run queries within the block; nothing is left of them behind it."""
    daemon = Daemon(limits)
    async with anyio.create_task_group() as daemon.tasks:
        with anyio.fail_after(20):
            yield daemon
        daemon.tasks.cancel_scope.cancel()
    assert daemon.load == (0, 0)
    assert daemon.admission.statistics().clients == 0


async def test_a_free_permit_is_given_at_once_and_the_next_one_waits_for_it() -> None:
    """The answer says what the query met, for whoever asks why it was slow."""
    async with in_daemon(AdmissionLimits(max_concurrent=1)) as daemon:
        await daemon.start("first", "a")
        await daemon.start("second", "b")
        assert daemon.load == (1, 1)
        daemon.clock.advance(40)
        daemon.ends["first"].set()
        await settle()

    assert daemon.seen["first"] == Admitted(waited_ms=0, queued=False, in_flight=1, queue_depth=0)
    assert daemon.seen["second"] == Admitted(waited_ms=40, queued=True, in_flight=1, queue_depth=0)
    assert daemon.admission.statistics().admitted_total == 2


@pytest.mark.parametrize("depth", [0, 2])
async def test_a_full_queue_is_busy_at_once(depth: int) -> None:
    """A refused client hears so now, and not at its deadline; a depth of 0 is a setting."""
    async with in_daemon(AdmissionLimits(max_concurrent=1, max_queue_depth=depth)) as daemon:
        for number in range(depth + 2):
            await daemon.start(str(number), str(number))

    assert daemon.served == ["0"]
    assert list(daemon.errors) == [str(depth + 1)]
    assert isinstance(daemon.errors[str(depth + 1)], Busy)
    assert daemon.errors[str(depth + 1)].retry_after_ms == 250
    assert daemon.admission.statistics().busy_total == 1


@pytest.mark.parametrize(
    ("per_client", "concurrent", "share"), [(2, 8, 2), (0, 3, 3), (9, 3, 3), (1, 1, 1)]
)
async def test_a_clients_share_runs_at_once(per_client: int, concurrent: int, share: int) -> None:
    """All shells of a session are one client: eight of them at once are no reason to refuse."""
    names = [str(number) for number in range(share + 3)]
    limits = AdmissionLimits(max_concurrent=concurrent, per_client=per_client)
    async with in_daemon(limits) as daemon:
        for name in names:
            await daemon.start(name, "greedy")
        assert daemon.served == names[:share]
        assert daemon.load == (share, 3)
        for turn, name in enumerate(names, start=1):
            daemon.ends[name].set()
            await settle()
            assert daemon.served == names[: share + turn]

    assert not daemon.errors
    assert daemon.seen[names[0]].queued is False
    assert daemon.seen[names[-1]].queued is True


@pytest.mark.parametrize(("depth", "part"), [(8, 4), (7, 3), (2, 1), (1, 1)])
async def test_one_client_holds_at_most_half_of_the_queue(depth: int, part: int) -> None:
    """A greedy one does not fill it for others; it is told so as at a full queue."""
    async with in_daemon(AdmissionLimits(max_concurrent=1, max_queue_depth=depth)) as daemon:
        await daemon.start("runs", "greedy")
        for number in range(part + 1):
            await daemon.start(str(number), "greedy", lane=list(Lane)[number % 2])
        for other in range(depth - part):
            await daemon.start(f"other-{other}", f"other-{other}")
        assert daemon.load == (1, depth)

    refused = daemon.errors.pop(str(part))
    assert not daemon.errors
    assert isinstance(refused, Busy)
    assert "greedy" in str(refused)
    assert refused.retry_after_ms == 250


async def test_without_a_queue_a_client_beyond_its_share_is_sent_away() -> None:
    """There is nowhere to wait, though permits are free."""
    async with in_daemon(AdmissionLimits(max_queue_depth=0, per_client=1)) as daemon:
        await daemon.start("runs", "a")
        await daemon.start("beyond", "a")
        await daemon.start("other", "b")

    assert list(daemon.errors) == ["beyond"]
    assert daemon.served == ["runs", "other"]


async def test_a_free_permit_passes_those_over_whose_client_has_its_share() -> None:
    """They came first, but it is not theirs; what they wait for is one of their own."""
    async with in_daemon(AdmissionLimits(max_concurrent=3, per_client=1)) as daemon:
        await daemon.start("a-0", "a")
        await daemon.start("b-0", "b")
        await daemon.start("a-1", "a")
        assert daemon.load == (2, 1)
        await daemon.start("c-0", "c")
        await daemon.start("d-0", "d")
        assert daemon.load == (3, 2)
        daemon.ends["b-0"].set()
        await settle()
        assert daemon.served[3:] == ["d-0"]
        daemon.ends["c-0"].set()
        await settle()
        assert daemon.load == (2, 1)
        daemon.ends["a-0"].set()
        await settle()

    assert daemon.served == ["a-0", "b-0", "c-0", "d-0", "a-1"]
    assert not daemon.seen["c-0"].queued


async def test_who_gives_no_name_shares_one() -> None:
    """To send no name is no way around the share."""
    async with in_daemon(AdmissionLimits(per_client=2)) as daemon:
        await daemon.start("one", "")
        await daemon.start("two", "anonymous")
        await daemon.start("three", "")
        assert daemon.load == (2, 1)

    assert daemon.served == ["one", "two"]


@pytest.mark.parametrize(("concurrent", "per_client"), [(8, 4), (2, 1), (8, 0), (3, 0), (1, 1)])
async def test_a_greedy_client_delays_by_one_query(concurrent: int, per_client: int) -> None:
    """Sixteen connections that ask again at once, against one that asks one at a time."""
    waited = []
    limits = AdmissionLimits(max_concurrent=concurrent, per_client=per_client)
    async with in_daemon(limits) as daemon:
        ended: list[str] = []

        async def end_one_and_ask_again() -> None:
            running = [name for name in daemon.served if name not in ended]
            ended.append(next(name for name in running if name.startswith("greedy")))
            daemon.ends[ended[-1]].set()
            await settle()
            await daemon.start(f"greedy-{16 + len(ended)}", "greedy")

        for number in range(16):
            await daemon.start(f"greedy-{number}", "greedy")
        for turn in range(20):
            for _ in range(turn % 3):
                await end_one_and_ask_again()
            name = f"modest-{turn}"
            await daemon.start(name, "modest")
            waited.append(0)
            while name not in daemon.served:
                await end_one_and_ask_again()
                waited[-1] += 1
            ended.append(name)
            daemon.ends[name].set()
            await settle()

    assert not daemon.errors
    if limits.effective_per_client < concurrent:
        assert max(waited) == 0
    else:
        assert waited[0] <= 2, "all came at once: equal claims fall to arrival"
        assert max(waited[1:]) == 1


async def test_a_query_that_waits_too_long_times_out_and_is_counted() -> None:
    async with in_daemon(AdmissionLimits(max_concurrent=1)) as daemon:
        await daemon.start("runs", "a")
        await daemon.start("late", "b", deadline=Deadline.after(daemon.clock, 5))
        await daemon.start("patient", "c")
        daemon.clock.advance(6)
        while "late" not in daemon.errors:
            await anyio.lowlevel.checkpoint()
        assert daemon.load == (1, 1)
        daemon.ends["runs"].set()
        await settle()

    assert isinstance(daemon.errors["late"], DeadlineExceeded)
    assert daemon.served == ["runs", "patient"]
    assert daemon.admission.statistics().timeouts_total == 1


async def test_a_request_that_was_ended_elsewhere_leaves_the_queue() -> None:
    """A cancel message reaches those who wait, too; that is no timeout."""
    stop = Stop()
    async with in_daemon(AdmissionLimits(max_concurrent=1)) as daemon:
        await daemon.start("runs", "a")
        await daemon.start("ended", "b", deadline=Deadline(daemon.clock, float("inf"), stop))
        stop.set("the client asked")
        while "ended" not in daemon.errors:
            await anyio.lowlevel.checkpoint()

    assert isinstance(daemon.errors["ended"], Cancelled)
    assert "the client asked" in str(daemon.errors["ended"])
    assert daemon.admission.statistics().timeouts_total == 0


async def test_closing_sends_away_who_waits_and_who_comes_but_not_who_runs() -> None:
    """A daemon that goes down says why, and finishes what it began; the first reason counts."""
    async with in_daemon(AdmissionLimits(max_concurrent=1)) as daemon:
        await daemon.start("runs", "a")
        await daemon.start("waits", "b")
        daemon.admission.close("shutting down")
        daemon.admission.close("its loop has ended")
        await settle()
        assert daemon.load == (1, 0)
        await daemon.start("comes", "c")
        daemon.ends["runs"].set()

    assert daemon.served == ["runs"]
    assert {name: str(error) for name, error in daemon.errors.items()} == {
        "waits": "shutting down",
        "comes": "shutting down",
    }
    assert all(isinstance(error, Cancelled) for error in daemon.errors.values())


async def test_a_waiting_person_goes_before_more_of_a_batch() -> None:
    """Weights hold among those who wait; within a flow it is first come, first served."""
    async with in_daemon(AdmissionLimits(max_concurrent=3)) as daemon:
        for name in ("long", "longer", "runs"):
            await daemon.start(name, name)
        for number in range(3):
            await daemon.start(f"batch-{number}", "bulk", lane=Lane.BATCH)
        for number in range(3):
            await daemon.start(f"quick-{number}", "person")
        for _ in range(6):
            daemon.ends[daemon.served[-1]].set()
            await settle()

    assert daemon.served[3:] == ["batch-0", "quick-0", "quick-1", "quick-2", "batch-1", "batch-2"]


async def test_the_retry_hint_follows_the_load() -> None:
    """Twice the queue, twice the hint; never too soon, never beyond half a minute."""
    async with in_daemon(AdmissionLimits(max_concurrent=2)) as daemon:
        hints = [daemon.admission.retry_after_ms()]
        for service_ms in (1, 401, 10_000_000):
            for turn in range(300):
                await daemon.start(f"{service_ms}-{turn}", "a")
                daemon.clock.advance(service_ms)
                daemon.ends[f"{service_ms}-{turn}"].set()
                await settle()
            hints.append(daemon.admission.retry_after_ms())
            if service_ms == 401:
                for waiting in "abcde":
                    await daemon.start(waiting, waiting)
                hints.append(daemon.admission.retry_after_ms())
                for waiting in "abcde":
                    daemon.ends[waiting].set()
                await settle()
        assert hints == [250, 25, 201, 802, 30_000]


async def storm(seed: int, admission: Admission) -> None:
    """Run queries that end, fail, time out or are cancelled at any moment."""
    chance = Random(seed)
    clock = SystemClock()
    scopes: list[anyio.CancelScope] = []
    running: Counter[str] = Counter()

    async def query(client: str, deadline: Deadline, steps: int) -> None:
        with anyio.CancelScope() as scope:
            scopes.append(scope)
            try:
                async with admission.admit(client, chance.choice(list(Lane)), deadline):
                    running[client] += 1
                    try:
                        assert admission.statistics().in_flight <= 3
                        assert running[client] <= 2
                        for _ in range(steps):
                            await anyio.lowlevel.checkpoint()
                    finally:
                        running[client] -= 1
            except (Busy, DeadlineExceeded):
                return

    async with anyio.create_task_group() as tasks:
        for _ in range(60):
            patience = chance.choice([0.0, 0.2, 1000.0])
            client = chance.choice("aaab" if seed % 2 else "abcd")
            deadline = Deadline.after(clock, patience)
            tasks.start_soon(query, client, deadline, chance.randrange(4))
            for _ in range(chance.randrange(3)):
                await anyio.lowlevel.checkpoint()
            if scopes and chance.random() < 0.5:
                chance.choice(scopes).cancel()


@settings(max_examples=25)
@given(st.integers(0, 2**32))
async def test_whatever_the_moment_of_a_cancellation_no_permit_is_lost(seed: int) -> None:
    """One lost permit is a daemon, or a client, that has a query less for the rest of its life."""
    admission = Admission(AdmissionLimits(3, 6, 2), SystemClock())
    with anyio.fail_after(20):
        await storm(seed, admission)
    statistics = admission.statistics()
    assert (statistics.in_flight, statistics.queue_depth, statistics.clients) == (0, 0, 0)
    never = Deadline.never(SystemClock())
    async with (
        admission.admit("a", QUICK, never),
        admission.admit("a", QUICK, never),
        admission.admit("b", QUICK, never) as last,
    ):
        assert last.in_flight == 3
        assert not last.queued


STEPS = st.lists(
    st.tuples(st.sampled_from(["ask", "ask", "end", "cancel"]), st.sampled_from("aaabc"), LANES),
    max_size=40,
)


@settings(max_examples=60)
@given(STEPS, st.integers(1, 4), st.integers(0, 4), st.integers(0, 6))
async def test_no_permit_is_free_that_somebody_who_waits_may_have(
    steps: list[tuple[str, str, Lane]], concurrent: int, per_client: int, depth: int
) -> None:
    limits = AdmissionLimits(concurrent, depth, per_client)
    async with in_daemon(limits) as daemon:
        present: dict[str, str] = {}
        for number, (step, client, lane) in enumerate(steps):
            mine = [name for name, its in present.items() if its == client]
            if step == "ask":
                present[str(number)] = client
                await daemon.start(str(number), client, lane=lane)
            elif mine and step == "cancel":
                daemon.scopes[mine[number % len(mine)]].cancel()
                del present[mine[number % len(mine)]]
            elif mine and (served := [name for name in mine if name in daemon.served]):
                daemon.ends[served[0]].set()
                del present[served[0]]
            await settle()
            present = {name: its for name, its in present.items() if name not in daemon.errors}
            runs = Counter(its for name, its in present.items() if name in daemon.served)
            waits = Counter(present.values()) - runs
            assert daemon.load == (runs.total(), waits.total())
            assert daemon.admission.statistics().clients == len(runs | waits)
            assert waits.total() <= depth
            assert max(runs.values(), default=0) <= limits.effective_per_client
            assert max(waits.values(), default=0) <= limits.max_queued_per_client
            if runs.total() < concurrent:
                assert all(runs[its] == limits.effective_per_client for its in waits)

    assert daemon.admission.statistics().busy_total == len(daemon.errors)


@pytest.mark.parametrize("granted_first", [True, False])
async def test_a_permit_granted_to_a_cancelled_query_goes_on(
    granted_first: bool,
) -> None:
    """The grant and the cancellation both happen before the task runs again."""
    clock = manual_clock()
    admission = Admission(AdmissionLimits(max_concurrent=1), clock)
    never = Deadline.never(clock)
    served = []

    async def query(name: str, scope: anyio.CancelScope) -> None:
        with scope:
            async with admission.admit(name, QUICK, never):
                await anyio.lowlevel.checkpoint()
                served.append(name)

    scope = anyio.CancelScope()
    async with anyio.create_task_group() as tasks:
        async with admission.admit("first", QUICK, never):
            tasks.start_soon(query, "cancelled", scope)
            await settle()
            tasks.start_soon(query, "next", anyio.CancelScope())
            await settle()
            if not granted_first:
                scope.cancel()
        scope.cancel()
    assert served == ["next"]
    assert admission.statistics().in_flight == 0


async def test_ten_thousand_clients_leave_nothing_behind() -> None:
    """Each command line is a client of its own; a daemon lives for weeks."""
    clock = manual_clock()
    admission = Admission(AdmissionLimits(), clock)
    never = Deadline.never(clock)
    for number in range(10_000):
        async with admission.admit(f"cli-{number}", QUICK, never):
            assert admission.statistics().clients == 1
    assert admission.statistics().clients == 0

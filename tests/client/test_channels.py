"""All daemons of a process: one connection each, started together."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded, Incompatible, NoIndex
from ggrep.base.processes import start_ticks
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.protocol.client import channels, launching
from ggrep.protocol.client.channel import Channel
from ggrep.protocol.client.channels import Channels
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.daemon_control import stop
from ggrep.protocol.client.daemon_files import running
from ggrep.protocol.client.launching import Launcher
from ggrep.protocol.client.link import NoReply, Unreachable
from ggrep.protocol.client.starting import Died, NotStarted, StillStarting
from ggrep.protocol.wire.endpoint import marker_path
from ggrep.protocol.wire.messages import Describe, Ping, Status
from tests.client.conftest import eventually
from tests.fakes.clocks import ManualClock
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.scripted import Peer, ScriptedDaemon, hangs_up, says_nothing, scripted

CLOCK = SystemClock()
FLAGS = {"encoder": "hashed"}


def soon(milliseconds: float = 20_000.0) -> Deadline:
    return Deadline.after(CLOCK, milliseconds)


Meet = Callable[..., DaemonAddress]


@pytest.fixture
def meet(tmp_path: Path, home: Path) -> Meet:
    """Return what makes repositories, by name: published, as far as clients look."""

    def make(name: str, *, published: bool = True, **flags: object) -> DaemonAddress:
        root = tmp_path.resolve() / name
        root.mkdir()
        result = arrange(root, Home(home), environ={}, flags={**FLAGS, **flags})
        if published:
            pointer = store_files.active_file(result.identity.store)
            pointer.parent.mkdir(parents=True)
            pointer.touch()
        return result

    return make


class Starts:
    """Stands in for the functions that start daemons.

    Attributes:
        acts: what each start does; the last of them again and again.
        made: the roots of each start, by name.
    """

    def __init__(self) -> None:
        self.acts: list[Callable[[], object]] = [lambda: True]
        self.made: list[list[str]] = []

    def one(self, address: DaemonAddress, *_: object, **__: object) -> Any:
        self.made.append([address.identity.root.name])
        return self._act()

    def all(self, addresses: Any, *_: object, **__: object) -> Any:
        self.made.append([address.identity.root.name for address in addresses])
        self._act()
        return tuple(addresses)

    def _act(self) -> object:
        return (self.acts.pop(0) if len(self.acts) > 1 else self.acts[0])()


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Starts:
    """Return what starts, which starts nothing unless a test says so."""
    result = Starts()
    monkeypatch.setattr("ggrep.protocol.client.connect_or_start.start", result.one)
    monkeypatch.setattr("ggrep.protocol.client.launching.start_all", result.all)
    return result


def fails(error: Exception) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act


async def test_all_who_ask_share_one_connection(meet: Meet) -> None:
    """However many questions come at once, and whoever comes first."""
    address, result = meet("a"), Channels(CLOCK, {})
    with scripted(address) as daemon:
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(result.ask, address, Ping(), soon())
        await result.ask(address, Ping(), soon())

        assert daemon.greeted == 1
        assert len(daemon.seen) == 6
        await result.aclose()


async def test_what_a_daemon_refuses_is_final(meet: Meet, starts: Starts) -> None:
    """Going around `busy` would defeat what it is there for."""
    address, result = meet("a"), Channels(CLOCK, {})
    with scripted(
        address, lambda peer, each: peer.refuse(each, "busy", retry_after_ms=1)
    ) as daemon:
        with pytest.raises(Busy):
            await result.ask(address, Ping(), soon())

        assert len(daemon.seen) == 1
        assert starts.made == []
        await result.aclose()


async def test_a_daemon_is_told_what_time_is_left(meet: Meet) -> None:
    """What went into reaching it is not its to spend."""
    address, result = meet("a"), Channels(CLOCK, {})
    with scripted(address) as daemon:
        await result.ask_within(address, lambda left_ms: Describe(int(left_ms)), soon(9_000))

        assert 0 < daemon.seen[0]["timeout_ms"] < 9_000
        await result.aclose()


async def test_a_connection_that_was_closed_while_idle_is_opened_again(meet: Meet) -> None:
    """Daemons let connections go that say nothing; who asks next need not know."""
    address, result = meet("a"), Channels(CLOCK, {}, starts=False)
    with scripted(address) as daemon:
        await result.ask(address, Ping(), soon())
        daemon.hang_up()

        assert (await result.ask(address, Ping(), soon())).name == "ping"
        assert daemon.greeted == 2
        await result.aclose()


async def test_a_question_that_a_daemon_died_of_is_put_to_the_next(meet: Meet) -> None:
    address, result = meet("a"), Channels(CLOCK, {}, starts=False)

    def dies_once(peer: Peer, message: dict[str, Any]) -> None:
        daemon.script = lambda peer, message: peer.answer(message, by="the next")
        peer.hang_up()

    with scripted(address, dies_once) as daemon:
        reply = await result.ask(address, Ping(), soon())

        assert reply.body == {"by": "the next"}
        await result.aclose()


async def test_a_daemon_that_was_killed_is_started_again(meet: Meet, starts: Starts) -> None:
    address, result = meet("a"), Channels(CLOCK, {})
    successors: list[ScriptedDaemon] = []

    def succeed() -> bool:
        hello = address.hello
        successors.append(ScriptedDaemon(address.socket, hello.store_id, hello.config_fingerprint))
        return True

    starts.acts = [succeed]
    with scripted(address) as daemon:
        daemon.script = lambda *_: daemon.die()

        assert (await result.ask(address, Ping(), soon())).name == "ping"
        assert starts.made == [["a"]]
        await result.aclose()
        successors[0].stop()


async def test_a_question_that_every_daemon_dies_of_is_given_up(meet: Meet) -> None:
    address, result = meet("a"), Channels(CLOCK, {})
    with scripted(address, hangs_up) as daemon:
        with pytest.raises(Unreachable, match="closed the connection"):
            await result.ask(address, Ping(), soon())

        assert daemon.greeted == 5


async def test_who_may_start_nothing_is_told_that_the_daemon_went_away(meet: Meet) -> None:
    """Not that none runs: one did, and took the question with it."""
    address, result = meet("a"), Channels(CLOCK, {}, starts=False)
    with scripted(address) as daemon:
        daemon.script = lambda *_: daemon.die()

        with pytest.raises(Unreachable, match="closed the connection"):
            await result.ask(address, Ping(), soon())


async def test_a_daemon_that_ends_is_waited_out(meet: Meet) -> None:
    """It answers until its clients have their last replies; the next one answers the rest."""
    address, result = meet("a"), Channels(CLOCK, {}, starts=False)

    def ends(peer: Peer, message: dict[str, Any]) -> None:
        if len(daemon.seen) < 3:
            peer.refuse(message, "cancelled", stopping=True)
        else:
            peer.answer(message)

    with scripted(address, ends) as daemon:
        assert (await result.ask(address, Ping(), soon())).name == "ping"
        assert len(daemon.seen) == 3
        await result.aclose()


async def test_a_daemon_that_never_ends_ending_is_told_as_it_says(
    meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Patience has its own end, where the question has none."""
    monkeypatch.setattr(channels, "START_MS", 0)
    address, result = meet("a"), Channels(CLOCK, {})
    with scripted(address, lambda peer, each: peer.refuse(each, "cancelled", stopping=True)):
        with pytest.raises(Cancelled):
            await result.ask(address, Ping(), Deadline.never(CLOCK))
        await result.aclose()


async def test_without_an_index_nothing_is_started(meet: Meet, starts: Starts) -> None:
    """The daemon would have nothing to answer from before it has indexed everything."""
    address = meet("a", published=False)

    for may_start in (True, False):
        with pytest.raises(NoIndex, match="ggrep index"):
            await Channels(CLOCK, {}, starts=may_start).ask(address, Ping(), soon())
    assert starts.made == []


async def test_a_daemon_that_indexes_for_the_first_time_is_asked(meet: Meet) -> None:
    address, result = meet("a", published=False), Channels(CLOCK, {})
    with scripted(address):
        assert (await result.ask(address, Ping(), soon())).name == "ping"
        await result.aclose()


async def test_where_none_runs_and_none_may_be_started_it_is_said(
    meet: Meet, starts: Starts
) -> None:
    with pytest.raises(NotStarted, match="no daemon runs"):
        await Channels(CLOCK, {}, starts=False).ask(meet("a"), Ping(), soon())
    assert starts.made == []


async def test_why_a_daemon_does_not_start_is_told(meet: Meet, starts: Starts) -> None:
    starts.acts = [fails(NotStarted("no room"))]

    with pytest.raises(NotStarted, match="no room"):
        await Channels(CLOCK, {}).ask(meet("a"), Ping(), soon())
    assert len(starts.made) == 1


@pytest.mark.parametrize("may_start", [True, False])
async def test_a_daemon_of_another_protocol_is_left_alone_unless_it_is_older(
    meet: Meet, starts: Starts, may_start: bool
) -> None:
    address, result = meet("a"), Channels(CLOCK, {}, starts=may_start)
    with scripted(address) as daemon:
        daemon.welcome = {"error": {"code": "incompatible", "message": "no"}}

        with pytest.raises(Incompatible):
            await result.ask(address, Ping(), soon())
    assert starts.made == []


async def test_a_silent_daemon_is_told_as_such(meet: Meet, starts: Starts) -> None:
    """Another could not take its place: it holds the lock."""
    address = meet("a")
    with scripted(address) as daemon:
        daemon.greets = False

        with pytest.raises(NoReply):
            await Channels(CLOCK, {}).ask(address, Ping(), soon(100))
    assert starts.made == []


@pytest.mark.parametrize("greets", [True, False])
async def test_a_daemon_that_hangs_takes_nothing_from_the_others(meet: Meet, greets: bool) -> None:
    """Not their time, and not the caller's beyond the deadline."""
    stuck, well, result = meet("stuck"), meet("well"), Channels(CLOCK, {})
    reports: list[str] = []

    async def ask(address: DaemonAddress, milliseconds: float) -> None:
        try:
            await result.ask(address, Ping(), soon(milliseconds))
            reports.append("answered")
        except (DeadlineExceeded, NoReply):
            reports.append("too late")

    with scripted(stuck, says_nothing) as hung, scripted(well):
        hung.greets = greets
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(ask, stuck, 100)
                group.start_soon(ask, stuck, 100)
                group.start_soon(ask, well, 60_000)

    assert sorted(reports) == ["answered", "too late", "too late"]
    await result.aclose()


class Patient:
    """Stands in for what reaches daemons, and never reaches one.

    Attributes:
        begun: how many have begun to wait.
        ended: what ended each of them.
    """

    def __init__(self) -> None:
        self.begun = 0
        self.ended: list[str] = []

    def __call__(self, *_: object, wait: Callable[[float], None], **__: object) -> "Patient":
        """Be the class that is stood in for."""
        self._wait = wait
        return self

    def reach(self, _: Deadline) -> None:
        """Wait for a daemon that somebody else starts."""
        self.begun += 1
        try:
            while True:
                self._wait(0.002)
        except Cancelled as error:
            self.ended.append(str(error))
            raise


@pytest.mark.parametrize("in_time", [True, False])
async def test_a_start_that_nobody_waits_for_any_more_is_given_up(
    meet: Meet, monkeypatch: pytest.MonkeyPatch, in_time: bool
) -> None:
    """Somebody else starts the daemon, for as long as it likes; no thread is left to see it."""
    patient, result = Patient(), Channels(CLOCK, {})
    monkeypatch.setattr(launching, "Connector", patient)
    async with anyio.create_task_group() as group:
        if in_time:
            group.start_soon(result.ask, meet("a"), Ping(), Deadline.never(CLOCK))
            await eventually(lambda: patient.begun)
            group.cancel_scope.cancel()
        else:
            with pytest.raises(DeadlineExceeded):
                await result.ask(meet("a"), Ping(), soon(60))

    await eventually(lambda: patient.ended)
    assert patient.ended == ["the start of the daemon was cancelled: no task waits for it"]


async def test_what_is_asked_after_closing_fails(meet: Meet) -> None:
    """Nothing is opened again behind the back of who closed."""
    address, result = meet("a"), Channels(CLOCK, {})
    with scripted(address, says_nothing) as daemon:
        failures: list[BaseException] = []

        async def ask() -> None:
            try:
                await result.ask(address, Ping(), soon())
            except Cancelled as error:
                failures.append(error)

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await anyio.to_thread.run_sync(daemon.saw, "ping")
            await result.aclose()

        assert len(failures) == 1
        assert daemon.greeted == 1


async def test_one_host_is_started_for_all_that_are_missing(
    meet: Meet, starts: Starts, process: subprocess.Popen[bytes]
) -> None:
    """Not for those that run, that have no index, whose root is gone, or that are to wait."""
    ones = [meet(name) for name in ("b", "a", "runs", "gone", "waits")]
    ones += [meet("bare", published=False), ones[0]]
    (ones[0].identity.root.parent / "gone").rmdir()
    note: dict[str, stable_json.Json] = {
        "reason": "moving",
        "pid": process.pid,
        "pid_started": start_ticks(process.pid) or 0,
    }
    with scripted(ones[2]) as daemon:
        marker_path(ones[4].socket).write_bytes(stable_json.dumps(note))
        result = Channels(CLOCK, {})
        await result.prepare(ones, soon())
        await result.ask(ones[2], Ping(), soon())

        assert [sorted(names) for names in starts.made] == [["a", "b"]]
        assert daemon.greeted == 1
        await result.aclose()


async def test_a_connection_whose_daemon_ended_while_idle_counts_as_missing(
    meet: Meet, starts: Starts
) -> None:
    """Else each repository of a host that went to sleep would get a process of its own."""
    ones, results = [meet("a"), meet("b")], Channels(CLOCK, {})
    with scripted(ones[0]) as first, scripted(ones[1]) as second:
        await results.prepare(ones, soon())
        first.die()
        second.die()
    await results.prepare(ones, soon())

    assert [sorted(names) for names in starts.made] == [["a", "b"]]


async def test_what_connects_while_all_is_closed_is_closed_too(
    meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon that took its time to greet; nobody would close that connection any more."""
    address, result = meet("a"), Channels(CLOCK, {})
    begun, gate, opened = anyio.Event(), anyio.Event(), Channel.open

    async def late(*given: Any) -> Channel:
        begun.set()
        await gate.wait()
        return await opened(*given)

    monkeypatch.setattr(Channel, "open", late)
    with scripted(address) as daemon:
        async with anyio.create_task_group() as group:
            group.start_soon(failing, result.ask, address, Ping(), soon())
            await begun.wait()
            await result.aclose()
            gate.set()

        assert daemon.greeted == 1
        assert daemon.seen == []


async def failing(ask: Callable[..., Any], *given: Any) -> None:
    """Ask, and be told that all was closed."""
    with pytest.raises(Cancelled):
        await ask(*given)


async def test_other_flags_or_another_home_make_another_host(
    meet: Meet, starts: Starts, home: Path
) -> None:
    """A process is started with one set of them."""
    ones = [meet("a"), meet("b", low_impact=True), meet("c")]
    root = ones[0].identity.root.parent / "d"
    root.mkdir()
    other = arrange(root, Home(home.parent / "other"), environ={}, flags=FLAGS)
    store_files.active_file(other.identity.store).parent.mkdir(parents=True)
    store_files.active_file(other.identity.store).touch()
    await Channels(CLOCK, {}).prepare([*ones, other], soon())

    assert sorted(sorted(names) for names in starts.made) == [["a", "c"], ["b"], ["d"]]


async def test_who_may_start_nothing_prepares_by_connecting(meet: Meet, starts: Starts) -> None:
    """As `--no-daemon` or an offline machine has it."""
    await Channels(CLOCK, {}, starts=False).prepare([meet("a")], soon())

    assert starts.made == []


@pytest.mark.parametrize(("error", "tries"), [(NotStarted("no room"), 1), (Died("killed"), 2)])
async def test_a_host_that_does_not_start_is_no_failure_yet(
    meet: Meet, starts: Starts, error: Exception, tries: int
) -> None:
    """Those that are asked say so; one that was killed is tried once more."""
    starts.acts = [fails(error)]
    await Channels(CLOCK, {}).prepare([meet("a")], soon())

    assert len(starts.made) == tries


async def test_a_host_that_is_long_in_starting_is_not_waited_for_beyond_the_deadline(
    meet: Meet, starts: Starts
) -> None:
    """It goes on starting, and those that run are asked."""
    gate, ended = threading.Event(), threading.Event()
    starts.acts = [lambda: gate.wait(120) and ended.set()]
    with anyio.fail_after(60):
        await Channels(CLOCK, {}).prepare([meet("a")], soon(100))

    assert starts.made == [["a"]]
    assert not ended.is_set()
    gate.set()
    await eventually(ended.is_set)


@pytest.mark.parametrize("output", ["nothing", "nonsense", "incompatible"])
async def test_daemons_that_cannot_be_talked_to_are_not_missing(
    meet: Meet, starts: Starts, output: str
) -> None:
    """They listen; those who ask are told what is wrong with them."""
    address = meet("a")
    with scripted(address) as daemon:
        daemon.greets = output != "nothing"
        if output != "nothing":
            daemon.welcome = {"error": {"code": output, "message": "no"}}
        await Channels(CLOCK, {}).prepare([address], soon(100))

    assert starts.made == []


@pytest.fixture
def trees(tmp_path: Path, home: Path) -> Iterator[list[DaemonAddress]]:
    """Return three indexed repositories; whatever serves them is gone at the end."""
    results = []
    for name in ("one", "two", "three"):
        root = tmp_path.resolve() / name
        write_tree(root, {"pay.py": f"def settle_{name}():\n    return 1\n"})
        open_engine(root, home).sync()
        results.append(arrange(root, Home(home), environ={}, flags=FLAGS))
    yield results
    for record in running(Home(home)):
        stop(record, "the test is over", CLOCK)


def without_offline() -> dict[str, str]:
    """Return the environment that daemons are started under."""
    return {key: value for key, value in os.environ.items() if key != "GGREP_OFFLINE"}


@pytest.mark.slow
async def test_two_clients_that_miss_three_daemons_start_one_process(
    trees: list[DaemonAddress], home: Path
) -> None:
    """A process for each would take the memory of each, and each client must not bring its own."""
    clients = [Channels(CLOCK, without_offline()) for _ in range(2)]
    async with anyio.create_task_group() as group:
        for client, addresses in zip(clients, (trees, trees[::-1]), strict=True):
            group.start_soon(client.prepare, addresses, soon(60_000))
    for client in clients:
        hosts = client.hosts_of(trees)  # known at once, so that the first question is one, too
        assert None not in hosts
        assert len(set(hosts)) == 1
        for address in trees:
            assert "status" in (await client.ask(address, Status(), soon(60_000))).body
        await client.aclose()

    records = running(Home(home))
    assert len(records) == 3
    assert len({record.pid for record in records}) == 1
    assert not list((home / "daemon").glob("*.starting"))


@pytest.mark.slow
async def test_a_process_that_is_stopped_or_killed_does_not_hold_its_clients(
    trees: list[DaemonAddress], home: Path
) -> None:
    """A stopped one is told at once; one that was killed has a successor."""
    clients = [Channels(CLOCK, without_offline()) for _ in range(2)]
    await clients[0].prepare(trees, soon(60_000))
    await clients[0].ask(trees[0], Status(), soon(60_000))
    (pid,) = {record.pid for record in running(Home(home))}
    os.kill(pid, signal.SIGSTOP)

    for client in clients:
        with pytest.raises(NoReply, match=f"process {pid} is suspended"):
            await client.ask(trees[0], Status(), soon(4_000))
    os.kill(pid, signal.SIGKILL)
    assert "status" in (await clients[0].ask(trees[0], Status(), soon(60_000))).body
    assert pid not in {record.pid for record in running(Home(home))}
    for client in clients:
        await client.aclose()


@pytest.mark.parametrize(("left_ms", "most_ms"), [(400.0, 100.0), (20_000.0, 1_000.0)])
async def test_who_does_not_introduce_himself_is_waited_for_a_little(
    meet: Meet, starts: Starts, monkeypatch: pytest.MonkeyPatch, left_ms: float, most_ms: float
) -> None:
    """A quarter of the time, and no more than a second: hosts are yet to be started."""
    seen: list[float] = []

    async def refuse(path: Path, hello: object, deadline: Deadline) -> Channel:
        seen.append(deadline.remaining_ms())
        raise Unreachable("nobody")

    monkeypatch.setattr(Channel, "open", refuse)
    await Channels(CLOCK, {}).prepare([meet("a")], soon(left_ms))

    assert 0.0 < seen[0] <= most_ms
    assert starts.made == [["a"]]


async def test_a_host_that_nobody_waits_for_any_more_is_told(
    meet: Meet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a command leaves behind in the background is no secret."""
    reports: list[str] = []
    output = threading.Event()

    def start(_ones: object, _environ: object, _left_s: float, *, wait: Any) -> None:
        try:
            while True:
                wait(1.0)
        except Cancelled as error:
            raise StillStarting(2) from error

    def tell(line: str) -> None:
        reports.append(line)
        output.set()

    monkeypatch.setattr("ggrep.protocol.client.launching.start_all", start)
    await Channels(CLOCK, {}, notify=tell).prepare([meet("a"), meet("b")], soon(50))

    assert output.wait(60)
    assert reports == ["daemons of 2 repositories are still starting, for the next search"]


async def test_why_none_can_be_started_is_told_though_one_ran_before(
    meet: Meet, starts: Starts
) -> None:
    """That it went away helps nobody to have another."""
    address, result = meet("a"), Channels(CLOCK, {})
    starts.acts = [fails(NotStarted("no room"))]
    with scripted(address) as daemon:
        daemon.script = lambda *_: daemon.die()

        with pytest.raises(NotStarted, match="no room"):
            await result.ask(address, Ping(), soon())
    assert starts.made == [["a"]]


MOST = 8


class StartingConnector:
    """Starts a daemon that listens at once, if it may start one."""

    def __init__(self, *_: object, starts: bool, **more: object) -> None:
        self._may_start = starts
        self.starts = 0

    def reach(self, deadline: Deadline) -> "StartingConnector":
        if not self._may_start:
            raise NotStarted("no daemon runs")
        self.starts = 1
        return self

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    monkeypatch.setattr(launching, "Connector", StartingConnector)
    return ManualClock(datetime(2025, 1, 1, tzinfo=UTC))


async def started(launcher: Launcher, clock: ManualClock, number: int, *, bounded: bool) -> int:
    """Return how many of so many daemons were started."""
    address: Any = None
    done = 0
    for _ in range(number):
        try:
            await launcher.start(address, Deadline.never(clock), bounded=bounded)
        except NotStarted:
            continue
        done += 1
    return done


async def test_a_workspace_whose_host_ended_starts_few_processes(clock: ManualClock) -> None:
    launcher = Launcher(clock, {}, lambda _: None)

    assert await started(launcher, clock, 50, bounded=True) == MOST
    clock.advance(31_000)
    assert await started(launcher, clock, 50, bounded=True) == MOST
    assert await started(launcher, clock, 50, bounded=False) == 50

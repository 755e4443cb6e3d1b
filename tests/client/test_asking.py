"""Queries of a daemon: the values that come back, what is asked again, and what is final."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded, GgrepError, InvalidRequest
from ggrep.config.declarations import MAX_QUERY_TIMEOUT_MS
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.protocol.client.connect_or_start import Connector
from ggrep.protocol.client.daemon_client import DaemonClient, IndexingProgress, Printed
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.client.starting import NotStarted
from tests.client.conftest import Spot
from tests.entry.fake_daemon import RENDERED, Reply, packed, says
from tests.fakes.clocks import ManualClock
from tests.fakes.hosts import served
from tests.fakes.navigations import (
    EXPAND,
    OUTLINE,
    REFERENCES,
    SLATE,
    SYMBOL,
    TOUR,
    expand_response,
    outline_response,
    references_response,
    slate_response,
    symbol_response,
    tour_response,
)
from tests.fakes.repos import write_tree

CLOCK = SystemClock()
VIEW = ViewOptions(json=False, columns=80)
ASK = SearchRequest("words", timeout_ms=20_000)


class Reached(Connector):
    """Reaches a daemon that runs; counts how often it is wanted."""

    def __init__(self, spot: Spot, replies: list[Reply]) -> None:
        """Have one reply for each connection; the last of them is for all further ones."""
        super().__init__(spot.address, CLOCK, {})
        self.times = 0
        self._spot = spot
        self._replies = replies

    def reach(self, deadline: Deadline) -> Link:
        del deadline
        self._spot.daemon.reply = self._replies[min(self.times, len(self._replies) - 1)]
        self.times += 1
        return Link.connect(self._spot.daemon.address, self._spot.address.hello, CLOCK)


def prints(**other: Any) -> Reply:
    """Return a reply that has the client print something."""
    return lambda asked: packed({**head(asked), "rendered": {**RENDERED, **other}})


def fails(code: str, **more: Any) -> Reply:
    """Return a reply that is a failure."""
    return lambda asked: packed({**head(asked), "error": {"code": code, "message": "no", **more}})


def head(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what every reply to a message says."""
    return {"request_id": asked["request_id"], "message": asked["message"]}


def goes_away(_: object) -> bytes:
    """Be a daemon that is killed before it answers."""
    return b""


def search(reached: Reached, spot: Spot, watch: Any = None) -> Printed:
    """Ask a question; pauses take no time but on the clock."""
    clock = ManualClock(datetime(2031, 2, 3, tzinfo=UTC))

    def wait(seconds: float) -> None:
        clock.advance(1_000 * seconds)

    return DaemonClient(spot.address, reached, clock, wait=wait).search(ASK, VIEW, watch)


def test_what_the_daemon_says_is_returned_as_it_is(spot: Spot) -> None:
    reached = Reached(spot, [prints(hits=3)])

    assert search(reached, spot) == Printed(RENDERED["out"], RENDERED["err"], 0, 3)
    assert reached.times == 1


def test_the_client_brings_its_own_budgets(spot: Spot) -> None:
    """They were set for this search, whatever the daemon was started under."""
    search(Reached(spot, [prints()]), spot)

    assert spot.daemon.seen[1]["budgets"] == dict(spot.address.budgets)
    assert spot.daemon.seen[1]["budgets"]["max_query_results"] == 200
    assert "claim" not in {key for key, value in spot.daemon.seen[1].items() if value is not None}


def test_a_search_says_how_long_it_was_waited_for(spot: Spot) -> None:
    clock = ManualClock(datetime(2031, 2, 3, tzinfo=UTC))
    now_ms = clock.monotonic_ms()
    for began_ms in (None, now_ms - 812.5, now_ms - 1e12):
        reached = Reached(spot, [prints()])
        DaemonClient(spot.address, reached, clock, began_ms=began_ms).search(ASK, VIEW)

    times = [output["waited_ms"] for output in spot.daemon.seen if "request" in output]
    assert times == [0, 812, MAX_QUERY_TIMEOUT_MS]


def test_a_question_has_no_more_than_what_is_left_of_the_commands_time(spot: Spot) -> None:
    """Starting took some, and the daemon's word that its time is over takes some, too."""
    clock = ManualClock(datetime(2031, 2, 3, tzinfo=UTC))
    for left_ms in (5_000, 200):
        until = Deadline.after(clock, left_ms)
        DaemonClient(spot.address, Reached(spot, [prints()]), clock, until=until).search(ASK, VIEW)

    times = [output["request"]["timeout_ms"] for output in spot.daemon.seen if "request" in output]
    assert times == [4_950, 180]


def test_a_late_answer_is_a_timeout_of_a_request_that_is_named(spot: Spot) -> None:
    """Whoever reports it can be told which request of the log it was."""
    over = threading.Event()
    reached = Reached(spot, [lambda _: b"" * over.wait(20)])
    exchange = DaemonClient(spot.address, reached, CLOCK, until=Deadline.after(CLOCK, 100))

    with pytest.raises(DeadlineExceeded, match="did not answer in time") as caught:
        exchange.search(ASK, VIEW)
    over.set()
    assert caught.value.request_id == spot.daemon.seen[1]["request_id"]


def test_a_search_brings_the_time_it_has_left(spot: Spot) -> None:
    """The daemon may have been started under another bound; what went into reaching it counts."""
    clock = ManualClock(datetime(2031, 2, 3, tzinfo=UTC))

    class Slow(Reached):
        def reach(self, deadline: Deadline) -> Link:
            clock.advance(1_500)
            return super().reach(deadline)

    configured = spot.address.settings.query_timeout_ms
    for asked in (ASK, replace(ASK, timeout_ms=0)):
        DaemonClient(spot.address, Slow(spot, [prints()]), clock).search(asked, VIEW)

    times = [output["request"]["timeout_ms"] for output in spot.daemon.seen if "request" in output]
    assert times == [20_000 - 1_550, configured - 1_550]


def test_several_questions_share_one_connection_where_that_is_wanted(spot: Spot) -> None:
    """A handshake each would cost more than many an answer."""
    spot.daemon.lasting = True
    reached = Reached(spot, [prints()])
    exchange = DaemonClient(spot.address, reached, CLOCK)

    with exchange.one_connection():
        for _ in range(3):
            exchange.search(SearchRequest("words"), ViewOptions())
    assert reached.times == 1
    exchange.search(SearchRequest("words"), ViewOptions())
    assert reached.times == 2


def test_a_kept_connection_that_breaks_is_replaced(spot: Spot) -> None:
    reached = Reached(spot, [prints()])
    exchange = DaemonClient(spot.address, reached, CLOCK)

    with exchange.one_connection():
        exchange.search(SearchRequest("words"), ViewOptions())
        assert exchange._kept is not None
        exchange._kept.close()
        exchange.search(SearchRequest("words"), ViewOptions())
    assert reached.times == 2


def test_a_daemon_that_goes_away_is_replaced_by_the_next(spot: Spot) -> None:
    """A search changes nothing, so that it may be asked twice."""
    reached = Reached(spot, [goes_away, goes_away, prints()])

    assert search(reached, spot).hits == 1
    assert reached.times == 3


def test_daemons_that_keep_going_away_are_given_up(spot: Spot) -> None:
    reached = Reached(spot, [goes_away])

    with pytest.raises(Unreachable):
        search(reached, spot)
    assert reached.times == 5


def test_a_daemon_that_is_being_stopped_passes_the_question_on(spot: Spot) -> None:
    """It listens for a while yet; an operator who restarts it fails nobody's search."""
    reached = Reached(spot, [*[fails("cancelled", stopping=True)] * 9, prints()])

    assert search(reached, spot).hits == 1
    assert reached.times == 10


def test_daemons_that_keep_being_stopped_are_given_up(spot: Spot) -> None:
    """Saying what they said, when the time is over."""
    reached = Reached(spot, [fails("cancelled", stopping=True)])

    with pytest.raises(Cancelled):
        search(reached, spot)
    assert 198 <= reached.times <= 200


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (fails("busy", retry_after_ms=5), Busy),
        (fails("timeout"), DeadlineExceeded),
        (fails("cancelled", reason="cancelled on request"), Cancelled),
        (fails("something_new"), GgrepError),
        (says({"error": {"code": "invalid_request", "message": "too large"}}), InvalidRequest),
    ],
)
def test_a_refusal_is_final(spot: Spot, reply: Reply, error: type[GgrepError]) -> None:
    """Exchange again at once is what a busy daemon needs least."""
    reached = Reached(spot, [reply])

    with pytest.raises(error):
        search(reached, spot)
    assert reached.times == 1


def test_an_answer_without_print_is_none(spot: Spot) -> None:
    with pytest.raises(Unreachable, match="rendered: expected object"):
        search(Reached(spot, [lambda asked: packed(head(asked))]), spot)


def test_progress_is_told_while_an_answer_takes_long(spot: Spot) -> None:
    seen: list[IndexingProgress] = []
    state = {"stage": "index", "done_files": 3, "total_files": 9}

    def reply(asked: dict[str, Any]) -> bytes:
        reported = {"request_id": "x", "message": "sync_status", "sync": state}
        return packed(reported) + packed({**reported, "sync": None}) + prints()(asked)

    search(Reached(spot, [reply]), spot, seen.append)

    assert seen == [IndexingProgress("index", 3, 9), IndexingProgress("", 0, 0)]


def test_a_sync_returns_its_report(spot: Spot) -> None:
    done: Reply = lambda asked: packed({**head(asked), "report": {"indexed": 1}})  # noqa: E731 - typed
    reached = Reached(spot, [goes_away, done])

    assert DaemonClient(spot.address, reached, CLOCK).sync() == {"indexed": 1}
    assert spot.daemon.seen[-1]["message"] == "sync"


def follow(spot: Spot, states: list[dict[str, Any]]) -> tuple[bool, list[int]]:
    """Follow an index that is there once all states were told; return what came of it."""
    clock = ManualClock(datetime(2031, 2, 3, tzinfo=UTC))
    reported = iter(states)
    seen: list[int] = []
    left = len(states)

    def reply(asked: dict[str, Any]) -> bytes:
        nonlocal left
        left -= 1
        return packed({**head(asked), "sync": next(reported)})

    asking = DaemonClient(
        spot.address, Reached(spot, [reply]), clock, wait=lambda s: clock.advance(1000 * s)
    )
    there = asking.follow(
        lambda: not left, lambda progress: seen.append(progress.done_files), patience_ms=1_000
    )
    return there, seen


def at_work(done: int) -> dict[str, Any]:
    """Return where an index stands that is being made."""
    return {"state": "indexing", "stage": "index", "done_files": done, "total_files": 9}


@pytest.mark.parametrize(
    ("states", "there", "seen"),
    [
        ([at_work(1), at_work(5)], True, [1, 5]),
        ([at_work(1), {"state": "idle", "last_result": "failed"}, at_work(2)], False, [1]),
    ],
)
def test_an_index_is_followed_until_it_is_there_or_failed(
    spot: Spot, states: list[dict[str, Any]], there: bool, seen: list[int]
) -> None:
    """Whoever watches sees it count, and is not kept longer."""
    assert follow(spot, states) == (there, seen)


def test_an_index_is_not_followed_for_ever(spot: Spot) -> None:
    """It may take hours, and the hits are there."""
    there, seen = follow(spot, [at_work(number) for number in range(50)])

    assert not there
    assert len(seen) < 10


def test_an_interrupt_ends_the_search_at_the_daemon(root: Path, home: Path) -> None:
    """What nobody waits for must not hold a core; and the interrupt goes on to the caller."""
    write_tree(root, {"a.py": "def alpha():\n    return 1\n"})

    def interrupt(_: IndexingProgress) -> None:
        raise KeyboardInterrupt

    def statuses() -> list[object]:
        counts = host.daemon.load().queries
        return [counts.cancelled_total, counts.in_flight]

    with served(root, home, gated=True) as host:
        asking = DaemonClient(host.address, Connector(host.address, CLOCK, {}), CLOCK)
        with pytest.raises(KeyboardInterrupt):
            asking.search(replace(ASK, deterministic=True), VIEW, interrupt)
        host.eventually(lambda: statuses() == [1, 0])


class Unready(Connector):
    """Finds nobody who listens until its deadline has passed, as long as others start one."""

    def running(self, deadline: Deadline | None = None) -> None:
        """Find nobody."""


@pytest.mark.parametrize("timeout_ms", [1, 30, 1_000, 1_440, 20_000, 60_000])
def test_a_daemon_that_is_not_ready_in_time_is_a_timeout(
    spot: Spot, monkeypatch: pytest.MonkeyPatch, manual: ManualClock, timeout_ms: int
) -> None:
    """Whoever set the time decides by the exit status whether to try again with more of it."""
    monkeypatch.setattr("ggrep.protocol.client.connect_or_start.start", lambda *_, **__: False)

    def wait(seconds: float) -> None:
        manual.advance(1_000 * seconds)

    asking = DaemonClient(
        spot.address, Unready(spot.address, manual, {}, wait=wait), manual, wait=wait
    )
    with pytest.raises(
        DeadlineExceeded, match="the daemon was not ready within the timeout"
    ) as caught:
        asking.search(replace(ASK, timeout_ms=timeout_ms), VIEW)

    assert caught.value.exit_status == 11


def test_a_start_that_takes_all_the_time_is_a_timeout(
    spot: Spot, monkeypatch: pytest.MonkeyPatch, manual: ManualClock
) -> None:
    """The daemon goes on starting; the next search may find it."""

    def start(_address: object, _environ: object, timeout_s: float, **_: object) -> bool:
        manual.advance(1_000 * timeout_s)
        raise NotStarted("timed out")

    monkeypatch.setattr("ggrep.protocol.client.connect_or_start.start", start)
    asking = DaemonClient(spot.address, Connector(spot.address, manual, {}), manual)

    with pytest.raises(DeadlineExceeded, match="the daemon was not ready within the timeout"):
        asking.search(ASK, VIEW)


CASES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "slate": (SLATE, slate_response),
    "symbol": (SYMBOL, symbol_response),
    "references": (REFERENCES, references_response),
    "expand": (EXPAND, expand_response),
    "outline": (OUTLINE, outline_response),
    "tour": (TOUR, tour_response),
}
EVERY = pytest.mark.parametrize("name", CASES)


def replies(name: str) -> Reply:
    """Return a reply with the answer as a value."""
    request, made = CASES[name]
    return lambda asked: packed({**head(asked), "value": to_builtins(made(request))})


def ask(spot: Spot, name: str, *answers: Reply) -> Any:
    """Ask one query, each connection with the next reply."""
    request, _ = CASES[name]
    return DaemonClient(spot.address, Reached(spot, [*answers]), CLOCK).ask(request)


@EVERY
def test_the_answer_comes_back_equal(spot: Spot, name: str) -> None:
    """Whoever asked prints it in whatever form is wanted; the daemon has the time that is left."""
    request, made = CASES[name]

    assert ask(spot, name, replies(name)) == made(request)
    assert spot.daemon.seen[1]["message"] == name
    assert spot.daemon.seen[1]["values"] is True
    asked = spot.daemon.seen[1]["request"]
    left_ms = (asked["search"] if name == "slate" else asked)["timeout_ms"]
    assert 0 < left_ms <= spot.address.settings.query_timeout_ms


@EVERY
def test_a_query_whose_daemon_goes_away_is_asked_again(spot: Spot, name: str) -> None:
    """A question changes nothing, so that it may be asked twice."""
    request, made = CASES[name]

    assert ask(spot, name, goes_away, replies(name)) == made(request)


@EVERY
def test_what_the_daemon_refuses_is_refused(spot: Spot, name: str) -> None:
    with pytest.raises(InvalidRequest, match="no"):
        ask(spot, name, fails("invalid_request"))
    with pytest.raises(Unreachable, match="value"):
        ask(spot, name, lambda asked: packed({**head(asked), "value": {"request": 1}}))


def test_half_an_answer_is_named_by_what_is_missing(spot: Spot) -> None:
    broken = to_builtins(replace(slate_response(), request_id="r"))
    assert isinstance(broken, dict)
    del broken["slate"]

    with pytest.raises(Unreachable, match=r"value\.slate: missing"):
        ask(spot, "slate", lambda asked: packed({**head(asked), "value": broken}))

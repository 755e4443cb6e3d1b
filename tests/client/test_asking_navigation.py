"""Slates, names and places are asked for as searches are, and come back as values."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.protocol.client.connect_or_start import Connector
from ggrep.protocol.client.daemon_client import DaemonClient
from ggrep.protocol.client.link import Link, Unreachable
from tests.client.conftest import Spot
from tests.entry.fake_daemon import Reply, packed
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

CLOCK = SystemClock()
CASES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "slate": (SLATE, slate_response),
    "symbol": (SYMBOL, symbol_response),
    "references": (REFERENCES, references_response),
    "expand": (EXPAND, expand_response),
    "outline": (OUTLINE, outline_response),
    "tour": (TOUR, tour_response),
}
every = pytest.mark.parametrize("name", CASES)


class Reached(Connector):
    """Reaches a daemon that runs, for as many connections as there are replies."""

    def __init__(self, spot: Spot, *replies: Reply) -> None:
        super().__init__(spot.address, CLOCK, {})
        self._spot = spot
        self._replies = list(replies)

    def reach(self, deadline: Deadline) -> Link:
        """Connect."""
        del deadline
        self._spot.daemon.reply = self._replies.pop(0)
        return Link.connect(self._spot.daemon.address, self._spot.address.hello, CLOCK)


def head(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what every reply to a message says."""
    return {"request_id": asked["request_id"], "message": asked["message"]}


def replies(name: str) -> Reply:
    """Return a reply with the answer as a value."""
    request, made = CASES[name]
    return lambda asked: packed({**head(asked), "value": to_builtins(made(request))})


def ask(spot: Spot, name: str, *answers: Reply) -> Any:
    """Ask one question."""
    request, _ = CASES[name]
    return DaemonClient(spot.address, Reached(spot, *answers), CLOCK).ask(request)


@every
def test_the_answer_comes_back_equal(spot: Spot, name: str) -> None:
    """Whoever asked prints it in whatever form is wanted."""
    request, made = CASES[name]

    assert ask(spot, name, replies(name)) == made(request)
    assert spot.daemon.seen[1]["message"] == name
    assert spot.daemon.seen[1]["values"] is True


@every
def test_the_daemon_is_given_the_time_that_is_left(spot: Spot, name: str) -> None:
    """It may have been started under another bound."""
    ask(spot, name, replies(name))
    request = spot.daemon.seen[1]["request"]

    left_ms = (request["search"] if name == "slate" else request)["timeout_ms"]
    assert 0 < left_ms <= spot.address.settings.query_timeout_ms


@every
def test_a_daemon_that_goes_away_is_replaced_by_the_next(spot: Spot, name: str) -> None:
    """A question changes nothing, so that it may be asked twice."""
    request, made = CASES[name]

    assert ask(spot, name, lambda _: b"", replies(name)) == made(request)


@every
def test_what_the_daemon_refuses_is_refused(spot: Spot, name: str) -> None:
    """By its own code."""
    failure = {"code": "invalid_request", "message": "no such thing"}
    with pytest.raises(GgrepError, match="no such thing") as caught:
        ask(spot, name, lambda asked: packed({**head(asked), "error": failure}))

    assert caught.value.code == "invalid_request"


@every
def test_an_answer_that_is_none_is_a_daemon_that_makes_no_sense(spot: Spot, name: str) -> None:
    """Not a slate of nothing."""
    with pytest.raises(Unreachable, match="value"):
        ask(spot, name, lambda asked: packed({**head(asked), "value": {"request": 1}}))


def test_half_an_answer_is_named_by_what_is_missing(spot: Spot) -> None:
    """Whoever wrote the daemon finds the place."""
    broken = to_builtins(replace(slate_response(), request_id="r"))
    assert isinstance(broken, dict)
    del broken["slate"]

    with pytest.raises(Unreachable, match=r"value\.slate: missing"):
        ask(spot, "slate", lambda asked: packed({**head(asked), "value": broken}))

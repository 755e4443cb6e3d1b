"""Callers of one HTTP server have turns of their own, and no more by asking oftener."""

from collections import Counter
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import Busy
from ggrep.base.fair_queue import FairQueue, Lane
from ggrep.interfaces.surfaces.callers import SEATS, Callers, caller_of


@pytest.mark.parametrize(
    ("peer", "expected"),
    [
        (("127.0.0.1", 5), "127.0.0.1:5"),
        (("::1", 5), "::1:5"),
        (("192.0.2.7", 5), "192.0.2.7"),
        (("192.0.2.7", 6), "192.0.2.7"),
        (None, ""),
    ],
)
def test_a_caller_is_a_connection_here_and_an_address_elsewhere(
    peer: tuple[str, int] | None, expected: str
) -> None:
    assert caller_of(peer) == expected


def test_callers_at_once_have_seats_of_their_own() -> None:
    callers = Callers(places=100)
    with ExitStack() as stack:
        seats = [stack.enter_context(callers.seated(f"c{n}")) for n in range(SEATS + 4)]
        again = stack.enter_context(callers.seated("c3"))

    assert len(set(seats[:SEATS])) == SEATS
    assert set(Counter(seats).values()) == {1, 2}
    assert again == seats[3]


def test_a_caller_that_comes_again_sits_where_it_sat() -> None:
    callers = Callers(places=100)
    results = {}
    for name in ("a", "b", "a", "c", "b", "a"):
        with callers.seated(name) as seat:
            assert results.setdefault(name, seat) == seat

    assert len(set(results.values())) == 3


def test_one_caller_cannot_take_all_places() -> None:
    callers = Callers(places=8)
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(callers.seated("greedy"))
        with pytest.raises(Busy, match="the caller has reached the limit of 2 concurrent requests"):
            stack.enter_context(callers.seated("greedy"))
        for n in range(6):
            stack.enter_context(callers.seated(f"modest{n}"))
        with pytest.raises(Busy, match="the limit of 8 concurrent requests"):
            stack.enter_context(callers.seated("late"))
    with callers.seated("greedy"):
        pass


def test_places_are_left_and_who_is_alone_may_have_all() -> None:
    callers = Callers(places=4)
    with ExitStack() as stack:
        assert {stack.enter_context(callers.seated("")) for _ in range(4)} == {""}

    callers = Callers(places=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), callers.seated("a"):
            raise ZeroDivisionError


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 3)), max_size=60))
def test_seats_are_left_as_they_were_taken(steps: list[tuple[int, int]]) -> None:
    callers = Callers(places=256)
    with ExitStack() as stack:
        for caller, times in steps:
            for _ in range(times):
                assert 0 <= int(stack.enter_context(callers.seated(f"c{caller}"))) < SEATS

    with ExitStack() as stack:
        fresh = {stack.enter_context(callers.seated(f"new{n}")) for n in range(SEATS)}
    assert len(fresh) == SEATS


def served(server: list[str], *, others: int, turns: int) -> Counter[str]:
    queue: FairQueue[str] = FairQueue()
    clients = [*server, *(f"socket{n}" for n in range(others))]
    for number, client in enumerate(clients):
        queue.push(client, Lane.INTERACTIVE, f"{number}:{client}")
    result = Counter[str]()
    for _ in range(turns):
        first = queue.pop()
        assert first is not None
        result[first] += 1
        queue.push(first.split(":", 1)[1], Lane.INTERACTIVE, first)
    return result


def test_sixteen_callers_beside_forty_eight_clients_have_a_turn_each() -> None:
    """In one seat each would wait for the fifteen others as well."""
    callers = Callers(places=32)
    with ExitStack() as stack:
        seats = [stack.enter_context(callers.seated(f"127.0.0.1:{n}")) for n in range(16)]
    turns = 64 * 10

    fair = served([f"api-1/{seat}" for seat in seats], others=48, turns=turns)
    shared = served(["api-1"] * 16, others=48, turns=turns)

    assert set(fair.values()) == {10}
    assert max(shared[f"{n}:api-1"] for n in range(16)) <= 1
    assert sum(shared[f"{n}:api-1"] for n in range(16)) <= 14


def test_inventing_callers_gains_no_more_than_the_servers_seats() -> None:
    """A thousand connections are sixteen clients beside those of the sockets."""
    callers = Callers(places=1000)
    with ExitStack() as stack:
        seats = [stack.enter_context(callers.seated(f"127.0.0.1:{n}")) for n in range(1000)]

    result = served([f"api-1/{seat}" for seat in seats], others=16, turns=320)

    of_sockets = sum(count for who, count in result.items() if "socket" in who)
    assert of_sockets == 160

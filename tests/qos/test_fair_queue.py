"""Turns in fair measure: weights, one client's rivals, order within a flow, bounded memory."""

from collections import Counter, deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.fair_queue import WEIGHTS, FairQueue, Lane, Ticket

LANES = st.sampled_from(Lane)
FLOWS = st.tuples(st.sampled_from("abc"), LANES)


@given(st.lists(FLOWS, max_size=60))
def test_items_of_one_flow_keep_their_order(flows: list[tuple[str, Lane]]) -> None:
    """A client's second request does not overtake its first, and an empty queue gives nothing."""
    queue: FairQueue[tuple[str, Lane, int]] = FairQueue()
    for number, (client, lane) in enumerate(flows):
        queue.push(client, lane, (client, lane, number))

    popped = [queue.pop() for _ in flows]

    for flow in set(flows):
        numbers = [item[2] for item in popped if item is not None and item[:2] == flow]
        assert numbers == sorted(numbers)
    assert sorted(item[2] for item in popped if item is not None) == list(range(len(flows)))

    assert queue.pop() is None


@given(st.permutations("abcdef"))
def test_equal_claims_are_served_by_arrival(clients: list[str]) -> None:
    """The alphabet of client names decides nothing."""
    queue: FairQueue[str] = FairQueue()
    for client in clients:
        queue.push(client, Lane.INTERACTIVE, client)

    assert [queue.pop() for _ in clients] == clients


@given(LANES, LANES, st.integers(0, 40), st.integers(1, 30))
def test_a_backlog_buys_no_share(greedy: Lane, modest: Lane, head_start: int, rounds: int) -> None:
    """A backlog buys no share: between two turns of the other lie no more than weights say."""
    queue: FairQueue[str] = FairQueue()
    for _ in range(head_start + rounds * 6 + 6):
        queue.push("greedy", greedy, "greedy")
    for _ in range(head_start):
        queue.pop()
    most = max(1, WEIGHTS[greedy] // WEIGHTS[modest])

    for _ in range(rounds):
        ticket = queue.push("modest", modest, "modest")
        before = queue.position(ticket)
        waited = 0
        while queue.pop() == "greedy":
            waited += 1
        assert waited == before
        assert waited <= most + 1


@given(st.integers(1, 100))
def test_asking_one_at_a_time_is_no_way_around_the_weight(turns: int) -> None:
    """A flow that is empty for a moment still owes what its last turn cost."""
    queue: FairQueue[Lane] = FairQueue()
    served = []
    for _ in range(turns):
        queue.push("greedy", Lane.INTERACTIVE, Lane.INTERACTIVE)
    queue.push("modest", Lane.BATCH, Lane.BATCH)

    for _ in range(turns):
        served.append(queue.pop())
        if served[-1] is Lane.BATCH:
            queue.push("modest", Lane.BATCH, Lane.BATCH)

    assert abs(served.count(Lane.BATCH) - turns / 5) <= 1


@given(st.integers(1, 400))
def test_backlogged_lanes_share_four_to_one(turns: int) -> None:
    """At any moment interactive has had four fifths of the turns, within one round."""
    queue: FairQueue[Lane] = FairQueue()
    for _ in range(turns):
        for lane in Lane:
            queue.push("client", lane, lane)

    served = Counter(queue.pop() for _ in range(turns))

    assert abs(served[Lane.INTERACTIVE] - 4 * served[Lane.BATCH]) <= 4
    assert abs(served[Lane.BATCH] - turns / 5) <= 1


@given(st.integers(2, 20), st.integers(1, 200))
def test_backlogged_clients_of_a_lane_share_alike(clients: int, turns: int) -> None:
    """No client gets more by sending more."""
    queue: FairQueue[int] = FairQueue()
    for client in range(clients):
        for _ in range(turns + client):
            queue.push(str(client), Lane.INTERACTIVE, client)

    served = Counter(queue.pop() for _ in range(turns))

    assert max(served.values()) - min(served[client] for client in range(clients)) <= 1


@pytest.mark.parametrize("old", Lane)
def test_a_stream_of_new_names_starves_nobody(old: Lane) -> None:
    """Each command line is a client of its own; a client's second item still gets its turn.

    All newcomers start at the present virtual time: if that stood still they would go first for
    ever.
    """
    queue: FairQueue[str] = FairQueue()
    for _ in range(3):
        queue.push("old", old, "old")
    for number in range(30):
        queue.push(f"waits-{number}", Lane.INTERACTIVE, "new")
    served = []

    for number in range(500):
        queue.push(f"new-{number}", Lane.INTERACTIVE, "new")
        served.append(queue.pop())

    turns = [turn for turn, who in enumerate(served) if who == "old"]
    assert len(turns) == 3
    assert max(turns) <= 3 * 32 * (WEIGHTS[Lane.INTERACTIVE] // WEIGHTS[old]) + 31


def test_a_newcomer_among_very_many_waits_one_round() -> None:
    """A hundred clients with a backlog of hours do not all come before somebody new."""
    queue: FairQueue[str] = FairQueue()
    for number in range(100):
        for _ in range(61):
            queue.push(str(number), Lane.INTERACTIVE, str(number))
    for _ in range(4000):
        queue.pop()

    ticket = queue.push("new", Lane.INTERACTIVE, "new")

    place = queue.position(ticket)
    assert place is not None
    assert place <= 100


def test_memory_is_bounded_whatever_the_number_of_names() -> None:
    """A daemon lives for weeks; ten thousand command lines leave nothing behind."""
    queue: FairQueue[int] = FairQueue()
    most = 0
    queue.push("greedy", Lane.BATCH, -1)

    for number in range(10_000):
        queue.push("greedy", Lane.BATCH, -1)
        ticket = queue.push(f"client-{number}", Lane(("interactive", "batch")[number % 2]), number)
        queue.pop() if number % 3 else queue.remove(ticket)
        while len(queue) > 32:
            queue.pop()
        most = max(most, queue.flows_kept)
    while queue.pop() is not None:
        pass

    assert most <= 32 + 128
    assert queue.flows_kept == 0


@given(st.lists(st.tuples(st.sampled_from(["push", "pop", "remove"]), FLOWS), max_size=80))
def test_positions_agree_with_pops(
    steps: list[tuple[str, tuple[str, Lane]]],
) -> None:
    queue: FairQueue[int] = FairQueue()
    tickets: deque[Ticket] = deque()
    for number, (step, (client, lane)) in enumerate(steps):
        if step == "push":
            tickets.append(queue.push(client, lane, number))
        elif step == "remove" and tickets:
            removed = tickets.popleft()
            assert queue.remove(removed)
            assert not queue.remove(removed)
        elif tickets:
            (first,) = [ticket for ticket in tickets if queue.position(ticket) == 0]
            tickets.remove(first)
            assert queue.pop() is not None
        assert len(queue) == len(tickets)

    places = [queue.position(ticket) for ticket in tickets]
    assert sorted(place for place in places if place is not None) == list(range(len(tickets)))


def test_who_may_not_go_is_passed_over_and_keeps_its_place() -> None:
    """A permit that is not for the first goes to the first it is for, else to nobody."""
    queue: FairQueue[str] = FairQueue()
    for client in "aab":
        queue.push(client, Lane.INTERACTIVE, client)

    assert queue.pop(lambda client: client == "b") == "b"
    assert queue.pop(lambda client: client == "b") is None
    assert (len(queue), queue.waiting_of("a"), queue.waiting_of("b")) == (2, 2, 0)
    assert queue.clients() == {"a"}
    assert [queue.pop(), queue.pop(), queue.pop()] == ["a", "a", None]


def test_who_was_passed_over_has_saved_nothing_up() -> None:
    """Else a client that had its share for an hour would go first for an hour thereafter."""
    queue: FairQueue[str] = FairQueue()
    for _ in range(50):
        queue.push("full", Lane.INTERACTIVE, "full")
    for _ in range(130):
        queue.push("other", Lane.INTERACTIVE, "other")
    for _ in range(100):
        assert queue.pop(lambda client: client == "other") == "other"

    served = Counter(queue.pop() for _ in range(30))

    assert abs(served["full"] - served["other"]) <= 2


@given(st.integers(1, 120), st.integers(1, 12))
def test_lanes_of_who_was_passed_over_keep_their_measure(turns: int, others: int) -> None:
    """A client that waits for its own queries most of the time has urgent ones nevertheless."""
    queue: FairQueue[str] = FairQueue()
    for _ in range(turns):
        for lane in (Lane.BATCH, Lane.INTERACTIVE):
            queue.push("mine", lane, lane.value)
    served: Counter[str | None] = Counter()

    for _ in range(turns):
        for _ in range(others):
            queue.push("other", Lane.INTERACTIVE, "other")
            queue.pop(lambda client: client == "other")
        served[queue.pop(lambda client: client == "mine")] += 1

    assert served.total() == served["interactive"] + served["batch"] == turns
    assert abs(served["batch"] - turns / 5) <= 1


def test_what_was_taken_out_costs_its_flow_nothing() -> None:
    """A client whose request was cancelled has not had a turn."""
    queue: FairQueue[str] = FairQueue()
    cancelled = queue.push("a", Lane.BATCH, "cancelled")
    queue.push("b", Lane.BATCH, "b")
    queue.push("a", Lane.BATCH, "a")

    assert queue.remove(cancelled)
    assert queue.position(cancelled) is None
    queue.push("c", Lane.BATCH, "c")
    assert [queue.pop(), queue.pop(), queue.pop()] == ["b", "a", "c"]

"""A queue that shares turns among clients by weight, however many items each submits.

Start-time fair queueing (Goyal, Vin, Cheng, "Start-time fair queueing: a scheduling algorithm for
integrated services packet switching networks", SIGCOMM 1996). A flow is one client in one lane.
Its first item carries a start tag: the virtual time at its arrival, or the tag of the flow's item
before plus that one's cost, whichever is later. The least start tag goes first; the virtual time
is the start tag of what went last. The cost of an item is inverse to its lane's weight.

Two additions, for clients whose names are used once (a command line names itself by its pid):

1. The virtual time moves on by a little at each turn, whatever was taken. Else newcomers, who all
   start now, would pass those who wait for their second turn, for ever. It does not run away from
   the tags of those who wait, or they would all come before the next newcomer.
2. Nothing is kept of a flow without items whose tag has passed, nor of any once the queue is empty.

And one for clients that may not go at the moment: they are passed over, and save nothing up
meanwhile. Their flows move along with the virtual time, all of one client by the same distance, so
that its lanes keep their measure among themselves.
"""

from collections import OrderedDict
from collections.abc import Callable
from enum import Enum
from typing import Final, Generic, TypeVar

from msgspec import Struct, field

T = TypeVar("T")


class Lane(Enum):
    """The priority of a request."""

    INTERACTIVE = "interactive"
    BATCH = "batch"


WEIGHTS: Final = {Lane.INTERACTIVE: 4, Lane.BATCH: 1}
"""Turns of a client's lane for each one of a lane of weight 1."""

_CREEP: Final = 1
_ROUND: Final = 32 * _CREEP
"""Largest lead of the virtual time: the turns that one flow waits for newcomers."""

_COST: Final = {lane: 4 * _ROUND // weight for lane, weight in WEIGHTS.items()}
"""Whole numbers, so that tags of equal turns are equal."""

_Flow = tuple[str, Lane]


class Ticket(Struct, frozen=True):
    """The place of one item in a queue.

    Attributes:
        number: counts arrivals; no two items of a queue have the same.
    """

    client: str
    lane: Lane
    number: int


class _Waiting(Struct, Generic[T]):
    """The items of one flow."""

    start: int
    items: OrderedDict[int, T] = field(default_factory=OrderedDict)

    def turn(self) -> tuple[int, int]:
        """Return what decides who goes first: the tag, then the arrival."""
        return self.start, next(iter(self.items))


class FairQueue(Generic[T]):
    """Items of many clients in two lanes; within one flow first come, first served."""

    def __init__(self) -> None:
        self._now = 0
        self._arrivals = 0
        self._length = 0
        self._waiting: dict[_Flow, _Waiting[T]] = {}
        self._owing: dict[_Flow, int] = {}
        """Flows without items whose next start tag lies ahead."""

    def __len__(self) -> int:
        return self._length

    @property
    def flows_kept(self) -> int:
        """Return how many flows anything is remembered of."""
        return len(self._waiting) + len(self._owing)

    def push(self, client: str, lane: Lane, item: T) -> Ticket:
        """Add an item at the end of its flow."""
        flow = client, lane
        waiting = self._waiting.get(flow)
        if waiting is None:
            start = max(self._now, self._owing.pop(flow, 0))
            waiting = self._waiting[flow] = _Waiting(start)
        ticket = Ticket(client, lane, self._arrivals)
        waiting.items[ticket.number] = item
        self._arrivals += 1
        self._length += 1
        return ticket

    def waiting_of(self, client: str) -> int:
        """Return how many items of that client there are, in both lanes."""
        flows = (self._waiting.get((client, lane)) for lane in Lane)
        return sum(len(waiting.items) for waiting in flows if waiting is not None)

    def clients(self) -> set[str]:
        """Return whose items there are."""
        return {client for client, _ in self._waiting}

    def pop(self, may_go: Callable[[str], bool] | None = None) -> T | None:
        """Take the item whose turn it is; None when there is none."""
        passed = set() if may_go is None else {name for name in self.clients() if not may_go(name)}
        turns = (
            (items.turn(), flow) for flow, items in self._waiting.items() if flow[0] not in passed
        )
        _, flow = min(turns, default=(None, None))
        if flow is None:
            return None
        waiting = self._waiting[flow]
        _, item = waiting.items.popitem(last=False)
        crept = min(self._now + _CREEP, waiting.start + _ROUND)
        self._now = max(self._now, waiting.start, crept)
        waiting.start += _COST[flow[1]]
        self._taken_from(flow)
        for client in passed:
            self._move_along(client)
        return item

    def remove(self, ticket: Ticket) -> bool:
        """Take an item out of turn, at no cost to its flow; return whether it was there."""
        flow = ticket.client, ticket.lane
        waiting = self._waiting.get(flow)
        if waiting is None or ticket.number not in waiting.items:
            return False
        del waiting.items[ticket.number]
        self._taken_from(flow)
        return True

    def position(self, ticket: Ticket) -> int | None:
        """Return how many go before that item if all may go and nothing else comes.

        None when it is not there.
        """
        mine = self._waiting.get((ticket.client, ticket.lane))
        if mine is None or ticket.number not in mine.items:
            return None
        turns = sorted(
            (waiting.start + place * _COST[lane], number)
            for (_, lane), waiting in self._waiting.items()
            for place, number in enumerate(waiting.items)
        )
        return next(place for place, (_, number) in enumerate(turns) if number == ticket.number)

    def _move_along(self, client: str) -> None:
        """Let the flows of a client that was passed over not lie behind the virtual time."""
        flows = [self._waiting.get((client, lane)) for lane in Lane]
        present = [waiting for waiting in flows if waiting is not None]
        behind = self._now - min(waiting.start for waiting in present)
        for waiting in present:
            waiting.start += max(0, behind)

    def _taken_from(self, flow: _Flow) -> None:
        """Count an item less and forget what no longer decides anything."""
        self._length -= 1
        waiting = self._waiting[flow]
        if not waiting.items:
            del self._waiting[flow]
            self._owing[flow] = waiting.start
        if not self._length:
            self._owing.clear()
            return
        self._owing = {flow: start for flow, start in self._owing.items() if start > self._now}

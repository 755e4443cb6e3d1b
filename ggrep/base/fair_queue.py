"""A queue that shares turns among clients by weight, however many items each submits.

Start-time fair queueing (Goyal, Vin, Cheng, "Start-time fair queueing: a scheduling algorithm for
integrated services packet switching networks", SIGCOMM 1996). A flow is one client in one lane. The
first item of a flow has a start tag: the virtual time at the item's arrival, or the tag of the
flow's previous item plus the previous item's cost, if this is later. The item with the smallest
start tag is served first; the virtual time is the start tag of the last served item. The cost of an
item is the inverse of its lane's weight.

Two additions are for clients whose names are used once (a command's name is its process id):

1. The virtual time advances a little at each turn. Otherwise new flows, which all start at the
current virtual time, would always overtake flows that wait for their second turn. The lead of the
virtual time over the waiting tags is bounded: otherwise all waiting flows would be served before
the next new flow. 2. A flow without items is forgotten when the virtual time passes its tag. All
flows are forgotten when the queue is empty.

A third addition is for clients that may not be served at the moment. Clients that may not be served
are skipped, without credit for missed turns. The flows of skipped clients advance with the virtual
time, all flows of a client by the same distance, so that the order of its lanes stays the same.
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
"""Number of turns of a lane for each turn of a lane with weight 1."""

_CREEP: Final = 1
_ROUND: Final = 32 * _CREEP
"""Maximum lead of the virtual time: the turns that a flow waits for new flows."""

_COST: Final = {lane: 4 * _ROUND // weight for lane, weight in WEIGHTS.items()}
"""Costs by lane; integers, so that tags of equal turns are equal."""

_Flow = tuple[str, Lane]


class Ticket(Struct, frozen=True):
    """The position of an item in the queue, to remove or find the item.

    Attributes:
        number: number of the arrival; unique in a queue.
    """

    client: str
    lane: Lane
    number: int


class _Waiting(Struct, Generic[T]):
    """The queued items of one flow."""

    start: int
    items: OrderedDict[int, T] = field(default_factory=OrderedDict)

    def turn(self) -> tuple[int, int]:
        """Return the sort key of turns: the start tag, then the number of the arrival."""
        return self.start, next(iter(self.items))


class FairQueue(Generic[T]):
    """A queue of many clients' items in two lanes; each flow is first come, first served."""

    def __init__(self) -> None:
        self._now = 0
        self._arrivals = 0
        self._length = 0
        self._waiting: dict[_Flow, _Waiting[T]] = {}
        self._owing: dict[_Flow, int] = {}
        """Flows without items whose next start tag is after the virtual time."""

    def __len__(self) -> int:
        return self._length

    @property
    def flows_kept(self) -> int:
        """Return the number of known flows."""
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
        """Return the number of items of that client, in both lanes."""
        flows = (self._waiting.get((client, lane)) for lane in Lane)
        return sum(len(waiting.items) for waiting in flows if waiting is not None)

    def clients(self) -> set[str]:
        """Return the clients that have items."""
        return {client for client, _ in self._waiting}

    def pop(self, may_go: Callable[[str], bool] | None = None) -> T | None:
        """Remove and return the next item; None if no item may be served."""
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
        """Remove an item without a cost to its flow; return whether the item was queued."""
        flow = ticket.client, ticket.lane
        waiting = self._waiting.get(flow)
        if waiting is None or ticket.number not in waiting.items:
            return False
        del waiting.items[ticket.number]
        self._taken_from(flow)
        return True

    def position(self, ticket: Ticket) -> int | None:
        """Return the number of items before an item, if every client is served and no item arrives.

        Returns None if the item is not queued.
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
        """Advance the flows of a skipped client at least to the virtual time."""
        flows = [self._waiting.get((client, lane)) for lane in Lane]
        present = [waiting for waiting in flows if waiting is not None]
        behind = self._now - min(waiting.start for waiting in present)
        for waiting in present:
            waiting.start += max(0, behind)

    def _taken_from(self, flow: _Flow) -> None:
        """Reduce the length by one, and forget flows that no longer affect the order."""
        self._length -= 1
        waiting = self._waiting[flow]
        if not waiting.items:
            del self._waiting[flow]
            self._owing[flow] = waiting.start
        if not self._length:
            self._owing.clear()
            return
        self._owing = {flow: start for flow, start in self._owing.items() if start > self._now}

"""Tells the callers of one HTTP server apart, so that daemons serve them fairly.

To a daemon a client is a connection and the name it gives. All callers of a server come through
one connection, and would share one turn. So each has a seat, and the daemon is told which.

Names that callers give themselves are ignored: ten names would have ten turns. On this
machine a caller is a connection, as on the daemons' own sockets; elsewhere it is an address,
however many connections come from there. Seats are few: a server is no more clients than that.
"""

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ggrep.base.errors import Busy

SEATS: Final = 16
"""Clients that a server is to a daemon at most; further callers share the seats."""

_PARTS: Final = 4
"""One caller holds at most one of so many parts of a server's places."""

_REMEMBERED: Final = 1024
"""Callers whose seat is remembered while they ask nothing."""

_RETRY_AFTER_MS: Final = 1000


def is_loopback(host: str) -> bool:
    """Tell whether a server bound to this address is reachable only from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def caller_of(peer: tuple[str, int] | None) -> str:
    """Return the caller at the other end of a connection, as counted for fairness."""
    if peer is None:
        return ""
    host, port = peer
    return f"{host}:{port}" if is_loopback(host) else host


class Callers:
    """The seats of one server, and which callers hold them.

    Requires: all calls come from the event loop's own thread.
    """

    def __init__(self, places: int) -> None:
        """Start with all seats free."""
        self._places = places
        self._per_caller = max(1, places // _PARTS)
        self._at_work: Counter[str] = Counter()
        self._load = [0] * SEATS
        """Requests at work by seat."""
        self._seats: OrderedDict[str, int] = OrderedDict()
        """The callers' last seats, the one who asked last at the end."""

    @contextmanager
    def seated(self, caller: str) -> Iterator[str]:
        """Hold a seat for a request; yield the name of the caller's seat.

        Args:
            caller: from `caller_of`; empty for who is alone, whose seat has no name.

        Raises:
            Busy: there is no place, or none for this caller.
        """
        if self._at_work.total() >= self._places:
            raise Busy(f"{self._places} requests are at work", retry_after_ms=_RETRY_AFTER_MS)
        if caller and self._at_work[caller] >= self._per_caller:
            message = f"{self._per_caller} requests of this caller are at work"
            raise Busy(message, retry_after_ms=_RETRY_AFTER_MS)
        seat = self._seat_of(caller)
        self._at_work[caller] += 1
        self._load[seat] += 1
        try:
            yield str(seat) if caller else ""
        finally:
            self._load[seat] -= 1
            self._at_work[caller] -= 1
            if not self._at_work[caller]:
                del self._at_work[caller]

    def _seat_of(self, caller: str) -> int:
        """Return the caller's seat: its present one, else its last, else the least used."""
        last = self._seats.pop(caller, None)
        least = min(self._load)
        if last is not None and (self._at_work[caller] or self._load[last] == least):
            seat = last
        else:
            # Ties go to the seat that was left first.
            recency = {seat: turn for turn, seat in enumerate(self._seats.values())}
            seat = min(range(SEATS), key=lambda one: (self._load[one], recency.get(one, -1), one))
        self._seats[caller] = seat
        if len(self._seats) > _REMEMBERED:
            # A caller at work that is forgotten may get a second seat; there are fewer places.
            self._seats.popitem(last=False)
        return seat

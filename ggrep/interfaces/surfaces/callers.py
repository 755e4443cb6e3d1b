"""Distinguishes the callers of one HTTP server, so that daemons serve them fairly.

A daemon identifies a client by connection and name. All callers of a server share one connection,
so the server sends the daemon a number for each caller as the client's name: the caller's seat.

Names that callers choose are ignored, because a caller with ten names would get ten turns. On this
machine each connection counts as a caller, as on the daemons' sockets; on other machines each
address counts as a caller. The number of seats limits how many turns a server gets.
"""

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ggrep.base.errors import Busy

SEATS: Final = 16
"""Maximum number of clients that a server counts as; further callers share seats."""

_PARTS: Final = 4
"""One caller can have at most 1 / _PARTS of the requests that a server runs at once."""

_REMEMBERED: Final = 1024
"""Maximum number of remembered callers, including callers without a request."""

_RETRY_AFTER_MS: Final = 1000


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server that is bound to this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def caller_of(peer: tuple[str, int] | None) -> str:
    """Return the name of the caller at the other end of a connection."""
    if peer is None:
        return ""
    host, port = peer
    return f"{host}:{port}" if is_loopback(host) else host


class Callers:
    """The seats of one server and their callers.

    Requires: all calls come from the event loop's thread.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._per_caller = max(1, places // _PARTS)
        self._at_work: Counter[str] = Counter()
        self._load = [0] * SEATS
        """Running requests by seat."""
        self._seats: OrderedDict[str, int] = OrderedDict()
        """The callers' last seats, in the order of their last requests."""

    @contextmanager
    def seated(self, caller: str) -> Iterator[str]:
        """Count a running request of a caller; yield the name of the caller's seat.

        Args:
            caller: from `caller_of`; empty for the only caller, whose seat has no name.

        Raises:
            Busy: the maximum number of requests is running, in total or of this caller.
        """
        if self._at_work.total() >= self._places:
            raise Busy(
                f"the limit of {self._places} concurrent requests is reached",
                retry_after_ms=_RETRY_AFTER_MS,
            )
        if caller and self._at_work[caller] >= self._per_caller:
            message = f"the caller has reached the limit of {self._per_caller} concurrent requests"
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
        """Return a caller's last seat, or a least loaded seat.

        The last seat is returned if the caller has a running request, or if no seat is less loaded.
        """
        last = self._seats.pop(caller, None)
        least = min(self._load)
        if last is not None and (self._at_work[caller] or self._load[last] == least):
            seat = last
        else:
            # Ties go to the seat that was used longest ago.
            recency = {seat: turn for turn, seat in enumerate(self._seats.values())}
            seat = min(
                range(SEATS),
                key=lambda number: (self._load[number], recency.get(number, -1), number),
            )
        self._seats[caller] = seat
        if len(self._seats) > _REMEMBERED:
            # A forgotten caller with a running request could get a second seat, but fewer requests
            # can run than callers are remembered.
            self._seats.popitem(last=False)
        return seat

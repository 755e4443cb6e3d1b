"""The caller of the current request."""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from ggrep.base.deadline import Deadline, Stop
from ggrep.base.errors import InvalidRequest
from ggrep.base.fair_queue import Lane
from ggrep.daemon.store_daemon import StoreDaemon


class Caller(Struct, frozen=True):
    """The client of one request.

    Attributes:
        client: as it named itself and its caller; empty for nobody in particular.
        owner: whose the request id is: the client's, or the connection's of one without a name.
        lane: how urgent it is.
        request_id: unique among the client's requests at work.
        stop: set to end the request.
    """

    client: str
    owner: str
    lane: Lane
    request_id: str
    stop: Stop

    def deadline(self, daemon: StoreDaemon, timeout_ms: int) -> Deadline:
        """Return the request's deadline: by its own timeout, or by the configured one for 0."""
        wanted_ms = timeout_ms or daemon.config.settings.query_timeout_ms
        return Deadline.after(daemon.shared.clock, wanted_ms, self.stop)


@contextmanager
def registered(daemon: StoreDaemon, caller: Caller) -> Iterator[None]:
    """Let the client end the request by its id for the length of the block.

    Raises:
        InvalidRequest: the client has a request of that id at work.
    """
    key = (caller.owner, caller.request_id)
    if key in daemon.requests:
        raise InvalidRequest(f"request_id: {caller.request_id!r} is at work already")
    daemon.requests[key] = caller.stop
    try:
        yield
    finally:
        del daemon.requests[key]

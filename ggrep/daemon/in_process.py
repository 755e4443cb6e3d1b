"""Connections from a coordinator to daemons in the same process, without a socket."""

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeAlias

import anyio
from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, Stop
from ggrep.base.command_time import LATE
from ggrep.base.errors import Cancelled, DeadlineExceeded, GgrepError
from ggrep.base.stable_json import Document
from ggrep.daemon.admitting import Caller, caller_of
from ggrep.daemon.host_resources import HostResources
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.protocol.client.channel import before
from ggrep.protocol.client.link import Unreachable, late
from ggrep.protocol.wire.connection import WENT_AWAY
from ggrep.protocol.wire.handshake import Hello
from ggrep.protocol.wire.messages import Message
from ggrep.protocol.wire.replies import Reply, error_json, parse_reply

if TYPE_CHECKING:
    from ggrep.protocol.client.daemon_address import DaemonAddress

Answer: TypeAlias = Callable[[StoreDaemon, Caller, Message], Awaitable[Document]]
"""Returns the body of the reply to a message; a `GgrepError` is the failure of that message."""

_OWNER: Final = "coordinator"


class InProcess(Struct, frozen=True):
    """A connection to a daemon of this process, with the interface of a `Channel`.

    Attributes:
        answer: the daemons' handler of messages.
    """

    daemon: StoreDaemon
    hello: Hello
    answer: Answer

    @property
    def pid(self) -> int:
        """Return the id of this process."""
        return os.getpid()

    @property
    def is_open(self) -> bool:
        """Return whether the daemon still serves its store."""
        return self.daemon.shared.stores.get(self.daemon.key) is self.daemon

    async def exchange(self, message: Message, deadline: Deadline, caller: str = "") -> Reply:
        """Return the reply to a message: an answer or a failure.

        A task of the daemon handles the message. At the deadline or after a cancellation the task
        is signalled to stop, and the call does not wait for the end of the task.
        """
        daemon, stop, ended = self.daemon, Stop(), anyio.Event()
        by = caller_of(
            self.hello, message, caller, owner=_OWNER, request_id=daemon.new_id(), stop=stop
        )
        replies: list[Reply] = []

        async def work() -> None:
            try:
                body = await self.answer(daemon, by, message)
                replies.append(Reply(by.request_id, "", stable_json.parsed(body)))
            except GgrepError as error:
                replies.append(self._failure(by.request_id, error))
            finally:
                daemon.replied(message)
                ended.set()

        if daemon.tasks is None:
            raise Unreachable(WENT_AWAY)
        daemon.note_request(message)
        daemon.in_background(work)
        try:
            with before(deadline, LATE):
                await ended.wait()
        except DeadlineExceeded as error:
            raise late(by.request_id) from error
        finally:
            if not replies:
                stop.set("the caller no longer waits for the answer")
        if not replies:
            raise Unreachable(WENT_AWAY)
        return replies[0]

    async def aclose(self) -> None:
        """Do nothing: running requests end with the calls that wait for them."""

    def _failure(self, request_id: str, error: GgrepError) -> Reply:
        """Return the failure that a client of the socket would read."""
        reply = error_json(request_id, error)
        body = reply["error"]
        if isinstance(body, dict) and isinstance(error, Cancelled) and self.daemon.stopping:
            body["stopping"] = True
        return parse_reply(reply)


def connection_in(
    shared: HostResources, answer: Answer, address: "DaemonAddress"
) -> InProcess | None:
    """Return a connection to the daemon at an address; None if this process does not serve it."""
    identity = address.identity
    store = shared.stores.get((identity.store_id, identity.config_fingerprint))
    if not isinstance(store, StoreDaemon) or address.home != shared.home:
        return None
    return InProcess(store, address.hello, answer)

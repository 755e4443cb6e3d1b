"""A blocking connection to a daemon. Not thread-safe."""

import os
import socket
import time
from pathlib import Path
from typing import Final, Self

from ggrep.base import linux
from ggrep.base.clock import Clock, Deadline
from ggrep.base.command_time import LATE
from ggrep.base.durable import is_shared
from ggrep.base.errors import BudgetExceeded, DeadlineExceeded, GgrepError
from ggrep.base.linux import is_stopped
from ggrep.protocol.wire.connection import WENT_AWAY, ClientConnection, ClientEvent, Lost
from ggrep.protocol.wire.handshake import Hello, Welcome
from ggrep.protocol.wire.messages import Message
from ggrep.protocol.wire.replies import Reply

CONNECT_MS: Final = 500
"""Timeout of a connection."""

HANDSHAKE_MS: Final = 5_000
"""Timeout of the handshake."""

GREETING_MS: Final = 500
"""Minimum timeout of the handshake if enough time is left; only an overloaded daemon takes
longer."""

LOOK_MS: Final = 250
"""Time without a reply after which the daemon's process is checked: it may be stopped."""

AGAIN_S: Final = 0.01
"""Pause before the next attempt if a daemon's queue of connections is full."""

_CHUNK: Final = 262_144


class Unreachable(GgrepError):
    """The socket has no listener, or the daemon ended before it answered."""


class NoReply(Unreachable):
    """A process has the socket open but does not reply: it is stopped or hangs."""

    code = "timeout"
    exit_status = 11


def greeting_ms(left_ms: float) -> float:
    """Return the timeout for a daemon's welcome in milliseconds, from the remaining time.

    The timeout is at most half of the remaining time: the rest is for an answer without the daemon.
    """
    return min(HANDSHAKE_MS, max(GREETING_MS, left_ms / 4), left_ms / 2)


def require_running(pid: int) -> None:
    """Raise if a daemon's process is stopped."""
    if is_stopped(pid):
        raise NoReply(f"the daemon process {pid} is suspended and does not answer")


class Link:
    """A connection after its handshake.

    Attributes:
        pid: process id of the daemon, from the kernel.
    """

    welcome: Welcome

    def __init__(self, peer: socket.socket, hello: Hello, clock: Clock) -> None:
        self.pid = peer_pid(peer)
        self._socket = peer
        self._clock = clock
        self._connection = ClientConnection(hello, os.urandom(8).hex())

    @classmethod
    def connect(
        cls, path: Path, hello: Hello, clock: Clock, deadline: Deadline | None = None
    ) -> Self:
        """Return a connection to the daemon at `path`; the default timeout is a few seconds.

        Raises:
            Unreachable: the socket has no listener.
            NoReply: the listener does not finish the handshake in time.
            BudgetExceeded: this process has too many open files.
            Incompatible: there is no common protocol.
            InvalidRequest: the daemon serves another store or configuration.
        """
        try:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        except OSError as error:
            # Not `Unreachable`, which would start a daemon.
            raise BudgetExceeded(f"connection failed: {error.strerror}") from error
        until = deadline or Deadline.never(clock)
        try:
            _dial(connection, path, until.within(CONNECT_MS))
            require_own(connection, path)
            link = cls(connection, hello, clock)
            require_running(link.pid)
            greeting = until.within(greeting_ms(until.remaining_ms()))
            link._send(link._connection.greet(), greeting)
            link.welcome = welcomed(link._event(greeting), link.pid)
        except OSError as error:
            connection.close()
            raise Unreachable(f"no daemon answers: {error.strerror or error}") from error
        except BaseException:
            connection.close()
            raise
        return link

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; its running requests end."""
        self._socket.close()

    def ask(self, message: Message, deadline: Deadline) -> Reply:
        """Return the answer to a message."""
        wanted = self.send(message, deadline)
        try:
            while (reply := self.receive(deadline)) is not None:
                if reply.request_id == wanted:
                    if reply.error is not None:
                        raise reply.error
                    return reply
        finally:
            self._connection.forget(wanted)
        raise late(wanted)

    def send(self, message: Message, deadline: Deadline) -> str:
        """Send a message; return its request id, which the reply repeats."""
        if self._connection.lost:
            raise Unreachable(self._connection.lost)
        request_id, data = self._connection.request(message)
        self._send(data, deadline)
        return request_id

    def receive(self, deadline: Deadline) -> Reply | None:
        """Return the next reply; None if the deadline passes first."""
        event = self._event(deadline)
        return event if isinstance(event, Reply) else None

    def _send(self, data: bytes, deadline: Deadline) -> None:
        try:
            self._socket.settimeout(max(1.0, deadline.within(HANDSHAKE_MS).remaining_ms()) / 1000.0)
            self._socket.sendall(data)
        except TimeoutError as error:
            raise NoReply(f"the daemon process {self.pid} does not read requests") from error
        except OSError as error:
            raise Unreachable(f"{WENT_AWAY}: {error.strerror or error}") from error

    def _event(self, deadline: Deadline) -> ClientEvent | None:
        """Return the daemon's next message; None if the deadline passes first."""
        while (event := self._connection.next_event()) is None:
            left_ms = deadline.remaining_ms()
            if left_ms <= 0.0:
                return None
            self._socket.settimeout(min(left_ms, LOOK_MS) / 1000.0)
            try:
                data = self._socket.recv(_CHUNK)
            except TimeoutError:
                require_running(self.pid)
                continue
            except OSError as error:
                raise Unreachable(f"{WENT_AWAY}: {error.strerror or error}") from error
            if not data:
                self._connection.close()
                raise Unreachable(WENT_AWAY)
            self._connection.receive(data)
        if isinstance(event, Lost):
            raise Unreachable(event.reason)
        return event


def late(request_id: str) -> DeadlineExceeded:
    """Return the error of a request without an answer in time."""
    error = DeadlineExceeded(LATE)
    error.request_id = request_id
    return error


def _dial(connection: socket.socket, path: Path, deadline: Deadline) -> None:
    connection.settimeout(0.0)
    while True:
        try:
            return connection.connect(str(path))
        except BlockingIOError as error:
            if deadline.remaining_ms() <= 0.0:
                raise NoReply("the daemon does not accept connections") from error
            time.sleep(AGAIN_S)


def welcomed(event: ClientEvent | None, pid: int) -> Welcome:
    """Return the welcome of a handshake, or raise; an event of None means no answer in time."""
    match event:
        case Welcome():
            return event
        case GgrepError():
            raise event
        case _:
            raise NoReply(f"the daemon process {pid} does not answer")


def require_own(connection: socket.socket, path: Path) -> None:
    """Raise unless the daemon belongs to this user, to root, or to a shared home."""
    _, uid = linux.peer_of(connection)
    if uid not in {os.geteuid(), 0} and not is_shared(path.parent):
        raise Unreachable("the socket of the daemon belongs to another user")


def peer_pid(connection: socket.socket) -> int:
    """Return the process id of the daemon."""
    return linux.peer_of(connection)[0]

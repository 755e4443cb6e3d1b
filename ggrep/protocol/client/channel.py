"""A connection to a daemon that all tasks of an event loop share."""

import math
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

import anyio
from anyio.abc import SocketAttribute, SocketStream, UNIXSocketStream
from msgspec import Struct, field

from ggrep.base.clock import Deadline
from ggrep.base.command_time import LATE
from ggrep.base.errors import BudgetExceeded, DeadlineExceeded
from ggrep.protocol.client.link import (
    AGAIN_S,
    CONNECT_MS,
    LOOK_MS,
    NoReply,
    Unreachable,
    greeting_ms,
    late,
    peer_pid,
    require_own,
    require_running,
    welcomed,
)
from ggrep.protocol.wire.connection import WENT_AWAY, ClientConnection, ClientEvent, Lost
from ggrep.protocol.wire.handshake import Hello, Welcome
from ggrep.protocol.wire.messages import Message
from ggrep.protocol.wire.replies import Reply


@contextmanager
def before(deadline: Deadline, message: str) -> Iterator[None]:
    """Cancel the block at the deadline."""
    left_ms = deadline.remaining_ms()
    with anyio.move_on_after(None if math.isinf(left_ms) else left_ms / 1000.0) as scope:
        yield
    if scope.cancelled_caught:
        raise DeadlineExceeded(message)


async def dial(path: Path) -> SocketStream:
    """Return a new connection."""
    try:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError as error:
        # Not `Unreachable`, which would start a daemon.
        raise BudgetExceeded(f"connection failed: {error.strerror}") from error
    try:
        connection.settimeout(0.0)
        with anyio.fail_after(CONNECT_MS / 1000.0):
            while not _accepted(connection, path):  # noqa: ASYNC110 - no event reports it
                await anyio.sleep(AGAIN_S)
        return await UNIXSocketStream.from_socket(connection)
    except TimeoutError as error:
        connection.close()
        raise NoReply("the daemon does not accept connections") from error
    except (OSError, ValueError) as error:
        connection.close()
        raise Unreachable(f"no daemon answers: {getattr(error, 'strerror', error)}") from error
    except BaseException:
        connection.close()
        raise


def _accepted(connection: socket.socket, path: Path) -> bool:
    """Return whether the daemon accepts a connection now; a local socket answers at once."""
    try:
        connection.connect(str(path))
    except BlockingIOError:
        return False
    return True


_CANCEL_S: Final = 0.1
"""Maximum time for sending the cancel message of an abandoned call."""

_CHUNK: Final = 262_144
_GONE: Final = (
    anyio.EndOfStream,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    OSError,
)


class _Waiting(Struct):
    """A request that waits for its reply.

    Attributes:
        woken: set when the reply has arrived, or when no task reads the socket.
    """

    woken: anyio.Event = field(default_factory=anyio.Event)
    reply: Reply | None = None


class Channel:
    """A connection after its handshake; any number of requests share it concurrently.

    One waiting task reads the socket for all waiting tasks; when it is done, another task takes
    over. There is no background task, so closing a channel needs no cleanup.

    Attributes:
        pid: process id of the daemon, from the kernel.
    """

    welcome: Welcome

    def __init__(self, stream: SocketStream, hello: Hello) -> None:
        """Use a newly connected stream."""
        self._stream = stream
        self._socket: socket.socket = stream.extra(SocketAttribute.raw_socket)  # noqa: S610 - no Django
        self.pid = peer_pid(self._socket)
        self._connection = ClientConnection(hello, os.urandom(8).hex())
        self._sending = anyio.Lock()
        self._reading = False
        self._waiting: dict[str, _Waiting] = {}

    @classmethod
    async def open(cls, path: Path, hello: Hello, deadline: Deadline) -> Self:
        """Return a connection to the daemon at `path`.

        Raises:
            Unreachable: the socket has no listener.
            NoReply: the daemon's process is stopped, or does not finish the handshake within its
                part of the time.
            Incompatible: there is no common protocol.
            InvalidRequest: the daemon serves another store or configuration.
            DeadlineExceeded: the deadline passed.
        """
        with before(deadline, LATE):
            stream = await dial(path)
            channel = cls(stream, hello)
            try:
                require_own(channel._socket, path)
                require_running(channel.pid)
                channel.welcome = await channel._introduce(greeting_ms(deadline.remaining_ms()))
            except BaseException:
                await channel.aclose()
                raise
            return channel

    @property
    def is_open(self) -> bool:
        """Return whether the daemon seems to run, without sending anything."""
        if self._connection.lost:
            return False
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return True
        except OSError:
            return False

    async def aclose(self) -> None:
        """Close the connection; its running requests end."""
        await self._break("the connection was closed")

    async def ask(self, message: Message, deadline: Deadline) -> Reply:
        """Return the answer to a message."""
        reply = await self.exchange(message, deadline)
        if reply.error is not None:
            raise reply.error
        return reply

    async def exchange(self, message: Message, deadline: Deadline, caller: str = "") -> Reply:
        """Return the reply to a message: an answer or a failure.

        `caller` is the client's name for its caller, such as the number of a seat; empty if the
        client asks for itself. At the deadline or after a cancellation, the client sends a `cancel`
        message, and the connection stays open.
        """
        self._require_open()
        require_running(self.pid)
        request_id, data = self._connection.request(message, caller=caller)
        waiting, sent = _Waiting(), False
        self._waiting[request_id] = waiting
        try:
            with before(deadline, LATE):
                await self._send(data)
                sent = True
                while True:
                    with anyio.move_on_after(LOOK_MS / 1000.0):
                        return await self._reply(waiting)
                    require_running(self.pid)
        except DeadlineExceeded as error:
            raise late(request_id) from error
        except NoReply as error:
            error.request_id = request_id
            raise
        finally:
            del self._waiting[request_id]
            self._connection.forget(request_id)
            self._pass_on()
            if sent and waiting.reply is None and not self._connection.lost:
                await self._cancel(request_id)

    def _require_open(self) -> None:
        if self._connection.lost:
            raise Unreachable(self._connection.lost)

    async def _introduce(self, patience_ms: float) -> Welcome:
        event: ClientEvent | None = None
        with anyio.move_on_after(patience_ms / 1000.0):
            await self._send(self._connection.greet())
            while (event := self._connection.next_event()) is None:
                await self._receive()
        if isinstance(event, Lost):
            raise Unreachable(event.reason)
        return welcomed(event, self.pid)

    async def _reply(self, waiting: _Waiting) -> Reply:
        """Return the reply; read the socket if no other task does."""
        while waiting.reply is None:
            self._require_open()
            if self._reading:
                await waiting.woken.wait()
                waiting.woken = anyio.Event()
                continue
            self._reading = True
            try:
                await self._read()
            finally:
                self._reading = False
        return waiting.reply

    async def _read(self) -> None:
        """Read the next replies and pass them to the waiting tasks; drop other replies."""
        # Replies that arrived together with the welcome are already in the buffer, and no further
        # bytes may follow.
        event = self._connection.next_event()
        if event is None:
            try:
                await self._receive()
            except Unreachable as error:
                await self._break(str(error))
            event = self._connection.next_event()
        while event is not None:
            if isinstance(event, Lost):
                await self._break(event.reason)
            elif isinstance(event, Reply):
                waiting = self._waiting.get(event.request_id)
                if waiting is not None:
                    waiting.reply = event
                    waiting.woken.set()
            event = self._connection.next_event()

    async def _receive(self) -> None:
        try:
            self._connection.receive(await self._stream.receive(_CHUNK))
        except _GONE as error:
            raise Unreachable(WENT_AWAY) from error

    def _pass_on(self) -> None:
        """Wake a waiting task to read the socket, if no task does."""
        if not self._reading:
            for waiting in self._waiting.values():
                waiting.woken.set()
                return

    async def _cancel(self, request_id: str) -> None:
        """Send a `cancel` message for an abandoned request, if the daemon is reachable."""
        with (
            anyio.move_on_after(_CANCEL_S, shield=True),
            suppress(Unreachable),
        ):
            await self._send(self._connection.cancel(request_id))

    async def _send(self, data: bytes) -> None:
        """Send a whole frame.

        If a frame is sent only partly, the connection is closed, because the daemon cannot read
        later frames. Most frames are sent at once and cannot be interrupted.
        """
        async with self._sending:
            try:
                if rest := data[self._push(data) :]:
                    await self._stream.send(rest)
            except _GONE as error:
                await self._break(WENT_AWAY)
                raise Unreachable(self._connection.lost) from error
            except BaseException:
                await self._break("a request was only partly sent")
                raise

    def _push(self, data: bytes) -> int:
        """Send without blocking; return how many bytes were sent."""
        try:
            return self._socket.send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0

    async def _break(self, reason: str) -> None:
        """Close the connection; all waiting requests fail with the reason."""
        self._connection.close(reason)
        for waiting in self._waiting.values():
            waiting.woken.set()
        with anyio.CancelScope(shield=True):
            await self._stream.aclose()

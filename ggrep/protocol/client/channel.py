"""One connection to a daemon, shared by all tasks of an event loop."""

import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final, Self

import anyio
from anyio.abc import SocketAttribute, SocketStream

from ggrep.base import stable_json
from ggrep.base.deadline import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.base.processes import is_stopped
from ggrep.base.stable_json import Json
from ggrep.protocol.client.dialling import LATE, before, dial
from ggrep.protocol.client.link import (
    GREETING_MS,
    HANDSHAKE_MS,
    Silent,
    Unreachable,
    peer_pid,
    read_welcome,
    require_own,
)
from ggrep.protocol.wire.frames import FrameError, FrameReader, frame, parse_object
from ggrep.protocol.wire.handshake import Hello, Welcome, hello_json
from ggrep.protocol.wire.message_types import Cancel, Message
from ggrep.protocol.wire.messages import message_json
from ggrep.protocol.wire.replies import Reply, parse_reply
from ggrep.protocol.wire.versions import HARD_MAX_REQUEST_BYTES, HARD_MAX_RESPONSE_BYTES

_CANCEL_S: Final = 0.1
"""How long a request that nobody waits for any more may hold up who left it."""

_CHUNK: Final = 262_144
_GONE: Final = (
    anyio.EndOfStream,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    OSError,
)


@dataclass(slots=True)
class _Waiting:
    """A request that waits for its reply.

    Attributes:
        woken: set when there is a reply, or nobody reads any more.
    """

    woken: anyio.Event = field(default_factory=anyio.Event)
    reply: Reply | None = None


class Channel:
    """A connection after its handshake; any number of requests share it concurrently.

    Who waits for a reply reads for all: one task at a time, and when it leaves the next takes
    over. Nothing goes on in the background, so nothing is left of a channel that is closed.

    Attributes:
        welcome: what the daemon said of itself.
        pid: of the process at the other end, as the kernel knows it.
    """

    welcome: Welcome

    def __init__(self, stream: SocketStream) -> None:
        """Take over a fresh stream."""
        self._stream = stream
        self._socket: socket.socket = stream.extra(SocketAttribute.raw_socket)  # noqa: S610 - no Django
        self.pid = peer_pid(self._socket)
        self._frames = FrameReader(HARD_MAX_RESPONSE_BYTES)
        self._sending = anyio.Lock()
        self._reading = False
        self._waiting: dict[str, _Waiting] = {}
        self._failure = ""
        self._ids = count(1)
        self._name = secrets.token_hex(8)

    @classmethod
    async def open(cls, path: Path, hello: Hello, deadline: Deadline) -> Self:
        """Return a connection to the daemon at `path`.

        Raises:
            Unreachable: nobody listens there.
            Silent: somebody does, and does not answer.
            Incompatible: it speaks no protocol of ours.
            InvalidRequest: it serves something else.
            DeadlineExceeded: it did not answer in time.
        """
        with before(deadline, LATE):
            stream = await dial(path)
            channel = cls(stream)
            try:
                require_own(channel._socket, path)
                channel.welcome = await channel._introduce(hello)
            except BaseException:
                await channel.aclose()
                raise
            return channel

    @property
    def is_open(self) -> bool:
        """Return whether the daemon seems to be there, without sending anything."""
        if self._failure:
            return False
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return True
        except OSError:
            return False

    async def aclose(self) -> None:
        """Close the connection; requests still running on it end."""
        await self._break("the connection was closed")

    async def ask(self, message: Message, deadline: Deadline) -> Reply:
        """Return the answer to a message.

        Raises:
            GgrepError: as the daemon says.
            Unreachable: it went away.
            DeadlineExceeded: it did not answer in time; it is told to stop.
        """
        reply = await self.exchange(message, deadline)
        if reply.error is not None:
            raise reply.error
        return reply

    async def exchange(self, message: Message, deadline: Deadline, caller: str = "") -> Reply:
        """Return the reply to a message, an answer or a failure.

        `caller` is for whom it is asked, where that is not this client as a whole. When the
        deadline passes or the call is cancelled, the daemon is told to stop, and the
        connection serves on.

        Raises:
            Unreachable: the daemon went away, or sent what is no reply.
            DeadlineExceeded: it did not answer in time.
        """
        wanted, waiting, asked = self._new_id(), _Waiting(), False
        document = message_json(wanted, message, caller)
        self._waiting[wanted] = waiting
        try:
            with before(deadline, LATE):
                await self._send(document)
                asked = True
                return await self._reply(waiting)
        finally:
            del self._waiting[wanted]
            self._pass_on()
            if asked and waiting.reply is None and not self._failure:
                await self._cancel(wanted)

    def _new_id(self) -> str:
        """Return an id unique among this client's connections, one client to the daemon."""
        return f"{self._name}-{next(self._ids)}"

    async def _introduce(self, hello: Hello) -> Welcome:
        await self._send(hello_json(hello))
        payload = await self._payload_within(GREETING_MS)
        if payload is None and not is_stopped(self.pid):
            payload = await self._payload_within(HANDSHAKE_MS)
        if payload is None:
            raise Silent(f"the daemon, process {self.pid}, does not answer")
        return read_welcome(payload, hello)

    async def _payload_within(self, milliseconds: float) -> bytes | None:
        with anyio.move_on_after(milliseconds / 1000.0):
            while True:
                if payloads := await self._payloads():
                    return payloads[0]
        return None

    async def _reply(self, waiting: _Waiting) -> Reply:
        """Return the reply, read by another waiter or, if none reads, by this one."""
        while waiting.reply is None:
            if self._failure:
                raise Unreachable(self._failure)
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
        """Read the next replies and hand them out."""
        try:
            for payload in await self._payloads():
                self._hand_out(parse_reply(parse_object(payload)))
        except Unreachable as error:
            await self._break(str(error))
        except InvalidRequest as error:
            await self._break(f"the daemon does not make sense: {error}")

    async def _payloads(self) -> list[bytes]:
        """Return the payloads that the next bytes complete.

        Raises:
            Unreachable: the daemon went away, or sent what no reader can follow.
        """
        try:
            return self._frames.feed(await self._stream.receive(_CHUNK))
        except _GONE as error:
            raise Unreachable("the daemon went away") from error
        except FrameError as error:
            raise Unreachable(f"the daemon does not make sense: {error}") from error

    def _hand_out(self, reply: Reply) -> None:
        """Give a reply to its waiter, if it has not been cancelled.

        Raises:
            Unreachable: it is a refusal of one of several requests, and there is no telling which.
        """
        key = reply.request_id
        if not key and len(self._waiting) == 1:
            (key,) = self._waiting
        if not key:
            raise Unreachable(f"the daemon refuses a request: {reply.error}")
        if (waiting := self._waiting.get(key)) is not None:
            waiting.reply = reply
            waiting.woken.set()

    def _pass_on(self) -> None:
        """Wake one waiter to read the socket, if none does."""
        if not self._reading:
            for waiting in self._waiting.values():
                waiting.woken.set()
                return

    async def _cancel(self, request_id: str) -> None:
        """Tell the daemon that a request was abandoned, if the daemon can be reached."""
        with (
            anyio.move_on_after(_CANCEL_S, shield=True),
            suppress(Unreachable),
        ):
            await self._send(message_json(self._new_id(), Cancel(request_id)))

    async def _send(self, document: dict[str, Json]) -> None:
        """Send an object whole.

        A frame that was begun and is not finished leaves a stream that nobody can follow: then
        the connection is over. Most frames go out at once, before anybody can interrupt.

        Raises:
            Unreachable: the daemon went away.
        """
        data = frame(stable_json.dumps(document), cap_bytes=HARD_MAX_REQUEST_BYTES)
        async with self._sending:
            try:
                if rest := data[self._push(data) :]:
                    await self._stream.send(rest)
            except _GONE as error:
                await self._break("the daemon went away")
                raise Unreachable(self._failure) from error
            except BaseException:
                await self._break("a request was not sent to its end")
                raise

    def _push(self, data: bytes) -> int:
        """Send without blocking; return how many bytes were sent."""
        try:
            return self._socket.send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0

    async def _break(self, reason: str) -> None:
        """Close the connection and fail all waiters with the reason."""
        self._failure = self._failure or reason
        for waiting in self._waiting.values():
            waiting.woken.set()
        with anyio.CancelScope(shield=True):
            await self._stream.aclose()

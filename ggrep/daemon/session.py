"""A client's connection: its timeouts, and its running requests, which end with the connection."""

from contextlib import suppress
from typing import Final

import anyio
from anyio.abc import SocketStream, TaskGroup

from ggrep.base.clock import Stop
from ggrep.base.errors import Busy, Cancelled, GgrepError
from ggrep.base.stable_json import Json
from ggrep.daemon.admitting import caller_of
from ggrep.daemon.handlers import answer
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.protocol.wire.connection import (
    DaemonConnection,
    DaemonEvent,
    InvalidMessage,
    OutOfTurn,
    State,
)
from ggrep.protocol.wire.handshake import Hello
from ggrep.protocol.wire.messages import Envelope, Line, Search
from ggrep.protocol.wire.replies import error_json, reply_json
from ggrep.render.failures import typed_path
from ggrep.render.printed import render_failure

HANDSHAKE_S: Final = 5.0
"""Maximum time until a client's hello; after that the connection is closed."""

FRAME_S: Final = 10.0
"""Maximum time for receiving the rest of a frame."""

SEND_S: Final = 30.0
"""Maximum time to send a reply; after that the connection is closed."""

MOST_AT_WORK: Final = 64
"""Maximum number of running requests of a connection."""

GONE: Final = (
    anyio.EndOfStream,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    TimeoutError,
    OSError,
)
"""Errors of a closed or broken connection."""

_CHUNK: Final = 65_536


class Session:
    """A client's connection to a daemon."""

    def __init__(self, daemon: StoreDaemon, stream: SocketStream, received: bytes = b"") -> None:
        """Start the session; `received` contains the bytes that the client has already sent."""
        settings = daemon.config.settings
        self.last_received_ms = daemon.shared.clock.monotonic_ms()
        self._daemon = daemon
        self._stream = stream
        self._connection = DaemonConnection(settings.max_request_bytes, settings.max_response_bytes)
        self._connection.receive(received)
        self._sending = anyio.Lock()
        self._at_work: dict[int, Stop] = {}
        self._finished = anyio.Event()

    @property
    def is_idle(self) -> bool:
        """Return whether no request of this connection is running."""
        return not self._at_work

    async def idle(self) -> None:
        """Wait until no request is running and every reply is sent."""
        while self._at_work:
            if self._finished.is_set():
                self._finished = anyio.Event()
            await self._finished.wait()

    async def run(self) -> None:
        """Serve the connection until either side ends it."""
        try:
            async with anyio.create_task_group() as group:
                try:
                    with suppress(*GONE):
                        await self._serve(group)
                finally:
                    self._connection.close()
                    # Threads that work for this client check `stop`, not the cancellation.
                    for stop in self._at_work.values():
                        stop.set("the client closed the connection")
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self._stream.aclose()

    async def _serve(self, group: TaskGroup) -> None:
        with anyio.fail_after(HANDSHAKE_S):
            await self._take_up(await self._event(), group)
        while self._connection.state is not State.CLOSED:
            await self._take_up(await self._event(), group)

    async def _event(self) -> DaemonEvent:
        """Return the client's next message."""
        while (event := self._connection.next_event()) is None:
            if self._connection.mid_frame:
                with anyio.fail_after(FRAME_S):
                    return await self._whole()
            await self._receive()
        return event

    async def _whole(self) -> DaemonEvent:
        while (event := self._connection.next_event()) is None:
            await self._receive()
        return event

    async def _receive(self) -> None:
        self._connection.receive(await self._stream.receive(_CHUNK))
        self.last_received_ms = self._daemon.shared.clock.monotonic_ms()

    async def _take_up(self, event: DaemonEvent, group: TaskGroup) -> None:
        """Answer a hello or an invalid message, or start a request."""
        match event:
            case Hello():
                data = self._connection.welcome(event, self._daemon.welcome())
                # A client that has already closed the connection may have sent a message that needs
                # no reply, such as a shutdown.
                with suppress(anyio.BrokenResourceError):
                    await self._send(data)
            case InvalidMessage():
                if self._connection.state is State.ENDING:
                    await self.idle()  # earlier requests are answered first
                await self._send(self._connection.refuse(event))
            case Envelope() if len(self._at_work) >= MOST_AT_WORK:
                busy = Busy(
                    f"{MOST_AT_WORK} requests of this connection are already running",
                    retry_after_ms=self._daemon.admission.retry_after_ms(),
                )
                await self._send(self._connection.refuse(InvalidMessage(busy, event.request_id)))
            case Envelope():
                self._daemon.note_request(event.message)
                stop = Stop()
                self._at_work[id(stop)] = stop
                group.start_soon(self._answer, event, stop)

    async def _answer(self, envelope: Envelope, stop: Stop) -> None:
        daemon, message = self._daemon, envelope.message
        caller = caller_of(
            self._connection.hello,
            message,
            envelope.caller,
            owner=f"connection {id(self)}",
            request_id=envelope.request_id or daemon.new_id(),
            stop=stop,
        )
        try:
            body = await answer(daemon, caller, message)
            reply = reply_json(caller.request_id, envelope.name, body)
        except GgrepError as error:
            reply = self._failure(envelope, caller.request_id, error)
        try:
            await self._send(self._connection.reply(reply))
        except OutOfTurn:
            pass  # the connection ended meanwhile
        except GONE:
            # The error must not leave this task: it would end the listener. The reading task
            # notices the end of the stream.
            await self._stream.aclose()
        finally:
            del self._at_work[id(stop)]
            self._finished.set()
            # Also if no client received the reply, because the request was carried out.
            daemon.replied(envelope.message)

    def _failure(self, envelope: Envelope, request_id: str, error: GgrepError) -> dict[str, Json]:
        """Return the reply to a failed request; it includes text if the request sets `render`."""
        error.request_id = request_id
        reply = error_json(request_id, error)
        message = envelope.message
        view = message.render if isinstance(message, Search | Line) else None
        body = reply["error"]
        if not isinstance(body, dict):
            return reply
        if isinstance(error, Cancelled) and self._daemon.stopping is not None:
            body["stopping"] = True  # the client can repeat its request to the next daemon
        if view is not None:
            path = typed_path(message.arguments) if isinstance(message, Line) else None
            body["rendered"] = render_failure(error, view, path).document()
        return reply

    async def _send(self, data: bytes) -> None:
        async with self._sending:
            with anyio.fail_after(SEND_S):
                await self._stream.send(data)

"""A listening socket with several names that all daemons of a process share.

A socket accepts connections under each of its names. A process therefore opens a single socket in
each directory; the socket names of the process's other daemons are hard links to this socket. The
hello of a client names the daemon. The process sends nothing before the hello and refuses a hello
for a store that it does not serve.

When a daemon ends, the socket keeps the names of the other daemons. Connections to the ended daemon
without a complete hello are closed, as if there were no listener.
"""

import os
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import anyio
from anyio.abc import SocketAttribute, SocketListener, SocketStream, TaskGroup, TaskStatus

from ggrep.base.linux import peer_of
from ggrep.daemon.endpoint_files import is_welcome
from ggrep.daemon.session import GONE, HANDSHAKE_S
from ggrep.protocol.wire.connection import DaemonConnection
from ggrep.protocol.wire.frames import HARD_MAX_REQUEST_BYTES, HARD_MAX_RESPONSE_BYTES
from ggrep.protocol.wire.handshake import Hello

MOST_GREETING: Final = 256
"""Maximum number of connections without a complete hello; a further connection closes the
oldest."""

_ACCEPT_PAUSE_S: Final = 0.1
_CHUNK: Final = 65_536


class Receiver(Protocol):
    """A daemon that receives clients."""

    @property
    def key(self) -> tuple[str, str]:
        """Return the store id and configuration fingerprint that a hello names."""
        ...

    def receive(self, stream: SocketStream, received: bytes) -> None:
        """Serve a client; `received` contains the bytes that the client has already sent."""
        ...

    def silence_ms(self) -> float | None:
        """Return when the longest idle connection last received bytes; None if none is idle."""
        ...

    def make_room(self, error: BaseException) -> None:
        """Close the longest idle connection after a failed accept."""
        ...


class _Listener:
    def __init__(self, listener: SocketListener, name: Path) -> None:
        self.socket = listener
        self.names = {name}
        self.scope = anyio.CancelScope()
        self._status = name.stat()

    def join(self, name: Path) -> bool:
        """Give the socket another name; return False if that is impossible.

        Requires: the caller has the lock of the daemon with this name, so an existing socket
        belongs to a dead daemon.
        """
        existing = next(iter(self.names), None)
        if existing is None:
            return False
        try:
            if name.is_socket():
                name.unlink()
            name.hardlink_to(existing)
            if not os.path.samestat(name.stat(), self._status):  # our name was removed by hand
                name.unlink()
                return False
        except OSError:  # the file system has no links, or too many
            return False
        self.names.add(name)
        return True


class AcceptLoop:
    """Accepts the clients of a process's daemons. Not thread-safe."""

    def __init__(self, group: TaskGroup, *, lone: bool = False) -> None:
        """Create the loop without a socket.

        A `lone` loop passes every client to its only daemon before the hello.
        """
        self._group = group
        self._lone = lone
        self._listeners: list[_Listener] = []
        self._receivers: dict[tuple[str, str], Receiver] = {}
        self._left: set[tuple[str, str]] = set()
        self._greeting: dict[Hashable, anyio.CancelScope] = {}  # the oldest first

    async def open(self, receiver: Receiver, name: Path, mode: int) -> None:
        """Accept clients of a daemon at the socket `name`."""
        self._receivers[receiver.key] = receiver
        for listener in self._listeners:
            if any(used.parent == name.parent for used in listener.names) and listener.join(name):
                return
        try:
            listener = _Listener(await anyio.create_unix_listener(name, mode=mode), name)
        except BaseException:
            del self._receivers[receiver.key]
            raise
        self._listeners.append(listener)
        await self._group.start(self._accept, listener)

    def close(self, receiver: Receiver, name: Path) -> None:
        """Accept no more clients of a daemon; the caller removes the socket's name."""
        if self._receivers.pop(receiver.key, None) is not None:
            self._left.add(receiver.key)
        for listener in list(self._listeners):
            listener.names.discard(name)
            if not listener.names:
                self._listeners.remove(listener)
                listener.scope.cancel()

    async def _accept(self, listener: _Listener, *, task_status: TaskStatus[None]) -> None:
        """Accept connections as long as the socket has a name.

        If there is no free descriptor for a connection, the longest idle connection is closed.
        """
        path = next(iter(listener.names))
        with listener.scope:
            async with listener.socket:
                task_status.started()
                while True:
                    try:
                        stream = await listener.socket.accept()
                    except (OSError, anyio.BrokenResourceError) as error:
                        self._make_room(error.__cause__ or error)
                        await anyio.sleep(_ACCEPT_PAUSE_S)
                        continue
                    self._group.start_soon(self._take_in, stream, path)

    def _make_room(self, error: BaseException) -> None:
        receivers = list(self._receivers.values())
        times = [(receiver.silence_ms(), index) for index, receiver in enumerate(receivers)]
        silent = [(since_ms, index) for since_ms, index in times if since_ms is not None]
        if receivers:
            receivers[min(silent)[1] if silent else 0].make_room(error)

    async def _take_in(self, stream: SocketStream, path: Path) -> None:
        """Pass a client to the daemon that its hello names."""
        passed_on = False
        try:
            with suppress(*GONE):  # an error that leaves this task would end all daemons
                _, uid = peer_of(stream.extra(SocketAttribute.raw_socket))  # noqa: S610 - no Django
                passed_on = is_welcome(uid, path) and await self._pass_on(stream)
        finally:
            if not passed_on:
                with anyio.CancelScope(shield=True):
                    await stream.aclose()

    async def _pass_on(self, stream: SocketStream) -> bool:
        """Pass a client to a daemon; return whether a daemon serves it."""
        hello, received = (None, b"") if self._lone else await self._hello_of(stream)
        key = (hello.store_id, hello.config_fingerprint) if hello else None
        receiver = self._receivers.get(key) if key else None
        if receiver is None and (key in self._left or not (received or self._lone)):
            return False
        # The first daemon refuses a hello that names no daemon of this process.
        receiver = receiver or next(iter(self._receivers.values()), None)
        if receiver is not None:
            receiver.receive(stream, received)
        return receiver is not None

    async def _hello_of(self, stream: SocketStream) -> tuple[Hello | None, bytes]:
        """Return a client's hello and the bytes received with it.

        If the first frame is not a hello, the hello is None. If no complete frame arrives, the
        hello is None and the bytes are empty.
        """
        received, greeting = bytearray(), object()
        connection = DaemonConnection(HARD_MAX_REQUEST_BYTES, HARD_MAX_RESPONSE_BYTES)
        with anyio.CancelScope() as scope, suppress(*GONE):
            if len(self._greeting) >= MOST_GREETING:
                self._greeting.pop(next(iter(self._greeting))).cancel()
            self._greeting[greeting] = scope
            try:
                with anyio.fail_after(HANDSHAKE_S):
                    while (event := connection.next_event()) is None:
                        data = await stream.receive(_CHUNK)
                        received += data
                        connection.receive(data)
            finally:
                self._greeting.pop(greeting, None)
            return event if isinstance(event, Hello) else None, bytes(received)
        return None, b""

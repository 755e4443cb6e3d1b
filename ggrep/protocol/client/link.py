"""One connection to a daemon, for one thread."""

import os
import secrets
import socket
from itertools import count
from pathlib import Path
from typing import Final, Self

from ggrep.base import stable_json
from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import BudgetExceeded, DeadlineExceeded, GgrepError, InvalidRequest
from ggrep.base.modes import is_shared
from ggrep.base.processes import is_stopped
from ggrep.base.stable_json import Json
from ggrep.protocol.wire.frames import FrameError, FrameReader, frame, parse_object
from ggrep.protocol.wire.handshake import Hello, Welcome, check_welcome, hello_json, parse_welcome
from ggrep.protocol.wire.message_types import Message
from ggrep.protocol.wire.messages import message_json
from ggrep.protocol.wire.replies import Reply, error_of, parse_reply
from ggrep.protocol.wire.versions import HARD_MAX_REQUEST_BYTES, HARD_MAX_RESPONSE_BYTES

CONNECT_MS: Final = 500
"""How long a daemon may take to accept."""

HANDSHAKE_MS: Final = 5_000
"""How long it may take to introduce itself."""

GREETING_MS: Final = 500
"""Longer than a daemon takes that is not overloaded; then it is looked whether it runs at all."""

_CHUNK: Final = 262_144


class Unreachable(GgrepError):
    """The socket has no listener, or the daemon ended before it answered."""


class Silent(Unreachable):
    """A process holds the socket but does not reply: it is stopped, or stuck."""


class Link:
    """A connection after its handshake.

    Attributes:
        welcome: what the daemon said of itself.
        pid: of the process at the other end, as the kernel knows it.
    """

    def __init__(self, connection: socket.socket, welcome: Welcome, clock: Clock) -> None:
        self.welcome = welcome
        self.pid = peer_pid(connection)
        self._socket = connection
        self._clock = clock
        self._reader = FrameReader(HARD_MAX_RESPONSE_BYTES)
        self._waiting: list[bytes] = []
        self._ids = count(1)
        self._name = secrets.token_hex(8)

    @classmethod
    def connect(cls, path: Path, hello: Hello, clock: Clock) -> Self:
        """Return a connection to the daemon at `path`.

        Raises:
            Unreachable: nobody listens there.
            BudgetExceeded: this process has as many files open as it may.
            Incompatible: it speaks no protocol of ours.
            InvalidRequest: it serves something else.
        """
        try:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        except OSError as error:
            # Not `Unreachable`: a daemon would be started for it.
            raise BudgetExceeded(f"no connection can be made: {error.strerror}") from error
        try:
            connection.settimeout(CONNECT_MS / 1000.0)
            connection.connect(str(path))
            require_own(connection, path)
            link = cls(connection, _NOBODY, clock)
            link.welcome = link._introduce(hello)
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
        """Close the connection; requests still running on it end."""
        self._socket.close()

    def ask(self, message: Message, deadline: Deadline) -> Reply:
        """Return the answer to a message.

        Raises:
            GgrepError: as the daemon says.
            Unreachable: it went away.
            DeadlineExceeded: it did not answer in time.
        """
        wanted = self.send(message)
        while True:
            reply = self.receive(deadline)
            if reply is None:
                raise DeadlineExceeded("the daemon did not answer in time")
            if reply.request_id == wanted or not reply.request_id:
                if reply.error is not None:
                    raise reply.error
                return reply

    def send(self, message: Message, request_id: str = "") -> str:
        """Send a message; return the id its reply will carry.

        Raises:
            Unreachable: the daemon went away.
        """
        request_id = request_id or f"{self._name}-{next(self._ids)}"
        self._send(message_json(request_id, message))
        return request_id

    def receive(self, deadline: Deadline) -> Reply | None:
        """Return the next reply; None if the deadline passes first.

        Raises:
            Unreachable: the daemon went away, or sent what is no reply.
        """
        payload = self._payload(deadline)
        if payload is None:
            return None
        try:
            return parse_reply(parse_object(payload))
        except InvalidRequest as error:
            raise Unreachable(f"the daemon does not make sense: {error}") from error

    def _introduce(self, hello: Hello) -> Welcome:
        self._send(hello_json(hello))
        payload = self._payload(Deadline.after(self._clock, GREETING_MS))
        if payload is None and not is_stopped(self.pid):
            payload = self._payload(Deadline.after(self._clock, HANDSHAKE_MS))
        if payload is None:
            raise Silent(f"the daemon, process {self.pid}, does not answer")
        return read_welcome(payload, hello)

    def _send(self, document: dict[str, Json]) -> None:
        data = frame(stable_json.dumps(document), cap_bytes=HARD_MAX_REQUEST_BYTES)
        try:
            self._socket.settimeout(HANDSHAKE_MS / 1000.0)
            self._socket.sendall(data)
        except OSError as error:
            raise Unreachable(f"the daemon went away: {error.strerror or error}") from error

    def _payload(self, deadline: Deadline) -> bytes | None:
        while not self._waiting:
            left_ms = deadline.remaining_ms()
            if left_ms <= 0.0:
                return None
            self._socket.settimeout(None if left_ms == float("inf") else left_ms / 1000.0)
            try:
                data = self._socket.recv(_CHUNK)
            except TimeoutError:
                return None
            except OSError as error:
                raise Unreachable(f"the daemon went away: {error.strerror or error}") from error
            if not data:
                raise Unreachable("the daemon went away")
            try:
                self._waiting.extend(self._reader.feed(data))
            except FrameError as error:
                raise Unreachable(f"the daemon does not make sense: {error}") from error
        return self._waiting.pop(0)


def read_welcome(payload: bytes, hello: Hello) -> Welcome:
    """Return a daemon's reply to the greeting.

    Raises:
        Incompatible: it speaks no protocol of ours.
        InvalidRequest: it serves something else, or what it says is no answer.
    """
    body = parse_object(payload)
    if "error" in body:
        raise error_of(body)
    welcome = parse_welcome(body)
    check_welcome(welcome, hello)
    return welcome


def require_own(connection: socket.socket, path: Path) -> None:
    """Raise unless the other end is a daemon of this user, of root, or of a shared home.

    Raises:
        Unreachable: it is another user's process, which may have put its socket there.
    """
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    uid = int.from_bytes(found[4:8], "little")
    if uid not in {os.geteuid(), 0} and not is_shared(path.parent):
        raise Unreachable("the socket belongs to another user")


def peer_pid(connection: socket.socket) -> int:
    """Return the process at the other end of a connection."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(found[:4], "little")


_NOBODY: Final = Welcome(0, (), "", {}, "", "")

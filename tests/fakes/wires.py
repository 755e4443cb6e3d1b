"""A client that says whatever a test wants, whole or in pieces."""

import socket
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ggrep.base import stable_json
from ggrep.protocol.wire.frames import FrameReader, frame
from ggrep.protocol.wire.handshake import Hello, hello_json
from ggrep.protocol.wire.messages import Message, message_json

_CAP = 64 * 1024 * 1024
_PATIENCE_S = 600.0


class Wire:
    """One connection without a mind of its own."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_PATIENCE_S)
        self._socket.connect(str(path))
        self._reader = FrameReader(_CAP)
        self._waiting: list[bytes] = []

    @classmethod
    def greeted(cls, path: Path, hello: Hello) -> Self:
        """Return a connection that has introduced itself."""
        wire = cls(path)
        wire.send(hello_json(hello))
        welcome = wire.next()
        assert "error" not in welcome
        return wire

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def send(self, document: Any) -> None:
        self.send_payload(stable_json.dumps(document))

    def send_message(self, request_id: str, message: Message) -> None:
        """Send a message as clients do; an empty id is left out."""
        self.send(message_json(request_id, message))

    def send_payload(self, payload: bytes) -> None:
        self.send_bytes(frame(payload, cap_bytes=_CAP))

    def send_bytes(self, data: bytes) -> None:
        with suppress(BrokenPipeError):  # what became of it is seen by who reads on
            self._socket.sendall(data)

    def next(self) -> dict[str, Any]:
        """Return the next object; fail when the connection ends instead."""
        result = self._next()
        assert result is not None, "the connection ended"
        return result

    def ends(self) -> bool:
        """Wait for what comes next; return whether it is the end."""
        return self._next() is None

    def _next(self) -> dict[str, Any] | None:
        while not self._waiting:
            try:
                data = self._socket.recv(65_536)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self._waiting += self._reader.feed(data)
        result: dict[str, Any] = stable_json.loads(self._waiting.pop(0))
        return result

"""One request over a daemon's socket: sends handshake and query together, reads two replies."""

# Imports the C extension modules: `socket` and `json` would import `enum`, `re` and `selectors`,
# which takes longer than the daemon takes to answer.
import os
from _json import encode_basestring, make_scanner
from _socket import AF_UNIX, SOCK_STREAM, socket

from ggrep.base.command_time import now_ms
from ggrep.base.linux import is_stopped, peer_of

CONNECT_MS = 500
MOST_REQUEST_BYTES = 1024 * 1024
MOST_REPLY_BYTES = 10 * 1024 * 1024 + 64 * 1024
_PREFIX_BYTES = 4
_READ_BYTES = 1 << 18
_LOOK_MS = 250
"""Time without a reply after which the daemon's process is checked."""


class _Reading:
    """Settings of the JSON scanner, equal to the defaults of the json module."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


class Connection:
    """A connection to a daemon, with a request in progress."""

    def __init__(self, address: str, messages: list[object], until_ms: float) -> None:
        """Connect to the daemon and send all messages."""
        data = b"".join(map(frame, messages))
        self._received = bytearray()
        self._peer = socket(AF_UNIX, SOCK_STREAM)
        try:
            self._wait(until_ms, CONNECT_MS)
            self._peer.connect(address)
            self._require_own()
            self._wait(until_ms, CONNECT_MS)
            self._peer.sendall(data)
        except BaseException:
            self.close()
            raise

    def _require_own(self) -> None:
        """Raise unless the other end is a running process of this user or of root.

        In a shared home another user may own the daemon; `ggrep.interfaces.cli` then queries it.
        """
        self._pid, uid = peer_of(self._peer)
        if uid not in {os.geteuid(), 0}:
            raise ValueError("another user's")
        self._require_running()

    def _require_running(self) -> None:
        if is_stopped(self._pid):
            raise ValueError("the daemon is suspended")

    def receive(self, until_ms: float) -> dict[str, object]:
        """Return the next object that the daemon sends."""
        size = int.from_bytes(self._take(_PREFIX_BYTES, until_ms), "big")
        if not 0 < size <= MOST_REPLY_BYTES:
            raise ValueError(size)
        return parse(self._take(size, until_ms).decode())

    def close(self) -> None:
        """Close the connection; the daemon then cancels a running request."""
        self._peer.close()

    def _wait(self, until_ms: float, most_ms: float) -> None:
        """Set the socket's timeout: until `until_ms`, and at most `most_ms` milliseconds."""
        left_ms = until_ms - now_ms()
        if left_ms <= 0.0:
            raise TimeoutError
        self._peer.settimeout(min(left_ms, most_ms) / 1000.0)

    def _take(self, size: int, until_ms: float) -> bytes:
        while len(self._received) < size:
            self._wait(until_ms, _LOOK_MS)
            try:
                data = self._peer.recv(_READ_BYTES)
            except TimeoutError:
                self._require_running()
                continue
            if not data:
                raise ValueError("the daemon closed the connection")
            self._received += data
        taken = bytes(self._received[:size])
        del self._received[:size]
        return taken


def frame(message: object) -> bytes:
    """Return a message as a frame."""
    data = _spell(message).encode()
    if len(data) > MOST_REQUEST_BYTES:
        raise ValueError(len(data))
    return len(data).to_bytes(_PREFIX_BYTES, "big") + data


def parse(text: str) -> dict[str, object]:
    """Return the JSON object in `text`."""
    try:
        value, end = make_scanner(_Reading)(text, 0)  # type: ignore[arg-type] # it reads these attributes
    except StopIteration as error:
        raise ValueError("no JSON") from error
    if not isinstance(value, dict) or end != len(text):
        raise ValueError("no object")
    return value


def _spell(value: object) -> str:
    if isinstance(value, str):
        text = encode_basestring(value)
    elif isinstance(value, dict):
        pairs = (f"{_spell(key)}:{_spell(item)}" for key, item in value.items())
        text = "{" + ",".join(pairs) + "}"
    elif isinstance(value, list):
        text = "[" + ",".join(map(_spell, value)) + "]"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, int):
        text = str(value)
    else:
        raise ValueError(type(value))  # noqa: TRY004 - callers catch one kind
    return text

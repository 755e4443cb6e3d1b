"""Protocol versions and frames: a length of four bytes, big-endian, then a JSON object."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, cast

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import HEALTH_SCHEMA, QUERY_SCHEMA, STATUS_SCHEMA
from ggrep.config.declarations import MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES

PROTOCOL_VERSIONS: Final = (1,)
"""Protocol versions of this build.

1. Frames with a 4-byte length and a JSON object; a handshake; replies in any order.
"""

NEEDED_SCHEMAS: Final[Mapping[str, int]] = MappingProxyType(
    {"query_success": QUERY_SCHEMA, "status": STATUS_SCHEMA, "health": HEALTH_SCHEMA}
)
"""Versions of the documents that a client of this build needs, by name."""

DEFAULT_MAX_REQUEST_BYTES: Final = 1024 * 1024
"""Largest frame that a daemon reads by default."""

DEFAULT_MAX_RESPONSE_BYTES: Final = 10 * 1024 * 1024
"""Largest frame that a client reads by default."""

HARD_MAX_REQUEST_BYTES: Final = MAX_REQUEST_BYTES
"""Upper limit of the setting that replaces `DEFAULT_MAX_REQUEST_BYTES`."""

HARD_MAX_RESPONSE_BYTES: Final = MAX_RESPONSE_BYTES
"""Upper limit of the setting that replaces `DEFAULT_MAX_RESPONSE_BYTES`."""

PREFIX_BYTES: Final = 4
MAX_DEPTH: Final = 64
"""Maximum nesting of a frame's object; the object itself is one level."""


class FrameError(InvalidRequest):
    """A frame is empty, or longer than its reader accepts."""


def frame(payload: bytes, *, cap_bytes: int) -> bytes:
    """Return `payload` as a frame."""
    if fault := _fault_of(len(payload), cap_bytes):
        raise FrameError(fault)
    return len(payload).to_bytes(PREFIX_BYTES, "big") + payload


class FrameReader:
    """Splits a stream into payloads, independent of the sizes of reads.

    Every byte is copied a fixed number of times. Only received bytes of the unfinished frame are
    stored: a length prefix alone reserves no memory.

    Attributes:
        fault: error of an invalid length; empty if there is none. After an error all further bytes
            are ignored.
    """

    def __init__(self, cap_bytes: int) -> None:
        """Accept frames of at most `cap_bytes` bytes without the prefix."""
        self.fault = ""
        self._cap_bytes = cap_bytes
        self._prefix = bytearray()
        self._body = bytearray()
        self._size = 0

    @property
    def mid_frame(self) -> bool:
        """Return whether part of a frame was received."""
        return bool(self._prefix)

    def feed(self, data: bytes) -> list[bytes]:
        """Return the payloads that `data` completes."""
        view = memoryview(data)
        completed: list[bytes] = []
        while view and not self.fault:
            view = self._take_prefix(view)
            if len(self._prefix) == PREFIX_BYTES:
                view = self._take_body(view, completed)
        return completed

    def _take_prefix(self, view: memoryview) -> memoryview:
        missing = PREFIX_BYTES - len(self._prefix)
        if not missing:
            return view
        self._prefix += view[:missing]
        if len(self._prefix) == PREFIX_BYTES:
            self._size = int.from_bytes(self._prefix, "big")
            self.fault = _fault_of(self._size, self._cap_bytes)
            if self.fault:
                self._prefix.clear()
        return view[missing:]

    def _take_body(self, view: memoryview, completed: list[bytes]) -> memoryview:
        missing = self._size - len(self._body)
        if not self._body and len(view) >= missing:
            completed.append(bytes(view[:missing]))
        else:
            self._body += view[:missing]
            if len(self._body) < self._size:
                return view[missing:]
            completed.append(bytes(self._body))
        self._body = bytearray()
        self._prefix.clear()
        return view[missing:]


def parse_object(payload: bytes) -> dict[str, object]:
    """Return the JSON object of a payload."""
    try:
        value = stable_json.loads(payload)
    except ValueError as error:
        raise InvalidRequest(f"frame: not UTF-8 JSON ({error})") from error
    if not isinstance(value, dict):
        raise InvalidRequest(f"frame: expected an object, found {type(value).__name__}")
    if payload.count(b"{") + payload.count(b"[") > MAX_DEPTH:
        _check_depth(value)
    return cast(dict[str, object], value)


def _fault_of(size: int, cap_bytes: int) -> str:
    """Return the error of an invalid frame length; empty for a valid length."""
    if size > cap_bytes:
        return f"frame: {size} bytes are more than the maximum of {cap_bytes}"
    return "" if size else "frame: must not be empty"


def _check_depth(value: dict[str, object]) -> None:
    """Check the depth level by level; the parser itself refuses more than 1,024 levels."""
    level: list[object] = [value]
    for depth in range(1, MAX_DEPTH + 1):
        # Empty containers are skipped unless they are too deep: a frame can contain hundreds of
        # thousands of them.
        level = [
            item
            for container in level
            for item in (container.values() if isinstance(container, dict) else _items(container))
            if isinstance(item, (dict, list)) and (item or depth == MAX_DEPTH)
        ]
        if not level:
            return
    raise InvalidRequest(f"frame: nested more than {MAX_DEPTH} levels")


def _items(container: object) -> list[object]:
    return cast(list[object], container)

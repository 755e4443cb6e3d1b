"""New identifiers: ULIDs that increase monotonically within a process."""

import hashlib
import os
from threading import Lock

from ggrep.base.clock import Clock

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BYTES = 10


class IdSource:
    """Creates ascending ULIDs from a clock, which differ even within one millisecond."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0
        self._lock = Lock()

    def __call__(self) -> str:
        """Return a ULID that is larger than all earlier ULIDs."""
        with self._lock:
            moment_ms = int(self._clock.now().timestamp() * 1000)
            fresh = moment_ms << 8 * _RANDOM_BYTES | int.from_bytes(os.urandom(_RANDOM_BYTES))
            self._last = max(fresh, self._last + 1)
            return _spelled(self._last)


def derived_id(*parts: str) -> str:
    """Return a ULID that is computed only from `parts`, for deterministic answers."""
    return _spelled(int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:16], "big"))


def _spelled(number: int) -> str:
    digits = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))

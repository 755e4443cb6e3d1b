"""Fresh identifiers: ULIDs that only ever grow within a process."""

import hashlib
from threading import Lock

from ulid import ULID

from ggrep.clock import Clock

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class IdSource:
    """Makes ULIDs from a clock; two made in one millisecond still differ and are in order."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0
        self._lock = Lock()

    def __call__(self) -> str:
        """Return a ULID larger than all before."""
        with self._lock:
            fresh = int(ULID.from_datetime(self._clock.now()))
            self._last = max(fresh, self._last + 1)
            return str(ULID.from_int(self._last))


def derived_id(*parts: str) -> str:
    """Return 26 ULID characters that depend on `parts` alone, for deterministic answers."""
    number = int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:16], "big")
    digits = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))

"""One slot of a host: a file whose kernel lock is the slot, and whose text says who holds it.

The kernel lets the lock of a dead holder go. A stopped one keeps it: once nothing was heard of it
for the time to live, the file is replaced by a new one, and what it goes on holding is no slot any
more. Races, where A and B find the same stopped holder:

1. Both would replace the file, B that of A, and both hold the slot. So who replaces holds a guard
   and looks again under it: what A put there was heard of this moment, or says nothing yet.
2. A locks the file of a dead holder just when B reads that one's old record in it. So A writes
   its record first and then looks whether it is still that file.

The record is written over the old one without a sync: it is of use only while its writer lives.
"""

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.clock import Clock, rfc3339
from ggrep.base.fair_queue import Lane
from ggrep.base.stable_json import DecodeError, Json, decode

_RECORD_BYTES: Final = 192
_GUARD: Final = "replace.lock"


class SlotRecord(Struct, frozen=True):
    """What a holder says of itself.

    Attributes:
        since: when it took the slot, RFC 3339.
        heartbeat_ms: when it was heard of last, on the machine's monotonic clock.
    """

    pid: int
    since: str
    heartbeat_ms: int
    lane: Lane


class SlotFile:
    """The file of one slot; stateless but for its name."""

    def __init__(self, file: Path, clock: Clock, *, ttl_ms: int) -> None:
        self._file = file
        self._clock = clock
        self._ttl_ms = ttl_ms

    def take(self, lane: Lane) -> "HeldSlot | None":
        """Take the slot if it is free or its holder stopped; None when somebody has it.

        Raises:
            OSError: the file cannot be opened.
        """
        return self._try(lane) or (self._try(lane) if self._replace() else None)

    def is_held(self) -> bool:
        """Tell whether somebody has the slot."""
        return self._look(lambda _: True)

    def is_stale(self) -> bool:
        """Tell whether somebody has the slot of whom nothing was heard for the time to live."""
        return self._look(self._is_silent)

    def _try(self, lane: Lane) -> "HeldSlot | None":
        descriptor = durable.open_lock(self._file)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held = HeldSlot(descriptor, self._clock, lane)
            held.beat()
            if os.path.samestat(os.fstat(descriptor), self._file.stat()):
                return held
        except (BlockingIOError, FileNotFoundError):
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    def _look(self, judge: Callable[[int], bool]) -> bool:
        """Judge the file by its descriptor while somebody has the slot; False when nobody has.

        To look is to share the slot for a moment: who tries to take it meanwhile tries again.
        """
        try:
            descriptor = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return judge(descriptor)
        finally:
            os.close(descriptor)
        return False

    def _is_silent(self, descriptor: int) -> bool:
        """Tell whether the record is old; none, or one from the future, was not of this holder."""
        record = _read(descriptor)
        if record is None:
            return False
        return self._clock.monotonic_ms() - record.heartbeat_ms > self._ttl_ms

    def _replace(self) -> bool:
        """Take the file away from a holder that stopped; return whether it was we who did."""
        if not self.is_stale():
            return False
        guard = durable.open_lock(self._file.with_name(_GUARD))
        try:
            fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not self.is_stale():
                return False
            self._file.unlink()
        except (BlockingIOError, FileNotFoundError):
            return False
        finally:
            os.close(guard)
        return True


class HeldSlot:
    """A slot that is ours."""

    def __init__(self, descriptor: int, clock: Clock, lane: Lane) -> None:
        self._descriptor = descriptor
        self._clock = clock
        self._lane = lane
        self._since = rfc3339(clock.now())

    def beat(self) -> None:
        """Say that we are alive; whoever encodes for long says it between its batches."""
        record: dict[str, Json] = {
            "pid": os.getpid(),
            "since": self._since,
            "heartbeat_ms": round(self._clock.monotonic_ms()),
            "lane": self._lane.value,
        }
        data = stable_json.dumps(record).ljust(_RECORD_BYTES)
        with suppress(OSError):  # the disk is full, say: we pass for one who came this moment
            os.pwrite(self._descriptor, data, 0)

    def release(self) -> None:
        """Let the slot go, for children too that were forked meanwhile and share the descriptor."""
        try:
            with suppress(OSError):  # then it is for the next one to write over
                os.ftruncate(self._descriptor, 0)
            with suppress(OSError):  # closing lets it go as well, where no child was forked
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        finally:
            os.close(self._descriptor)


def _read(descriptor: int) -> SlotRecord | None:
    """Return the record of a slot file; None when it says nothing that we understand."""
    try:
        return decode(SlotRecord, stable_json.loads(os.pread(descriptor, _RECORD_BYTES, 0)))
    except (DecodeError, OSError, ValueError):
        return None

"""One slot of a host: a file whose lock is the slot, and whose text describes the holder.

The kernel releases the lock of a dead process. A stopped process keeps its lock. If its record has
no heartbeat for the time to live, another process deletes the file and creates a new one; the lock
on the deleted file is no longer a slot. These races can occur if processes A and B detect the same
stopped holder:

1. Both replace the file, B replaces the file of A, and both have the slot. To prevent this, a
   process locks a guard file and reads the record again before it replaces the file: the record of
   A is recent or still empty.
2. A locks the file of a dead process while B reads the dead process' old record and replaces the
   file. To prevent this, A writes its record first and then checks that the path still refers to
   the same file.

A record overwrites the old record without a sync, because it is needed only while its process
lives.
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
    """The description of a slot's holder.

    Attributes:
        since: when the holder took the slot, RFC 3339.
        heartbeat_ms: time of the last heartbeat, on the machine's monotonic clock.
    """

    pid: int
    since: str
    heartbeat_ms: int
    lane: Lane


class SlotFile:
    """The file of one slot; stateless."""

    def __init__(self, file: Path, clock: Clock, *, ttl_ms: int) -> None:
        self._file = file
        self._clock = clock
        self._ttl_ms = ttl_ms

    def take(self, lane: Lane) -> "HeldSlot | None":
        """Take the slot if it is free or its holder is stopped; return None if it is in use.

        Raises:
            OSError: the file cannot be opened.
        """
        return self._try(lane) or (self._try(lane) if self._replace() else None)

    def is_held(self) -> bool:
        """Return whether the slot is in use."""
        return self._look(lambda _: True)

    def is_stale(self) -> bool:
        """Return whether the slot is in use, but without a heartbeat for the time to live."""
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
        """Return the result of `judge` on the file's descriptor; False if the slot is free.

        This shares the lock for a moment. A process that tries to take the slot meanwhile tries
        again later.
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
        """Return whether the record is old.

        A missing record, or one from the future, is not this holder's.
        """
        record = _read(descriptor)
        if record is None:
            return False
        return self._clock.monotonic_ms() - record.heartbeat_ms > self._ttl_ms

    def _replace(self) -> bool:
        """Delete the file of a stopped holder; return whether this process deleted it."""
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
    """A slot that this process has taken."""

    def __init__(self, descriptor: int, clock: Clock, lane: Lane) -> None:
        self._descriptor = descriptor
        self._clock = clock
        self._lane = lane
        self._since = rfc3339(clock.now())

    def beat(self) -> None:
        """Record a heartbeat; called between the batches of a long encoding."""
        record: dict[str, Json] = {
            "pid": os.getpid(),
            "since": self._since,
            "heartbeat_ms": round(self._clock.monotonic_ms()),
            "lane": self._lane.value,
        }
        data = stable_json.dumps(record).ljust(_RECORD_BYTES)
        with suppress(OSError):  # for example, the disk is full; the holder then counts as new
            os.pwrite(self._descriptor, data, 0)

    def release(self) -> None:
        """Release the slot, also for child processes that share the descriptor after a fork."""
        try:
            with suppress(OSError):  # the next holder overwrites the record
                os.ftruncate(self._descriptor, 0)
            with suppress(OSError):  # closing also releases the lock, unless a child shares it
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        finally:
            os.close(self._descriptor)


def _read(descriptor: int) -> SlotRecord | None:
    """Return the record of a slot file; None if it cannot be read or is invalid."""
    try:
        return decode(SlotRecord, stable_json.loads(os.pread(descriptor, _RECORD_BYTES, 0)))
    except (DecodeError, OSError, ValueError):
        return None

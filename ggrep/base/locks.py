"""Locks between processes: each lock is on a file, or on one byte of a file.

The kernel releases the locks of a dead process. A stopped process keeps its locks. Some holders
write heartbeats into the file (`HeldFile.beat`), so that other processes need not wait for a
stopped holder: they compare the heartbeat's age with a time to live (`heartbeat_age_ms`).
Heartbeats are not synced, as they are only useful while their writer lives.
"""

import errno
import fcntl
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import durable, linux
from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import Busy, StoreError

_RETRY_MS = 50.0
_HEARTBEAT = struct.Struct("<q")
"""Heartbeat: milliseconds of the machine's monotonic clock."""
_ERASED = -1


class Patience(Struct, frozen=True):
    """The deadline of repeated tries to take a lock, and the pauses between them.

    Attributes:
        wait: sleeps between tries, for the given number of seconds.
        message: error message at the deadline.
    """

    deadline: Deadline
    wait: Callable[[float], None]
    message: str = "another process is writing to this store"
    retry_ms: float = _RETRY_MS

    def pause(self, message: str | None = None) -> None:
        """Sleep until the next try; raise at the deadline."""
        left = self.deadline.remaining_ms()
        if left <= 0.0:
            raise Busy(message or self.message, retry_after_ms=1000)
        self.wait(min(self.retry_ms, left) / 1000.0)


class HeldFile(Struct, frozen=True):
    """A lock that this process holds, on a file or on one byte of a file.

    Attributes:
        descriptor: the open file; child processes that inherit it share the lock.
        clock: time source of heartbeats; None for a lock without heartbeats.
    """

    descriptor: int
    clock: Clock | None = None

    def beat(self) -> None:
        """Write a heartbeat; on a full disk, the lock counts as a lock without heartbeats."""
        if self.clock is not None:
            with suppress(OSError):
                os.pwrite(self.descriptor, _HEARTBEAT.pack(round(self.clock.monotonic_ms())), 0)

    def release(self) -> None:
        """Erase the heartbeat and release the lock; child processes also lose a whole file's lock.

        The file keeps its length: on a full disk, the next holder can only overwrite existing bytes
        with its heartbeat.
        """
        try:
            if self.clock is not None:
                with suppress(OSError):  # the next holder overwrites the heartbeat
                    os.pwrite(self.descriptor, _HEARTBEAT.pack(_ERASED), 0)
            with suppress(OSError):
                fcntl.flock(self.descriptor, fcntl.LOCK_UN)
        finally:
            os.close(self.descriptor)

    def is_at(self, file: Path) -> bool:
        """Return whether the path `file` still refers to the locked file."""
        try:
            return os.path.samestat(os.fstat(self.descriptor), file.stat())
        except FileNotFoundError:
            return False


def take(
    file: Path,
    kind: int = fcntl.LOCK_EX,
    *,
    clock: Clock | None = None,
    open_file: Callable[[Path], int] | None = None,
) -> HeldFile | None:
    """Lock a file now; return None if another process holds it or replaced the file meanwhile.

    Args:
        file: created if it is missing.
        kind: `LOCK_EX` or `LOCK_SH`.
        clock: time source of heartbeats. The first heartbeat is written before the check that
            `file` was not replaced: a process that read a dead holder's heartbeat may replace it.
        open_file: opens the file; None for `durable.open_lock`.

    Raises:
        OSError: the file cannot be opened.
    """
    lock = HeldFile((open_file or durable.open_lock)(file), clock)
    try:
        fcntl.flock(lock.descriptor, kind | fcntl.LOCK_NB)
        lock.beat()
        if lock.is_at(file):
            return lock
    except BlockingIOError:
        pass
    except BaseException:
        os.close(lock.descriptor)
        raise
    os.close(lock.descriptor)
    return None


def take_byte(file: Path, offset: int) -> HeldFile | None:
    """Lock one byte of a file now; return None if another process holds it."""
    descriptor = durable.open_lock(file)
    try:
        if linux.take_byte(descriptor, offset):
            return HeldFile(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def byte_is_held(file: Path, offset: int) -> bool:
    """Return whether a process has locked the byte at `offset`; False if the file is missing."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return linux.byte_is_taken(descriptor, offset)
    finally:
        os.close(descriptor)


def is_held(file: Path) -> bool:
    """Return whether a process holds the lock of a file; False if the file cannot be read.

    The probe shares the lock for a moment; a process that tries to take the lock at this moment
    must retry.
    """
    try:
        descriptor = read_only(file)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def heartbeat_age_ms(file: Path, clock: Clock) -> float | None:
    """Return the age of the last heartbeat in a file; None without a heartbeat.

    A negative age means that the heartbeat was written before the machine restarted.
    """
    try:
        with durable.opened(file, os.O_RDONLY) as descriptor:
            data = os.pread(descriptor, _HEARTBEAT.size, 0)
    except OSError:
        return None
    if len(data) < _HEARTBEAT.size:
        return None
    (beat_ms,) = _HEARTBEAT.unpack(data)
    return None if beat_ms == _ERASED else clock.monotonic_ms() - float(beat_ms)


def wait_for(file: Path, attempt: Callable[[], HeldFile | None], patience: Patience) -> HeldFile:
    """Repeat `attempt` until it takes the lock of a file; return the lock.

    Raises:
        Busy: another process held it until the deadline.
        StoreError: the file cannot be locked.
    """
    try:
        while (lock := attempt()) is None:
            patience.pause()
    except OSError as error:
        failed = Path(error.filename or file)
        where = "" if failed == file else f" ({failed.name})"
        raise StoreError(f"{file.name} cannot be locked: {error.strerror}{where}") from error
    return lock


@contextmanager
def alone(file: Path, patience: Patience) -> Iterator[None]:
    """Hold an exclusive lock on a file in the block."""

    def attempt() -> HeldFile | None:
        durable.make_directory(file.parent, lasting=True)
        return take(file)

    lock = wait_for(file, attempt, patience)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def shared(file: Path, patience: Patience) -> Iterator[None]:
    """Hold a shared lock on a file in the block.

    Nothing is locked if the file is missing and cannot be created.
    """
    try:
        lock = wait_for(file, lambda: take(file, fcntl.LOCK_SH, open_file=_to_share), patience)
    except _NothingToLock:
        yield
        return
    try:
        yield
    finally:
        lock.release()


class _NothingToLock(Exception):
    """The lock file is missing, and this process may not create it."""


def _to_share(file: Path) -> int:
    """Open a lock file; read-only if it cannot be written.

    A store that this process may not write can have a writer, for example in another container.
    """
    try:
        durable.make_directory(file.parent)
        return durable.open_lock(file)
    except OSError as error:
        if error.errno not in {errno.EROFS, errno.EACCES, errno.EPERM}:
            raise
    try:
        return read_only(file)
    except (FileNotFoundError, PermissionError) as error:
        raise _NothingToLock from error


def read_only(file: Path) -> int:
    """Open a file or directory read-only, to lock it."""
    return os.open(file, os.O_RDONLY | os.O_CLOEXEC)


@contextmanager
def in_line(file: Path, patience: Patience, clock: Clock, *, ttl_ms: int) -> Iterator[Patience]:
    """Wait to be next in a queue of writers; yield the `Patience` for taking the lock.

    A process that is next but writes no heartbeat for `ttl_ms` is skipped.
    """
    while (lock := take(file, clock=clock)) is None:
        age_ms = heartbeat_age_ms(file, clock)
        if age_ms is not None and not -1.0 <= age_ms <= ttl_ms:
            yield patience  # without heartbeats, which would count as those of the silent process
            return
        patience.pause()

    def wait(seconds: float) -> None:
        lock.beat()
        patience.wait(seconds)

    try:
        yield replace(patience, wait=wait)
    finally:
        lock.release()

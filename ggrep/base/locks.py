"""Kernel file locks, and the first-come queue of waiting writers."""

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


class Patience(Struct, frozen=True):
    """The deadline and the pauses of tries for a lock.

    Attributes:
        wait: sleeps that many seconds between tries.
        message: message of the error at the deadline.
    """

    deadline: Deadline
    wait: Callable[[float], None]
    message: str = "another process is writing to this store"
    retry_ms: float = _RETRY_MS

    def pause(self, message: str | None = None) -> None:
        """Sleep until the next try."""
        left = self.deadline.remaining_ms()
        if left <= 0.0:
            raise Busy(message or self.message, retry_after_ms=1000)
        self.wait(min(self.retry_ms, left) / 1000.0)


@contextmanager
def alone(file: Path, patience: Patience) -> Iterator[None]:
    """Hold a lock file exclusively for the length of the block."""
    try:
        durable.make_directory(file.parent, lasting=True)
        descriptor = _lock(file, fcntl.LOCK_EX, patience)
    except OSError as error:
        raise _not_lockable(file, error) from error
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def shared(file: Path, patience: Patience) -> Iterator[None]:
    """Share the lock of a file for the length of the block."""
    try:
        descriptor = _lock_shared(file, patience)
    except OSError as error:
        raise _not_lockable(file, error) from error
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


@contextmanager
def byte(file: Path, offset: int) -> Iterator[bool]:
    """Lock one byte of a file for the length of the block; yield False if it is locked already."""
    descriptor = durable.open_lock(file)
    try:
        yield linux.take_byte(descriptor, offset)
    finally:
        os.close(descriptor)


def byte_is_held(file: Path, offset: int) -> bool:
    """Return whether that byte is locked now; False if the file is missing."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return linux.byte_is_taken(descriptor, offset)
    finally:
        os.close(descriptor)


def _lock_shared(file: Path, patience: Patience) -> int | None:
    """Return a descriptor that shares the lock; None if there is no file to lock.

    A store that we may not write may still have a writer, for example in another container.
    """
    try:
        durable.make_directory(file.parent)
        return _lock(file, fcntl.LOCK_SH, patience)
    except OSError as error:
        if error.errno not in {errno.EROFS, errno.EACCES, errno.EPERM}:
            raise
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        return None
    try:
        _wait_for(descriptor, fcntl.LOCK_SH, patience)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _lock(file: Path, how: int, patience: Patience) -> int:
    """Return a descriptor that holds the lock of `file`.

    A file that was removed or replaced during the wait protects nothing: then we start over.
    """
    while True:
        descriptor = durable.open_lock(file)
        try:
            _wait_for(descriptor, how, patience)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), file.stat()):
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _wait_for(descriptor: int, how: int, patience: Patience) -> None:
    while True:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            patience.pause()
        else:
            return


def _not_lockable(file: Path, error: OSError) -> StoreError:
    failed = Path(error.filename or file)
    where = "" if failed == file else f" ({failed.name})"
    return StoreError(f"{file.name} cannot be locked: {error.strerror}{where}")


_AWAKE = struct.Struct("<q")
"""Last heartbeat of the next writer, in milliseconds of the machine's monotonic clock."""


@contextmanager
def in_line(file: Path, patience: Patience, clock: Clock, *, ttl_ms: int) -> Iterator[Patience]:
    """Wait until we are next; yield the patience for the further wait."""
    descriptor = durable.open_lock(file)
    try:
        while not (next_in_line := _take(descriptor)) and not _sleeps(descriptor, clock, ttl_ms):
            patience.pause()
        if not next_in_line:
            yield patience  # without a heartbeat, which would count as the silent writer's
            return

        def wait(seconds: float) -> None:
            _note_awake(descriptor, clock)
            patience.wait(seconds)

        _note_awake(descriptor, clock)
        yield replace(patience, wait=wait)
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sleeps(descriptor: int, clock: Clock, ttl_ms: int) -> bool:
    """Return whether the next writer is silent; a heartbeat in the future does not count."""
    data = os.pread(descriptor, _AWAKE.size, 0)
    if len(data) < _AWAKE.size:
        return False  # it came just now
    (awake_ms,) = _AWAKE.unpack(data)
    age_ms = clock.monotonic_ms() - float(awake_ms)
    return age_ms > ttl_ms or age_ms < -1.0


def _note_awake(descriptor: int, clock: Clock) -> None:
    try:
        os.pwrite(descriptor, _AWAKE.pack(round(clock.monotonic_ms())), 0)
    except OSError:
        return  # for example a full disk: another writer passes us early, which is only unfair

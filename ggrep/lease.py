"""The writer lease: one process at a time may publish, and its epoch fences off the others.

The guard is a kernel file lock, so it is released the moment its holder dies. The record beside
it survives release and keeps the epoch, which only ever grows: a manifest carries the epoch it
was written under, and a writer that lost the lease finds another epoch just before the swap.

Guard and record lie outside the store's directory. A guard that went with its store could be
held by one writer while the next locks a new file of the same name.
"""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ggrep import durable, stable_json
from ggrep.clock import Clock, rfc3339
from ggrep.domain.deadline import Deadline
from ggrep.errors import Busy, CorruptStore, LeaseLost, StoreError

LEASE_SCHEMA = 1
_RETRY_MS = 50.0


@dataclass(frozen=True, slots=True)
class Lease:
    """A held lease.

    Attributes:
        owner_id: unique to this acquisition.
        epoch: larger than every epoch granted before in this store.
    """

    file: Path
    owner_id: str
    epoch: int

    def check(self) -> None:
        """Do nothing while the lease is still ours.

        Raises:
            LeaseLost: the record names another owner or epoch.
        """
        record = _read(self.file)
        if (record.get("owner_id"), record.get("lease_epoch")) != (self.owner_id, self.epoch):
            raise LeaseLost(f"writer lease of epoch {self.epoch} was taken over")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try for a lock.

    Attributes:
        wait: sleeps that many seconds between tries.
        message: what is said when the deadline passed.
    """

    deadline: Deadline
    wait: Callable[[float], None]
    message: str = "another writer holds this store"
    retry_ms: float = _RETRY_MS


@contextmanager
def acquire(
    file: Path,
    guard: Path,
    *,
    owner_id: str,
    clock: Clock,
    patience: Patience,
    last_epoch: Callable[[], int] = lambda: 0,
) -> Iterator[Lease]:
    """Hold the lease for the length of the block.

    Writers queue: who waits for the guard holds a turnstile meanwhile, so that one who lets go
    and comes back at once has to wait its turn.

    Args:
        file: the lease record.
        guard: the file whose lock is held meanwhile; the turnstile lies beside it.
        owner_id: unique to this acquisition.
        clock: dates the record.
        patience: how long to queue behind another writer.
        last_epoch: asked for the largest epoch in use when there is no record.

    Raises:
        Busy: another writer held the store until the deadline.
    """
    durable.make_directory(file.parent, lasting=True)
    turnstile = _lock(guard.with_suffix(".queue"), fcntl.LOCK_EX, patience)
    try:
        descriptor = _lock(guard, fcntl.LOCK_EX, patience)
    finally:
        os.close(turnstile)
    try:
        durable.sweep_leftovers(file)
        record = _read(file)
        epoch = (_epoch(record) if record else last_epoch()) + 1
        _write(file, owner_id, epoch, clock, released=False)
        lease = Lease(file, owner_id, epoch)
        try:
            yield lease
        finally:
            _release(lease, clock)
    finally:
        os.close(descriptor)


@contextmanager
def alone(file: Path, patience: Patience) -> Iterator[None]:
    """Hold a lock file for ourselves for the length of the block.

    Raises:
        Busy: another process held it until the deadline.
    """
    durable.make_directory(file.parent, lasting=True)
    descriptor = _lock(file, fcntl.LOCK_EX, patience)
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def shared(file: Path, patience: Patience) -> Iterator[None]:
    """Hold a lock file together with others who share it, for the length of the block.

    Raises:
        Busy: a process held it alone until the deadline.
    """
    descriptor: int | None = None
    try:
        durable.make_directory(file.parent)
        descriptor = _lock(file, fcntl.LOCK_SH, patience)
    except OSError as error:
        # Where we may not write, nobody like us takes a store away either.
        if error.errno not in {errno.EROFS, errno.EACCES, errno.EPERM}:
            raise StoreError(f"{file.name} cannot be locked: {error.strerror}") from error
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def is_held(guard: Path) -> bool:
    """Return whether somebody holds a guard right now; False when nobody ever did."""
    try:
        descriptor = os.open(guard, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _lock(file: Path, how: int, patience: Patience) -> int:
    """Return a descriptor that holds the lock of `file`.

    A file that was removed or replaced while we waited guards nothing: then we start over.
    """
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _wait_for(descriptor, how, patience)
            current = _is_file(descriptor, file)
        except BaseException:
            os.close(descriptor)
            raise
        if current:
            return descriptor
        os.close(descriptor)


def _wait_for(descriptor: int, how: int, patience: Patience) -> None:
    while True:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError as error:
            left = patience.deadline.remaining_ms()
            if left <= 0.0:
                raise Busy(patience.message, retry_after_ms=1000) from error
            patience.wait(min(patience.retry_ms, left) / 1000.0)
        else:
            return


def _is_file(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except FileNotFoundError:
        return False


def _release(lease: Lease, clock: Clock) -> None:
    try:
        lease.check()
    except LeaseLost:
        return  # whoever took it over owns the record now
    _write(lease.file, lease.owner_id, lease.epoch, clock, released=True)


def _read(file: Path) -> dict[str, object]:
    try:
        record = stable_json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise CorruptStore(f"{file.name} is not JSON") from error
    if not isinstance(record, dict) or not isinstance(record.get("lease_epoch"), int):
        raise CorruptStore(f"{file.name} holds no lease_epoch")
    return record


def _epoch(record: dict[str, object]) -> int:
    epoch = record.get("lease_epoch")
    return epoch if isinstance(epoch, int) else 0


def _write(file: Path, owner_id: str, epoch: int, clock: Clock, *, released: bool) -> None:
    record: dict[str, stable_json.Json] = {
        "schema_version": LEASE_SCHEMA,
        "owner_id": owner_id,
        "pid": os.getpid(),
        "lease_epoch": epoch,
        "last_heartbeat_at": rfc3339(clock.now()),
        "released": released,
    }
    durable.replace_file(file, stable_json.dumps(record) + b"\n")

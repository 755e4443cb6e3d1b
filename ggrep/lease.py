"""The writer lease: one process at a time may publish, and its epoch fences off the others.

The guard is a kernel file lock, so it is released the moment its holder dies. The record beside
it survives release and keeps the epoch, which only ever grows: a manifest carries the epoch it
was written under, and a writer that lost the lease finds another epoch just before the swap.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ggrep import durable, stable_json
from ggrep.clock import Clock, rfc3339
from ggrep.domain.deadline import Deadline
from ggrep.errors import Busy, CorruptStore, LeaseLost

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


@contextmanager
def acquire(
    file: Path,
    guard: Path,
    *,
    owner_id: str,
    clock: Clock,
    deadline: Deadline,
    wait: Callable[[float], None],
) -> Iterator[Lease]:
    """Hold the lease for the length of the block.

    Args:
        file: the lease record.
        guard: the file whose lock is held meanwhile.
        owner_id: unique to this acquisition.
        clock: dates the record.
        deadline: how long to queue behind another writer.
        wait: sleeps that many seconds between tries.

    Raises:
        Busy: another writer held the store until the deadline.
    """
    durable.make_directory(file.parent)
    descriptor = os.open(guard, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(descriptor, deadline, wait)
        epoch = _epoch(_read(file)) + 1
        _write(file, owner_id, epoch, clock, released=False)
        lease = Lease(file, owner_id, epoch)
        try:
            yield lease
        finally:
            _release(lease, clock)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, deadline: Deadline, wait: Callable[[float], None]) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if deadline.remaining_ms() <= 0.0:
                raise Busy("another writer holds this store", retry_after_ms=1000) from error
            wait(min(_RETRY_MS, deadline.remaining_ms()) / 1000.0)
        else:
            return


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

"""The writer lease of a store, which permits only one process at a time to publish snapshots.

Each holder of the lease has a number, its epoch, that is larger than all earlier epochs; each
manifest contains the epoch of its writer. The record of the lease is kept after its release, so
that the last epoch is known. A process that changes the record locks the guard, a kernel lock, from
reading to writing. For its lifetime, the holder of the lease also locks one byte of a file, at the
offset of its epoch; and it rewrites the record three times in the record's time to live. A lease
ends in three ways:

1. its holder releases the lease; 2. its holder dies: the kernel unlocks the byte, or the machine
was restarted; 3. its holder is stopped and writes no heartbeat for the time to live. If the holder
continues later, it finds another epoch in the record, which each holder checks under the guard just
before it publishes.

Ages are measured by the machine's monotonic clock, which all processes share. A change of the wall
clock neither ends nor extends a lease.

All files of the lease are outside the store's directory. A guard inside would be deleted with the
store: a writer could hold the deleted file while the next writer locks a new file of the same name.
"""

import errno
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base import durable, linux, locks, stable_json
from ggrep.base.checksummed import Damaged, require_sound, seal
from ggrep.base.clock import Clock, Deadline, rfc3339
from ggrep.base.durable import reach
from ggrep.base.errors import Busy, Incompatible, LeaseLost, StoreError
from ggrep.base.formats import LEASE
from ggrep.base.locks import Patience, in_line
from ggrep.base.stable_json import DecodeError, decode

_RECORD_BYTES = 1024
"""Length of all records, so that a record can overwrite another on a full disk."""

_GUARD_MS = 30_000
"""Timeout of the guard, which is held only for a few writes."""
_SEALED_SINCE = 2


class LeaseFiles(Struct, frozen=True):
    """The files of one store's lease.

    Attributes:
        record: JSON file that describes the holder.
        guard: locked while the record is read, changed and written.
        writer_queue: locked by the writer that gets the lease next.
        alive: the byte at offset `epoch` is locked while the holder of that epoch lives.
    """

    record: Path
    guard: Path
    writer_queue: Path
    alive: Path


class LeaseRecord(Struct, frozen=True):
    """The current or last holder of the lease.

    Attributes:
        boot_id: id of the machine's boot at the time of writing.
        staging_txn_id: transaction that the holder is staging; None if there is none.
    """

    owner_id: str
    pid: int
    lease_epoch: int
    last_heartbeat_at: str
    hostname: str = ""
    boot_id: str = ""
    started_at: str = ""
    heartbeat_ms: int = 0
    lease_ttl_ms: int = 0
    staging_txn_id: str | None = None
    released: bool = False


class Lease:
    """A lease that this process holds.

    Attributes:
        epoch: number larger than every earlier epoch of this store.
    """

    def __init__(
        self,
        files: LeaseFiles,
        owner_id: str,
        epoch: int,
        clock: Clock,
        wait: Callable[[float], None],
    ) -> None:
        self.owner_id = owner_id
        self.epoch = epoch
        self._files = files
        self._clock = clock
        self._wait = wait

    def check(self) -> None:
        """Raise unless this process still holds the lease.

        Raises:
            LeaseLost: the record names another owner or epoch.
        """
        self._own_record()

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """Hold the guard in the block, so that no writer can take over the lease.

        Raises:
            LeaseLost: another writer has taken over the lease.
            Busy: another process holds the guard for too long.
        """
        deadline = Deadline.after(self._clock, _GUARD_MS)
        patience = Patience(deadline, self._wait, "the lease is guarded")
        with locks.alone(self._files.guard, patience):
            self._own_record()
            yield

    def beat(self) -> None:
        """Write a heartbeat."""
        self._rewrite(lambda record: record)
        reach("lease.after_heartbeat")

    def note_staging(self, transaction: str | None) -> None:
        """Record the transaction that is being staged; None when it has ended."""
        self._rewrite(lambda record: replace(record, staging_txn_id=transaction))

    def release(self) -> None:
        """Release the lease; its epoch stays in the record.

        After a takeover the record belongs to the process that took over the lease. If the record
        cannot be written, the released kernel lock has the same effect.
        """
        reach("lease.before_release")
        with suppress(LeaseLost, Busy, StoreError, OSError):
            self._rewrite(lambda record: replace(record, staging_txn_id=None, released=True))

    def blame(self, error: Exception) -> None:
        """Raise LeaseLost from `error` if the lease was taken over; do nothing otherwise.

        The new holder removes staged files and may delete files that no snapshot contains.
        """
        try:
            self.check()
        except LeaseLost as lost:
            raise lost from error
        except OSError:
            return  # the record cannot be read now: `error` is more useful

    def _rewrite(self, change: Callable[[LeaseRecord], LeaseRecord]) -> None:
        """Write the changed record with a heartbeat; do nothing if the lease was released.

        The record is read under the guard: a delayed heartbeat must not undo a release.
        """
        with self.fenced():
            record = self._own_record()
            if record.released:
                return
            beat = replace(
                record,
                last_heartbeat_at=rfc3339(self._clock.now()),
                heartbeat_ms=round(self._clock.monotonic_ms()),
            )
            _write(self._files.record, change(beat), lasting=False)

    def _own_record(self) -> LeaseRecord:
        try:
            record = read_record(self._files.record)
        except Incompatible as error:
            # A newer build wrote the record, so another writer has taken over the lease.
            raise LeaseLost(
                f"another writer took over the writer lease of epoch {self.epoch}"
            ) from error
        if record is None or (record.owner_id, record.lease_epoch) != (self.owner_id, self.epoch):
            raise LeaseLost(f"another writer took over the writer lease of epoch {self.epoch}")
        return record


@contextmanager
def acquire(
    files: LeaseFiles,
    *,
    owner_id: str,
    clock: Clock,
    patience: Patience,
    ttl_ms: int,
    last_epoch: Callable[[], int] = lambda: 0,
) -> Iterator[Lease]:
    """Wait for the lease, and hold it in the block.

    A writer that waits for the lease locks the writer queue, so that a writer that releases the
    lease and requests it again waits for its turn.

    Args:
        files: paths of the lease.
        owner_id: unique to this acquisition.
        clock: time source of the record.
        patience: maximum wait for another writer.
        ttl_ms: time without a heartbeat after which another writer may take over.
        last_epoch: returns the largest epoch in use; called if there is no readable record.

    Raises:
        Busy: another writer held the store until the deadline.
        Incompatible: a newer build wrote the record.
        StoreError: the lease's files cannot be written.
    """
    with ExitStack() as stack:
        try:
            durable.make_directory(files.record.parent, lasting=True)
            with in_line(files.writer_queue, patience, clock, ttl_ms=ttl_ms) as patient:
                applicant = _Applicant(files, owner_id, clock, patient, patience.wait, ttl_ms)
                lease = applicant.wait_for_grant(last_epoch, stack)
        except OSError as error:
            raise StoreError(f"{files.record.name}: {error.strerror}") from error
        with _beating(lease, ttl_ms / 3):
            try:
                yield lease
            except LeaseLost:
                raise
            except Exception as error:
                lease.blame(error)
                raise
            finally:
                lease.release()


def read_record(file: Path) -> LeaseRecord | None:
    """Return the current or last holder of the lease; None without a readable record.

    Raises:
        Incompatible: a newer build wrote the record.
        OSError: the record cannot be read now.
    """
    try:
        values = stable_json.loads(file.read_bytes())
    except (FileNotFoundError, IsADirectoryError, ValueError):
        return None
    try:
        require_sound(values, LEASE, since=_SEALED_SINCE)
        return decode(LeaseRecord, values)
    except (Damaged, DecodeError):
        return None


def is_live(files: LeaseFiles) -> bool:
    """Return whether a running process holds the lease now, even if it writes no heartbeats."""
    record = read_record(files.record)
    return record is not None and not record.released and _lives(record, files)


def is_orphaned(files: LeaseFiles) -> bool:
    """Return whether the last writer died while it held the lease."""
    record = read_record(files.record)
    return record is not None and not record.released and not _lives(record, files)


class _Applicant(Struct, frozen=True):
    """A writer that waits for the lease.

    Attributes:
        patience: deadline and pauses; each pause writes a heartbeat to the writer queue.
        wait: sleeps without a heartbeat.
    """

    files: LeaseFiles
    owner_id: str
    clock: Clock
    patience: Patience
    wait: Callable[[float], None]
    ttl_ms: int

    def wait_for_grant(self, last_epoch: Callable[[], int], stack: ExitStack) -> Lease:
        """Wait for the lease and return it; `stack` keeps the lease's byte locked."""
        while True:
            with locks.alone(self.files.guard, self.patience):
                durable.sweep_leftovers(self.files.record)
                record = self.files.record
                if record.is_dir():  # a directory prevents writing the record
                    record.rename(record.with_name(f"{record.name}.{os.urandom(4).hex()}"))
                before = read_record(self.files.record)
                if before is None or not self._stands(before):
                    epoch = (before.lease_epoch if before else last_epoch()) + 1
                    taken_over = bool(before and not before.released)
                    return self._grant(epoch, stack, taken_over=taken_over)
            self.patience.pause(f"another process ({before.pid}) is writing to this store")

    def _grant(self, epoch: int, stack: ExitStack, *, taken_over: bool) -> Lease:
        # Without a record the epoch is a guess: a stopped writer may still have it.
        while (lock := locks.take_byte(self.files.alive, epoch)) is None:
            epoch += 1
        stack.callback(lock.release)
        if taken_over:
            reach("lease.during_takeover")
        reach("lease.before_record")
        now = rfc3339(self.clock.now())
        record = LeaseRecord(
            owner_id=self.owner_id,
            pid=os.getpid(),
            hostname=socket.gethostname(),
            boot_id=linux.boot_id(),
            started_at=now,
            last_heartbeat_at=now,
            heartbeat_ms=round(self.clock.monotonic_ms()),
            lease_epoch=epoch,
            lease_ttl_ms=self.ttl_ms,
        )
        _write(self.files.record, record, lasting=True)
        reach("lease.after_record")
        return Lease(self.files, self.owner_id, epoch, self.clock, self.wait)

    def _stands(self, record: LeaseRecord) -> bool:
        """Return whether the recorded holder still has the lease."""
        if record.released or not _lives(record, self.files):
            return False
        return self.clock.monotonic_ms() - record.heartbeat_ms <= record.lease_ttl_ms


def _lives(record: LeaseRecord, files: LeaseFiles) -> bool:
    """Return whether the recorded process still runs.

    A record from before the machine's last restart has no running process.
    """
    if record.boot_id != linux.boot_id():
        return False
    return locks.byte_is_held(files.alive, record.lease_epoch)


@contextmanager
def _beating(lease: Lease, every_ms: float) -> Iterator[None]:
    """Write heartbeats in a separate thread during the block."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(every_ms / 1000.0):
            try:
                lease.beat()
            except LeaseLost:
                return  # the writer notices this itself before it publishes
            except (Busy, StoreError, OSError):
                continue  # for example a full disk: the next heartbeat may succeed

    thread = threading.Thread(target=beat, name="lease-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _write(file: Path, record: LeaseRecord, *, lasting: bool) -> None:
    """Write a record; only the first record of an epoch must be durable.

    After a power cut the file has the holder's first or a later record, or is damaged. The next
    epoch follows the record's epoch; if the record is damaged, the epochs of the snapshots.
    """
    values = seal(asdict(record) | {LEASE.field: LEASE.writes})
    data = stable_json.dumps(values).ljust(_RECORD_BYTES - 1) + b"\n"
    try:
        durable.replace_file(file, data, lasting=lasting)
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT} or not file.exists():
            raise
        # Clearing a full disk requires the lease. After a power cut at this point the record is
        # damaged, and the next epoch follows the epochs of the snapshots.
        durable.overwrite_file(file, data)

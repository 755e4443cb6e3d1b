"""The writer lease: one process at a time may publish, and its epoch fences off the others.

The lease is a record that outlives its release, so that epochs only ever grow: a manifest carries
the epoch it was written under. Whoever reads, changes and writes the record holds the guard, a
kernel lock, meanwhile. The holder also locks one byte of a file, the one of its epoch's number,
for as long as it lives; and it rewrites the record every third of the record's time to live. So
three things end a lease:

1. its holder releases it;
2. its holder dies: the kernel lets the byte go, or the machine started anew;
3. its holder is stopped and nothing was heard of it for the time to live. Should it go on later,
   it finds another epoch in the record; it looks under the guard, directly before it swaps.

Ages are taken from the machine's monotonic clock, which all processes share and nobody sets: a
clock that jumps ends no lease and keeps none alive.

All files lie outside the store's directory. A guard that went with its store could be held by one
writer while the next locks a new file of the same name.
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
"""All records are as long, so that one can be written over another on a full disk."""

_GUARD_MS = 30_000
"""Timeout of the guard, which is held only for a few writes."""
_SEALED_SINCE = 2


class LeaseFiles(Struct, frozen=True):
    """The files of one store's lease.

    Attributes:
        record: the holder, as JSON.
        guard: locked while the record is read, changed and written.
        writer_queue: locked by the writer that is next.
        alive: its byte number `epoch` is locked while that epoch's holder lives.
    """

    record: Path
    guard: Path
    writer_queue: Path
    alive: Path


class LeaseRecord(Struct, frozen=True):
    """The current or last holder of the lease.

    Attributes:
        boot_id: of the machine's start under which it was written.
        staging_txn_id: what the holder is putting together.
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
    """A held lease.

    Attributes:
        epoch: larger than every epoch granted before in this store.
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
        """Do nothing while the lease is still ours.

        Raises:
            LeaseLost: the record names another owner or epoch.
        """
        self._own_record()

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """Hold the guard for the length of the block; the lease cannot be taken over meanwhile.

        Raises:
            LeaseLost: it was taken over before.
            Busy: another process holds the guard and does not let go.
        """
        deadline = Deadline.after(self._clock, _GUARD_MS)
        patience = Patience(deadline, self._wait, "the lease is guarded")
        with locks.alone(self._files.guard, patience):
            self._own_record()
            yield

    def beat(self) -> None:
        """Say that the holder is still at work."""
        self._rewrite(lambda record: record)
        reach("lease.after_heartbeat")

    def note_staging(self, transaction: str | None) -> None:
        """Write down what is being put together; None when nothing is any more."""
        self._rewrite(lambda record: replace(record, staging_txn_id=transaction))

    def release(self) -> None:
        """Let the next writer in; the epoch stays on record.

        A process that took the lease over owns the record. If the record cannot be written, the
        released kernel lock says the same.
        """
        reach("lease.before_release")
        with suppress(LeaseLost, Busy, StoreError, OSError):
            self._rewrite(lambda record: replace(record, staging_txn_id=None, released=True))

    def blame(self, error: Exception) -> None:
        """Raise LeaseLost from `error` if the lease was taken over; do nothing otherwise.

        The new holder removes staged files and may collect unnamed ones.
        """
        try:
            self.check()
        except LeaseLost as lost:
            raise lost from error
        except OSError:
            return  # who holds it cannot be read now: the error at hand tells more

    def _rewrite(self, change: Callable[[LeaseRecord], LeaseRecord]) -> None:
        """Write the record changed and with a heartbeat; a released one stays as it is.

        It is read under the guard: a beat that queued behind the release must not undo it.
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
            _write(self._files.record, change(beat))

    def _own_record(self) -> LeaseRecord:
        try:
            record = read_record(self._files.record)
        except Incompatible as error:
            # Only a writer that took over writes the record, so one of another build did.
            raise LeaseLost(f"writer lease of epoch {self.epoch} was taken over") from error
        if record is None or (record.owner_id, record.lease_epoch) != (self.owner_id, self.epoch):
            raise LeaseLost(f"writer lease of epoch {self.epoch} was taken over")
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
    """Hold the lease for the length of the block.

    Writers queue: who waits for the lease holds the writer queue meanwhile, so that one who lets go
    and comes back at once has to wait its turn.

    Args:
        files: where it lies.
        owner_id: unique to this acquisition.
        clock: dates the record.
        patience: how long to queue behind another writer.
        ttl_ms: after this long without a word others may take over.
        last_epoch: asked for the largest epoch in use when there is no readable record.

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
    """Return who holds or held the lease; None when there is no readable record.

    Raises:
        Incompatible: a newer build wrote it.
        OSError: it cannot be read now.
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
    """Return whether a writer that lives holds the lease right now, however silent it is."""
    record = read_record(files.record)
    return record is not None and not record.released and _lives(record, files)


def is_orphaned(files: LeaseFiles) -> bool:
    """Return whether the last writer died at work, and none has come after it."""
    record = read_record(files.record)
    return record is not None and not record.released and not _lives(record, files)


class _Applicant(Struct, frozen=True):
    """A writer that waits for the lease.

    Attributes:
        patience: of one that stands in line, which it says at each try.
        wait: sleeps, and says nothing.
    """

    files: LeaseFiles
    owner_id: str
    clock: Clock
    patience: Patience
    wait: Callable[[float], None]
    ttl_ms: int

    def wait_for_grant(self, last_epoch: Callable[[], int], stack: ExitStack) -> Lease:
        """Wait for the lease and return it; `stack` then keeps its byte locked."""
        while True:
            with locks.alone(self.files.guard, self.patience):
                durable.sweep_leftovers(self.files.record)
                record = self.files.record
                if record.is_dir():  # it could not be written
                    record.rename(record.with_name(f"{record.name}.{os.urandom(4).hex()}"))
                before = read_record(self.files.record)
                if before is None or not self._stands(before):
                    epoch = (before.lease_epoch if before else last_epoch()) + 1
                    taken_over = bool(before and not before.released)
                    return self._grant(epoch, stack, taken_over=taken_over)
            self.patience.pause(f"another writer (process {before.pid}) holds this store")

    def _grant(self, epoch: int, stack: ExitStack, *, taken_over: bool) -> Lease:
        # Without a record the epoch is a guess: one that a stopped writer still holds is not ours.
        while not stack.enter_context(locks.byte(self.files.alive, epoch)):
            epoch += 1
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
        _write(self.files.record, record)
        reach("lease.after_record")
        return Lease(self.files, self.owner_id, epoch, self.clock, self.wait)

    def _stands(self, record: LeaseRecord) -> bool:
        """Return whether the holder on record still keeps others out."""
        if record.released or not _lives(record, self.files):
            return False
        return self.clock.monotonic_ms() - record.heartbeat_ms <= record.lease_ttl_ms


def _lives(record: LeaseRecord, files: LeaseFiles) -> bool:
    """Return whether the process on record still runs.

    A machine that started anew runs none of the processes it ran before.
    """
    if record.boot_id != linux.boot_id():
        return False
    return locks.byte_is_held(files.alive, record.lease_epoch)


@contextmanager
def _beating(lease: Lease, every_ms: float) -> Iterator[None]:
    """Rewrite the record from a thread of its own while the block runs."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(every_ms / 1000.0):
            try:
                lease.beat()
            except LeaseLost:
                return  # the writer finds out itself, before it swaps
            except (Busy, StoreError, OSError):
                continue  # the disk is full, say: the next beat may go better

    thread = threading.Thread(target=beat, name="lease-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _write(file: Path, record: LeaseRecord) -> None:
    values = seal(asdict(record) | {LEASE.field: LEASE.writes})
    data = stable_json.dumps(values).ljust(_RECORD_BYTES - 1) + b"\n"
    try:
        durable.replace_file(file, data)
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT} or not file.exists():
            raise
        # A full disk has to be cleared, and that takes the lease. Should the power go right now
        # the record is damaged, and the next epoch follows those of the snapshots.
        durable.overwrite_file(file, data)

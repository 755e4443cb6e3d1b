"""Limits how many threads of all processes of a home encode at once.

A slot is a file; a process holds the file's lock while it encodes one batch. Batches and queries
have separate lanes, so that neither waits for the other without end: one slot is for batches only,
one slot is for queries only, and both lanes use all other slots. These two slots also exist with a
limit of 1: a query can be encoded at the same time as a batch.

Within a lane, a holder that released a slot does not overtake waiting threads and processes: the
threads of a process wait for a lock of the lane, and the thread that has it waits in the queue of
all processes.

A stopped holder keeps its lock. A holder's heartbeat is the time at which it took the slot. If the
heartbeat is older than any batch takes (`ttl_ms`), another process replaces the file of the slot.
If processes A and B notice the same stopped holder, two races are possible:

1. A replaces the file, then B replaces the file that A has just created, and both hold the slot.
   Therefore a process locks `replace.lock` and reads the heartbeat again before it replaces a
   file. If A has taken the slot, B then reads a new heartbeat or no heartbeat.
2. A locks the file of a holder that has just ended, while B reads this holder's last heartbeat and
   removes the file. Therefore A writes a heartbeat, and then checks that the file still has its
   name (`locks.take`). If B removes the file after that check, the limit is exceeded by one
   encoding.
"""

import os
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ggrep.base import durable
from ggrep.base.clock import Clock, Deadline
from ggrep.base.fair_queue import Lane
from ggrep.base.locks import HeldFile, Patience, heartbeat_age_ms, in_line, is_held, take

if TYPE_CHECKING:  # a daemon counts the slots without loading an encoder
    from ggrep.index.embedding.encoder import Encoder, Vectors
    from ggrep.index.embedding.identity import EncoderIdentity

_QUERY_SLOT: Final = "query.lock"
_GUARD: Final = "replace.lock"
_FIRST_WAIT_MS: Final = 1.0
_LONGEST_WAIT_MS: Final = 50.0
_LINE_TTL_MS: Final = 2000
"""A process at the head of the queue without a heartbeat for so long loses its place."""
_STAGE: Final = "waiting for an encoding slot"


class SlotStatistics(Struct, frozen=True):
    """The state of the slots of a home.

    Attributes:
        max_concurrent: the number of slots; 0 without a limit.
        in_use: slots that are in use.
        stale: slots in use whose holder has stopped writing heartbeats.
    """

    max_concurrent: int
    in_use: int
    stale: int


class EncodeSlots:
    """The slots in a directory; processes with the same `directory` and `slots` share them."""

    def __init__(
        self,
        directory: Path,
        slots: int,
        clock: Clock,
        *,
        ttl_ms: int = 120_000,
        wait: Callable[[float], None],
    ) -> None:
        """Set up the slots; no file is created yet.

        Args:
            directory: the directory of the slot files.
            slots: maximum number of simultaneous encodings; 1 allows one query and one batch, 0
                means no limit.
            clock: time source of the heartbeats.
            ttl_ms: time without a heartbeat after which a holder loses its slot.
            wait: sleeps for a number of seconds.
        """
        self._bulk = [directory / f"slot-{number}.lock" for number in range(max(1, slots - 1))]
        self._query = directory / _QUERY_SLOT
        self._directory = directory
        self._limited = slots > 0
        self._clock = clock
        self._ttl_ms = ttl_ms
        self._wait = wait
        self._gates = {lane: threading.Lock() for lane in Lane}

    @contextmanager
    def hold(self, deadline: Deadline, *, lane: Lane = Lane.INTERACTIVE) -> Iterator[None]:
        """Hold a slot during the block, which is one batch.

        If the files cannot be used (another user's home, a full or failing disk), there is no
        limit: a slow search is better than an error.

        Raises:
            Cancelled: the request ended during the wait.
            DeadlineExceeded: the deadline passed during the wait.
        """
        slot = self._await_slot(deadline, lane) if self._limited else None
        if slot is None:
            yield
            return
        try:
            yield
        finally:
            slot.release()

    def statistics(self) -> SlotStatistics:
        """Return the number of slots, of slots in use and of slots whose holder has stopped."""
        if not self._limited:
            return SlotStatistics(0, 0, 0)
        files = [*self._bulk, self._query]
        return SlotStatistics(
            max_concurrent=len(files),
            in_use=sum(map(is_held, files)),
            stale=sum(map(self._is_stale, files)),
        )

    def _await_slot(self, deadline: Deadline, lane: Lane) -> HeldFile | None:
        """Return a slot of `lane`; None if the files cannot be used."""
        gate = self._gates[lane]
        while not gate.acquire(timeout=_LONGEST_WAIT_MS / 1000.0):
            deadline.check(_STAGE)
        try:
            durable.make_directory(self._directory)
            return self._stand_in_line(deadline, lane)
        except OSError:
            return None
        finally:
            gate.release()

    def _stand_in_line(self, deadline: Deadline, lane: Lane) -> HeldFile:
        attempts = count()

        def pause(_: float) -> None:
            deadline.check(_STAGE)
            pause_ms = min(back_off_ms(next(attempts)), deadline.remaining_ms())
            self._wait(pause_ms / 1000.0)

        line = self._directory / f"line-{lane.value}.lock"
        patience = Patience(Deadline.never(self._clock), pause)  # pause() checks `deadline`
        with in_line(line, patience, self._clock, ttl_ms=_LINE_TTL_MS) as patience:
            while (slot := self._take(lane)) is None:
                patience.pause()
        return slot

    def _take(self, lane: Lane) -> HeldFile | None:
        for file in self._open_to(lane):
            slot = take(file, clock=self._clock)
            if slot is None and self._replace(file):
                slot = take(file, clock=self._clock)
            if slot is not None:
                return slot
        return None

    def _is_stale(self, file: Path) -> bool:
        """Return whether a process holds a slot and wrote no heartbeat for `ttl_ms`."""
        if not is_held(file):
            return False
        age_ms = heartbeat_age_ms(file, self._clock)
        return age_ms is not None and age_ms > self._ttl_ms

    def _replace(self, file: Path) -> bool:
        """Remove the file of a stopped holder; return whether this process removed it."""
        if not self._is_stale(file):
            return False
        guard = take(file.with_name(_GUARD))
        if guard is None:
            return False
        try:
            if not self._is_stale(file):
                return False
            file.unlink()
        except FileNotFoundError:
            return False
        finally:
            guard.release()
        return True

    def _open_to(self, lane: Lane) -> list[Path]:
        """Return the slots of a lane in the order of attempts.

        A query tries the slot for queries first, then the shared slots from the last to the first.
        """
        match lane:
            case Lane.BATCH:
                return self._bulk
            case Lane.INTERACTIVE:
                return [self._query, *reversed(self._bulk[1:])]


def back_off_ms(attempt: int) -> float:
    """Return the milliseconds to wait after `attempt` failed tries; the value differs per thread.

    The value doubles with each attempt up to 50 ms. Threads that started together do not retry
    together.
    """
    longest_ms = min(_FIRST_WAIT_MS * (1 << min(attempt, 16)), _LONGEST_WAIT_MS)
    caller = f"{os.getpid()}.{threading.get_native_id()}.{attempt}".encode("ascii")
    return longest_ms * (0.5 + zlib.crc32(caller) / 2**33)


class LimitedEncoder:
    """Holds a slot while it encodes a batch or a query."""

    def __init__(
        self, encoder: "Encoder", slots: EncodeSlots, clock: Clock, *, queries: bool = True
    ) -> None:
        """Wrap an encoder.

        Args:
            encoder: encodes the texts.
            slots: the slots of the home.
            clock: time source of the waits without a deadline.
            queries: whether queries use a slot; false if encoding takes less time than taking a
                slot.
        """
        self._encoder = encoder
        self._slots = slots
        self._clock = clock
        self._queries = queries

    @property
    def identity(self) -> "EncoderIdentity":
        """Return the identity of the encoder."""
        return self._encoder.identity

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._encoder.dimension

    def encode_documents(self, texts: Sequence[str]) -> "Vectors":
        """Return the vectors of a batch; waits for a slot without a deadline."""
        with self._slots.hold(Deadline.never(self._clock), lane=Lane.BATCH):
            return self._encoder.encode_documents(texts)

    def encode_query(self, text: str, deadline: Deadline | None = None) -> "Vectors":
        """Return the vector of a query.

        Raises:
            DeadlineExceeded: no slot was free before the deadline.
            Cancelled: the request ended during the wait.
        """
        if not self._queries:
            return self._encoder.encode_query(text, deadline)
        deadline = deadline or Deadline.never(self._clock)
        with self._slots.hold(deadline, lane=Lane.INTERACTIVE):
            return self._encoder.encode_query(text, deadline)

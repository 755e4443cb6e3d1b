"""Limits how many processes and threads of this host encode at once.

All calls are synchronous, for use in threads and worker processes. A slot is taken for one batch or
one query. Batches and queries have separate lanes, so that neither lane blocks the other forever:
the first slot is only for batches, one further slot is only for queries, and the slots between
serve both in order of arrival. Even with a limit of 1, a query, which is one short text, can thus
be encoded while a batch is being encoded.

Within a lane, a thread that has just released a slot does not overtake waiting threads. The threads
of a process wait for a lock of the process, and one thread of each process waits in a queue of the
host.
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
from ggrep.base.locks import Patience, in_line
from ggrep.index.embedding.slot_file import HeldSlot, SlotFile

if TYPE_CHECKING:  # a daemon counts the slots without loading an encoder
    from ggrep.index.embedding.encoder import Encoder, Vectors
    from ggrep.index.embedding.identity import EncoderIdentity

_QUERY_SLOT: Final = "query.lock"
_FIRST_WAIT_MS: Final = 1.0
_LONGEST_WAIT_MS: Final = 50.0
_LINE_TTL_MS: Final = 2000
"""The first process in the queue is overtaken if it was not active for this long."""

_STAGE: Final = "the wait for an encode slot"


class SlotStatistics(Struct, frozen=True):
    """The state of the host's slots.

    Attributes:
        max_concurrent: number of slots; 0 if encoding is not limited.
        stale: number of slots in use whose process seems to be stopped.
    """

    max_concurrent: int
    in_use: int
    stale: int


class EncodeSlots:
    """The slots in a directory, shared by all processes that use it with the same number."""

    def __init__(
        self,
        directory: Path,
        slots: int,
        clock: Clock,
        *,
        ttl_ms: int = 120_000,
        wait: Callable[[float], None],
    ) -> None:
        """Prepare the slots; no file is created yet.

        Args:
            directory: the directory of the slot files.
            slots: how many batches and queries are encoded at once; 0 for no limit. With a limit of
                1, a query can be encoded beside a batch.
            clock: the clock for the records in slot files.
            ttl_ms: a process without a heartbeat for this long loses its slot.
            wait: sleeps for a number of seconds.
        """
        names = [f"slot-{number}.lock" for number in range(max(1, slots - 1))]
        self._bulk = [SlotFile(directory / name, clock, ttl_ms=ttl_ms) for name in names]
        self._query = SlotFile(directory / _QUERY_SLOT, clock, ttl_ms=ttl_ms)
        self._directory = directory
        self._limited = slots > 0
        self._clock = clock
        self._wait = wait
        self._gates = {lane: threading.Lock() for lane in Lane}

    @contextmanager
    def hold(
        self, deadline: Deadline, *, lane: Lane = Lane.INTERACTIVE
    ) -> Iterator[Callable[[], None]]:
        """Take a slot for the block; yield the function that records a heartbeat of the slot.

        If the slot files cannot be used (a home of another user, a full or failing disk), encoding
        is not limited: a slow search is better than an error.

        Raises:
            Cancelled: the request was cancelled while it waited.
            DeadlineExceeded: the deadline passed while the request waited.
        """
        held = self._await_slot(deadline, lane) if self._limited else None
        if held is None:
            yield _say_nothing
            return
        try:
            yield held.beat
        finally:
            held.release()

    def statistics(self) -> SlotStatistics:
        """Return how many slots of this host are in use now."""
        if not self._limited:
            return SlotStatistics(0, 0, 0)
        files = [*self._bulk, self._query]
        return SlotStatistics(
            max_concurrent=len(files),
            in_use=sum(file.is_held() for file in files),
            stale=sum(file.is_stale() for file in files),
        )

    def _await_slot(self, deadline: Deadline, lane: Lane) -> HeldSlot | None:
        """Wait for a slot of `lane` and return it; return None if the slot files cannot be used."""
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

    def _stand_in_line(self, deadline: Deadline, lane: Lane) -> HeldSlot:
        attempts = count()

        def pause(_: float) -> None:
            deadline.check(_STAGE)
            pause_ms = min(back_off_ms(next(attempts)), deadline.remaining_ms())
            self._wait(pause_ms / 1000.0)

        line = self._directory / f"line-{lane.value}.lock"
        patience = Patience(Deadline.never(self._clock), pause)  # pause() checks `deadline`
        with in_line(line, patience, self._clock, ttl_ms=_LINE_TTL_MS) as patience:
            while (held := self._take(lane)) is None:
                patience.pause()
        return held

    def _take(self, lane: Lane) -> HeldSlot | None:
        for file in self._open_to(lane):
            if (held := file.take(lane)) is not None:
                return held
        return None

    def _open_to(self, lane: Lane) -> list[SlotFile]:
        """Return the slots of a lane in the order in which they are tried."""
        match lane:
            case Lane.BATCH:
                return self._bulk
            case Lane.INTERACTIVE:
                return [self._query, *reversed(self._bulk[1:])]


def back_off_ms(attempt: int) -> float:
    """Return how long to wait after `attempt` failed attempts; different for each thread.

    The time doubles with each attempt, up to a bound. It varies, so that threads that started
    together do not retry together.
    """
    longest_ms = min(_FIRST_WAIT_MS * (1 << min(attempt, 16)), _LONGEST_WAIT_MS)
    who = f"{os.getpid()}.{threading.get_native_id()}.{attempt}".encode("ascii")
    return longest_ms * (0.5 + zlib.crc32(who) / 2**33)


def _say_nothing() -> None:
    """Record no heartbeat, because encoding is not limited."""


class LimitedEncoder:
    """An encoder that takes one of the host's slots for each batch and each query."""

    def __init__(
        self, encoder: "Encoder", slots: EncodeSlots, clock: Clock, *, queries: bool = True
    ) -> None:
        """Wrap an encoder.

        Args:
            encoder: computes the vectors.
            slots: the slots of the host.
            clock: the clock for batches, which wait without a deadline.
            queries: whether queries take a slot. False if encoding a query takes less time than
                taking a slot; then the query is encoded on the core that its request has reserved.
        """
        self._encoder = encoder
        self._slots = slots
        self._clock = clock
        self._queries = queries

    @property
    def identity(self) -> "EncoderIdentity":
        """Return the encoder's identity: vectors of equal identities can be compared."""
        return self._encoder.identity

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        return self._encoder.dimension

    def encode_documents(self, texts: Sequence[str]) -> "Vectors":
        """Return the vectors of a batch; wait for a slot without a deadline."""
        with self._slots.hold(Deadline.never(self._clock), lane=Lane.BATCH):
            return self._encoder.encode_documents(texts)

    def encode_query(self, text: str, deadline: Deadline | None = None) -> "Vectors":
        """Return the vector of a query.

        Raises:
            DeadlineExceeded: every slot was in use until the deadline.
            Cancelled: the request was cancelled while it waited.
        """
        if not self._queries:
            return self._encoder.encode_query(text, deadline)
        deadline = deadline or Deadline.never(self._clock)
        with self._slots.hold(deadline, lane=Lane.INTERACTIVE):
            return self._encoder.encode_query(text, deadline)

"""Limits how many processes and threads of this host encode at once.

Plain functions for threads and worker processes. A slot is held for one batch. There are two
lanes, so that neither waits for the other without end: the first slot is for batches alone, one
more is for queries alone, and those between are for whoever comes first. So a limit of 1 still
lets a query, one short text, be encoded beside a batch.

Within a lane whoever just let a slot go does not take the next one from those who wait: the
threads of a process stand at a gate, and one of each process in the host's line.
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

if TYPE_CHECKING:  # a daemon counts the slots without loading what encodes
    from ggrep.index.embedding.encoder import Encoder, Vectors
    from ggrep.index.embedding.identity import EncoderIdentity

_QUERY_SLOT: Final = "query.lock"
_FIRST_WAIT_MS: Final = 1.0
_LONGEST_WAIT_MS: Final = 50.0
_LINE_TTL_MS: Final = 2000
"""Who stands in front of the line and was not awake for so long is passed."""

_STAGE: Final = "waiting for an encoding slot"


class SlotStatistics(Struct, frozen=True):
    """The state of the host's slots.

    Attributes:
        max_concurrent: slots there are; 0 when nothing is limited.
        stale: of those in use, held by a process that seems to be stopped.
    """

    max_concurrent: int
    in_use: int
    stale: int


class EncodeSlots:
    """The slots in one directory, shared by all who use it with the same number."""

    def __init__(
        self,
        directory: Path,
        slots: int,
        clock: Clock,
        *,
        ttl_ms: int = 120_000,
        wait: Callable[[float], None],
    ) -> None:
        """Know the slots; nothing is created yet.

        Args:
            directory: of the slot files.
            slots: how many may encode at once, but for a query beside one batch; 0 for no limit.
            clock: dates the records.
            ttl_ms: a holder of whom nothing was heard for so long has lost its slot.
            wait: sleeps that many seconds.
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
        """Hold a slot for the length of the block; yield what says that we are still at work.

        Where the files cannot be used (a home of another user, a full or failing disk) nothing is
        limited: a search that is slower than it should be is better than none.

        Raises:
            Cancelled: the request was ended while it waited.
            DeadlineExceeded: the deadline passed while it waited.
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
        """Return what is held on this host now."""
        if not self._limited:
            return SlotStatistics(0, 0, 0)
        files = [*self._bulk, self._query]
        return SlotStatistics(
            max_concurrent=len(files),
            in_use=sum(file.is_held() for file in files),
            stale=sum(file.is_stale() for file in files),
        )

    def _await_slot(self, deadline: Deadline, lane: Lane) -> HeldSlot | None:
        """Return a slot of `lane`; None where the files cannot be used."""
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
        patience = Patience(Deadline.never(self._clock), pause)  # the pause knows the deadline
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
        """Return the slots of a lane in the order they are tried; the shared ones from the end."""
        match lane:
            case Lane.BATCH:
                return self._bulk
            case Lane.INTERACTIVE:
                return [self._query, *reversed(self._bulk[1:])]


def back_off_ms(attempt: int) -> float:
    """Return how long to wait after that many failed tries, different for each thread.

    It doubles up to a bound; who started together does not come back together.
    """
    longest_ms = min(_FIRST_WAIT_MS * (1 << min(attempt, 16)), _LONGEST_WAIT_MS)
    who = f"{os.getpid()}.{threading.get_native_id()}.{attempt}".encode("ascii")
    return longest_ms * (0.5 + zlib.crc32(who) / 2**33)


def _say_nothing() -> None:
    """Beat for a slot that nobody counts."""


class LimitedEncoder:
    """Holds a slot of the host for each batch, and another kind for each query."""

    def __init__(
        self, encoder: "Encoder", slots: EncodeSlots, clock: Clock, *, queries: bool = True
    ) -> None:
        """Take the encoder and the host's slots.

        Args:
            encoder: does the work.
            slots: of the host.
            clock: of batches, which wait for as long as it takes.
            queries: whether these take their turn, too: not where one is encoded sooner than a
                slot is taken. Then it computes on the core that its request holds.
        """
        self._encoder = encoder
        self._slots = slots
        self._clock = clock
        self._queries = queries

    @property
    def identity(self) -> "EncoderIdentity":
        """Return what its vectors are compatible with."""
        return self._encoder.identity

    @property
    def dimension(self) -> int:
        """Return how many figures a vector has."""
        return self._encoder.dimension

    def encode_documents(self, texts: Sequence[str]) -> "Vectors":
        """Return the vectors of a batch, which waits for its slot for as long as that takes."""
        with self._slots.hold(Deadline.never(self._clock), lane=Lane.BATCH):
            return self._encoder.encode_documents(texts)

    def encode_query(self, text: str, deadline: Deadline | None = None) -> "Vectors":
        """Return the vector of a query.

        Raises:
            DeadlineExceeded: every slot was taken until then.
            Cancelled: the request was ended while it waited.
        """
        if not self._queries:
            return self._encoder.encode_query(text, deadline)
        deadline = deadline or Deadline.never(self._clock)
        with self._slots.hold(deadline, lane=Lane.INTERACTIVE):
            return self._encoder.encode_query(text, deadline)

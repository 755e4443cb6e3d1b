"""An encoder that takes its turn: as many processes of a host encode at once as it is set to."""

from collections.abc import Sequence

from ggrep.clock import Clock
from ggrep.domain.deadline import Deadline
from ggrep.embedding.encoder import Encoder, Vectors
from ggrep.embedding.identity import EncoderIdentity
from ggrep.qos.encode_slots import EncodeSlots
from ggrep.qos.fair_queue import Lane


class LimitedEncoder:
    """Holds a slot of the host for each batch, and another kind for each query."""

    def __init__(
        self, encoder: Encoder, slots: EncodeSlots, clock: Clock, query_wait_ms: float
    ) -> None:
        """Wrap an encoder.

        Args:
            encoder: what encodes.
            slots: the host's.
            clock: measures waiting.
            query_wait_ms: how long a query waits for its slot at most; batches wait for ever.
        """
        self._encoder = encoder
        self._slots = slots
        self._clock = clock
        self._query_wait_ms = query_wait_ms

    @property
    def identity(self) -> EncoderIdentity:
        """Return what its vectors are compatible with."""
        return self._encoder.identity

    @property
    def dimension(self) -> int:
        """Return how many figures a vector has."""
        return self._encoder.dimension

    @property
    def weight(self) -> float:
        """Return the share of the cosine in the blend."""
        return self._encoder.weight

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of a batch."""
        with self._slots.hold(Deadline.never(self._clock), lane=Lane.BATCH):
            return self._encoder.encode_documents(texts)

    def encode_query(self, text: str) -> Vectors:
        """Return the vector of a query.

        Raises:
            DeadlineExceeded: every slot was taken for as long as a query may take.
        """
        deadline = Deadline.after(self._clock, self._query_wait_ms)
        with self._slots.hold(deadline, lane=Lane.INTERACTIVE):
            return self._encoder.encode_query(text)

"""An encoder that waits for one of the host's encoding slots."""

from collections.abc import Sequence

from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.fair_queue import Lane
from ggrep.index.embedding.encode_slots import EncodeSlots
from ggrep.index.embedding.encoder import Encoder, Vectors
from ggrep.index.embedding.identity import EncoderIdentity


class LimitedEncoder:
    """Holds a slot of the host for each batch, and another kind for each query."""

    def __init__(
        self, encoder: Encoder, slots: EncodeSlots, clock: Clock, *, queries: bool = True
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
    def identity(self) -> EncoderIdentity:
        """Return what its vectors are compatible with."""
        return self._encoder.identity

    @property
    def dimension(self) -> int:
        """Return how many figures a vector has."""
        return self._encoder.dimension

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of a batch, which waits for its slot for as long as that takes."""
        with self._slots.hold(Deadline.never(self._clock), lane=Lane.BATCH):
            return self._encoder.encode_documents(texts)

    def encode_query(self, text: str, deadline: Deadline | None = None) -> Vectors:
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

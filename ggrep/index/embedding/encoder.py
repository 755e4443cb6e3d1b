"""The interface of every encoder."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ggrep.base.clock import Deadline
from ggrep.index.embedding.identity import EncoderIdentity

Vectors = npt.NDArray[np.float32]


class Encoder(Protocol):
    """Turns text into unit vectors. Equal texts have vectors with equal bytes in every batch."""

    @property
    def identity(self) -> EncoderIdentity:
        """Return the encoder's identity: vectors of equal identities can be compared."""
        ...

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length or zero."""
        ...

    def encode_query(self, text: str, deadline: Deadline | None = None) -> Vectors:
        """Return float32 (dimension,), of unit length or zero.

        Args:
            text: the query.
            deadline: when to stop waiting for a slot, if the encoder uses slots.
        """
        ...

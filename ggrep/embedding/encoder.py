"""What every encoder is to the rest of ggrep."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EncoderIdentity:
    """All that decides whether two vectors can be compared.

    Attributes:
        digest: SHA-256 of the weights, empty where there are none.
        dimension: 0 when there is no encoder.
    """

    name: str
    revision: str
    digest: str
    dimension: int
    pooling: str = ""
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def key(self) -> str:
        """Return one line that differs whenever vectors cannot be compared."""
        parts = (
            self.name,
            self.revision,
            self.digest,
            str(self.dimension),
            self.pooling,
            self.query_prefix,
            self.document_prefix,
        )
        return "|".join(parts)


NO_ENCODER = EncoderIdentity("none", "1", "", 0)
"""Retrieval is lexical and structural only."""


class Encoder(Protocol):
    """Turns text into unit vectors; equal text gives equal bytes, whatever its batch."""

    @property
    def identity(self) -> EncoderIdentity:
        """Return what its vectors are compatible with."""
        ...

    @property
    def weight(self) -> float:
        """Return the share of the cosine in the blend with the lexical score, 0 to 1."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length or zero."""
        ...

    def encode_query(self, text: str) -> Vectors:
        """Return float32 (dimension,), of unit length or zero."""
        ...

"""A deterministic encoder without a model: signed hashing of words. For tests and benchmarks.

Weinberger et al.: Feature Hashing for Large Scale Multitask Learning (2009). Two texts that share
words have similar vectors, which is sufficient to distinguish results in tests.
"""

import hashlib
from array import array
from collections.abc import Sequence

import numpy as np

from ggrep.base.clock import Deadline
from ggrep.index.embedding.encoder import Vectors
from ggrep.index.embedding.identity import HASHED

_DIMENSION = HASHED.dimension
_WORDS = bytes(
    ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256)
)
"""Table for `translate`: ASCII letters to lower case, digits unchanged, all else to blanks."""


class _Slots(dict[bytes, int]):
    """Maps words to slots; words in the upper half of the slots count negatively."""

    def __missing__(self, word: bytes) -> int:
        digest = hashlib.sha256(word).digest()
        place = int.from_bytes(digest[:4], "big") % (2 * _DIMENSION)
        if len(self) < _REMEMBERED:
            self[word] = place
        return place


_REMEMBERED = 200_000


class HashedEncoder:
    """Encodes a text as the square roots of the counts of its hashed words."""

    identity = HASHED
    dimension = _DIMENSION

    def __init__(self) -> None:
        self._slots = _Slots()

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), 256), rows of unit length or zero."""
        if not texts:
            return np.zeros((0, _DIMENSION), dtype=np.float32)
        slots, sizes = array("I"), array("I")
        for text in texts:
            words = text.encode("utf-8", "replace").translate(_WORDS).split()
            slots.extend(map(self._slots.__getitem__, words))
            sizes.append(len(words))
        places = np.frombuffer(slots, dtype=np.uint32).astype(np.int64)
        places += np.repeat(np.arange(len(texts)) * (2 * _DIMENSION), np.frombuffer(sizes, "u4"))
        counts = np.bincount(places, minlength=2 * _DIMENSION * len(texts))
        counts = counts.reshape(len(texts), 2, _DIMENSION)
        # All values are integers up to here, so a row is the same in every batch.
        sums = (counts[:, 0] - counts[:, 1]).astype(np.float32)
        strengths = np.abs(sums)
        damped = np.copysign(np.sqrt(strengths), sums)
        norms = np.sqrt(np.sum(strengths, axis=1, keepdims=True))
        unit = damped / np.where(norms > 0.0, norms, np.float32(1.0))
        vectors: Vectors = unit.astype(np.float32, copy=False)
        return vectors

    def encode_query(self, text: str, deadline: Deadline | None = None) -> Vectors:
        """Return float32 (256,), of unit length or zero."""
        del deadline  # the deadline is not needed: encoding takes microseconds
        vector: Vectors = self.encode_documents([text])[0]
        return vector

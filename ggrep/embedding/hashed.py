"""A deterministic encoder without a model: signed hashing of words. For tests and benchmarks.

Weinberger et al.: Feature Hashing for Large Scale Multitask Learning (2009). Two texts that
share words are near each other, which is all a test needs to tell results apart.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ggrep.embedding.encoder import EncoderIdentity, Vectors

_DIMENSION = 256
_WORD = re.compile(r"[a-z]+|[0-9]+")


@lru_cache(maxsize=200_000)
def _slot(word: str) -> tuple[int, float]:
    digest = hashlib.sha256(word.encode()).digest()
    return int.from_bytes(digest[:4], "big") % _DIMENSION, 1.0 if digest[4] & 1 else -1.0


class HashedEncoder:
    """Bag of hashed words, damped by the square root of their counts."""

    identity = EncoderIdentity("hashed", "1", "", _DIMENSION, pooling="sum-sqrt")
    weight = 0.3

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), 256), rows of unit length or zero."""
        vectors = np.zeros((len(texts), _DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.encode_query(text)
        return vectors

    def encode_query(self, text: str) -> Vectors:
        """Return float32 (256,), of unit length or zero."""
        counts = Counter(_WORD.findall(text.lower()))
        if not counts:
            return np.zeros(_DIMENSION, dtype=np.float32)
        slots = [_slot(word) for word in counts]
        places = np.fromiter((slot[0] for slot in slots), dtype=np.int64, count=len(slots))
        signs = np.fromiter((slot[1] for slot in slots), dtype=np.float64, count=len(slots))
        damped = np.sqrt(np.fromiter(counts.values(), dtype=np.float64, count=len(counts)))
        # Slots are summed in the order of the words' first appearance, so one text has one sum.
        vector = np.bincount(places, weights=signs * damped, minlength=_DIMENSION)
        norm = float(np.sqrt(np.sum(vector * vector)))
        return (vector / norm if norm > 0.0 else vector).astype(np.float32)

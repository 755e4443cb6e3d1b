"""Gets vectors from the cache, from an equal text of the batch, or from the encoder."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.quantise import Int8, quantise
from ggrep.index.embedding.vector_cache import VectorCache


class VectorSource:
    """Gives each text its vector and counts how it came by them."""

    def __init__(self, encoder: Encoder, cache: VectorCache | None) -> None:
        self._encoder = encoder
        self._cache = cache
        self._encoded = 0
        self._reused = 0

    @property
    def encoded(self) -> int:
        """Return how many texts were encoded."""
        return self._encoded

    @property
    def reused(self) -> int:
        """Return how many vectors were given without encoding their texts."""
        return self._reused

    def vectors_of(
        self, hashes: Sequence[bytes], texts: Sequence[str]
    ) -> tuple[Int8, npt.NDArray[np.float64]]:
        """Return int8 (n, dim) and float64 scales (n,) of the texts, each bit as if encoded.

        Args:
            hashes: raw SHA-256 of each text.
            texts: what the encoder gets.
        """
        text_of = dict(zip(hashes, texts, strict=True))
        cached = self._cache.get(list(text_of)) if self._cache else {}
        missing = [digest for digest in text_of if digest not in cached]
        place_of = {digest: place for place, digest in enumerate((*missing, *cached))}
        vectors, scales = self._encode(missing, [text_of[digest] for digest in missing])
        if cached:
            vectors = np.concatenate([vectors, np.stack([row for row, _ in cached.values()])])
            scales = np.concatenate([scales, [scale for _, scale in cached.values()]])
        self._encoded += len(missing)
        self._reused += len(hashes) - len(missing)
        places = np.array([place_of[digest] for digest in hashes], dtype=np.intp)
        return vectors[places], scales[places]

    def _encode(
        self, hashes: Sequence[bytes], texts: Sequence[str]
    ) -> tuple[Int8, npt.NDArray[np.float64]]:
        if not texts:
            dimension = self._encoder.dimension
            return np.zeros((0, dimension), np.int8), np.zeros(0, np.float64)
        vectors, scales = quantise(self._encoder.encode_documents(texts))
        if self._cache:
            self._cache.put(hashes, vectors, scales)
        return vectors, scales

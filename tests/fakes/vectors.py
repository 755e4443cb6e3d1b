"""Vectors that tell their texts, caches over them, and a process that writes some and may die.

Run as `python -m tests.fakes.vectors DIRECTORY FIRST LAST [MAX_BYTES [FAULT_POINT]]`.
"""

import hashlib
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ggrep.base import durable
from ggrep.base.clock import Clock
from ggrep.index.embedding.hashed import HashedEncoder
from ggrep.index.embedding.quantise import Int8
from ggrep.index.embedding.vector_cache import VectorCache
from tests.fakes.clocks import ManualClock

DIMENSION = 32
FINGERPRINT = hashlib.sha256(b"an encoder").hexdigest()
START = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
DIED = 9


class CountingEncoder(HashedEncoder):
    """The hashed encoder, remembering what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def encode_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return float32 (len(texts), 256)."""
        self.texts += texts
        return super().encode_documents(texts)


def hash_of(number: int) -> bytes:
    return hashlib.sha256(b"%d" % number).digest()


def vectors_of(numbers: Sequence[int]) -> tuple[Int8, npt.NDArray[np.float64]]:
    """Return vectors and scales, different for each number."""
    digests = b"".join(hashlib.sha256(b"vector %d" % number).digest() for number in numbers)
    return np.frombuffer(digests, np.int8).reshape(-1, DIMENSION), np.array(numbers) / 127.0


def open_cache(
    directory: Path,
    *,
    fingerprint: str = FINGERPRINT,
    max_bytes: int = 0,
    clock: Clock | None = None,
    dimension: int = DIMENSION,
) -> VectorCache:
    """Return a cache of such vectors."""
    clock = clock or ManualClock(START)
    return VectorCache(directory, fingerprint, dimension, max_bytes=max_bytes, clock=clock)


def fill(cache: VectorCache, numbers: Sequence[int]) -> None:
    """Cache the vectors of these numbers."""
    cache.put([hash_of(number) for number in numbers], *vectors_of(numbers))


def held(cache: VectorCache, numbers: Sequence[int]) -> list[int]:
    result = cache.get([hash_of(number) for number in numbers])
    there = [number for number in numbers if hash_of(number) in result]
    for number in there:
        vector, scale = result[hash_of(number)]
        right, scales = vectors_of([number])
        assert vector.tobytes() == right.tobytes(), number
        assert scale == scales[0], number
    return there


def _main(directory: str, first: str, last: str, max_bytes: str = "0", point: str = "") -> None:
    def die(reached: str) -> None:
        if reached == point:
            os._exit(DIED)

    numbers = range(int(first), int(last))
    with durable.watched(die), open_cache(Path(directory), max_bytes=int(max_bytes)) as cache:
        for start in range(0, len(numbers), 100):
            fill(cache, numbers[start : start + 100])


if __name__ == "__main__":
    _main(*sys.argv[1:])

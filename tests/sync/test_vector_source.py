"""Where vectors come from never shows in them."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.index.embedding.hashed import HashedEncoder
from ggrep.index.embedding.quantise import quantise
from ggrep.index.sync.segment_builder import VectorSource
from tests.fakes.vectors import CountingEncoder, open_cache

WORDS = st.lists(st.sampled_from(["parse", "lease", "publish", "vector", ""]), max_size=4)
TEXTS = st.lists(WORDS.map(" ".join), max_size=12)


def hashes_of(texts: list[str]) -> list[bytes]:
    return [hashlib.sha256(text.encode()).digest() for text in texts]


@pytest.mark.slow
@given(batches=st.lists(TEXTS, max_size=4))
def test_a_vector_is_the_same_from_wherever_it_comes(batches: list[list[str]]) -> None:
    """Equal texts in one batch and no cache: each row is what the encoder would have given."""
    source = VectorSource(HashedEncoder(), None)

    for texts in batches:
        vectors, scales = source.vectors_of(hashes_of(texts), texts)
        right, right_scales = quantise(HashedEncoder().encode_documents(texts))
        assert vectors.dtype == np.int8
        assert vectors.tobytes() == right.tobytes()
        assert scales.tobytes() == right_scales.tobytes()


def test_only_what_is_new_is_encoded(tmp_path: Path) -> None:
    """Once for each text, in this batch, a later one or a later process."""
    encoder = CountingEncoder()
    first, second = ["a b", "c", "a b"], ["c", "d", "", "a b", ""]
    with open_cache(tmp_path / "vectors", dimension=256) as cache:
        source = VectorSource(encoder, cache)
        source.vectors_of(hashes_of(first), first)
    with open_cache(tmp_path / "vectors", dimension=256) as cache:
        later = VectorSource(encoder, cache)
        vectors, scales = later.vectors_of(hashes_of(second), second)
    right, right_scales = quantise(HashedEncoder().encode_documents(second))

    assert encoder.texts == ["a b", "c", "d", ""]
    assert (source.encoded, source.reused) == (2, 1)
    assert (later.encoded, later.reused) == (2, 3)
    assert vectors.tobytes() == right.tobytes()
    assert scales.tobytes() == right_scales.tobytes()

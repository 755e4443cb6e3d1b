"""Dot products are whole numbers, so a cosine has the same bits in every layout."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.hashed import HashedEncoder
from ggrep.index.embedding.identity import NO_ENCODER, identity_of
from ggrep.index.embedding.quantise import MAX_DIMENSION, cosines, numpy_dots, quantise, simd_dots
from tests.fakes.effort import examples


def vectors(seed: int, rows: int, dimension: int) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    norms: np.ndarray = values / np.linalg.norm(values, axis=1, keepdims=True)
    return norms


@given(st.integers(0, 1000), st.sampled_from((3, 256, 384, MAX_DIMENSION)), st.data())
def test_cosines_are_independent_of_rows(seed: int, dimension: int, data: st.DataObject) -> None:
    """Rows move between segments; their scores may not."""
    values, scales = quantise(vectors(seed, 40, dimension))
    query, scale = quantise(vectors(seed + 1, 1, dimension))
    whole = cosines(values, scales, query[0], float(scale[0]))
    start = data.draw(st.integers(0, 39))
    end = data.draw(st.integers(start, 40))
    part = cosines(values[start:end].copy(), scales[start:end], query[0], float(scale[0]))
    exact = [
        int(np.dot(v.astype(int), query[0].astype(int))) * (s * scale[0])
        for v, s in zip(values, scales, strict=True)
    ]

    assert part.tolist() == whole[start:end].tolist()
    assert whole.tolist() == exact


def test_the_largest_products_are_still_exact() -> None:
    """The bound of the dimension is what keeps float32 exact."""
    values = np.full((2, MAX_DIMENSION), 127, dtype=np.int8)
    result = cosines(values, np.ones(2), values[0], 1.0)

    assert result.tolist() == [127 * 127 * MAX_DIMENSION] * 2


EXTREMES = st.sampled_from((-128, -127, -1, 0, 1, 126, 127)) | st.integers(-128, 127)


@settings(max_examples=examples(25, 100))
@given(
    st.integers(0, 2**32),
    st.sampled_from((1, 31, 32, 33, 64, 100, 256, 257, 1023, 1024)),
    st.data(),
)
def test_both_kernels_give_the_same_bits(seed: int, dimension: int, data: st.DataObject) -> None:
    """An answer may not depend on what could be installed: a thousand pairs an example."""
    chance = np.random.default_rng(seed)
    values = chance.integers(-128, 128, (1000, dimension), dtype=np.int8)
    values[::3] = chance.choice(np.array([-128, 127], dtype=np.int8), values[::3].shape)
    query = data.draw(arrays(np.int8, dimension, elements=EXTREMES))
    exact = values.astype(np.int64) @ query.astype(np.int64)

    assert simd_dots(values, query).tobytes() == exact.astype(np.float64).tobytes()
    assert numpy_dots(values, query).tobytes() == exact.astype(np.float64).tobytes()


def test_kernels_take_no_rows_one_row_and_rows_of_a_larger_array() -> None:
    """Segments may be empty, and a part of a mapped array begins anywhere."""
    values = np.random.default_rng(3).integers(-128, 128, (9, 33), dtype=np.int8)
    for part in (values[:0], values[4:5], values[1:8], values[::2]):
        assert simd_dots(part, values[0]).tolist() == numpy_dots(part, values[0]).tolist()


def test_a_row_of_zeros_has_no_scale() -> None:
    """Text without a known word has no direction."""
    values, scales = quantise(np.zeros((1, 4), np.float32))

    assert values.tolist() == [[0, 0, 0, 0]]
    assert scales.tolist() == [0.0]


def test_no_rows_are_no_trouble() -> None:
    """An empty file has no chunks to encode."""
    values, scales = quantise(np.zeros((0, 4), np.float32))

    assert values.shape == (0, 4)
    assert scales.shape == (0,)


def test_too_wide_an_encoder_is_refused() -> None:
    """Sums beyond 2^24 would round."""
    with pytest.raises(Incompatible, match="dimension"):
        quantise(np.zeros((1, MAX_DIMENSION + 1), np.float32))


texts = st.lists(st.text(st.sampled_from("ab cd9_é\n")), max_size=6)


@given(texts, texts)
def test_a_vector_does_not_depend_on_its_batch(first: list[str], second: list[str]) -> None:
    """A file's vectors must be the same whatever was indexed beside it."""
    together = HashedEncoder().encode_documents([*first, *second])
    apart = [HashedEncoder().encode_query(text) for text in (*first, *second)]

    assert together.shape == (len(apart), 256)
    assert together.tobytes() == b"".join(vector.tobytes() for vector in apart)


@given(st.text(st.sampled_from("ab cd"), min_size=1))
def test_vectors_have_unit_length_or_none(text: str) -> None:
    length = float(np.linalg.norm(HashedEncoder().encode_query(text)))

    assert length == pytest.approx(1.0, abs=1e-6) or length == 0.0


def test_shared_words_bring_texts_together() -> None:
    """That is all a test needs of an encoder."""
    encoder = HashedEncoder()
    query = encoder.encode_query("retry queue")
    near, far = encoder.encode_documents(["the retry queue", "parse a token"])

    assert query @ near > query @ far


def test_none_means_no_encoder() -> None:
    """Retrieval is then lexical and structural."""
    assert open_encoder("none") is None
    assert identity_of("none") is NO_ENCODER


@pytest.mark.parametrize("name", ["magic", "sentence-transformers:/nowhere/at/all"])
def test_an_encoder_that_is_not_there_is_refused(name: str) -> None:
    """A silent fallback would index by other vectors than were asked for."""
    with pytest.raises(InvalidRequest, match="encoder"):
        open_encoder(name)


def test_the_identity_tells_encoders_apart() -> None:
    """Vectors of different encoders are never compared."""
    assert HashedEncoder.identity.key != NO_ENCODER.key

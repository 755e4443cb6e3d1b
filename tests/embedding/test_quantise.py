"""Dot products are whole numbers, so a cosine has the same bits in every layout."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import Incompatible
from ggrep.index.embedding.quantise import MAX_DIMENSION, cosines, quantise


def vectors(seed: int, rows: int, dimension: int) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    norms: np.ndarray = values / np.linalg.norm(values, axis=1, keepdims=True)
    return norms


@given(st.integers(0, 1000), st.sampled_from((3, 256, 384, MAX_DIMENSION)), st.data())
def test_cosines_do_not_depend_on_which_rows_are_asked_together(
    seed: int, dimension: int, data: st.DataObject
) -> None:
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
    found = cosines(values, np.ones(2), values[0], 1.0)

    assert found.tolist() == [127 * 127 * MAX_DIMENSION] * 2


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

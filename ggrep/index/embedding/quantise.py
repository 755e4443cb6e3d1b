"""Vectors as int8 with one scale per row, and dot products that are exact in any layout.

The dot product of two int8 vectors is an integer of at most 127^2 x dimension. As long as this is
below 2^24, that is up to a dimension of 1,040, float32 represents every partial sum exactly. A
matrix product therefore has the same bits for a row, regardless of the other rows.
SimSIMD sums integers and is used if it can be imported; numpy returns the same bits at half the
speed.
"""

import numpy as np
import numpy.typing as npt

from ggrep.base.errors import Incompatible

try:
    import simsimd

    _HAS_SIMSIMD = True
except ImportError:  # there is no wheel for the platform
    _HAS_SIMSIMD = False

Int8 = npt.NDArray[np.int8]
MAX_DIMENSION = (1 << 24) // (127 * 127)
_BLOCK_ROWS = 512
"""Number of rows converted to float32 at a time, so that the block fits into the CPU's cache."""


def quantise(vectors: npt.NDArray[np.float32]) -> tuple[Int8, npt.NDArray[np.float64]]:
    """Return int8 (n, dim) and float64 scales (n,) with `vectors` ~ int8 x scale.

    Raises:
        Incompatible: the dimension is too large for exact sums.
    """
    if vectors.shape[1] > MAX_DIMENSION:
        raise Incompatible(
            f"encoder dimension {vectors.shape[1]} exceeds the maximum of {MAX_DIMENSION}"
        )
    peak = np.max(np.abs(vectors), axis=1, initial=np.float32(0.0))
    factor = np.float32(127.0) / np.where(peak > 0.0, peak, np.float32(1.0))
    # Each element is computed alone and rounded exactly, so a row is the same in every batch.
    whole = np.rint(vectors * factor[:, None]).astype(np.int8)
    return whole, peak.astype(np.float64) / 127.0


def cosines(
    vectors: Int8, scales: npt.NDArray[np.float64], query: Int8, query_scale: float
) -> npt.NDArray[np.float64]:
    """Return float64 (n,): the dot product of each row with the query.

    `vectors` is (n, dim) and can be memory-mapped; `query` is (dim,).
    """
    dots = (simd_dots if _HAS_SIMSIMD else numpy_dots)(vectors, query)
    return dots * (scales * query_scale)


def simd_dots(vectors: Int8, query: Int8) -> npt.NDArray[np.float64]:
    """Return float64 (n,): each row's exact dot product. Other threads can run meanwhile."""
    if not len(vectors):  # SimSIMD rejects empty arrays
        return np.zeros(0)
    return np.asarray(simsimd.dot(vectors, query), dtype=np.float64)


def numpy_dots(vectors: Int8, query: Int8) -> npt.NDArray[np.float64]:
    """Return the same bits as `simd_dots`, computed by numpy."""
    dots = np.empty(len(vectors), dtype=np.float64)
    wide = query.astype(np.float32)
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = vectors[start : start + _BLOCK_ROWS].astype(np.float32)
        dots[start : start + _BLOCK_ROWS] = block @ wide
    return dots

"""Vectors as int8 with one scale a row, and dot products that are exact in any layout.

Products of two int8 vectors are whole numbers below 127^2 x dimension; while that is below 2^24
float32 holds every partial sum exactly, so a matrix product gives the same bits whichever rows
it is asked about together (design, ruling 22). The bound is a dimension of 1,040. SimSIMD sums in
whole numbers and is used where it can be imported; numpy gives the same bits at half the speed.
"""

import numpy as np
import numpy.typing as npt

from ggrep.base.errors import Incompatible

try:
    import simsimd

    _HAS_SIMSIMD = True
except ImportError:  # a platform without a wheel
    _HAS_SIMSIMD = False

Int8 = npt.NDArray[np.int8]
MAX_DIMENSION = (1 << 24) // (127 * 127)
_BLOCK_ROWS = 512
"""Rows upcast at a time: the float32 block stays in cache."""


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
    # Element by element and exactly rounded: a row is the same in every batch.
    whole = np.rint(vectors * factor[:, None]).astype(np.int8)
    return whole, peak.astype(np.float64) / 127.0


def cosines(
    vectors: Int8, scales: npt.NDArray[np.float64], query: Int8, query_scale: float
) -> npt.NDArray[np.float64]:
    """Return float64 (n,): the dot product of each row with the query.

    `vectors` is (n, dim), possibly memory-mapped; `query` is (dim,).
    """
    dots = (simd_dots if _HAS_SIMSIMD else numpy_dots)(vectors, query)
    return dots * (scales * query_scale)


def simd_dots(vectors: Int8, query: Int8) -> npt.NDArray[np.float64]:
    """Return float64 (n,): each row's exact dot product; other threads run meanwhile."""
    if not len(vectors):  # which SimSIMD refuses
        return np.zeros(0)
    return np.asarray(simsimd.dot(vectors, query), dtype=np.float64)


def numpy_dots(vectors: Int8, query: Int8) -> npt.NDArray[np.float64]:
    """Return the same as `simd_dots`, bit for bit."""
    dots = np.empty(len(vectors), dtype=np.float64)
    wide = query.astype(np.float32)
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = vectors[start : start + _BLOCK_ROWS].astype(np.float32)
        dots[start : start + _BLOCK_ROWS] = block @ wide
    return dots

"""The static encoder: the vector of a text is the weighted sum of its features' rows.

A feature that occurs `tf` times adds `weight x log(1 + tf) x row`. All three factors are integers,
so every sum is exact in float64. A vector therefore has the same bits with any batch, order of
words, linear algebra library and processor. As log(1 + tf) <= tf x log 2, the sums of a text are at
most

    65,535 (weight) x 2,839 (log 2) x 128 (row) x 4,096 (words) x 81 (features of a word) < 2^53
"""

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.base.clock import Deadline
from ggrep.index.embedding.encoder import Vectors
from ggrep.index.embedding.features import features, text_words
from ggrep.index.embedding.static_model import StaticModel, Weights

_LOG_STEPS: Final = 4096
_MAX_COUNT: Final = 255
LOGS: Final = np.rint(_LOG_STEPS * np.log1p(np.arange(_MAX_COUNT + 1)))
"""float64 (256,), integers: log(1 + tf), scaled; a higher frequency counts as 255."""

_UNIT_STEPS: Final = float(1 << 21)
"""Largest component after scaling to integers: 1,040 squares of such integers add up exactly."""
_BLOCK_TEXTS: Final = 128
"""Number of texts whose features are counted together."""
_PIECE_ROWS: Final = 256
"""Number of rows converted to float64 at a time; they take half a megabyte."""
_REMEMBERED: Final = 65_536
"""Maximum number of cached words, about 12 MB: most words of a repository."""
_MOST_REMEMBERED: Final = 80
"""Maximum length of a cached word; longer runs are data, and seldom occur again."""

_Rows = npt.NDArray[np.int32]
_Places = npt.NDArray[np.intp]
_Sums = npt.NDArray[np.float64]


class _RowsOfWords(dict[str, tuple[int, ...]]):
    """Maps words to the rows of their known features; emptied when it is full.

    Thread-safe: each step is atomic in the interpreter, and a lost entry is only computed again.
    """

    def __init__(self, model: StaticModel) -> None:
        super().__init__()
        self._row_of = model.row_of

    def __missing__(self, word: str) -> tuple[int, ...]:
        row_of = self._row_of
        rows = tuple(row_of[name] for name in features(word) if name in row_of)
        if len(word) <= _MOST_REMEMBERED:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[word] = rows
        return rows


class StaticEncoder:
    """Encodes a text as a bag of words and their parts; takes some 0.1 ms per chunk."""

    def __init__(self, model: StaticModel) -> None:
        self.identity = model.identity
        self.dimension = model.identity.dimension
        self._model = model
        self._rows_of_words = _RowsOfWords(model)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length; zero if no word is known.

        Only the first 4,096 words of each text count.
        """
        return self._encode(texts, self._model.document_weights)

    def encode_query(self, text: str, deadline: Deadline | None = None) -> Vectors:
        """Return float32 (dimension,), of unit length; zero if no word is known."""
        del deadline  # the deadline is not needed: encoding takes less than a millisecond
        vector: Vectors = self._encode([text], self._model.query_weights)[0]
        return vector

    def _encode(self, texts: Sequence[str], weights: Weights) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BLOCK_TEXTS):
            block = texts[start : start + _BLOCK_TEXTS]
            vectors[start : start + len(block)] = _unit(self._text_sums(block, weights))
        return vectors

    def _text_sums(self, texts: Sequence[str], weights: Weights) -> _Sums:
        bags = [self._bag(text) for text in texts]
        owners = np.repeat(np.arange(len(bags), dtype=np.int64), [len(bag) for bag in bags])
        return self._sums(np.concatenate(bags) + owners * len(weights), len(texts), weights)

    def encode_terms(self, texts: int, owners: npt.NDArray[np.uint32], terms: _Rows) -> Vectors:
        """Return float32 (texts, dimension), equal to the vectors that `encode_documents` returns.

        Args:
            texts: the number of texts.
            owners: the index of each term's text.
            terms: rows of features (`row_of`), each as often as it occurs in a text.
        """
        weights = self._model.document_weights
        keys = owners.astype(np.int64) * len(weights) + terms
        return _unit(self._sums(keys, texts, weights))

    def row_of(self, feature: str) -> int:
        """Return the row of a feature; -1 for an unknown feature."""
        return self._model.row_of.get(feature, -1)

    def _sums(self, keys: npt.NDArray[np.int64], texts: int, weights: Weights) -> _Sums:
        """Return float64 (texts, dimension), integers below 2^53; for `keys`, see `_counted`."""
        bounds, rows, counts = _counted(keys, texts, len(weights))
        coefficients = weights[rows] * LOGS[np.minimum(counts, _MAX_COUNT)]
        sums = np.zeros((texts, self.dimension))
        narrow = np.empty((_PIECE_ROWS, self.dimension), dtype=np.int8)
        wide = np.empty((_PIECE_ROWS, self.dimension))
        for place, (start, end) in enumerate(pairwise(bounds)):
            for first in range(start, end, _PIECE_ROWS):
                last = min(first + _PIECE_ROWS, end)
                size = last - first
                # With "clip", `take` writes directly into `out`; no row is out of bounds.
                np.take(self._model.vectors, rows[first:last], 0, narrow[:size], mode="clip")
                wide[:size] = narrow[:size]
                sums[place] += coefficients[first:last] @ wide[:size]
        return sums

    def _bag(self, text: str) -> _Rows:
        """Return the rows of a text's known features; each as often as the feature occurs."""
        rows = map(self._rows_of_words.__getitem__, text_words(text))
        return np.fromiter(chain.from_iterable(rows), dtype=np.int32)


def _counted(
    keys: npt.NDArray[np.int64], texts: int, vocabulary: int
) -> tuple[list[int], _Places, _Places]:
    """Return each text's bounds in the other two results, its distinct rows, and their counts.

    Args:
        keys: text x vocabulary + row, in any order; they are sorted in place.
        texts: the number of texts.
        vocabulary: the number of rows.
    """
    keys.sort()
    starts = np.flatnonzero(np.diff(keys, prepend=np.int64(-1)))
    counts = np.diff(starts, append=len(keys))
    distinct = keys[starts]
    bounds = np.searchsorted(distinct, np.arange(texts + 1) * vocabulary)
    return bounds.tolist(), distinct % vocabulary, counts


def _unit(sums: _Sums) -> Vectors:
    """Return float32 rows of unit length; zero stays zero.

    The sum of squares is exact, and each component is rounded exactly, so a row is the same in
    every batch and on every processor.
    """
    peaks = np.max(np.abs(sums), axis=1, keepdims=True, initial=0.0)
    whole = np.rint(sums * (_UNIT_STEPS / np.where(peaks > 0.0, peaks, 1.0)))
    norms = np.sqrt(np.sum(whole * whole, axis=1, keepdims=True))
    unit: Vectors = (whole / np.where(norms > 0.0, norms, 1.0)).astype(np.float32)
    return unit

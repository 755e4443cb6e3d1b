"""Contrastive training, with the gradients written out.

A pair's query is to be nearer to its own text than to the other texts of the batch, and the other
way round (van den Oord et al.: Representation Learning with Contrastive Predictive Coding, 2018).
What BM25 already tells apart is added to the cosines before the softmax, so that the gradients go
where words alone fail: the encoder is never asked without the lexical score beside it.
"""

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from scipy import sparse

Matrix = npt.NDArray[np.float32]

_K1 = 1.2
"""Saturation of frequencies in the lexical offset."""
_MOMENTUM, _SQUARES, _TINY = 0.9, 0.98, 1e-8
"""Kingma, Ba: Adam, a Method for Stochastic Optimization (2015)."""


class Parameters(Struct):
    """What is learnt.

    Attributes:
        rows: float32 (V, D).
        documents: float32 (V,), logarithms of the features' weights; `queries` alike.
    """

    rows: Matrix
    documents: Matrix
    queries: Matrix

    def document_vectors(self, texts: sparse.csr_matrix) -> Matrix:
        """Return float32 (n, D), unit rows."""
        return unit(_weighted(texts, self.documents) @ self.rows)[0]

    def query_vectors(self, queries: sparse.csr_matrix) -> Matrix:
        """Return float32 (n, D), unit rows."""
        return unit(_weighted(queries, self.queries) @ self.rows)[0]


class Objective(Struct, frozen=True):
    """What a step minimises.

    Attributes:
        temperature: cosines are divided by it.
        lexical: how much a BM25 score of 1 counts beside them.
        dropout: share of a text's features that a step leaves out.
    """

    temperature: float
    lexical: float
    dropout: float


class Slopes(Struct, frozen=True):
    """The loss by the parameters of those features that a batch holds; by others it is 0.

    Attributes:
        places: (F,), theirs in the vocabulary, sorted.
        rows: float32 (F, D).
        documents: float32 (F,); `queries` alike.
    """

    places: npt.NDArray[np.int32]
    rows: Matrix
    documents: Matrix
    queries: Matrix


class Adam(Struct):
    """Moments of the rows that were touched; the others stay as they are."""

    steps: int = 0
    first: dict[str, Matrix] = field(default_factory=dict)
    second: dict[str, Matrix] = field(default_factory=dict)

    def change(self, learnt: Parameters, slopes: Slopes, rate: float) -> None:
        """Change the parameters against their slopes, which makes one more step."""
        self.steps += 1
        self._change("rows", learnt.rows, slopes.places, slopes.rows, rate)
        self._change("queries", learnt.queries, slopes.places, slopes.queries, rate)
        self._change("documents", learnt.documents, slopes.places, slopes.documents, rate)

    def _change(
        self, name: str, values: Matrix, places: npt.NDArray[np.int32], slope: Matrix, rate: float
    ) -> None:
        first = self.first.setdefault(name, np.zeros_like(values))
        second = self.second.setdefault(name, np.zeros_like(values))
        first[places] = _MOMENTUM * first[places] + (1 - _MOMENTUM) * slope
        second[places] = _SQUARES * second[places] + (1 - _SQUARES) * slope * slope
        mean = first[places] / (1 - _MOMENTUM**self.steps)
        spread = np.sqrt(second[places] / (1 - _SQUARES**self.steps))
        values[places] -= rate * mean / (spread + _TINY)


def unit(sums: Matrix) -> tuple[Matrix, Matrix]:
    """Return the rows at unit length, and float32 (n, 1) their lengths."""
    lengths = np.sqrt(np.sum(sums * sums, axis=1, keepdims=True)) + np.float32(1e-9)
    return sums / lengths, lengths


class Learner:
    """Learns from one batch after another.

    Args:
        learnt: changed in place.
        idf: float32 (V,), for the lexical offset.
        objective: what is minimised.
        random: decides what a step leaves out.
    """

    def __init__(
        self,
        learnt: Parameters,
        idf: Matrix,
        objective: Objective,
        random: np.random.Generator,
    ) -> None:
        self._learnt = learnt
        self._idf = idf
        self._objective = objective
        self._random = random
        self._adam = Adam()

    @property
    def steps(self) -> int:
        """Return how many batches were learnt from."""
        return self._adam.steps

    def step(self, queries: sparse.csr_matrix, texts: sparse.csr_matrix, rate: float) -> float:
        """Learn from one batch; return its loss.

        Args:
            queries: float32 CSR (B, V) of counts; row i belongs to row i of `texts`.
            texts: of the same shape.
            rate: of the change.
        """
        texts = without_some(texts, self._objective.dropout, self._random)
        loss, slopes = loss_and_slopes(self._learnt, self._objective, self._idf, queries, texts)
        self._adam.change(self._learnt, slopes, rate)
        return loss


class _Side(Struct, frozen=True):
    """The queries or the texts of a batch, over its own features.

    Attributes:
        counts: CSR (B, F), their logarithms.
        weights: (F,).
        vectors: (B, D), unit rows.
        lengths: (B, 1), before they were brought to unit length.
    """

    counts: sparse.csr_matrix
    weights: Matrix
    vectors: Matrix
    lengths: Matrix

    def by_weighted_rows(self, slope: Matrix) -> Matrix:
        """Return (F, D): the loss by each feature's row times its weight.

        Args:
            slope: (B, D), the loss by `vectors`.
        """
        # A sum of no features has no length, but hands nothing down either.
        along = np.sum(self.vectors * slope, axis=1, keepdims=True)
        by_sums = (slope - self.vectors * along) / self.lengths
        inner: Matrix = self.counts.T.tocsr() @ by_sums
        return inner


def loss_and_slopes(
    learnt: Parameters,
    objective: Objective,
    idf: Matrix,
    queries: sparse.csr_matrix,
    texts: sparse.csr_matrix,
) -> tuple[float, Slopes]:
    """Return the loss of a batch and its gradient; nothing is left out of the texts.

    Args:
        learnt: where the gradient is taken.
        objective: its dropout does not count here.
        idf: float32 (V,), for the lexical offset.
        queries: float32 CSR (B, V) of counts; row i belongs to row i of `texts`.
        texts: of the same shape.
    """
    places = np.unique(np.concatenate([queries.indices, texts.indices]))
    queries, texts = _compact(queries, places), _compact(texts, places)
    rows = learnt.rows[places]
    asked = _side(queries, learnt.queries[places], rows)
    held = _side(texts, learnt.documents[places], rows)
    scores = (asked.vectors @ held.vectors.T) * (1.0 / objective.temperature)
    if objective.lexical:
        scores += objective.lexical * lexical_scores(queries, texts, idf[places])
    loss, slope = _loss_by_scores(scores)
    slope /= objective.temperature
    from_queries = asked.by_weighted_rows(slope @ held.vectors)
    from_texts = held.by_weighted_rows(slope.T @ asked.vectors)
    return loss, Slopes(
        places,
        rows=asked.weights[:, None] * from_queries + held.weights[:, None] * from_texts,
        documents=held.weights * np.sum(from_texts * rows, axis=1),
        queries=asked.weights * np.sum(from_queries * rows, axis=1),
    )


def lexical_scores(queries: sparse.csr_matrix, texts: sparse.csr_matrix, idf: Matrix) -> Matrix:
    """Return float32 (B, B): BM25 without length normalisation, divided by its bound."""
    asked = queries.copy()
    asked.data = idf[queries.indices]
    held = texts.copy()
    held.data = texts.data * np.float32(_K1 + 1) / (texts.data + np.float32(_K1))
    bounds = np.asarray(asked.sum(axis=1)).reshape(-1, 1) * np.float32(_K1 + 1)
    scores: Matrix = ((asked @ held.T).toarray() / (bounds + 1e-6)).astype(np.float32)
    return scores


def without_some(
    texts: sparse.csr_matrix, share: float, random: np.random.Generator
) -> sparse.csr_matrix:
    """Return the texts with that share of their features left out by chance."""
    if share <= 0.0:
        return texts
    kept = random.random(texts.nnz) >= share
    owners = np.repeat(np.arange(texts.shape[0]), np.diff(texts.indptr))
    sizes = np.bincount(owners[kept], minlength=texts.shape[0])
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    return sparse.csr_matrix((texts.data[kept], texts.indices[kept], bounds), shape=texts.shape)


def _loss_by_scores(scores: Matrix) -> tuple[float, Matrix]:
    """Return the mean loss of both directions, and float32 (B, B): the loss by each score."""
    own = np.arange(len(scores))
    slope = np.zeros_like(scores)
    loss = 0.0
    for axis in (1, 0):
        shifted = scores - scores.max(axis=axis, keepdims=True)
        shares = np.exp(shifted)
        sums = shares.sum(axis=axis, keepdims=True)
        loss += 0.5 * float(np.mean(np.log(sums.ravel()) - shifted[own, own]))
        shares *= 0.5 / sums
        slope += shares
    slope[own, own] -= 1.0
    slope /= len(scores)
    return loss, slope


def _side(counts: sparse.csr_matrix, logarithms: Matrix, rows: Matrix) -> _Side:
    logs, weights = _logs(counts), np.exp(logarithms)
    return _Side(logs, weights, *unit(_scaled(logs, weights) @ rows))


def _weighted(counts: sparse.csr_matrix, logarithms: Matrix) -> sparse.csr_matrix:
    return _scaled(_logs(counts), np.exp(logarithms))


def _logs(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    logs = counts.copy()
    logs.data = np.log1p(counts.data)
    return logs


def _scaled(values: sparse.csr_matrix, weights: Matrix) -> sparse.csr_matrix:
    scaled = values.copy()
    scaled.data = values.data * weights[values.indices]
    return scaled


def _compact(values: sparse.csr_matrix, places: npt.NDArray[np.int32]) -> sparse.csr_matrix:
    """Return the same rows over those columns alone, which hold all of its figures."""
    columns = np.searchsorted(places, values.indices)
    shape = (values.shape[0], len(places))
    return sparse.csr_matrix((values.data, columns, values.indptr), shape=shape)

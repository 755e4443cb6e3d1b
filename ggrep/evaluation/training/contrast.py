"""Contrastive training, with the gradients written out.

A pair's query is to be nearer to its own text than to the other texts of the batch, and the other
way round (van den Oord et al.: Representation Learning with Contrastive Predictive Coding, 2018).
What BM25 already tells apart is added to the cosines before the softmax, so that the gradients go
where words alone fail: the encoder is never asked without the lexical score beside it.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import sparse

Matrix = npt.NDArray[np.float32]

_K1 = 1.2
"""Saturation of frequencies in the lexical offset."""
_MOMENTUM, _SQUARES, _TINY = 0.9, 0.98, 1e-8
"""Kingma, Ba: Adam, a Method for Stochastic Optimization (2015)."""


@dataclass(slots=True)
class Parameters:
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


@dataclass(frozen=True, slots=True)
class Objective:
    """What a step minimises.

    Attributes:
        temperature: cosines are divided by it.
        lexical: how much a BM25 score of 1 counts beside them.
        dropout: share of a text's features that a step leaves out.
    """

    temperature: float
    lexical: float
    dropout: float


@dataclass(slots=True)
class Adam:
    """Moments of the rows that were touched; the others stay as they are."""

    steps: int = 0
    first: dict[str, Matrix] = field(default_factory=dict)
    second: dict[str, Matrix] = field(default_factory=dict)

    def update(
        self, name: str, values: Matrix, places: npt.NDArray[np.int32], slope: Matrix, rate: float
    ) -> None:
        """Change `values` at `places` against the slope."""
        first = self.first.setdefault(name, np.zeros_like(values))
        second = self.second.setdefault(name, np.zeros_like(values))
        first[places] = _MOMENTUM * first[places] + (1 - _MOMENTUM) * slope
        second[places] = _SQUARES * second[places] + (1 - _SQUARES) * slope * slope
        mean = first[places] / (1 - _MOMENTUM**self.steps)
        spread = np.sqrt(second[places] / (1 - _SQUARES**self.steps))
        values[places] -= np.float32(rate) * mean / (spread + _TINY)


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
        learnt, objective = self._learnt, self._objective
        texts = without_some(texts, objective.dropout, self._random)
        places = np.unique(np.concatenate([queries.indices, texts.indices]))
        queries, texts = _compact(queries, places), _compact(texts, places)
        rows = learnt.rows[places]
        query_weights = np.exp(learnt.queries[places])
        text_weights = np.exp(learnt.documents[places])
        query_counts, text_counts = _logs(queries), _logs(texts)
        near, query_lengths = unit(_scaled(query_counts, query_weights) @ rows)
        far, text_lengths = unit(_scaled(text_counts, text_weights) @ rows)
        scores = (near @ far.T) * np.float32(1.0 / objective.temperature)
        if objective.lexical:
            offset = lexical_scores(queries, texts, self._idf[places])
            scores += np.float32(objective.lexical) * offset
        slope, loss = _slope(scores)
        slope /= np.float32(objective.temperature * len(slope))
        of_queries = _through_unit(slope @ far, near, query_lengths)
        of_texts = _through_unit(slope.T @ near, far, text_lengths)
        from_queries = query_counts.T.tocsr() @ of_queries
        from_texts = text_counts.T.tocsr() @ of_texts
        self._adam.steps += 1
        of_rows = query_weights[:, None] * from_queries + text_weights[:, None] * from_texts
        self._adam.update("rows", learnt.rows, places, of_rows, rate)
        by_query = query_weights * np.sum(from_queries * rows, axis=1)
        self._adam.update("queries", learnt.queries, places, by_query, rate)
        by_text = text_weights * np.sum(from_texts * rows, axis=1)
        self._adam.update("documents", learnt.documents, places, by_text, rate)
        return loss


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


def _slope(scores: Matrix) -> tuple[Matrix, float]:
    """Return float32 (B, B): the loss by the scores; and the mean loss of both directions."""
    own = np.arange(len(scores))
    slope = np.zeros_like(scores)
    loss = 0.0
    for axis in (1, 0):
        shares = np.exp(scores - scores.max(axis=axis, keepdims=True))
        shares /= shares.sum(axis=axis, keepdims=True)
        loss -= 0.5 * float(np.mean(np.log(shares[own, own] + 1e-12)))
        slope += np.float32(0.5) * shares
    slope[own, own] -= 1.0
    return slope, loss


def _through_unit(slope: Matrix, unit_rows: Matrix, lengths: Matrix) -> Matrix:
    """Return the slope by the sums before they were brought to unit length."""
    along = np.sum(unit_rows * slope, axis=1, keepdims=True)
    inner: Matrix = (slope - unit_rows * along) / lengths
    return inner


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

"""BM25F in float64, with scores relative to a bound that is the same for all rows.

Robertson, Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond (2009), the simple
field-weighted form: weighted, length-normalised frequencies are summed over the fields before
saturation. Terms are summed in the passed order. Callers pass terms in the order of their bytes, so
that the last bits of a score do not depend on the division of rows into segments.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.index.lexical.postings import Postings

Scores = npt.NDArray[np.float64]


class FieldWeights(Struct, frozen=True):
    """The weights of one field.

    Attributes:
        boost: factor of the field's frequencies.
        b: how strongly frequencies are normalised by the field's length, 0 to 1.
    """

    boost: float
    b: float


class WeightedTerm(Struct, frozen=True):
    """A query term with its inverse document frequency over the collection."""

    term: str
    idf: float


def inverse_document_frequency(documents: int, holding: int) -> float:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)); positive for every n <= N.

    N is `documents`; n is `holding`, the number of documents with the term.
    """
    return math.log1p((documents - holding + 0.5) / (holding + 0.5))


class Bm25:
    """Scores the rows of posting sets for one query.

    Args:
        terms: the terms in the order in which they are summed.
        fields: weights of the first fields of the posting set.
        averages: mean length of each of these fields over the collection; 0 if all are empty.
        k1: saturation of frequencies.
    """

    def __init__(
        self,
        terms: Sequence[WeightedTerm],
        fields: Sequence[FieldWeights],
        averages: Sequence[float],
        *,
        k1: float,
    ) -> None:
        self._terms = tuple(terms)
        self._fields = tuple(fields)
        self._averages = tuple(averages)
        self._k1 = k1
        self.bound = sum(term.idf for term in terms) * (k1 + 1.0)
        """An upper bound that no score reaches; 0 without terms."""

    def score(
        self, postings: Postings, lengths: Sequence[npt.NDArray[np.uint32]], rows: int
    ) -> Scores:
        """Return float64 (rows,), each in [0, 1): the row's BM25F divided by the bound."""
        total = np.zeros(rows, dtype=np.float64)
        if self.bound <= 0.0:
            return total
        scratch = np.zeros(rows, dtype=np.float64)
        for term in self._terms:
            touched = self._weigh(postings, lengths, term.term, scratch)
            if touched is None:
                continue
            weighed = scratch.take(touched)
            total[touched] += (term.idf * (self._k1 + 1.0)) * (weighed / (self._k1 + weighed))
            scratch[touched] = 0.0
        total /= self.bound
        return total

    def _weigh(
        self,
        postings: Postings,
        lengths: Sequence[npt.NDArray[np.uint32]],
        term: str,
        scratch: Scores,
    ) -> npt.NDArray[np.intp] | None:
        """Add a term's weighted frequencies to `scratch`; return the distinct rows with it."""
        place = postings.find(term)
        if place is None:
            return None
        touched: list[npt.NDArray[np.intp]] = []
        for index, weights in enumerate(self._fields):
            rows, counts = postings.entries(place, index)
            average = self._averages[index]
            if not len(rows) or average <= 0.0:
                continue
            places = rows.astype(np.intp)  # converted once instead of at each use
            norm = lengths[index].take(places) * (weights.b / average) + (1.0 - weights.b)
            weighed = weights.boost * counts / norm
            if touched:
                before = scratch.take(places)
                weighed += before
                touched.append(places[before == 0.0])
            else:
                touched.append(places)
            scratch[places] = weighed
        return np.concatenate(touched) if touched else None

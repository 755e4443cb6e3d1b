"""BM25F is the published formula, bounded, and the same wherever a row lies."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.index.lexical.bm25 import Bm25, FieldWeights, WeightedTerm, inverse_document_frequency
from ggrep.index.lexical.postings import Postings
from ggrep.index.lexical.postings_builder import PostingsBuilder

TERMS = ("alpha", "beta", "gamma")
FIELDS = (FieldWeights(1.0, 0.75), FieldWeights(2.0, 0.5))
K1 = 1.5
fields = st.lists(st.sampled_from((*TERMS, "delta")), max_size=7)
collections = st.lists(st.tuples(fields, fields), min_size=1, max_size=7)


def score(content: list[tuple[list[str], ...]], averages: list[float]) -> np.ndarray:
    """Return the scores of a posting set over `content`."""
    builder = PostingsBuilder(len(FIELDS))
    for row, kept in enumerate(content):
        for field, item in enumerate(kept):
            builder.add(row, field, item)
    reader = Postings.from_arrays(builder.build(""), "", len(FIELDS))
    lengths = [builder.lengths(field, len(content)) for field in range(len(FIELDS))]
    return scorer(averages).score(reader, lengths, len(content))


def scorer(averages: list[float]) -> Bm25:
    terms = [WeightedTerm(term, 0.5 + place) for place, term in enumerate(TERMS)]
    return Bm25(terms, FIELDS, averages, k1=K1)


def oracle(held: tuple[list[str], ...], averages: list[float]) -> float:
    """Return one row's score in plain arithmetic."""
    total = bound = 0.0
    for place, term in enumerate(TERMS):
        idf = 0.5 + place
        weight = 0.0
        for item, average, field in zip(held, averages, FIELDS, strict=True):
            if average and term in item:
                norm = 1 - field.b + field.b * len(item) / average
                weight += field.boost * item.count(term) / norm
        total += idf * (K1 + 1) * weight / (K1 + weight)
        bound += idf * (K1 + 1)
    return total / bound


@pytest.mark.slow
@given(collections)
def test_scores_are_those_of_the_formula(content: list[tuple[list[str], ...]]) -> None:
    """Arrays are only a faster way to write it."""
    averages = [sum(len(kept[f]) for kept in content) / len(content) for f in range(2)]
    result = score(content, averages)

    assert result.tolist() == pytest.approx([oracle(kept, averages) for kept in content], abs=1e-12)
    assert all(0.0 <= value < 1.0 for value in result)


@pytest.mark.slow
@given(collections, collections)
def test_a_row_scores_the_same_in_any_segment(
    first: list[tuple[list[str], ...]], second: list[tuple[list[str], ...]]
) -> None:
    """To the last bit: a merge of segments must not reorder equal hits."""
    averages = [2.5, 1.25]
    apart = [*score(first, averages), *score(second, averages)]

    assert score([*first, *second], averages).tolist() == apart


def test_a_query_without_terms_scores_nothing() -> None:
    """The bound is zero then, and nothing may be divided by it."""
    reader = Postings.from_arrays(PostingsBuilder(1).build(""), "", 1)
    plain = Bm25([], [FieldWeights(1.0, 0.5)], [1.0], k1=K1)

    assert plain.score(reader, [np.zeros(2, np.uint32)], 2).tolist() == [0.0, 0.0]


def test_fields_that_are_empty_over_the_collection_count_for_nothing() -> None:
    """Rows may hold what the figures do not know of yet; nothing may be divided by zero."""
    content = [(["alpha"], ["alpha", "beta"]), (["beta"], [])]
    averages = [0.0, 1.0]

    assert score(content, averages).tolist() == pytest.approx(
        [oracle(kept, averages) for kept in content], abs=1e-12
    )


@pytest.mark.parametrize(
    ("documents", "holding", "odds"), [(0, 0, 1.0), (9, 0, 19.0), (9, 1, 17 / 3), (9, 9, 1 / 19)]
)
def test_rarity_is_that_of_the_formula(documents: int, holding: int, odds: float) -> None:
    """Repositories add their counts: another formula would weigh a word otherwise in each."""
    assert inverse_document_frequency(documents, holding) == pytest.approx(math.log(1 + odds))


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_rarer_terms_weigh_more_and_none_weighs_nothing(documents: int, holding: int) -> None:
    """A term in every row still tells rows with it from rows without."""
    holding = min(holding, documents)
    weight = inverse_document_frequency(documents, holding)

    assert weight > 0.0
    assert math.isfinite(weight)
    if holding:
        assert inverse_document_frequency(documents, holding - 1) > weight

"""Postings say exactly which rows hold a term, and how often."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.index.lexical import postings, postings_builder
from ggrep.index.lexical.postings import Postings
from ggrep.index.lexical.postings_builder import PostingsBuilder
from ggrep.index.lexical.tokens import word_terms
from ggrep.search.query.file_features import holdings

FIELDS = 2
vocabulary = st.sampled_from(("alpha", "Beta", "gammaRay", "HTTPServer", "x1", "_", "été"))
rows = st.lists(st.tuples(st.lists(vocabulary), st.lists(vocabulary)), max_size=8)


def build(content: list[tuple[list[str], ...]]) -> tuple[Postings, PostingsBuilder]:
    """Return a reader and its builder over rows of fields of words."""
    builder = PostingsBuilder(FIELDS)
    for row, fields in enumerate(content):
        for field, item in enumerate(fields):
            builder.add(row, field, item)
    lengths = builder.build("p.")
    return Postings.from_arrays(lengths, "p.", FIELDS), builder


def check(content: list[tuple[list[str], ...]]) -> None:
    """Compare every posting and length with plain counting."""
    reader, builder = build(content)
    for field in range(FIELDS):
        counted = [Counter(t for w in fields[field] for t in word_terms(w)) for fields in content]
        for term in {term for counts in counted for term in counts}:
            place = reader.find(term)
            assert place is not None
            result, counts = reader.entries(place, field)
            wanted = [(row, kept[term]) for row, kept in enumerate(counted) if kept[term]]
            assert list(zip(result.tolist(), counts.tolist(), strict=True)) == wanted
        lengths = builder.lengths(field, len(content)).tolist()
        assert lengths == [kept.total() for kept in counted]


@pytest.mark.slow
@given(rows)
def test_postings_are_what_counting_gives(content: list[tuple[list[str], ...]]) -> None:
    """Every score rests on these figures."""
    check(content)


@pytest.mark.slow
@given(rows)
def test_flushing_changes_nothing(content: list[tuple[list[str], ...]]) -> None:
    """A large segment is counted in pieces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings_builder, "_FLUSH_WORDS", 1)
        check(content)


@given(rows)
def test_colliding_digests_cost_a_probe_and_no_wrong_row(
    content: list[tuple[list[str], ...]],
) -> None:
    """Sixty-four bits collide one day, and a hostile file may see to it."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (postings, postings_builder):
            patch.setattr(module, "digest_of", lambda term: (len(term) % 2).to_bytes(8, "big"))
        check(content)
        reader, _ = build(content)
        assert reader.find("absent") is None
        assert reader.find("absents") is None


def test_rows_with_a_term_are_given_once_in_order() -> None:
    """Document frequencies count rows, not fields."""
    reader, _ = build([(["alpha"], ["alpha"]), ([], []), (["beta"], ["alpha"])])

    assert reader.rows_with("alpha", range(2)).tolist() == [0, 2]
    assert reader.rows_with("beta", range(1, 2)).tolist() == []
    assert reader.rows_with("none", range(2)).tolist() == []


@given(rows, st.sets(st.integers(0, 7)))
def test_terms_of_some_rows_are_those_that_they_hold(
    content: list[tuple[list[str], ...]], chosen: set[int]
) -> None:
    """Postings of the rows behind the last of them are no part of it."""
    reader, _ = build(content)
    ours = sorted(row for row in chosen if row < len(content))
    kept = {row: {term for word in content[row][0] for term in word_terms(word)} for row in ours}
    result = reader.terms_at(np.array(ours, dtype=np.int64), 0)

    assert {row: set(terms) for row, terms in result.items()} == kept
    assert all(len(terms) == len(kept[row]) for row, terms in result.items())


def test_an_empty_set_can_be_asked() -> None:
    """A segment may hold nothing but empty files."""
    reader, builder = build([])

    assert reader.find("alpha") is None
    assert builder.lengths(0, 0).tolist() == []


def test_frequencies_saturate_and_lengths_do_not() -> None:
    """A generated table repeats one word a hundred thousand times."""
    reader, builder = build([(["alpha"] * 70_000, [])])
    place = reader.find("alpha")

    assert place is not None
    assert reader.entries(place, 0)[1].tolist() == [np.iinfo(np.uint16).max]
    assert builder.lengths(0, 1).tolist() == [70_000]


def test_whole_terms_are_not_split() -> None:
    """The symbol field answers for names alone."""
    builder = PostingsBuilder(1)
    builder.add_terms(0, 0, ["parse_tree"])
    reader = Postings.from_arrays(builder.build(""), "", 1)

    assert reader.find("parse_tree") is not None
    assert reader.find("tree") is None


def test_counts_that_take_more_than_a_byte_are_exact() -> None:
    """They are kept apart from the others, and a score rests on each."""
    counts = [254, 255, 1, 256, 70_000, 2]
    reader, _ = build([(["alpha"] * count, ["Beta"] * 300) for count in counts])
    place, other = reader.find("alpha"), reader.find("beta")

    assert place is not None
    assert other is not None
    assert reader.entries(place, 0)[1].tolist() == [254, 255, 1, 256, 65_535, 2]
    assert reader.entries(place, 1)[1].tolist() == []
    assert reader.entries(other, 1)[1].tolist() == [300] * 6


@pytest.mark.parametrize(("last", "width"), [(65_534, 2), (65_535, 4), (70_000, 4)])
def test_rows_are_exact_on_both_sides_of_16_bits(last: int, width: int) -> None:
    """Small segments keep their rows in half the space."""
    builder = PostingsBuilder(2)
    builder.add(0, 0, ["alpha"])
    builder.add(last, 0, ["alpha", "beta"])
    builder.add(7, 1, ["alpha"])
    reader = Postings.from_arrays(builder.build(""), "", 2)
    starts = np.array([0, 1, last, last + 1])
    ends = np.array([1, last, last + 1, 90_000])
    place = reader.find("alpha")

    assert place is not None
    assert reader.rows_of(place, 0).itemsize == width
    assert reader.rows_with("alpha", range(2)).tolist() == [0, 7, last]
    assert holdings(reader, ["alpha"], 1, starts, ends).numbers.tolist() == [[[1, 0, 1, 0]]]

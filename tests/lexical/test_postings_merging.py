"""Merged postings are those that one builder over all rows would have made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.index.lexical import postings_builder
from ggrep.index.lexical.postings import Postings
from ggrep.index.lexical.postings_builder import PostingsBuilder
from ggrep.index.lexical.postings_merging import DigestsCollide, merge_postings

FIELDS = 2
TERMS = ("alpha", "beta", "gamma", "delta", "été", "x", "many")
rows = st.lists(
    st.tuples(*(st.dictionaries(st.sampled_from(TERMS), st.integers(1, 400)) for _ in range(2))),
    max_size=5,
)


def build(content: list[tuple[dict[str, int], ...]]) -> Postings:
    """Return the postings of rows of fields, each term so often."""
    builder = PostingsBuilder(FIELDS)
    for row, fields in enumerate(content):
        for field, kept in enumerate(fields):
            builder.add_terms(row, field, [term for term, n in kept.items() for _ in range(n)])
    return Postings.from_arrays(builder.build("p."), "p.", FIELDS)


def entries(postings: Postings) -> dict[tuple[str, int], list[tuple[int, int]]]:
    """Return the rows and counts of each term in each field."""
    results = {}
    for term in TERMS:
        place = postings.find(term)
        for field in range(FIELDS) if place is not None else ():
            assert place is not None
            kept, counts = postings.entries(place, field)
            results[term, field] = list(zip(kept.tolist(), counts.tolist(), strict=True))
    return results


@given(st.lists(rows, min_size=1, max_size=4))
def test_merged_postings_are_those_of_one_builder(
    parts: list[list[tuple[dict[str, int], ...]]],
) -> None:
    """What a score is made of is the same wherever a row lies, large counts too."""
    firsts = np.cumsum([0, *map(len, parts)]).tolist()[:-1]
    arrays = merge_postings([build(part) for part in parts], firsts, "m.")
    merged = Postings.from_arrays(arrays, "m.", FIELDS)

    assert entries(merged) == entries(build([row for part in parts for row in part]))
    assert (np.diff(merged.digests.astype(object)) > 0).all()


def test_terms_of_one_digest_are_not_taken_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather no pack than rows of another word."""
    monkeypatch.setattr(postings_builder, "digest_of", lambda _: b"8 bytes!")
    first, other = build([({"alpha": 1}, {})]), build([({"gamma": 1}, {})])
    longer = build([({"été": 1}, {})])

    for pair in ([first, other], [first, longer], [build([({"alpha": 1, "beta": 1}, {})]), first]):
        with pytest.raises(DigestsCollide):
            merge_postings(pair, [0, 1], "m.")
    assert merge_postings([first, first], [0, 1], "m.")

"""Collection figures add up exactly."""

import pytest

from ggrep.base.errors import Incompatible
from ggrep.model.request import CollectionStatistics, TermFrequency, sum_statistics


def part(layout: str, chunks: int, *terms: TermFrequency) -> CollectionStatistics:
    return CollectionStatistics(layout, chunks, 1, (chunks, 2, 3), terms)


def test_figures_of_disjoint_collections_are_sums() -> None:
    """A workspace scores as one collection only if nothing is lost here."""
    first = part("l", 3, TermFrequency("b", 1, 1))
    second = part("l", 4, TermFrequency("a", 2, 1), TermFrequency("b", 1, 0))
    total = sum_statistics([first, second])

    assert total == CollectionStatistics(
        "l", 7, 2, (7, 4, 6), (TermFrequency("a", 2, 1), TermFrequency("b", 2, 1))
    )
    assert total == sum_statistics([second, first])
    assert total.frequency("zz") == TermFrequency("zz", 0, 0)


def test_figures_of_different_layouts_are_refused() -> None:
    """Their lengths would count different things."""
    with pytest.raises(Incompatible, match="layouts"):
        sum_statistics([part("l", 1), part("m", 1)])

"""Which segments are folded: few enough for queries, small enough for memory."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ggrep.store.view import SegmentView
from ggrep.sync.merging import choose


def segment(name: str, live: int, rows: int | None = None) -> SegmentView:
    mask = np.arange(rows or live) < live
    image: Any = SimpleNamespace(name=name, rows=len(mask))
    return cast(SegmentView, SimpleNamespace(image=image, visible_rows=lambda: mask))


def chosen(segments: list[SegmentView], most: int) -> list[str]:
    return sorted(item.image.name for item in choose(segments, most=most, most_hidden=1000))


def test_large_segments_are_left_alone_while_there_is_room() -> None:
    """A fold is put together in memory; seven large ones would not fit."""
    large = [segment(f"l{number}", 200_001 + number) for number in range(7)]
    small = [segment(f"s{number}", 10) for number in range(5)]

    assert chosen([*large, *small], 12) == ["s0", "s1", "s2", "s3", "s4"]


def test_a_worn_large_segment_is_folded() -> None:
    """Its dead rows cost every query, and what is left of it is small."""
    large = [segment("worn", 200_001, 500_000), segment("good", 200_001)]
    small = [segment(f"s{number}", 10) for number in range(3)]

    assert "worn" in chosen([*large, *small], 5)
    assert "good" not in chosen([*large, *small], 5)


@pytest.mark.parametrize("most", [1, 2, 3, 12])
def test_the_bound_holds_even_over_large_segments(most: int) -> None:
    """A query that may not open all segments answers nothing."""
    large = [segment(f"l{number:02}", 200_001) for number in range(most)]

    assert len(large) - len(choose(large, most=most, most_hidden=1000)) + 1 <= most

"""Which segments are folded: few enough for queries, small enough for memory."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ggrep.index.store.view import SegmentView
from ggrep.index.sync.segment_merging import choose


def segment(name: str, live: int, rows: int | None = None, *, hidden: int = 0) -> SegmentView:
    mask = np.arange(rows or live) < live
    files = np.arange(hidden + 1) >= hidden
    image: Any = SimpleNamespace(name=name, rows=len(mask))
    told = SimpleNamespace(image=image, visible_rows=lambda: mask, visible_files=files)
    return cast(SegmentView, told)


def chosen(segments: list[SegmentView], most: int, most_hidden: int = 1000) -> list[str]:
    return [item.image.name for item in choose(segments, most=most, most_hidden=most_hidden)]


def test_large_segments_are_left_alone_while_there_is_room() -> None:
    """A saved file waits for a fold."""
    large = [segment(f"l{number}", 20_001 + number) for number in range(7)]
    small = [segment(f"s{number}", 10) for number in range(5)]

    assert sorted(chosen([*large, *small], 12)) == ["s0", "s1", "s2", "s3", "s4"]


@pytest.mark.parametrize(("live", "folded"), [(19_999, True), (20_001, False)])
def test_a_worn_segment_is_folded_if_what_is_left_of_it_is_small(live: int, folded: bool) -> None:
    """Its dead rows cost every query; a large one is left to a compaction."""
    large = [segment("worn", live, 50_000), segment("good", 30_000)]
    small = [segment(f"s{number}", 10) for number in range(3)]

    assert ("worn" in chosen([*large, *small], 5)) == folded
    assert "good" not in chosen([*large, *small], 5)


@pytest.mark.parametrize("most", [1, 2, 3, 12])
def test_the_bound_holds_even_over_large_segments(most: int) -> None:
    """A query that may not open all segments answers nothing."""
    large = [segment(f"l{number:02}", 20_001) for number in range(most)]

    assert len(large) - len(choose(large, most=most, most_hidden=1000)) + 1 <= most


@pytest.mark.parametrize(("segments", "folded"), [(3, 0), (4, 3)])
def test_segments_are_folded_once_the_next_one_has_no_room(segments: int, folded: int) -> None:
    """Each fold rewrites rows: one too early is work at every publish."""
    small = [segment(f"s{number}", 10 + number) for number in range(segments)]

    assert len(chosen(small, 4)) == folded


@pytest.mark.parametrize(
    ("most_hidden", "folded"),
    [(9, []), (8, ["b"]), (4, ["b"]), (3, ["b", "c"]), (1, ["b", "c"]), (0, ["b", "c", "a"])],
)
def test_who_hides_most_is_folded_until_the_rest_hides_little(
    most_hidden: int, folded: list[str]
) -> None:
    """Hidden files count together: tombstones of all segments are read at each opening."""
    segments = [segment("a", 10, hidden=1), segment("b", 10, hidden=5), segment("c", 10, hidden=3)]

    assert chosen(segments, 12, most_hidden) == folded

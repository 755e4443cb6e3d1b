"""What the bench of first searches prints, and what it refuses."""

from pathlib import Path

import pytest

from bench.first_search import Asked, Taken, _asked, _lines


def test_ratios_are_medians_of_turns_and_parts_are_shown() -> None:
    """A neighbour who is busy in one turn slows both programs of it."""
    taken = {
        "first": Taken([0.0, 0.0, 0.0], [1.0, 1.0, 4.0]),
        "full": Taken([2.0, 2.0, 8.0], [1.0, 1.0, 4.0]),
        "codegraph": Taken([1.5, 1.5, 6.0], [0.5, 0.5, 2.0]),
    }
    theirs, full, first = _lines("b", taken)

    assert theirs == "b: codegraph, init and its first query: 2.00 s (1.50 + 0.50)"
    assert full.startswith("b: ggrep, index and its first query: 3.00 s (2.00 + 1.00), 1.50x ")
    assert first.startswith("b: ggrep, from nothing: 1.00 s, 0.50x codegraph (goal <= 1.5)")


def test_a_tree_is_named_with_what_is_asked_of_it(tmp_path: Path) -> None:
    """Otherwise nobody could tell an answer from an empty one."""
    assert _asked(tmp_path, [str(tmp_path), "how", "a.py"]) == Asked(tmp_path, "how", "a.py")
    with pytest.raises(SystemExit, match="FILE"):
        _asked(tmp_path, [str(tmp_path)])

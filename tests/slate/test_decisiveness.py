"""Lines that decide something are shown before lines that report or describe."""

import pytest

from ggrep.search.slate.pack_material import decisiveness

PLAIN = "limit = read()\nstart(limit)"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("if limit > 3:\n    return", PLAIN),
        (PLAIN, "logger.info(limit)\nstart(limit)"),
        (PLAIN, f"limit = read({'x, ' * 30})\nstart(limit)"),
    ],
)
def test_conditions_raise_a_piece_and_logging_and_long_lines_lower_it(
    better: str, worse: str
) -> None:
    assert decisiveness(better, 2) > decisiveness(worse, 2)


def test_comments_that_are_left_out_lower_a_piece() -> None:
    assert decisiveness(PLAIN, 2) > decisiveness(PLAIN, 9)


def test_a_piece_without_lines_keeps_its_priority() -> None:
    assert decisiveness("", 9) == 1.0

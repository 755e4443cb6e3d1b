"""Lines that decide something are shown before lines that report or describe."""

import pytest

from ggrep.search.reading.deciding import deciding_text, decisiveness
from ggrep.search.reading.folding import Source

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


def method(count: int) -> list[str]:
    """Return a long method: one line in its middle has the question's words."""
    steps = [f"    step_{at}(a, b)" for at in range(count)]
    middle = [
        "    budget = read(a)",
        "    if ready:",
        "        if queue.full:",
        "            retry(budget, b)",
        "            return False",
    ]
    return ["def run(", "    a, b", "):", *steps, *middle, *steps]


def test_a_long_body_is_its_signature_and_the_lines_that_decide() -> None:
    """The line with the words, the blocks around it, and the line that a name leads to."""
    source = Source(method(30), 101, "python")

    assert deciding_text(source, frozenset({"retry"}), 2_000).split("\n") == [
        "def run(",
        "    a, b",
        "):",
        "    … 104-133",
        "    budget = read(a)",
        "    if ready:",
        "        if queue.full:",
        "            retry(budget, b)",
        "            return False",
        "    … 139-168",
    ]


def test_lines_that_decide_are_shown_up_to_the_bytes() -> None:
    """The signature stands in any case; then the best lines."""
    lines = ["def run():", *(f"    retry_{at}(queue)" for at in range(50)), "    retry(lock)"]
    source = Source(lines, 1, "python")

    shown = deciding_text(source, frozenset({"retry", "lock"}), 40)

    assert shown.split("\n") == ["def run():", "    … 2-51", "    retry(lock)"]


def test_without_a_word_in_it_a_body_is_its_conditions() -> None:
    source = Source(method(30), 1, "python")

    shown = deciding_text(source, frozenset({"nowhere"}), 2_000)

    assert "    if ready:" in shown
    assert "            return False" in shown
    assert "step_3(" not in shown


def test_a_short_definition_is_shown_whole_and_a_test_never() -> None:
    lines = ["def a():", "    x = 1", "    retry(x)", "    y = 2", "    z = 3", "", "def b():"]
    lines += [f"    step_{at}()" for at in range(30)]
    lines += ["def test_a():", "    retry(3)"]
    source = Source(lines, 1, "python")

    shown = deciding_text(source, frozenset({"retry"}), 2_000, [(1, 5)], [(38, 39)])

    assert shown.split("\n") == [*lines[:5], "… 6-39"]

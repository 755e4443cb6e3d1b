"""Lines that decide something are shown before lines that report or describe."""

import pytest

from ggrep.base.clock import Deadline, SystemClock
from ggrep.search.reading.deciding import DecidingText, deciding_text, decisiveness
from ggrep.search.reading.folding import Source

NEVER = Deadline.never(SystemClock())
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

    assert deciding_text(source, frozenset({"retry"}), 2_000, NEVER).text.split("\n") == [
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

    shown = deciding_text(source, frozenset({"retry", "lock"}), 40, NEVER)

    assert shown.text.split("\n") == ["def run():", "    … 2-51", "    retry(lock)"]


def test_without_a_word_in_it_a_body_is_its_conditions() -> None:
    source = Source(method(30), 1, "python")

    shown = deciding_text(source, frozenset({"nowhere"}), 2_000, NEVER).text

    assert "    if ready:" in shown
    assert "            return False" in shown
    assert "step_3(" not in shown


def test_a_short_definition_is_shown_whole_and_a_test_never() -> None:
    lines = ["def a():", "    x = 1", "    retry(x)", "    y = 2", "    z = 3", "", "def b():"]
    lines += [f"    step_{at}()" for at in range(30)]
    lines += ["def test_a():", "    retry(3)"]
    source = Source(lines, 1, "python")

    shown = deciding_text(source, frozenset({"retry"}), 2_000, NEVER, [(1, 5)], [(38, 39)])

    assert shown == DecidingText("\n".join([*lines[:5], "… 6-39"]), is_cut=False)


@pytest.mark.parametrize(
    ("room", "indent"), [(400, 4), (900, 4), (3_000, 4), (900, 60), (3_000, 60)]
)
def test_folds_count_as_bytes_and_most_of_the_room_is_used(room: int, indent: int) -> None:
    """Folds are indented as their lines are."""
    body = [f"if retry_{at}:" if at % 9 == 0 else f"step_{at}(a, b, c, d)" for at in range(2000)]
    source = Source(["class A:", *(" " * indent + line for line in body)], 1, "python")

    shown = deciding_text(source, frozenset({"retry"}), room, NEVER)

    assert shown.is_cut
    assert 0.75 * room <= len(shown.text.encode()) <= room


@pytest.mark.timeout(120)
def test_lines_of_a_long_class_are_chosen_in_one_pass() -> None:
    """Lines, blocks and definitions are each read once; the runner's limit ends a slower search."""
    lines = ["class A:", *("    def f():\n        retry(x)\n" * 20_000).split("\n")]
    parts = [(at, at + 1) for at in range(2, len(lines), 2)]

    shown = deciding_text(Source(lines, 1, "python"), frozenset({"retry"}), 4_096, NEVER, parts)

    assert len(shown.text) <= 4_096

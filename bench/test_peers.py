"""Figures of peers are paired, absent peers are named, and aims are compared with medians."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.peer_trees import TREES, Question, Tree, chosen, files_below
from bench.peers import TOOLS, Figure, can, command, interval, ratios, table

FIGURE = Figure("headers", "usages", "size_t", "ggrep", 0, 0.2, 0.1, 10, 0)
TREE = next(tree for tree in TREES if tree.name == "headers")


def figures(*seconds: tuple[str, int, float]) -> list[Figure]:
    return [replace(FIGURE, tool=tool, turn=turn, seconds=each) for tool, turn, each in seconds]


def test_ratios_are_of_one_question_in_one_turn() -> None:
    """Another turn may have met another load."""
    rows = figures(("rg", 0, 0.1), ("ggrep", 0, 0.2), ("ggrep", 1, 0.3), ("rg", 1, 0.6))
    other = replace(rows[0], question="kmalloc", seconds=9.0)

    assert ratios([*rows, other], "rg") == [2.0, 0.5]


def test_an_interval_holds_the_median_and_no_value_outside() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 100.0]
    middle, low, high = interval(values)

    assert (middle, interval(values)) == (3.0, (middle, low, high))
    assert min(values) <= low <= middle <= high <= max(values)
    assert interval([2.0] * 5) == (2.0, 2.0, 2.0)


def test_a_peer_without_figures_has_no_column_and_one_without_the_question_cannot() -> None:
    """Neither has a figure that reads like an answer."""
    measured = [*figures(("ggrep", 0, 0.2), ("rg", 0, 0.1)), replace(FIGURE, kind="pattern")]
    measured.append(replace(FIGURE, tool="semble", kind="text"))
    text = table(TREE, measured, {"load": "1.0"})
    (row,) = [line for line in text.splitlines() if line.startswith("| usages")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]

    assert cells[1:] == [
        "200 ms, 100 CPU-ms",
        "100 ms, 100 CPU-ms, 2.00x (2.00 to 2.00)",
        "absent",
    ]
    assert "| regular expression | 200 ms, 100 CPU-ms | absent | cannot |" in text
    assert not any(can(tool, "pattern", TREE) for tool in ("semble", "codegraph"))
    assert not can("git grep", "words", Tree("plain", (), git=False))


@pytest.mark.parametrize(("seconds", "verdict"), [(0.4, "met"), (0.5, "missed")])
def test_an_aim_is_compared_with_the_median(seconds: float, verdict: str) -> None:
    text = table(TREE, figures(("ggrep", 0, seconds), ("git grep", 0, 0.1)), {})

    assert f"aim 4: {verdict}" in text


def test_a_command_that_failed_is_marked() -> None:
    rows = [*figures(("ggrep", 0, 0.2)), replace(FIGURE, tool="rg", status=2)]

    assert table(TREE, rows, {}).count("*failed*") == 1


def test_each_tool_is_asked_for_the_same_text() -> None:
    """Where it has a command of its own for a kind of question, by that."""
    for tree in TREES:
        for question in tree.questions:
            assert all(question.text in command(tool, question, Path()) for tool in TOOLS)
    name = Question("usages", "size_t")
    assert command("ggrep", name, Path()) == ["ggrep", "refs", "size_t"]
    assert command("git grep", name, Path()) == ["git", "grep", "-nwe", "size_t"]


def test_files_are_taken_evenly(tmp_path: Path) -> None:
    """The first ones would be of a few folders."""
    for number in range(8):
        place = tmp_path / f"d{number}"
        place.mkdir()
        (place / "a.c").write_text("x" * 10)
        (place / "b.h").write_text("x" * 10)
    files = files_below(tmp_path)

    assert len(files) == 16
    assert chosen(files, Tree("c", (), files=4, endings=(".c",))) == [
        f"d{number}/a.c" for number in (0, 2, 4, 6)
    ]
    assert len(chosen(files, Tree("all", ()))) == 16
    half = [(path, 1_000_000) for path, _ in files]
    assert len(chosen(half, Tree("mb", (), megabytes=8))) == 8

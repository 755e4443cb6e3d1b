"""Whether an everyday task was done is read off what a tool prints, whatever its form."""

import pytest

from bench.everyday import SCREEN_LINES, Done, is_right, places_of, sums
from bench.everyday_tasks import FRESH, TASKS, TOOLS, At, Task

PLACE = At("src/shop/cart.py", 10, 20)


@pytest.mark.parametrize(
    "told",
    [
        "src/shop/cart.py:12:    def add(self):",
        " 1.  src/shop/cart.py:8-25  class Cart",
        "src/shop/cart.py\n  12:4  cart.add(item)  in Order.place",
        "method      add\n  src/shop/cart.py:12",
        "cart.py:11-14",
        "../src/shop/cart.py:20",
    ],
)
def test_a_place_is_told_in_any_form(told: str) -> None:
    """Each tool writes places in its own."""
    assert is_right(Task("a place", (PLACE,)), told, 0)


@pytest.mark.parametrize(
    "told",
    [
        "src/shop/cart.py:9",
        "src/shop/cart.py:21-30",
        "src/shop/cart.py:1-900",
        "src/shop/carts.py:12",
        "src/shop/cart.py",
        "",
    ],
)
def test_another_place_is_none(told: str) -> None:
    """Nor is a range that is nearly the whole file."""
    assert not is_right(Task("a place", (PLACE,)), told, 0)


def test_what_stands_below_the_screen_is_not_seen() -> None:
    """A task is done when its answer can be read."""
    told = "\n" * SCREEN_LINES + "src/shop/cart.py:12"

    assert not is_right(Task("a place", (PLACE,)), told, 0)
    assert is_right(Task("a place", (PLACE,), whole=True), told, 0)


def test_all_that_is_needed_and_nothing_that_is_forbidden() -> None:
    """Such as a test, where none was wanted."""
    task = Task("two", (PLACE, FRESH), never=r"tests/")

    assert is_right(task, "src/shop/cart.py:12: fresh_function_02", 0, "fresh_function_02")
    assert not is_right(task, "src/shop/cart.py:12", 0, "fresh_function_02")
    assert not is_right(
        task, "src/shop/cart.py:12: fresh_function_02\ntests/a.py", 0, "fresh_function_02"
    )


def test_a_task_for_scripts_is_about_the_status() -> None:
    """Whatever is printed."""
    task = Task("nothing", (), status=1)

    assert (is_right(task, "no hits", 1), is_right(task, "no hits", 0)) == (True, False)


def test_lines_stand_below_the_path_before_them() -> None:
    """Until another path comes."""
    lines = ["a.py", "  3:1  x", "b.py", "  4-6  y"]

    assert list(places_of(lines)) == [At("a.py", 3, 3), At("b.py", 4, 6)]


def test_there_are_forty_tasks_and_ggrep_is_named_first() -> None:
    """The page that shows them says so."""
    assert (len(TASKS), TOOLS[0]) == (40, "ggrep")


def test_sums_are_of_what_both_did_right() -> None:
    """Keystrokes that led nowhere would be cheap."""
    ours, theirs = Done("ggrep a", 0.1, 10, right=True), Done("rg a", 0.2, 20, right=True)
    wrong = Done("rg b", 0.2, 20, right=False)
    rest = dict.fromkeys(TOOLS[2:])
    rows = [{"ggrep": ours, "rg": theirs, **rest}, {"ggrep": ours, "rg": wrong, **rest}]

    lines = list(sums(rows))

    assert "| right | 2 | 1 | 0 | 0 |" in lines
    assert "| ggrep, rg | 1 | 7 · 4 | 0.10 · 0.20 | 10 · 20 |" in lines

"""Suites of places say what is wrong with them, and what came of them is told in a table."""

from pathlib import Path

import pytest

from bench.place_tables import places
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.visible_lines import LineRange, ShownFile, ShownSlate, seen
from training.slates.places import PlaceCase, read_place_suite
from training.slates.visible import BUDGETS, PlaceAnswer, hidden, place_suite

REPOSITORY = """version = 1

[[repositories]]
name = "shop"
registry = "pypi"
package = "shop"
release = "1.0"
sha256 = "00"
licence = "MIT"
"""
CASE = """
[[cases]]
id = "shop-01"
repo = "shop"
query = "how is it paid?"
"""
PAY, CART = LineRange("pay.py", 10, 13), LineRange("cart.py", 1, 1)


def written(folder: Path, case: str) -> Path:
    path = folder / "suite.toml"
    path.write_text(REPOSITORY + CASE + case, encoding="utf-8")
    return path


def test_a_suite_says_what_must_be_seen(tmp_path: Path) -> None:
    suite = read_place_suite(
        [written(tmp_path, 'places = ["pay.py:10-13", ["a:b.py:1-1", "c.py:2-9"]]\n')]
    )
    (case,) = suite.cases
    choice = (LineRange("a:b.py", 1, 1), LineRange("c.py", 2, 9))
    assert case == PlaceCase("shop-01", "shop", "how is it paid?", ((PAY,), choice))
    assert [each.name for each in suite.repositories] == ["shop"]


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "places = []\n",
        'places = ["pay.py"]\n',
        'places = ["pay.py:0-2"]\n',
        'places = ["pay.py:3-2"]\n',
        "places = [7]\n",
        "places = [[]]\n",
        'places = ["pay.py:1-2"]\ncode = ["pay.py"]\n',
    ],
)
def test_what_is_no_place_is_refused(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"suite\.toml"):
        read_place_suite([written(tmp_path, wrong)])


def test_what_came_is_told_by_budget() -> None:
    """And what the largest slate hides is named."""
    case = PlaceCase("1", "shop", "?", ((PAY,), (CART, PAY), (CART,), (LineRange("no.py", 1, 2),)))
    slate = ShownSlate(
        (
            ShownFile("pay.py", ("code",), ((10, 11),), ((1, 19),)),
            ShownFile("cart.py", ("code",), (), ((1, 1),)),
        ),
        900,
    )
    found = seen(case.wanted, slate)
    answer = PlaceAnswer(case, (slate,) * len(BUDGETS), (found,) * len(BUDGETS))
    assert list(hidden([answer])) == ["1 lines: cart.py:1-1", "1 file: no.py:1-2"]
    table = places([answer], [])
    row = "| 1 | 1 | 0.500 | 0.750 | 0.750 | 1.000 | 1.000 | 900 |"
    assert f"| development repositories, at most 6,144 bytes {row}" in table
    assert "held-out" not in table


def test_the_suite_of_the_repository_can_be_read() -> None:
    suite = place_suite()
    names = {each.name for each in suite.repositories}
    assert len({case.id for case in suite.cases}) == len(suite.cases)
    assert {case.repo for case in suite.cases} == names
    for case in suite.cases:
        assert 3 <= len(case.wanted) <= 7, case.id
        for choice in case.wanted:
            assert all(place.last - place.first < 12 for place in choice), case.id

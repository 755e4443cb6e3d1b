"""A place counts as seen where half of its lines are shown; suites say what is wrong with them."""

from dataclasses import replace
from pathlib import Path

import pytest

from ggrep.base.errors import UsageError
from tests.bench.place_tables import places
from tests.fakes.slates import SLATE
from training.slates.places import Place, PlaceCase, Seen, lines_of, read_place_suite, seen
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
PAY, CART = Place("pay.py", 10, 13), Place("cart.py", 1, 1)


def written(folder: Path, case: str) -> Path:
    path = folder / "suite.toml"
    path.write_text(REPOSITORY + CASE + case, encoding="utf-8")
    return path


def test_a_suite_says_what_must_be_seen(tmp_path: Path) -> None:
    suite = read_place_suite(
        [written(tmp_path, 'places = ["pay.py:10-13", ["a:b.py:1-1", "c.py:2-9"]]\n')]
    )
    (case,) = suite.cases
    choice = (Place("a:b.py", 1, 1), Place("c.py", 2, 9))
    assert case == PlaceCase("shop-01", "shop", "how is it paid?", ((PAY,), choice))
    assert [each.name for each in suite.repositories] == ["shop"]


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "places = []\n",
        'places = "pay.py:1-2"\n',
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


@pytest.mark.parametrize(
    ("lines", "visible"), [((), False), ((10,), False), ((10, 12), True), ((9, 14, 15), False)]
)
def test_half_of_the_lines_make_a_place_visible(lines: tuple[int, ...], visible: bool) -> None:
    assert PAY.is_visible({"pay.py": frozenset(lines)}) is visible
    assert not PAY.is_visible({"other.py": frozenset(lines)})


def test_shares_are_of_what_is_wanted() -> None:
    case = PlaceCase("1", "shop", "?", ((PAY,), (CART, PAY), (CART,), (Place("no.py", 1, 2),)))
    shown = {"pay.py": frozenset({10, 11}), "cart.py": frozenset[int]()}
    ranges = {"pay.py": frozenset(range(1, 20)), "cart.py": frozenset({1})}
    assert seen(case, shown, shown, 900) == Seen(0.5, 0.5, 0.75, 900)
    assert seen(case, shown, ranges, 900) == Seen(0.5, 0.75, 0.75, 900)
    answer = PlaceAnswer(
        case, (shown,) * len(BUDGETS), (seen(case, shown, ranges, 900),) * len(BUDGETS)
    )
    assert list(hidden([answer])) == ["1 lines: cart.py:1-1", "1 file: no.py:1-2"]
    table = places([answer], [])
    assert "| developed on, at most 6,144 bytes | 1 | 1 | 0.500 | 0.750 | 0.750 | 900 |" in table
    assert "held out, " not in table


def test_lines_are_those_of_snippets() -> None:
    (section, packs), *_ = SLATE.sections
    piece = replace(packs[0].evidence[0], snippet="a\nb", snippet_start_line=5)
    bare = replace(piece, snippet="", snippet_start_line=0)
    pack = replace(packs[0], anchor=None, evidence=(piece, bare))
    slate = replace(SLATE, sections=((section, (pack,)),))
    assert lines_of(slate) == {pack.path: frozenset({5, 6})}


def test_the_suite_of_the_repository_can_be_read() -> None:
    suite = place_suite()
    names = {each.name for each in suite.repositories}
    assert len({case.id for case in suite.cases}) == len(suite.cases)
    assert {case.repo for case in suite.cases} == names
    for case in suite.cases:
        assert 3 <= len(case.wanted) <= 7, case.id
        for choice in case.wanted:
            assert all(place.last - place.first < 12 for place in choice), case.id

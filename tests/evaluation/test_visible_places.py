"""A place counts as seen where half of its lines are shown, whatever pieces show them."""

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base.stable_json import decode
from ggrep.interfaces.evaluation.visible_lines import (
    LineRange,
    Seen,
    ShownFile,
    ShownSlate,
    line_range_of,
    seen,
    shown_slate,
)
from ggrep.model.line_numbers import COMMENTS, fold_line
from tests.fakes.slates import SLATE

PAY, CART = LineRange("pay.py", 10, 13), LineRange("cart.py", 1, 1)


def file(path: str, *shown: tuple[int, int], named: tuple[tuple[int, int], ...] = ()) -> ShownFile:
    return ShownFile(path, ("code",), shown, named)


@pytest.mark.parametrize(
    ("shown", "visible"),
    [
        ((), False),
        (((10, 10),), False),
        (((10, 10), (12, 12)), True),
        (((1, 9), (14, 15)), False),
        (((1, 11),), True),
    ],
)
def test_half_of_the_lines_make_a_place_visible(
    shown: tuple[tuple[int, int], ...], visible: bool
) -> None:
    assert file("pay.py", *shown).is_visible(PAY) is visible
    assert not file("other.py", *shown).is_visible(PAY)


def test_a_place_is_told_by_a_range_that_is_short_enough_to_go_to() -> None:
    assert file("pay.py", named=((1, 80),)).is_reachable(PAY)
    assert not file("pay.py", named=((1, 81),)).is_reachable(PAY)
    assert not file("pay.py", named=((1, 10),)).is_reachable(PAY)
    assert file("pay.py", named=((1, 10), (10, 11))).is_reachable(PAY)
    assert not file("pay.py", named=((10, 10), (8, 10))).is_reachable(PAY)
    assert seen(((PAY,),), ShownSlate((), 300)) == Seen(0, 0, 0, 0, 0, 300)


def test_shares_are_of_what_is_wanted() -> None:
    wanted = ((PAY,), (CART, PAY), (CART,), (LineRange("no.py", 1, 2),))
    slate = ShownSlate(
        (
            file("pay.py", (9, 11), named=((1, 19),)),
            file("cart.py", (5, 5), named=((1, 1),)),
            file("far.py"),
        ),
        900,
    )
    assert seen(wanted, slate) == Seen(
        places=0.5,
        told=0.75,
        files=0.75,
        line_precision=0.5,
        file_precision=2 / 3,
        size=900,
        calls=1,
    )


def test_lines_are_those_of_snippets() -> None:
    (section, packs), *_ = SLATE.sections
    piece = replace(packs[0].evidence[0], snippet="a\nb", snippet_start_line=5)
    bare = replace(piece, snippet="", snippet_start_line=0)
    pack = replace(packs[0], anchor=None, evidence=(piece, bare))
    slate = replace(SLATE, sections=((section, (pack,)),))
    (result,) = shown_slate(slate).files

    assert (result.path, result.sections, result.shown) == (pack.path, (section.value,), ((5, 6),))


def test_comments_that_are_left_out_are_not_shown() -> None:
    (section, packs), *_ = SLATE.sections
    text = f"a\n{fold_line(6, 8, COMMENTS)}\nb\n\nc"
    piece = replace(packs[0].evidence[0], snippet=text, snippet_start_line=5)
    slate = replace(
        SLATE, sections=((section, (replace(packs[0], anchor=None, evidence=(piece,)),)),)
    )
    (result,) = shown_slate(slate).files

    assert result.shown == ((5, 5), (9, 11))


def test_a_file_in_two_sections_is_one_file() -> None:
    (code, packs), (other, _), *_ = SLATE.sections
    twin = replace(packs[0], section=other)
    slate = replace(SLATE, sections=((code, (packs[0],)), (other, (twin,))))
    (result,) = shown_slate(slate).files

    assert result.sections == (code.value, other.value)
    assert result.shown == shown_slate(replace(slate, sections=((code, packs[:1]),))).files[0].shown


def test_what_is_shown_travels_as_json_with_its_repository() -> None:
    shown = shown_slate(SLATE)

    assert decode(ShownSlate, to_builtins(shown)) == shown
    assert shown.total_bytes == SLATE.total_bytes

    (section, packs), *_ = SLATE.sections
    slate = replace(SLATE, sections=((section, (replace(packs[0], repo="shop"),)),))

    assert shown_slate(slate).files[0].path == f"shop/{packs[0].path}"


@pytest.mark.parametrize("text", ["pay.py", "pay.py:0-2", "pay.py:3-2", "pay.py:3", ":1-2", ""])
def test_what_names_no_lines_is_no_place(text: str) -> None:
    assert line_range_of(text) is None
    assert line_range_of("a:b.py:1-12") == LineRange("a:b.py", 1, 12)

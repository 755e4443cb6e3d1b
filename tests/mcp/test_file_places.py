"""Addresses of indexed files, and the lines that stand there."""

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.file_places import FilePlace, FileText, file_place, text_of

WHOLE = {"file_lines": 5, "start_line": 1, "content": "a\nb\nc\nd\ne"}


@pytest.mark.parametrize(
    ("uri", "place"),
    [
        ("ggrep://file/src/pay.py", FilePlace("src/pay.py")),
        ("ggrep://file/src/pay.py?lines=3", FilePlace("src/pay.py", (3, 3))),
        ("ggrep://file/src/pay.py?lines=10-40", FilePlace("src/pay.py", (10, 40))),
        ("ggrep://file/src/pay.py#L10-40", FilePlace("src/pay.py", (10, 40))),
        ("ggrep://file/src/pay.py#L10-L40", FilePlace("src/pay.py", (10, 40))),
        ("ggrep://file/a%20b%3F.py?root=%2Fr", FilePlace("a b?.py", None, "/r")),
        ("ggrep://file//r/src/pay.py", FilePlace("/r/src/pay.py")),
    ],
)
def test_an_address_names_a_file_and_lines(uri: str, place: FilePlace) -> None:
    """As the template says it, and as editors write places."""
    assert file_place(uri) == place


@pytest.mark.parametrize(
    "uri",
    [
        "ggrep://file/",
        "ggrep://file/a%00b",
        "ggrep://file/a?lines=",
        "ggrep://file/a?lines=0",
        "ggrep://file/a?lines=5-3",
        "ggrep://file/a?lines=-3",
        "ggrep://file/a?lines=1&lines=2",
        "ggrep://file/a?lines=1#L1",
        "ggrep://file/a?root=x&root=y",
        "ggrep://file/a?size=3",
        f"ggrep://file/a?lines={'9' * 30}",
    ],
)
def test_an_address_that_says_nothing_clear_is_refused(uri: str) -> None:
    """A whole file in place of three lines would be dear."""
    with pytest.raises(InvalidRequest):
        file_place(uri)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (None, FileText("a\nb\nc\nd\ne", 1, 5, 5)),
        ((2, 3), FileText("b\nc", 2, 3, 5)),
        ((4, 99), FileText("d\ne", 4, 5, 5)),
        ((5, 5), FileText("e", 5, 5, 5)),
    ],
)
def test_lines_are_those_that_were_asked_for(
    lines: tuple[int, int] | None, found: FileText
) -> None:
    """Beyond the end of the file there are none."""
    assert text_of(FilePlace("a.py", lines), WHOLE) == found


def test_a_line_beyond_the_end_is_refused() -> None:
    """An empty text would be taken for empty lines."""
    with pytest.raises(InvalidRequest, match=r"a\.py has 5 lines, none is line 6"):
        text_of(FilePlace("a.py", (6, 7)), WHOLE)


def test_an_empty_file_has_no_lines() -> None:
    """It is there all the same."""
    empty = {"file_lines": 0, "start_line": 1, "content": ""}

    assert text_of(FilePlace("a.py"), empty) == FileText("", 0, 0, 0)


def test_what_was_cut_is_told_with_the_way_to_it() -> None:
    """A file may be larger than what is read at once."""
    end = {"file_lines": 9, "start_line": 1, "content": "a\nb"}
    middle = {"file_lines": 9, "start_line": 4, "content": "d\ne"}

    assert text_of(FilePlace("a b.py"), end).rest == "ggrep://file/a%20b.py?lines=3-9"
    assert text_of(FilePlace("a.py", (4, 8)), middle).rest == "ggrep://file/a.py?lines=6-8"
    assert text_of(FilePlace("a.py", (2, 5)), middle).rest == "ggrep://file/a.py?lines=2-3"
    assert text_of(FilePlace("a.py", (4, 5)), middle).rest == ""

"""Path keys name a file the same way everywhere, and nothing outside the root."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.parse.source.path_keys import (
    casefold_collisions,
    is_below,
    parse_path_key,
    printable,
    problem,
)


@pytest.mark.parametrize("text", ["a", "a/b.py", "..cache/x", "a b/ü.py", "...", ".a/..b"])
def test_relative_paths_are_keys(text: str) -> None:
    """Dots inside a name are part of it."""
    assert parse_path_key(text) == text


@pytest.mark.parametrize(
    "text",
    ["", "/a", "a/", "a//b", ".", "./a", "..", "a/../b", "a\nb", "a\x7fb", "a\x9bb", "\udc80"],
)
def test_anything_else_is_refused(text: str) -> None:
    """A key is joined to the root and printed to terminals as it is."""
    with pytest.raises(InvalidRequest, match="invalid path"):
        parse_path_key(text)


@pytest.mark.parametrize("hidden", ["\u200e", "\u202e", "\u2028", "\u2066", "\u061c", "\ufeff"])
def test_names_that_would_be_shown_otherwise_are_refused(hidden: str) -> None:
    """Answers leave such characters out: the path they name would be no file's."""
    assert problem(f"a{hidden}b.py") == "the path contains invisible characters"
    assert problem("a\u00a0b/\u0444.py") is None


@pytest.mark.slow
@given(st.text())
def test_messages_about_any_name_are_printable(text: str) -> None:
    """A hostile name must not reach a terminal through the message that refuses it."""
    shown = printable(text)

    assert shown.isprintable()
    assert problem(text) is not None or shown.encode()


def test_containment_goes_by_whole_parts() -> None:
    """A neighbour whose name begins alike is outside; a child with odd dots is inside."""
    root = Path("/r/src")

    assert is_below(root, root)
    assert is_below(root, root / "..cache/x")
    assert not is_below(root, Path("/r/src_utils/x"))
    assert not is_below(root, Path("/r/src/../x"))
    assert not is_below(root, Path("/r"))


def test_names_that_differ_by_case_or_normal_form_alone_collide() -> None:
    names = ("b/X.py", "a.py", "B/x.py", "straße", "STRASSE", "c.py", "caf\u00e9", "cafe\u0301")

    assert casefold_collisions([PathKey(name) for name in names]) == (
        ("B/x.py", "b/X.py"),
        ("STRASSE", "straße"),
        ("cafe\u0301", "caf\u00e9"),
    )

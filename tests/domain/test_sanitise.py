"""Nothing that comes out of a file can steer a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.model.sanitise import sanitise, sanitise_line


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9d0;title\x9cafter", "after"),
        ("\x1bPpayload\x1b\\after", "after"),
        ("\x1b(Bplain\x1b7", "plain"),
        ("a\rb\x00c\x7fd\x85e", "abcde"),
        ("user\u202etxt.exe\u2066\u200f", "usertxt.exe"),
        ("\u2028line\u2029", "line"),
        ("tab\tand\nline stay", "tab\tand\nline stay"),
        ("\ud800", "\ufffd"),
        ("\x1b\x1b[0m[31m", "[31m"),
    ],
)
def test_sequences_and_controls_are_dropped(text: str, left: str) -> None:
    """A searched file may try to rewrite the terminal it is shown on."""
    assert sanitise(text) == left


@pytest.mark.parametrize("start", ["\x1b]", "\x1bP", "\x90", "\x9d"])
def test_an_unclosed_payload_ends_with_its_line(start: str) -> None:
    """A file could otherwise hide the code below a stray byte from whoever reads the hit."""
    assert sanitise(f"before {start}0;x\nafter\n") == "before \nafter\n"


def test_a_path_stays_on_one_line() -> None:
    """A file's name may hold a line break, a list of paths must not."""
    assert sanitise_line("a\n\tb\x1b[2Jc") == "a bc"


@given(st.text(st.characters()))
def test_what_is_left_is_clean_and_settled(text: str) -> None:
    """Cleaning must not put a new sequence together from the pieces."""
    clean = sanitise(text)

    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in clean)
    assert sanitise(clean) == clean
    clean.encode()

"""When colour is written."""

import pytest

from ggrep.render.style import Style, wants_colour


@pytest.mark.parametrize(
    ("environ", "plain", "terminal", "wanted"),
    [
        ({}, False, True, True),
        ({}, False, False, False),
        ({}, True, True, False),
        ({"NO_COLOR": "1"}, False, True, False),
        ({"NO_COLOR": ""}, False, True, True),
        ({"FORCE_COLOR": "1"}, False, False, True),
        ({"CLICOLOR_FORCE": "1"}, False, False, True),
        ({"CLICOLOR_FORCE": "0"}, False, False, False),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False, True, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, True, False),
        ({"FORCE_COLOR": "1"}, True, True, False),
        ({"TERM": "dumb"}, False, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, False, False, True),
    ],
)
def test_colour_obeys_flag_variables_and_terminal_in_this_order(
    environ: dict[str, str], plain: bool, terminal: bool, wanted: bool
) -> None:
    """These rules are common to many tools; people set them once."""
    assert wants_colour(environ, plain=plain, terminal=terminal) is wanted


def test_plain_and_coloured_text_hold_the_same_words() -> None:
    """Colour carries no meaning of its own."""
    assert Style(colour=False).paint("path", "a.py") == "a.py"
    assert Style(colour=True).paint("path", "a.py") == "\x1b[1;36ma.py\x1b[0m"
    assert Style(colour=True).paint("path", "") == ""

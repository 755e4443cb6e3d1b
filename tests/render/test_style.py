"""What a style paints and links."""

from ggrep.render.style import Style


def test_plain_and_coloured_text_hold_the_same_words() -> None:
    """Colour carries no meaning of its own."""
    assert Style(colour=False).paint("path", "a.py") == "a.py"
    assert Style(colour=True).paint("path", "a.py") == "\x1b[1;36ma.py\x1b[0m"
    assert Style(colour=True).paint("path", "") == ""


def test_a_place_is_a_link_where_the_terminal_shows_links() -> None:
    """Absolute, escaped, and of the line; nothing in a path can end the link."""
    style = Style(colour=True, links="editor://file{path}:{line}", cwd="/w/a b")
    linked = style.link("x", "../c\x1b\\#.py", 7)

    assert linked == "\x1b]8;;editor://file/w/c%1B%5C%23.py:7\x1b\\x\x1b]8;;\x1b\\"
    assert Style(colour=False, links="file://{path}", cwd="/w").link("x", "a.py", 1) == "x"
    assert Style(colour=True, links="", cwd="/w").link("x", "a.py", 1) == "x"
    assert Style(colour=True, links="file://{path}").link("x", "a.py", 1) == "x"

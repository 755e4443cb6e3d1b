"""Groovy's text as it is shown to the grammar."""

import pytest

from ggrep.parse.languages.groovy import as_words

FLOODS = ['"\\', "'\\", '"${', "= /", "=/\\/", "/*", '"""a', "a\n  ", "import a.b ", '"a${b']


def test_literals_are_blank_and_heads_go_on() -> None:
    """What the grammar would stumble over is gone, and nothing has moved."""
    text = 'import a.*\nclass A\n{\n  def x = /[^{]/ + "a ${b}" // "c\n}\n'

    shown = as_words(text.encode()).decode()

    assert shown == 'import a  \nclass A {\n  def x = "    " + "      " // "c\n}\n'


@pytest.mark.parametrize("flood", FLOODS)
def test_a_literal_that_never_ends_is_looked_at_once(flood: str) -> None:
    """Twenty times the text in twenty times the time, not four hundred."""
    data = (flood * 400_000).encode()

    assert len(as_words(data)) == len(data)

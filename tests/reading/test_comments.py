"""Lines of comments are told from code, in any language."""

import pytest

from ggrep.search.reading.bare_text import bare_text

LANGUAGES = {
    "python": ("# why\n", "x = 1  # beside code\n", "s = '# no comment'\n"),
    "go": ("// why\n", "x := 1 // beside code\n", 's := "// no comment"\n'),
    "c": ("/* why\n * and how */\n", "int x; /* beside code */\n", 'char *s = "/* no comment";\n'),
    "sql": ("-- why\n", "select 1 -- beside code\n", "select '-- no comment'\n"),
    "php": ("# why\n// and how\n", "$x = 1; // beside code\n", "$s = '# no comment';\n"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_of_comments_are_told_from_code_beside_comments_and_in_strings(
    language: str,
) -> None:
    """A line of code that is taken for a comment would be missing from an answer."""
    comment, *code = LANGUAGES[language]
    text = comment + "".join(code)

    assert bare_text(text, language).comment_lines == frozenset(range(comment.count("\n")))


@pytest.mark.parametrize("line", ["#include <a.h>", "#[derive(Debug)]", "#define A 1"])
def test_what_only_begins_as_a_comment_is_code(line: str) -> None:
    """Directives decide what is compiled."""
    assert not bare_text(f"{line}\nint x;", "rust" if "derive" in line else "c").comment_lines


def test_a_docstring_is_a_comment_and_a_string_of_several_lines_is_none() -> None:
    """One speaks to readers, the other to the program."""
    text = (
        'def f():\n    """Says.\n\n    More.\n    """\n    q = """\n    select\n    """\n    run(q)'
    )

    assert bare_text(text, "python").comment_lines == {1, 3, 4}


def test_a_string_among_arguments_is_no_comment() -> None:
    """It stands alone on its lines as a docstring does."""
    text = 'run(\n    """\n    select\n    """\n)\nlimit = 3\n"""Says."""'

    assert bare_text(text, "python").comment_lines == {6}

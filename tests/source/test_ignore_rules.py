"""Ignore rules read as git reads them; the conformance test asks git itself."""

import pytest

from ggrep.source.ignore_rules import RuleChain, parse_rules


def ignored(lines: str, path: str, *, is_directory: bool = False) -> bool | None:
    chain = RuleChain().with_file(b"", parse_rules(lines.encode()))
    return chain.decide(path.encode(), is_directory=is_directory)


@pytest.mark.parametrize(
    ("lines", "path", "expected"),
    [
        ("*.py", "a/b.py", True),
        ("/*.py", "a/b.py", None),
        ("a/*.py", "a/b.py", True),
        ("a/*.py", "x/a/b.py", None),
        ("**/a/*.py", "x/a/b.py", True),
        ("**/a/*.py", "a/b.py", True),
        ("a/**", "a/b/c", True),
        ("a/**/c", "a/c", True),
        ("a/**/c", "a/x/y/c", True),
        ("b/", "b", None),
        ("*.py\n!b.py", "a/b.py", False),
        ("!b.py\n*.py", "b.py", True),
        ("# x", "# x", None),
        (r"\# x", "# x", True),
        (r"\!x", "!x", True),
        ("x  ", "x", True),
        ("x\\ ", "x ", True),
        ("x\r", "x", True),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", None),
        ("[[:digit:]]x", "1x", True),
        ("[]]x", "]x", True),
        ("[a", "[a", None),
        ("a?c", "a/c", None),
        ("a\\", "a", None),
        ("\ufeffx", "x", True),
        ("[[:nonsense:]]", "n", None),
        ("[a\\]b]", "]", True),
        ("[z-a]", "z", True),
    ],
)
def test_a_line_decides_as_in_git(lines: str, path: str, expected: bool | None) -> None:
    """Users know one syntax and expect it to hold everywhere."""
    assert ignored(lines, path) is expected


def test_a_trailing_slash_means_directories_only() -> None:
    """A file may bear a directory's name."""
    assert ignored("b/", "a/b", is_directory=True) is True


def test_deeper_files_win_and_speak_of_their_own_directory() -> None:
    """The rule nearest to a file is the one its author meant."""
    chain = RuleChain().with_file(b"", parse_rules(b"*.txt\n"))
    chain = chain.with_file(b"a/", parse_rules(b"!/keep.txt\n"))

    assert chain.decide(b"a/keep.txt", is_directory=False) is False
    assert chain.decide(b"a/b/keep.txt", is_directory=False) is True

"""Ignore rules read as git reads them; the conformance test asks git itself."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ggrep.config.git import run_git
from ggrep.config.settings import Settings
from ggrep.parse.source.ignore_rules import RuleChain, parse_rules
from ggrep.parse.source.walk import walk
from ggrep.parse.source.wildmatch import MAX_GLOB_BYTES
from tests.fakes.effort import examples


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
        # Stars are not tried in all their ways.
        ("*a" * 40 + "b", "a" * 250, None),
        ("*a" * 40, "a" * 250, True),
        ("**/*a" * 40 + "b", "/".join(["a" * 20] * 40), None),
        ("**/a*" * 20 + "/**/b", "/".join(["a" * 20] * 40), None),
        ("**/*a*" * 20, "/".join(["a" * 20] * 40), True),
        ("[a-z]*" * 60 + "1", "a" * 250, None),
        ("x" + "**/*x" * 30, "x" * 200, None),
        # Both ends of a path are compared before the glob is compiled.
        ("a/**/b]", "a/b]", True),
        ("a*[b]c", "axbc", True),
        ("*\\*c", "a*c", True),
        ("*/**/c", "a/c", True),
        ("**/c", "c", True),
        ("*" + "x" * 100, "a" + "x" * 100, True),
        ("[" + "x" * 100 + "]c", "xc", True),
    ],
)
def test_a_line_decides_as_in_git(lines: str, path: str, expected: bool | None) -> None:
    """Users know one syntax and expect it to hold everywhere."""
    assert ignored(lines, path) is expected


def test_deeper_files_win_and_speak_of_their_own_directory() -> None:
    """The rule nearest to a file is the one its author meant."""
    chain = RuleChain().with_file(b"", parse_rules(b"*.txt\n"))
    chain = chain.with_file(b"a/", parse_rules(b"!/keep.txt\n"))

    assert chain.decide(b"a/keep.txt", is_directory=False) is False
    assert chain.decide(b"a/b/keep.txt", is_directory=False) is True


def test_names_without_wildcards_are_looked_up() -> None:
    """A file of a hundred thousand names must not cost each path a hundred thousand looks."""
    rules = parse_rules(b"".join(b"a%d\n" % number for number in range(1000)) + b"*.py\n!a7.py\n")

    assert [number for number, _ in rules.wild] == [1000]
    assert len(rules.files) == 1001
    assert rules.decide(b"x/a5", b"a5", is_directory=False) is True
    assert rules.decide(b"x/a7.py", b"a7.py", is_directory=False) is False


def test_a_later_line_beats_an_earlier_one_of_the_other_sort() -> None:
    """A trailing slash means directories only; a glob longer than any path matches nothing."""
    assert ignored("a.py\n!*.py", "a.py") is False
    assert ignored("!*.py\na.py", "a.py") is True
    assert ignored("*.d\n!a.d/", "a.d") is True
    assert ignored("*.d\n!a.d/", "a.d", is_directory=True) is False

    assert ignored("b/", "a/b", is_directory=True) is True

    assert ignored("*" + "?" * MAX_GLOB_BYTES, "a" * MAX_GLOB_BYTES) is None
    assert ignored("*" * (MAX_GLOB_BYTES - 1) + "a", "a") is True


NAMES = ["a", "b", "ab", "a b", "x-y", "é"]
DIRECTORIES = st.lists(st.sampled_from(NAMES), max_size=3)
FILES = st.builds(
    lambda parts, name: "/".join([*parts, f"{name}.py"]), DIRECTORIES, st.sampled_from(NAMES)
)
PLAIN = [*NAMES, "/", "/", ".py", "-", "]"]
WILD = ["*", "?", "**", "***", "[ab]", "[!a]", "[^b]", "[a-x]", "[[:alpha:]]", "[\\]a]", "["]
ESCAPES = ["\\a", "\\*", "\\"]
PIECES = st.sampled_from([*PLAIN, *WILD, *ESCAPES])
PATTERNS = st.builds(
    lambda negated, pieces, end: negated + "".join(pieces) + end,
    st.sampled_from(["", "", "", "!", "\\!", "#"]),
    st.lists(PIECES, min_size=1, max_size=5),
    st.sampled_from(["", "", "/", " ", "\\ ", "\r", "/**", "\t"]),
)
IGNORE_FILES = st.dictionaries(
    st.builds("/".join, DIRECTORIES), st.lists(PATTERNS, min_size=1, max_size=4), max_size=3
)


@pytest.mark.slow
@settings(max_examples=examples(40, 150), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sets(FILES, min_size=1, max_size=12), IGNORE_FILES)
def test_a_walk_lists_what_git_lists(files: set[str], ignore_files: dict[str, list[str]]) -> None:
    """Users know git's rules, and a tree means the same with and without its `.git`.

    A root's own line for everything is the exception: see `parse_rules`.
    """
    local = "\n".join(ignore_files.get("", ())).encode()
    assume(parse_rules(local, sparing=True) == parse_rules(local))
    root = Path(tempfile.mkdtemp())
    try:
        for key in files:
            write(root / key, "x")
        for directory, patterns in ignore_files.items():
            write(root / directory / ".gitignore", "\n".join(patterns))

        ours = [file.path_key for file in walk(root, Settings()).files]

        assert ours == listed_by_git(root)
    finally:
        shutil.rmtree(root)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def listed_by_git(root: Path) -> list[str]:
    subprocess.run(["git", "init", "-q", str(root)], check=True, env={"PATH": "/usr/bin:/bin"})
    selection = ("-z", "--cached", "--others", "--exclude-per-directory=.gitignore")
    _, output = run_git(root, "ls-files", *selection)
    listed = {path for path in output.split(b"\0") if path.endswith(b".py")}
    return [path.decode() for path in sorted(listed)]

"""Our reading of ignore files against git's own, over generated trees and patterns."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ggrep.config.git import run_git
from ggrep.config.settings import Settings
from ggrep.parse.source.ignore_rules import parse_rules
from ggrep.parse.source.walk import walk
from tests.fakes.effort import examples

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
def test_a_walk_without_git_lists_what_git_lists(
    files: set[str], ignore_files: dict[str, list[str]]
) -> None:
    """Users know git's rules, and a tree means the same with and without its `.git`.

    A root's own line for everything is the exception: see `parse_rules`.
    """
    own = "\n".join(ignore_files.get("", ())).encode()
    assume(parse_rules(own, sparing=True) == parse_rules(own))
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

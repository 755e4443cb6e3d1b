"""Sixty kinds of work tree: what another program finds is found, or it is said why not."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ggrep.index.maintenance.tree_checks import contents
from ggrep.model.request import Find, SearchRequest
from ggrep.model.response import QueryResponse
from ggrep.parse.source.path_keys import printable
from ggrep.parse.source.walk import walk
from ggrep.search.engine.engine import Engine
from tests.fakes.git import Git
from tests.fakes.repos import open_engine
from tests.trees.makers import COMMON, TREES, words

FEW = ("case twins", "rebasing", "ignores all", "odd names", "links", "a stray byte", "UTF-16 LE")


def exact(engine: Engine, word: str) -> QueryResponse:
    return engine.search(
        SearchRequest(word, find=Find.EXACT_TEXT, limit=500, per_file=1, keep_weak=True)
    )


def found(engine: Engine, word: str) -> set[str]:
    """Return the files that an exact search finds."""
    return {hit.path for hit in exact(engine, word).hits}


def is_cut(engine: Engine, word: str) -> bool:
    """Tell whether an answer says that there are more files than it shows."""
    return any(cut.code == "max_results" for cut in exact(engine, word).limits_hit)


def told(engine: Engine) -> set[str]:
    """Return what is said to be left out, and why: files, and directories for all below.

    A dry run names most; health those of which only the beginning is indexed.
    """
    tree = walk(engine.identity.root, engine.settings, apart=engine.home.own_directories)
    left_out = {path.rstrip("/") for path, _ in tree.left_out}
    return left_out | {skip.path_key for skip in tree.skipped} | shortened(engine)


def shortened(engine: Engine) -> set[str]:
    """Return the files that health names as indexed in part."""
    checks = contents(engine.view())
    return {path for check in checks if check.code == "shortened_files" for path in check.paths}


def is_told(path: str, reasons: set[str]) -> bool:
    parts = printable(path).split("/")
    return any("/".join(parts[: end + 1]) in reasons for end in range(len(parts)))


def lines_of(root: Path, word: str) -> set[str]:
    """Return the files whose bytes hold a word; a plain look that knows no encoding but UTF-8."""
    return {
        os.path.relpath(file, root)
        for file in root.rglob("*")
        if file.is_file() and not file.is_symlink() and ".git" not in file.parts
        if word.encode() in file.read_bytes()
    }


def listed_by_rg(root: Path, word: str) -> set[str]:
    done = subprocess.run(
        ("rg", "-l", "--null", "-w", "-F", "--", word), cwd=root, capture_output=True, check=False
    )
    return {os.fsdecode(path) for path in done.stdout.split(b"\0") if path}


def missing(engine: Engine, others: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return which files another found and we neither found nor gave a reason for."""
    reasons = told(engine)
    left = {
        word: {path for path in paths - found(engine, word) if not is_told(path, reasons)}
        for word, paths in others.items()
        if not is_cut(engine, word)
    }
    return {word: paths for word, paths in left.items() if paths}


@pytest.mark.slow
@pytest.mark.parametrize("kind", FEW)
def test_what_holds_a_word_is_found(root: Path, home: Path, git: Git, kind: str) -> None:
    """Or it is said which rule left it out."""
    TREES[kind](root, git)
    engine = open_engine(root, home)
    engine.sync()

    assert missing(engine, {word: lines_of(root, word) for word in words(root)}) == {}
    assert found(engine, COMMON)


@pytest.mark.deep
@pytest.mark.parametrize("kind", TREES)
def test_what_ripgrep_finds_is_found(root: Path, home: Path, git: Git, kind: str) -> None:
    """Over every kind of tree, twenty words and more where there are so many."""
    if shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    TREES[kind](root, git)
    engine = open_engine(root, home)
    engine.sync()
    listed = {word: listed_by_rg(root, word) for word in words(root)}

    assert missing(engine, listed) == {}
    assert found(engine, COMMON) or kind == "empty"

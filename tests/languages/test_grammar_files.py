"""Parsers that are not as they were installed are named before they crash a process."""

import base64
import hashlib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, PackagePath
from pathlib import Path
from types import SimpleNamespace

import pytest

from ggrep.parse.languages.grammar_files import damaged_grammar_files

CONTENT = b"a parser"


@pytest.fixture
def parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the one file of each package, as its list of files knows it."""
    path = tmp_path / "parser.so"
    path.write_bytes(CONTENT)
    digest = base64.urlsafe_b64encode(hashlib.sha256(CONTENT).digest()).rstrip(b"=").decode()
    listed = PackagePath("pack/parser.so")
    listed.hash = SimpleNamespace(mode="sha256", value=digest)  # type: ignore[assignment] # alike
    listed.size = len(CONTENT)
    listed.dist = SimpleNamespace(locate_file=lambda _: path)  # type: ignore[assignment] # alike
    monkeypatch.setattr("ggrep.parse.languages.grammar_files.files", lambda _: [listed])
    monkeypatch.setattr("ggrep.parse.languages.grammar_files.GRAMMAR_PACKAGES", ("pack",))
    return path


def test_the_installed_parsers_are_whole() -> None:
    """Those that these tests run with, at least."""
    assert damaged_grammar_files(deep=False) == []


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(CONTENT[:-1]), Path.unlink])
def test_a_missing_file_or_one_of_another_size_is_damaged(
    parser: Path, damage: Callable[[Path], object]
) -> None:
    """It would fail in a worker, far from here."""
    damage(parser)

    assert damaged_grammar_files(deep=False) == ["pack/parser.so"]


def test_other_bytes_of_the_same_size_are_seen_by_a_deep_look(parser: Path) -> None:
    """Hashing all parsers takes a moment, so it is not done each time."""
    assert damaged_grammar_files(deep=True) == []
    parser.write_bytes(CONTENT.upper())

    assert damaged_grammar_files(deep=False) == []
    assert damaged_grammar_files(deep=True) == ["pack/parser.so"]


def test_a_package_that_is_not_installed_is_named(
    parser: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be parsed without it."""

    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("ggrep.parse.languages.grammar_files.files", missing)

    assert parser.exists()
    assert damaged_grammar_files(deep=False) == ["pack"]

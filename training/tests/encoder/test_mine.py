"""Packages become files of pairs."""

import os
from pathlib import Path

import pytest

from ggrep.base.errors import UsageError
from training.encoder.mine import mine, spread
from training.encoder.pairs import Pair, read_pairs
from training.encoder.source_trees import packages_in

SOURCE = '''class {name}:
    """Holds every {word} that a user may change."""

    def load_{word}(self, path: str) -> list[str]:
        """Return the lines of the {word} file."""
        with open(path) as lines:
            return [line.strip() for line in lines if line]
'''


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Return a folder of two packages."""
    for name, word in (("pypi/one", "colour"), ("npm/@a__two", "shape")):
        folder = tmp_path / "sources" / name
        folder.mkdir(parents=True)
        (folder / "code.py").write_text(SOURCE.format(name=word.title(), word=word))
        (folder / "broken.py").write_bytes(b"\xff\xfe")
    return tmp_path / "sources"


@pytest.mark.slow
def test_each_package_gets_a_file(sources: Path, tmp_path: Path) -> None:
    """What was mined is not mined again, and comes out the same."""
    pairs = tmp_path / "pairs"
    first = mine(sources, pairs, jobs=1)
    names = sorted(path.name for path in pairs.iterdir())
    found = list(read_pairs(pairs / "pypi-one.jsonl"))
    again = mine(sources, pairs, jobs=1)

    assert names == ["npm-_a__two.jsonl", "pypi-one.jsonl"]
    assert "Holds every colour that a user may change" in {pair.query for pair in found}
    assert {pair.package for pair in found} == {"pypi/one"}
    assert first.dropped["unreadable"] == 2
    assert (first.skipped, again.skipped) == (0, 2)
    assert (again.kinds, again.packages) == (first.kinds, first.packages)


@pytest.mark.slow
def test_sources_to_keep_clear_of_are_not_mined(sources: Path, tmp_path: Path) -> None:
    """Not even a variant: figures measured on what was learnt would be worthless."""
    report = mine(sources, tmp_path / "pairs", keep_clear=[sources / "pypi"], jobs=1)

    assert not report.packages
    assert report.dropped["kept_clear"] == 2


@pytest.mark.slow
def test_a_package_that_changed_is_mined_again(sources: Path, tmp_path: Path) -> None:
    """The folder's own time says so."""
    mine(sources, tmp_path / "pairs", jobs=1)
    os.utime(sources / "pypi/one", (4_000_000_000, 4_000_000_000))

    assert mine(sources, tmp_path / "pairs", jobs=1).skipped == 1


def test_pairs_of_a_package_that_is_gone_go_too(tmp_path: Path) -> None:
    """It was taken away because it may not be learnt from."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs/pypi-gone.jsonl").write_text("")
    mine(tmp_path / "sources", tmp_path / "pairs", jobs=1)

    assert not list((tmp_path / "pairs").iterdir())


def test_scopes_are_no_packages(tmp_path: Path) -> None:
    """Their folders hold the packages."""
    (tmp_path / "npm/@scope/inner").mkdir(parents=True)
    (tmp_path / "npm/@scope__flat").mkdir()

    names = [package.name for package in packages_in(tmp_path, tmp_path / "pairs")]
    assert names == ["npm/@scope/inner", "npm/@scope__flat"]


def test_a_cap_takes_a_share_of_every_file() -> None:
    """A large file must not stand for its package."""
    large = [(Pair("q", f"text {at}", "doc", "p", "large", "c"),) for at in range(50)]
    small = [(Pair("q", "text", "doc", "p", "small", "c"),)]
    kept = spread([large, small], 10)

    assert len(kept) == 10
    assert kept == spread([large, small], 10)
    assert kept[-1] == small[0]


def test_a_line_that_is_no_pair_is_refused(tmp_path: Path) -> None:
    """The file and the line are named."""
    (tmp_path / "a.jsonl").write_text('{"query": "q"}\n')

    with pytest.raises(UsageError, match=r"a\.jsonl:1: not a pair"):
        list(read_pairs(tmp_path / "a.jsonl"))

"""The three steps from lists of packages to pairs, over registries that are made up."""

import hashlib
import io
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from training.encoder import __main__ as command
from training.encoder import corpus
from training.encoder.clients import Outcome
from training.encoder.corpus import Done, fetch_all, read_corpus, strays, unpack_all
from training.encoder.packages import Package, write_packages

NAMES = frozenset({"vue"})
CODE = b'''"""Sums."""


def total_of(numbers: list[int]) -> int:
    """Return the total of all numbers that are even."""
    even = [number for number in numbers if number % 2 == 0]
    return sum(even)
'''


def tarball(files: Mapping[str, bytes]) -> bytes:
    """Return an archive as npm has them."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))
    return data.getvalue()


DATA = tarball({"package/src/sums.py": CODE, "package/src/vue.py": CODE})
GOOD, GONE = (
    Package("npm", name, "1.0.0", hashlib.sha256(DATA).hexdigest(), "MIT", ("python",))
    for name in ("good", "gone")
)


def client(words: Sequence[str], folder: Path) -> Outcome:
    """Do as npm does; one package is no longer there."""
    if words[-1].startswith("gone"):
        return Outcome(1, "", "404")
    (folder / "good-1.0.0.tgz").write_bytes(DATA)
    return Outcome(0, "", "")


@pytest.fixture
def said() -> list[str]:
    """Return where lines about what is left out go."""
    return []


@pytest.fixture
def exclusions(tmp_path: Path) -> Path:
    """Return a file of names."""
    path = tmp_path / "names.txt"
    path.write_text("vue\n")
    return path


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a list of one package in the place of the corpus."""
    path = tmp_path / "list.toml"
    path.write_text(write_packages((GOOD,)))
    monkeypatch.setattr(corpus.read_corpus, "__defaults__", ((path,),))


def test_what_a_registry_dropped_is_told_and_left_out(tmp_path: Path, said: list[str]) -> None:
    """Registries keep few old versions; the rest of the corpus is still worth having."""
    done = fetch_all((GONE, GOOD), tmp_path, said.append, run=client)

    assert done == Done(packages=1, left_out=1)
    assert said == ["npm package gone 1.0.0 cannot be fetched: 404"]


def test_only_what_is_fetched_is_unpacked(tmp_path: Path, said: list[str]) -> None:
    """Excluded names are left out, and trees of earlier lists are deleted."""
    fetch_all((GOOD,), tmp_path, said.append, run=client)
    (tmp_path / "sources/npm/old").mkdir(parents=True)
    (tmp_path / "sources/npm/good/old").mkdir(parents=True)

    done = unpack_all((GOOD, GONE), tmp_path, NAMES, said.append)

    assert done == Done(packages=1, left_out=1, files=1)
    assert said == ["npm package gone is not fetched"]
    files = [path for path in (tmp_path / "sources").rglob("*") if path.is_file()]
    assert files == [tmp_path / "sources/npm/good/src/sums.py"]
    assert not list(strays((GOOD,), tmp_path))


def test_nothing_of_a_damaged_archive_stays(tmp_path: Path, said: list[str]) -> None:
    """A tree cut short would be mined like a whole one."""
    files = {f"package/{number}.py": CODE + bytes(str(number), "ascii") for number in range(400)}
    cut = tarball(files)[:-300]
    package = replace(GOOD, sha256=hashlib.sha256(cut).hexdigest())
    path = tmp_path / "archives/npm/good-1.0.0.tgz"
    path.parent.mkdir(parents=True)
    path.write_bytes(cut)

    assert unpack_all((package,), tmp_path, NAMES, said.append) == Done(left_out=1)
    assert "cannot be unpacked" in said[0]
    assert not (tmp_path / "sources/npm/good").exists()


def test_an_excluded_package_may_not_be_listed(tmp_path: Path) -> None:
    """A slip in a list must not spoil the evaluation."""
    path = tmp_path / "list.toml"
    path.write_text(write_packages((GOOD,)))

    with pytest.raises(UsageError, match="good is excluded, yet listed"):
        read_corpus(frozenset({"good"}), (path,))


@pytest.mark.usefixtures("lists")
def test_the_steps_lead_from_a_list_to_pairs(
    tmp_path: Path, exclusions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That is all there is to do for the training material."""
    archive = tmp_path / "archives/npm/good-1.0.0.tgz"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(DATA)
    for step in ("fetch", "unpack", "mine"):
        assert command.main([step, str(tmp_path), "--exclusions", str(exclusions)]) == 0

    told = capsys.readouterr().out
    assert told.startswith("1 packages; 0 left out\n1 packages, 1 files; 0 left out\n")
    assert "total of all numbers" in (tmp_path / "pairs/npm-good.jsonl").read_text()


@pytest.mark.usefixtures("lists")
def test_a_package_left_out_fails_a_strict_run_only(tmp_path: Path, exclusions: Path) -> None:
    """Whoever wants the very same pairs has to know."""
    words = ["unpack", str(tmp_path), "--exclusions", str(exclusions)]

    assert command.main(words) == 0
    assert command.main([*words, "--strict"]) == 1


@pytest.mark.usefixtures("lists")
def test_strays_and_missing_folders_stop_the_mining(
    tmp_path: Path, exclusions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pairs are to come from the lists alone, and kept clear of what was asked."""
    words = ["mine", str(tmp_path), "--exclusions", str(exclusions)]
    assert command.main(words) == UsageError.exit_status
    (tmp_path / "sources/npm/other").mkdir(parents=True)
    assert command.main(words) == UsageError.exit_status
    assert command.main([*words, "--keep-clear", str(tmp_path / "none")]) == UsageError.exit_status

    told = capsys.readouterr().err.splitlines()
    assert [line.rpartition("/")[2] for line in told] == [
        "sources: not a folder",
        "other: of no package on the lists; unpack again",
        "none: not a folder",
    ]


def test_without_exclusions_nothing_is_done(tmp_path: Path) -> None:
    """Forgetting them would train on what evaluation asks about."""
    with pytest.raises(SystemExit):
        command.main(["fetch", str(tmp_path)])
    empty = tmp_path / "names.txt"
    empty.write_text("# none\n")

    assert command.main(["fetch", str(tmp_path), "--exclusions", str(empty)]) != 0

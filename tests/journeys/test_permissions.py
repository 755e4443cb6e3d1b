"""All of a home is its user's alone, or the group's when it is shared, whatever the umask."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.git import Git
from tests.fakes.repos import write_tree
from tests.journeys.command import WORDS, Command

PROBES = ".ggrep-probe-"


@pytest.fixture(params=[0o000, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set the process's umask meanwhile."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(home: Path) -> dict[str, set[int]]:
    """Return the modes of all directories and files of a home."""
    results: dict[str, set[int]] = {"directories": set(), "files": set()}
    for path in (home, *home.rglob("*")):
        kind = "directories" if path.is_dir() else "files"
        results[kind].add(stat.S_IMODE(path.stat().st_mode))
    return results


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True], ids=["private", "shared"])
@pytest.mark.usefixtures("umask")
def test_every_file_has_its_mode(
    ggrep: Command, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    """Tables, images, locks, caches, the record of the writer and what a dead probe leaves."""
    monkeypatch.setenv("GGREP_SHARED_STORE", str(int(shared)))
    monkeypatch.setenv("GGREP_ENCODER", "hashed")
    # As if the process died during its probe.
    monkeypatch.setattr("ggrep.index.store.filesystem.shutil.rmtree", lambda *_, **__: None)
    write_tree(root, WORDS)
    assert ggrep("index", root).status == 0
    write_tree(root, {"c.py": "def gamma_needle():\n    return 2\n", "a.py": None})
    assert ggrep("index", root).status == 0
    assert ggrep("needle", root).status == 0

    result = modes(home)

    names = [path.name for path in home.rglob("*")]
    for part in ("ACTIVE_SNAPSHOT", "verified.json", "manifest.json", "visibility.image"):
        assert part in names
    for part in (PROBES, "seg_", "created"):
        assert any(name.startswith(part) for name in names), part
    for end in (".lance", ".image", ".guard", ".readers", ".lease.json"):
        assert any(name.endswith(end) for name in names), end
    expected = (0o2770, 0o660) if shared else (0o700, 0o600)
    assert result == {"directories": {expected[0]}, "files": {expected[1]}}


def test_a_home_is_not_shared_by_a_change_of_mind(
    ggrep: Command, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor the other way round: half of it would be out of somebody's reach."""
    write_tree(root, WORDS)
    assert ggrep("index", root).status == 0
    before = modes(home)

    monkeypatch.setenv("GGREP_SHARED_STORE", "true")
    refused = ggrep("index", root, "--json")

    assert refused.status == 2
    assert refused.error()["code"] == "invalid_request"
    assert "shared_store is on" in refused.error()["message"]
    assert modes(home) == before


@pytest.fixture
def tracked(root: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a work tree with one commit and nothing else, which is the current directory."""
    git(root, "init", "-q")
    write_tree(root, WORDS)
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Share the home from now on."""
    monkeypatch.setenv("GGREP_SHARED_STORE", "true")
    return monkeypatch


@pytest.mark.slow
def test_shared_stores_are_gits(ggrep: Command, tracked: Path, shared: pytest.MonkeyPatch) -> None:
    write_tree(tracked, {"notes.py": "def delta_needle():\n    return 3\n"})

    tree = ggrep("index", tracked, "--json").document
    shared.setenv("GGREP_SHARED_STORE_INCLUDE_UNTRACKED", "true")
    more = ggrep("index", tracked, "--json").document

    assert tree["files"]["indexed"] == 2
    assert more["files"]["indexed"] == 3
    assert tree["store_id"] != more["store_id"]
    assert [w["code"] for w in tree["warnings"]] == ["shared_dirty"]
    assert "untracked files included" in more["warnings"][0]["message"]


@pytest.mark.slow
def test_a_dirty_work_tree_is_told_of_until_it_is_clean(
    ggrep: Command, tracked: Path, git: Git, shared: pytest.MonkeyPatch
) -> None:
    """Others would look in the commit for what they were shown."""
    clean = ggrep("index", tracked, "--json").document
    write_tree(tracked, {"a.py": "def changed_needle():\n    return 4\n"})
    dirty = ggrep("index", tracked, "--json").document
    asked = ggrep("needle", tracked, "--json").document
    again = ggrep("index", tracked)
    git(tracked, "commit", "-q", "-a", "-m", "two")
    healed = ggrep("index", tracked, "--json").document

    assert clean["warnings"] == []
    assert [w["code"] for w in dirty["warnings"]] == ["shared_dirty"]
    assert (asked["git"]["dirty"], asked["git"]["untracked_included"]) == (True, False)
    assert "contains uncommitted changes" in again.err
    assert healed["warnings"] == []


@pytest.mark.slow
def test_clean_may_be_demanded(ggrep: Command, tracked: Path, shared: pytest.MonkeyPatch) -> None:
    """A team's store then holds commits and nothing else."""
    shared.setenv("GGREP_SHARED_STORE_CLEAN", "true")
    assert ggrep("index", tracked).status == 0
    write_tree(tracked, {"a.py": "def changed_needle():\n    return 4\n"})

    refused = ggrep("index", tracked, "--allow-degraded", "--json")
    answer = ggrep("needle", "--compact", "--repo", tracked)

    assert refused.status == 1
    assert "shared_store_clean" in refused.error()["message"]
    assert sorted(answer.out.split()) == ["a.py", "docs/b.md"]


def test_any_tree_is_taken(ggrep: Command, tracked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules for shared stores bind nobody else."""
    monkeypatch.setenv("GGREP_SHARED_STORE_CLEAN", "true")
    write_tree(tracked, {"notes.py": "def delta_needle():\n    return 3\n"})

    report = ggrep("index", tracked, "--json").document

    assert (report["files"]["indexed"], report["warnings"]) == (3, [])

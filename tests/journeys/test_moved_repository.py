"""A repository that was moved keeps its index, and its entry in a workspace."""

from pathlib import Path

import pytest

from ggrep.base import stable_json
from tests.fakes.remotes import clone, commit
from tests.journeys.command import WORDS, Command

pytestmark = pytest.mark.slow


@pytest.fixture
def moved(ggrep: Command, tmp_path: Path) -> Path:
    """Return the new place of a repository that was indexed at another."""
    old, new = tmp_path / "old", tmp_path / "deep" / "new"
    commit(old, WORDS)
    assert ggrep("index", "--path", old).status == 0
    new.parent.mkdir()
    old.rename(new)
    return new


def test_its_index_is_taken_over(ggrep: Command, moved: Path) -> None:
    """Nothing of it has changed, so nothing is cut anew."""
    report = ggrep("index", "--path", moved, "--json").document

    assert (report["files"]["indexed"], report["files"]["unchanged"]) == (0, len(WORDS))
    assert [warning["code"] for warning in report["warnings"]] == ["index_moved"]
    assert "a.py" in ggrep("alpha needle", moved).out
    assert ggrep("audit", "--path", moved).status == 0
    assert ggrep("index", "--path", moved, "--json").document["warnings"] == []


@pytest.mark.parametrize("same", [True, False])
def test_another_repository_takes_nothing_over(ggrep: Command, tmp_path: Path, same: bool) -> None:
    """One with another history, or a copy of one that is still there."""
    old, new = tmp_path / "old", tmp_path / "new"
    commit(old, WORDS)
    assert ggrep("index", "--path", old).status == 0
    if same:
        clone(old, new)
    else:
        commit(new, {**WORDS, "c.py": "c = 1\n"})
        old.rename(tmp_path / "elsewhere")
    report = ggrep("index", "--path", new, "--json").document

    assert report["files"]["indexed"] == len(WORDS) + (not same)
    assert report["warnings"] == []


def test_adding_it_moves_its_entry(ggrep: Command, moved: Path, tmp_path: Path) -> None:
    """Its alias, its tags and the comments stay; doctor and validate name this way out."""
    other, file = tmp_path / "other", tmp_path / "ws.jsonc"
    commit(other, WORDS)
    file.write_text(
        '{\n  "schemaVersion": 1,\n  "repos": [\n    { "root": "other" },\n'
        '    { "root": "old", "alias": "shop", "tags": ["x"] } // ours\n  ]\n}\n'
    )
    refused, doctor = ggrep("workspace", "validate", file), ggrep("workspace", "doctor", file)
    added = ggrep("workspace", "add", file, moved)
    listed = stable_json.loads(ggrep("workspace", "validate", file, "--json").out)

    for output in (refused.err, doctor.out):
        assert f"if it was moved: ggrep workspace add {file} shop=DIRECTORY" in output
        assert f"ggrep workspace remove {file} shop" in output
    assert added.status == 0, added.err
    assert '{ "root": "deep/new", "alias": "shop", "tags": ["x"] } // ours' in file.read_text()
    assert [repo["alias"] for repo in listed["workspace"]["repos"]] == [None, "shop"]


def test_a_directory_with_the_alias_of_a_missing_one_takes_its_entry(
    ggrep: Command, tmp_path: Path
) -> None:
    """A teammate's home has no index that could tell where the repository went."""
    file, there = tmp_path / "ws.jsonc", tmp_path / "elsewhere"
    commit(there, WORDS)
    entry = '{ "root": "gone", "alias": "shop", "tags": ["x"], "enabled": false }'
    file.write_text(f'{{ "schemaVersion": 1, "repos": [{entry}] }}')

    added = ggrep("workspace", "add", file, f"Shop={there}")

    assert added.status == 0, added.err
    assert entry.replace("gone", "elsewhere") in file.read_text()

"""Repositories whose directory is gone: a row and a diagnosis each, and the others answer."""

from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.federation.doctor import examine
from ggrep.federation.watch import ReloadingFile
from ggrep.federation.workspace_state import read_workspace_state
from ggrep.model.suggested_commands import bring_back
from ggrep.protocol.client.daemon_address import arrange
from tests.fakes.coordinated import ask, request, searcher
from tests.fakes.searchers import repo, workspace
from tests.fakes.workspaces import ENVIRON, load, make_workspace, publish

pytestmark = pytest.mark.anyio

CODE = "ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"
WHY = "root '../b': the directory does not exist"
HALF = workspace(repo("a"), repo("b", missing=WHY))
NONE = workspace(repo("a", missing=WHY), repo("b", missing=WHY))


@pytest.mark.parametrize("strategy", ["rrf", "global"])
async def test_it_is_a_row_and_the_others_answer(strategy: str) -> None:
    asked = request(merge_strategy=strategy)
    result = (await ask([searcher("a")], asked, known=HALF)).to_json()

    assert result["ok"] is True
    assert {hit["repoAlias"] for hit in result["results"]} == {"a"}
    row = result["repos"][1]
    reported = f"{WHY}; {bring_back('b', '')}"
    assert row["status"] == "missing_root"
    assert row["error"] == {"code": CODE, "message": reported}
    assert row["couldChange"]["verdict"] == "unknown"
    assert result["diagnostics"]["errors"] == [
        {"code": CODE, "message": reported, "repoId": "b-000000000000"}
    ]


async def test_a_missing_root_is_not_asked_and_strict_fails_with_its_code() -> None:
    gone = searcher("b")
    await ask([searcher("a"), gone], known=HALF)

    assert gone.asked == []

    there = searcher("a")
    result = (await ask([there], request(strict=True), known=HALF)).to_json()

    assert (result["ok"], result["code"]) == (False, CODE)
    assert [row["status"] for row in result["repos"]] == ["skipped", "missing_root"]
    assert there.asked == []

    result = (await ask([], known=NONE)).to_json()

    assert (result["ok"], result["code"]) == (False, CODE)
    assert {row["status"] for row in result["repos"]} == {"missing_root"}

    result = (await ask([searcher("a")], request(only=("b",)), known=HALF)).to_json()

    assert (result["ok"], result["code"]) == (False, CODE)
    assert result["diagnostics"]["warnings"] == []


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


async def test_the_manifest_and_the_doctor_name_it(tmp_path: Path, home: Home) -> None:
    """The command that the doctor prints has the file and can be pasted."""
    made = make_workspace(tmp_path, "a", "b b")
    publish(arrange(tmp_path / "b b", home, environ=ENVIRON).identity.store)
    (tmp_path / "b b").rmdir()
    result = read_workspace_state(load(made.workspace_path), home, ENVIRON)
    states = {state.repo.alias: state.availability for state in result.members}
    examined = [each for each in examine(result).findings if each.code == "missing_root"]

    assert states == {"a": "missing-index-dir", "b b": "missing-root"}
    assert [error.code for error in result.diagnostics.errors] == [CODE]
    assert [each.hint for each in examined] == [
        f"ggrep workspace remove {made.workspace_path} 'b b'"
    ]


async def test_the_last_of_those_that_are_missing_is_not_to_be_removed(
    tmp_path: Path, home: Home
) -> None:
    made = make_workspace(tmp_path, "a", "b")
    for name in ("a", "b"):
        (tmp_path / name).rmdir()
    result = examine(read_workspace_state(load(made.workspace_path), home, ENVIRON)).findings

    assert [bool(each.hint) for each in result] == [True, False]


async def test_a_watch_sees_it_go_and_come_back(tmp_path: Path) -> None:
    made = make_workspace(tmp_path, "a", "b")
    followed = ReloadingFile(made.workspace_path, load)
    seen = [followed.look()]
    (tmp_path / "b").rmdir()
    seen += [followed.look(), followed.look()]
    missing = [each.missing is not None for each in followed.workspace.repos]
    (tmp_path / "b").mkdir()
    seen += [followed.look(), followed.look()]

    reports = [change and change.message for change in seen]
    came = "directories of repositories were removed or restored"
    assert reports == [None, came, None, came, None]
    assert missing == [False, True]

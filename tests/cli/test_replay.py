"""`ggrep search --receipt` and `ggrep replay` as they are typed."""

import hashlib
import stat
from pathlib import Path

import pytest

from ggrep.base import stable_json
from tests.fakes.receipts import AFTER, BEFORE
from tests.fakes.repos import write_tree
from tests.journeys.command import Command, CommandOver, fits


@pytest.fixture
def ggrep(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch, command_over: CommandOver
) -> Command:
    write_tree(root, {**BEFORE, ".ggrep.toml": ""})
    monkeypatch.chdir(root)
    command = command_over(home, GGREP_ENCODER="none")
    assert command("index").status == 0
    return command


@pytest.fixture
def receipt(ggrep: Command, tmp_path: Path) -> Path:
    """Return a receipt of the tree before the edit."""
    path = tmp_path / "receipt.json"
    assert ggrep("needle", "--receipt", path).status == 0
    return path


def edit(ggrep: Command, root: Path) -> None:
    write_tree(root, AFTER)
    assert ggrep("index").status == 0


def test_a_receipt_changes_no_word_of_the_answer(ggrep: Command, tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    kept = ggrep("search", "--json", "--receipt", path, "needle")
    usual = ggrep("search", "--json", "--deterministic", "needle")
    document = stable_json.loads(path.read_bytes())

    assert (kept.status, kept.out, kept.err) == (0, usual.out, "")
    fits(document, "receipt")
    assert document["origin"]["answer_sha256"] == hashlib.sha256(usual.out.encode()).hexdigest()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_receipts_of_two_runs_are_equal_bytes_without_an_absolute_path(
    ggrep: Command, receipt: Path, tmp_path: Path
) -> None:
    """One that is committed changes when its answer does."""
    other = receipt.with_name("other.json")
    ggrep("--receipt", other, "needle")

    assert other.read_bytes() == receipt.read_bytes()
    assert str(tmp_path) not in receipt.read_text()


def test_the_same_bytes_come_again_after_edits(ggrep: Command, receipt: Path, root: Path) -> None:
    edit(ggrep, root)
    outcome = ggrep("replay", receipt)

    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("reproduced: ")
    assert ggrep("replay", receipt, "--today").status == 1


def test_an_answer_whose_snapshot_was_collected_is_told_hit_by_hit(
    ggrep: Command, receipt: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GGREP_RETAIN_SNAPSHOTS_MIN", "1")
    monkeypatch.setenv("GGREP_QUERY_TIMEOUT_MS", "1")
    monkeypatch.setenv("GGREP_GC_SAFETY_MARGIN_MS", "0")
    monkeypatch.setenv("GGREP_RETAIN_SNAPSHOTS_MIN_AGE_SECS", "0")
    edit(ggrep, root)
    assert ggrep("gc", "--force").status == 0
    monkeypatch.delenv("GGREP_QUERY_TIMEOUT_MS")
    outcome = ggrep("replay", "--json", receipt)

    assert (outcome.status, outcome.err) == (1, "")
    fits(outcome.document, "replay_report")
    assert outcome.document["outcome"] == "snapshot_gone"
    assert {hit["path"]: hit["fate"] for hit in outcome.document["hits"]} == {
        "edited.py": "edited",
        "gone.md": "gone",
        "moved.py": "moved",
        "same.py": "same",
        "shifted.py": "moved",
    }


def test_a_receipt_is_replayed_from_elsewhere(
    ggrep: Command, receipt: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository is named; the receipt does not know where it lies."""
    monkeypatch.chdir(receipt.parent)

    assert ggrep("replay", "--repo", root, receipt).status == 0


def test_a_scope_is_part_of_the_question(ggrep: Command, root: Path, tmp_path: Path) -> None:
    write_tree(root, {"deep/in.py": "def inner_needle():\n    return 6\n"})
    ggrep("index")
    path = tmp_path / "receipt.json"
    ggrep("needle", "deep", "--receipt", path, "-m", "3")
    outcome = ggrep("replay", path, "--json")

    assert outcome.status == 0
    assert [hit["path"] for hit in outcome.document["hits"]] == ["deep/in.py"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", ""),
        ("{}", ""),
        ('{"kind": "repository", "schema_version": 1}', ""),
        (None, "was changed"),
    ],
)
def test_what_is_no_receipt_cannot_be_replayed(
    ggrep: Command, receipt: Path, text: str | None, fault: str
) -> None:
    receipt.write_text(receipt.read_text().replace("needle", "noodle", 1) if text is None else text)
    outcome = ggrep("replay", "--json", receipt)

    assert outcome.status == 2
    assert outcome.error()["message"].startswith(f"{receipt}: ")
    assert fault in outcome.error()["message"]


def test_a_file_that_is_too_large_or_not_there_is_not_read(
    ggrep: Command, receipt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is named by mistake must not fill the memory."""
    monkeypatch.setattr("ggrep.interfaces.cli.queries.replay.MAX_RECEIPT_BYTES", 100)
    outcome = ggrep("replay", receipt)

    assert outcome.status == 2
    assert "larger than 100 bytes" in outcome.err
    assert ggrep("replay", "nowhere.json").status == ggrep("replay", ".").status == 2


def test_a_bug_does_not_blame_the_answer(
    ggrep: Command, receipt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash and an answer that changed call for different people."""

    def broken(*_: object, **__: object) -> None:
        raise ValueError("odd")

    monkeypatch.setattr("ggrep.search.engine.receipts.replay", broken)
    outcome = ggrep("replay", "--json", receipt)

    assert outcome.status == 2
    assert "odd" in outcome.error()["message"]


def test_a_file_that_is_no_receipt_is_not_written_over(ggrep: Command, root: Path) -> None:
    """A slip of the hand must not cost a source file."""
    path, text = root / "same.py", BEFORE["same.py"]
    refused = ggrep("--receipt", path, "needle")

    assert (refused.status, refused.out, path.read_text()) == (2, "", text)
    assert "to replace it: --force" in refused.err
    assert ggrep("--receipt", path, "--force", "needle").status == 0
    assert ggrep("--receipt", path, "needle").status == 0  # now it is one


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        (["--receipt", "-"], "must be a file"),
        (["--receipt", "/dev/null"], "not a regular file"),
        (["--receipt", "."], "is a directory"),
        (["--receipt", "nowhere/receipt.json"], "no such directory"),
        (["--receipt", "r.json", "--format", "slate"], "--receipt"),
        (["--receipt", "r.json", "--workspace", "w", "--only", "/x"], "by alias or id"),
        (["--force"], "only with --receipt"),
        (["--receipt", "r.json", "--workspace", "w", "--stats"], "--stats and --receipt"),
    ],
)
def test_a_place_that_takes_no_receipt_is_told_before_the_search(
    ggrep: Command, flags: list[str], fault: str
) -> None:
    """With the status of wrong usage, and without an answer."""
    outcome = ggrep("search", "needle", *flags)

    assert (outcome.status, outcome.out) == (2, "")
    assert fault in outcome.err


def test_a_search_that_fails_writes_no_receipt(ggrep: Command, tmp_path: Path) -> None:
    """There is no answer that it could be of."""
    path = tmp_path / "receipt.json"

    assert ggrep("()", "--receipt", path).status == 2
    assert not path.exists()


@pytest.fixture
def workspace(ggrep: Command, root: Path, tmp_path: Path) -> Path:
    """Return a workspace of the indexed repository and another one."""
    write_tree(root.parent / "other", {"z.py": "def other_needle():\n    return 9\n"})
    path = tmp_path / "ws.jsonc"
    entries = (f"one={root}", f"two={root.parent / 'other'}")
    assert ggrep("workspace", "init", path, *entries).status == 0
    assert ggrep("index", "--workspace", path).status == 0
    return path


@pytest.fixture
def federated(ggrep: Command, workspace: Path, tmp_path: Path) -> Path:
    """Return the receipt of a workspace's answer."""
    path = tmp_path / "federated.json"
    kept = ggrep("needle", "--workspace", workspace, "--receipt", path, "--json")
    usual = ggrep("needle", "--workspace", workspace, "--deterministic", "--json")
    assert (kept.status, kept.out) == (0, usual.out)
    return path


@pytest.mark.slow
def test_a_workspace_answers_the_same_bytes_while_nothing_is_published(
    ggrep: Command, workspace: Path, federated: Path, root: Path
) -> None:
    """One receipt for all its repositories, without a path of this machine."""
    outcome = ggrep("replay", federated, "--workspace", workspace, "--json")

    assert outcome.status == 0
    fits(stable_json.loads(federated.read_bytes()), "workspace_receipt")
    fits(outcome.document, "workspace_replay")
    assert str(root.parent) not in federated.read_text()
    assert {hit["fate"] for hit in outcome.document["hits"]} == {"same"}


@pytest.mark.slow
def test_a_workspace_tells_which_repository_changed_and_what_became_of_each_hit(
    ggrep: Command, workspace: Path, federated: Path, root: Path
) -> None:
    """The repositories that stayed as they were are not blamed."""
    edit(ggrep, root)
    outcome = ggrep("replay", federated, "--workspace", workspace, "--json")
    shown = ggrep("replay", federated, "--workspace", workspace)

    assert (outcome.status, shown.status) == (1, 1)
    fits(outcome.document, "workspace_replay")
    fates = {hit["path"]: hit["fate"] for hit in outcome.document["hits"]}
    assert fates["z.py"] == "same"
    assert fates["moved.py"] == "moved"
    assert fates["gone.md"] == "gone"
    assert [change["what"] for change in outcome.document["changes"]] == ["snapshot_id"]
    assert "-> one/deeper/moved.py:1" in shown.out


@pytest.mark.slow
def test_hits_of_a_repository_that_left_are_unknown(
    ggrep: Command, workspace: Path, federated: Path
) -> None:
    """It was not looked into, so they are not called gone."""
    assert ggrep("workspace", "remove", workspace, "two").status == 0
    outcome = ggrep("replay", federated, "--workspace", workspace, "--json")

    assert outcome.status == 1
    fits(outcome.document, "workspace_replay")
    fates = {hit["path"]: hit["fate"] for hit in outcome.document["hits"]}
    assert (fates["z.py"], fates["same.py"]) == ("unknown", "same")
    assert {change["what"] for change in outcome.document["changes"]} == {"repo_set_id", "asked"}


@pytest.mark.slow
def test_a_workspaces_receipt_needs_its_workspace(
    ggrep: Command, workspace: Path, federated: Path, receipt: Path
) -> None:
    bare = ggrep("replay", federated)
    both = ggrep("replay", receipt, "--workspace", workspace)
    today = ggrep("replay", federated, "--workspace", workspace, "--today")

    assert [outcome.status for outcome in (bare, both, today)] == [2, 2, 2]
    assert "--workspace" in bare.err
    assert "--repo" in both.err

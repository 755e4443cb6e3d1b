"""From an empty home to an answer, and on through edits, in one repository."""

import os
import shutil
from pathlib import Path

import pytest

from tests.fakes.repos import write_tree
from tests.journeys.command import REPOS, Command, fits


def test_an_edit_shows_after_the_next_index(ggrep: Command, indexed: Path) -> None:
    """The whole point: what is in the files is what is found."""
    before = ggrep("needle", "--compact").out.split()
    write_tree(indexed, {"a.py": None, "new.py": "def gamma_needle(): pass\n"})

    again = ggrep("index", "--json")
    after = ggrep("needle", "--compact").out.split()

    assert sorted(before) == ["a.py", "docs/b.md"]
    assert again.document["files"] == {"indexed": 1, "deleted": 1, "unchanged": 1}
    assert sorted(after) == ["docs/b.md", "new.py"]


def test_sync_brings_the_index_up_to_date_before_the_search(ggrep: Command, repo: Path) -> None:
    """One command for those who never want to think of an index."""
    assert ggrep("needle", "--sync", "--yes", "--compact").out.split()


def test_an_index_that_is_up_to_date_publishes_nothing(ggrep: Command, indexed: Path) -> None:
    """Indexing on every commit must not pile up snapshots."""
    report = ggrep("index", "--json").document

    fits(report, "index_report")
    assert report["published"] is False


def test_a_dry_run_lists_files_and_writes_nothing(ggrep: Command, repo: Path, home: Path) -> None:
    """People look before they leap."""
    shown = ggrep("index", "--dry-run")

    assert shown.out.split() == ["a.py", "docs/b.md"]
    assert "2 files" in shown.err
    assert not home.exists()


def test_a_dry_run_in_json_tells_files_and_exclusions(ggrep: Command, repo: Path) -> None:
    """Scripts read the same list."""
    document = ggrep("index", "--dry-run", "--json").document

    fits(document, "index_report")
    assert document["files"] == ["a.py", "docs/b.md"]


def test_reset_builds_the_index_anew(ggrep: Command, indexed: Path) -> None:
    """The way out of any doubt about an index."""
    report = ggrep("index", "--reset", "--json").document

    assert report["files"] == {"indexed": 2, "deleted": 0, "unchanged": 0}


def test_a_scope_is_kept(ggrep: Command, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`cd docs && ggrep` asks about the documents, and paths are as typed from there."""
    scoped = ggrep("needle", "docs", "--compact").out.split()
    monkeypatch.chdir(indexed / "docs")
    below = ggrep("needle", "--compact").out.split()
    single = ggrep("needle", "../a.py", "--compact").out.split()

    assert scoped == ["docs/b.md"]
    assert below == ["b.md"]
    assert single == ["../a.py"]


@pytest.mark.parametrize(
    ("mode", "depth"),
    [
        ("-d", "--content"),
        ("-i", "-n"),
        ("-p", "-s"),
        ("-b", "--long-snippet"),
        ("--mode=balanced", "--explain"),
    ],
)
def test_every_mode_and_depth_answers(
    ggrep: Command, read_only: Path, mode: str, depth: str
) -> None:
    answer = ggrep("needle", mode, depth, "--json")

    fits(answer.document, "query_success")
    assert len(answer.document["results"]) == 2


@pytest.mark.parametrize(
    ("flags", "paths"),
    [
        (["--corpus", "prose"], ["docs/b.md"]),
        (["--corpus", "code"], ["a.py"]),
        (["--filter", "lang:python"], ["a.py"]),
        (["--filter", "-lang:python"], ["docs/b.md"]),
        (["--filter", "path:docs"], ["docs/b.md"]),
        (["-m", "1"], None),
    ],
)
def test_the_answer_is_narrowed(
    ggrep: Command, read_only: Path, flags: list[str], paths: list[str] | None
) -> None:
    """Each flag takes away what it says and nothing else."""
    shown = ggrep("needle", "--compact", *flags).out.split()

    assert shown == paths if paths else len(shown) == 1


def test_status_health_and_list_tell_of_the_store(ggrep: Command, indexed: Path) -> None:
    for name, schema in (("status", "status"), ("health", "health"), ("list", "inventory")):
        shown, document = ggrep(name), ggrep(name, "--json")

        assert (shown.status, document.status) == (0, 0)
        assert shown.out
        fits(document.document, schema)
    assert str(indexed) in ggrep("list").out


def test_clean_takes_the_index_away(ggrep: Command, indexed: Path, home: Path) -> None:
    """Nothing is left behind that nobody asked for."""
    removed = ggrep("clean", "--json").document

    fits(removed, "inventory")
    assert ggrep("list", "--json").document["stores"] == []
    assert ggrep("needle", "--json").document["partial"] == "scan"


def test_clean_refuses_what_is_no_store(ggrep: Command, home: Path) -> None:
    """A name from elsewhere must not lead out of the home."""
    precious = home.parent / "precious"
    precious.mkdir()

    assert ggrep("clean", "../../precious").status == 2
    assert ggrep("clean", "--all", "--path", ".").status == 2
    assert precious.is_dir()


def test_a_repository_without_an_index_says_what_to_do(ggrep: Command, repo: Path) -> None:
    """The first thing a new user meets."""
    shown, robot = ggrep("needle"), ggrep("needle", "--json")
    fixed = ggrep("needle", "--deterministic", "--json")

    assert shown.err.startswith("warning: there is no index yet: all ")
    assert shown.err.endswith("; to index the repository: ggrep index\n")
    assert shown.err.count("\n") == 1
    assert shown.out
    fits(robot.document, "query_success")
    assert robot.document["partial"] == "scan"
    assert (fixed.status, fixed.error()["code"]) == (1, "no_index")


def test_no_hits_is_success_except_with_grep_status(ggrep: Command, read_only: Path) -> None:
    """Scripts that know grep expect 1."""
    quiet, strict = ggrep("zebra"), ggrep("zebra", "--exit-status")

    assert (quiet.status, strict.status) == (0, 1)
    assert quiet.err == "no hits\n"
    assert ggrep("needle", "--exit-status").status == 0
    assert ggrep("-E", "(", "--exit-status").status == 2, "a failure is not an empty answer"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shop", "gateway", "ledger"])
def test_equal_trees_give_equal_bytes(
    ggrep: Command, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deterministic mode, from the outside: fresh index, same answer."""
    root = shutil.copytree(REPOS / name, tmp_path / name)
    monkeypatch.chdir(root)
    answers = []
    for _ in range(2):
        assert ggrep("index", "--reset").status == 0
        document = ggrep("refund retry", "--json", "--deterministic", "--keep-weak").document
        answers.append({**document, "snapshot_id": "", "request_id": ""})

    assert answers[0] == answers[1]
    assert answers[0]["results"]


def test_roots_that_hold_everything_are_refused(
    ggrep: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Indexing a home directory by accident takes an hour and finds private things."""
    monkeypatch.setenv("HOME", str(tmp_path))

    for place in (tmp_path, Path(os.sep)):
        refused = ggrep("index", place, "--json")
        assert refused.status == 2
        assert str(place) in refused.error()["message"]


def test_a_compact_answer_is_each_file_once_without_text(ggrep: Command, indexed: Path) -> None:
    (indexed / "a.py").write_text("def alpha_needle(): ...\n\n\ndef beta_needle(): ...\n")
    ggrep("index")

    shown = ggrep("needle", "--compact")
    hits = ggrep("needle", "--compact", "--json", "--content").document["results"]

    assert sorted(shown.out.split()) == ["a.py", "docs/b.md"]
    assert [hit["path"] for hit in hits] == shown.out.split()
    assert {hit["content"] for hit in hits} == {""}

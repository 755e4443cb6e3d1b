"""What a daemon answers while nothing is published yet."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.index.store.manifest import SnapshotManifest, read_active_manifest
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.model.slate import SlateRequest
from ggrep.protocol.wire.messages import Ask, Describe, Health, Search, Status, Sync, SyncStatus
from tests.fakes.hosts import Served, served
from tests.fakes.repos import open_engine, write_tree

TREE = {"src/pay.py": "def settle_invoice():\n    return 'paid'\n", "b.py": "other = 1\n"}
ASK = SearchRequest("settle invoice")


def answer(host: Served, request: SearchRequest = ASK) -> dict[str, Any]:
    document: dict[str, Any] = host.ask(Search(request)).body["response"]
    return document


def test_a_search_is_answered_before_anything_is_indexed(root: Path, home: Path) -> None:
    """From a scan, and marked; the index answers once it is there."""
    write_tree(root, TREE)
    with served(root, home, gated=True) as host:
        first = answer(host)
        host.syncs.gate.set()
        host.settled()
        then = answer(host)

    assert [hit["path"] for hit in first["results"]] == ["src/pay.py"]
    assert (first["partial"], first["snapshot_id"], first["indexed"]["files"]) == ("scan", None, 0)
    assert "scan" in {notice["code"] for notice in first["warnings"]}
    assert "index_behind" not in {notice["code"] for notice in first["warnings"]}
    assert "partial" not in then
    assert then["snapshot_id"]


@pytest.mark.parametrize(("indexed", "scans"), [(99, True), (100, False)])
def test_little_of_a_first_index_answers_worse_than_a_scan(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, indexed: int, *, scans: bool
) -> None:
    """Its files are those that an earlier question was about."""

    def some(store: Path) -> SnapshotManifest:
        result = read_active_manifest(store)
        assert result is not None
        counts = replace(result.counts, files_indexed=indexed, files_eligible=200)
        return replace(result, partial=True, counts=counts)

    monkeypatch.setattr("ggrep.index.store.manifest.read_active_manifest", some)
    write_tree(root, TREE)
    with served(root, home) as host:
        host.settled()
        result = answer(host)
        monkeypatch.undo()
        then = answer(host)

    assert (result.get("partial") == "scan") is scans
    assert then["snapshot_id"]


def test_the_first_index_is_told_what_was_asked_for(root: Path, home: Path) -> None:
    """So its first portion holds it."""
    write_tree(root, TREE)
    with served(root, home, gated=True) as host:
        answer(host)
        host.eventually(lambda: host.syncs.wishes)
        store_id = host.daemon.identity.store_id
        host.syncs.gate.set()
        host.settled()

    assert host.syncs.wishes == [(store_id, ("src/pay.py",))]


@pytest.mark.parametrize(
    ("indexed", "message"),
    [(False, Search(ASK)), (True, Search(ASK)), (True, Ask(SlateRequest(ASK)))],
)
def test_a_sync_leaves_the_machine_to_the_first_answer(
    root: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    indexed: bool,
    message: Search | Ask[Any],
) -> None:
    """It reads the same files and would take half of the processor from the waiting client."""
    monkeypatch.setattr("ggrep.daemon.daemon_tasks._FIRST_ANSWER_S", 600.0)
    write_tree(root, TREE)
    if indexed:
        open_engine(root, home).sync()
    with served(root, home, awaited=True) as host:
        host.ask(SyncStatus())
        before = len(host.syncs.jobs)
        host.ask(message)
        host.settled()

    assert before == 0
    assert host.syncs.jobs


@pytest.mark.parametrize(
    "message", [Sync(), Search(SearchRequest("settle invoice", deterministic=True))]
)
def test_who_needs_the_index_does_not_wait_for_a_first_answer(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, message: Sync | Search
) -> None:
    """There will be none before."""
    monkeypatch.setattr("ggrep.daemon.daemon_tasks._FIRST_ANSWER_S", 600.0)
    write_tree(root, TREE)
    with served(root, home, awaited=True) as host:
        host.ask(message)

    assert host.syncs.jobs


def test_a_slate_waits_for_an_index_that_begins_with_its_files(root: Path, home: Path) -> None:
    """A slate of a few files that a scan found would leave out what hangs together with them."""
    write_tree(root, TREE)
    with (
        served(root, home, gated=True) as host,
        host.wire() as wire,
    ):
        wire.send_message("1", Ask(SlateRequest(ASK)))
        host.eventually(lambda: host.syncs.wishes)
        host.syncs.gate.set()
        reply = wire.next()

    assert host.syncs.wishes[0][1] == ("src/pay.py",)
    assert reply["response"]["snapshot_id"]


def test_a_deterministic_search_waits_for_the_index(root: Path, home: Path) -> None:
    """It is promised the same bytes over one snapshot, and a scan is of none."""
    write_tree(root, TREE)
    with served(root, home) as host:
        output = answer(host, SearchRequest("settle invoice", deterministic=True))

    assert "partial" not in output
    assert output["snapshot_id"]
    assert output["results"][0]["path"] == "src/pay.py"


def test_why_there_is_no_index_stands_beside_the_hits(root: Path, home: Path) -> None:
    twins = {"src/PAY.py": "x = 1\n", ".ggrep.toml": "portable_paths = true\n"}
    write_tree(root, TREE | twins)
    with served(root, home) as host:
        host.settled()
        output = answer(host)

    warned = {notice["code"]: notice["message"] for notice in output["warnings"]}
    assert output["partial"] == "scan"
    assert "differ only by case" in warned["sync_failed"]


def test_a_terminal_is_told_that_it_was_a_scan(root: Path, home: Path) -> None:
    """The client then shows how the index gets on."""
    write_tree(root, TREE)
    view = ViewOptions(json=False, columns=80, colour=False, notes_colour=False, cwd="")
    with served(root, home, gated=True) as host:
        first = host.ask(Search(ASK, render=view)).body["rendered"]
        progress = host.ask(SyncStatus()).body["sync"]
        host.syncs.gate.set()
        host.settled()
        then = host.ask(Search(ASK, render=view)).body["rendered"]

    assert first["scan"] is True
    assert "there is no index yet: all 2 files" in first["before"]
    assert "the index is being built, see: ggrep status" in first["before"]
    assert "src/pay.py:1" in first["out"]
    assert progress["state"] == "indexing"
    assert "scan" not in then


TWIN = {"src/PAY.py": "def settle_other():\n    return 'settled'\n"}
PORTABLE = {".ggrep.toml": "portable_paths = true\n"}
WHY = "the last sync failed: src/PAY.py, src/pay.py: these paths differ only by case, and"


def answers(host: Served, *, deterministic: bool = False) -> list[dict[str, Any]]:
    """Return one answer of each kind."""
    fixed = {"deterministic": deterministic}
    asked = SearchRequest("settle invoice", **fixed)  # type: ignore[arg-type] # it is a flag
    messages = (
        Search(asked),
        Ask(SlateRequest(asked)),
        Ask(SymbolRequest("settle_invoice", **fixed)),  # type: ignore[arg-type] # the same
        Ask(ReferencesRequest("settle_invoice", **fixed)),  # type: ignore[arg-type] # same
        Ask(ExpandRequest("src/pay.py:1", **fixed)),  # type: ignore[arg-type] # the same
    )
    return [host.ask(message).body["response"] for message in messages]


def warned(document: dict[str, Any]) -> dict[str, str]:
    return {each["code"]: each["message"] for each in document["warnings"]}


def refuse(host: Served) -> None:
    """Make a change that the daemon's settings refuse, and wait until it has."""
    write_tree(host.daemon.identity.root, TWIN)
    host.call(host.daemon.syncs.note_change)
    host.eventually(lambda: host.daemon.syncs.statistics().last_result == "failed")


def test_every_answer_says_why_and_what_comes(indexed: Path, home: Path) -> None:
    """`They are being indexed` would be said for ever."""
    write_tree(indexed, PORTABLE)
    with served(indexed, home) as host:
        host.settled()
        before = answers(host, deterministic=True)
        refuse(host)
        host.syncs.gate.clear()
        results = [warned(document) for document in answers(host)]
        fixed = answers(host, deterministic=True)
        status = host.ask(Status()).body["status"]
        checks = host.ask(Health()).body["health"]["checks"]
        moment = host.ask(Describe()).body["description"]["moment"]

    for each in results:
        assert each["sync_failed"].startswith(WHY)
        waits = (
            each["index_behind"]
            == "files have changed since the last sync; they wait for the next successful sync"
        )
        assert waits or each["sync_failed"].endswith("ggrep is retrying now")
    assert stable_json.dumps(fixed) == stable_json.dumps(before)
    assert status["sync"]["last_result"] == "error"
    assert "differ only by case" in status["sync"]["last_error"]
    assert warned(status)["sync_failed"].startswith(WHY)
    assert [each["message"].startswith(WHY) for each in checks if each["code"] == "index_state"]
    assert {each["code"] for each in moment} == {"sync_failed", "index_behind"}
    assert str(home) not in str((results, status["warnings"], moment))


def test_other_settings_are_tried_at_once_and_end_the_warnings(indexed: Path, home: Path) -> None:
    write_tree(indexed, PORTABLE)
    with served(indexed, home) as host:
        host.settled()
        refuse(host)
        write_tree(indexed, {".ggrep.toml": None})
        host.reload()
        host.eventually(lambda: host.daemon.syncs.statistics().last_result == "ok")
        host.eventually(lambda: not host.daemon.syncs.statistics().behind)

        assert [warned(document) for document in answers(host)] == [{}] * 5
        paths = {hit["path"] for hit in answers(host)[0]["results"]}

    assert "src/PAY.py" in paths


def test_a_sync_of_another_process_ends_the_warning(indexed: Path, home: Path) -> None:
    """`ggrep index` runs beside the daemon, which retries only after a while."""
    write_tree(indexed, PORTABLE)
    with served(indexed, home) as host:
        host.settled()
        refuse(host)
        host.syncs.gate.clear()
        write_tree(indexed, {"src/PAY.py": None})
        open_engine(indexed, home).sync()
        results = [warned(document) for document in answers(host)]
        status = host.ask(Status()).body["status"]
        host.syncs.gate.set()
        host.eventually(lambda: host.daemon.syncs.statistics().last_result == "ok")

    assert [each for each in results if "sync_failed" in each] == []
    assert "sync_failed" not in warned(status)
    assert status["sync"]["last_result"] == "ok"


def test_a_new_daemon_says_that_it_has_not_compared_the_files(indexed: Path, home: Path) -> None:
    """A file that was written while no daemon ran is missing from its answers until then."""
    with served(indexed, home) as host:
        host.settled()
    with served(indexed, home, gated=True) as host:
        host.eventually(lambda: host.daemon.syncs.statistics().state == "indexing")
        first = [warned(document)["index_behind"] for document in answers(host)]
        host.syncs.gate.set()
        host.settled()
        then = [warned(document) for document in answers(host)]

    assert set(first) == {
        "files may have changed since the last sync; they are being compared with the index"
    }
    assert then == [{}] * len(first)


def test_a_new_daemon_tells_what_the_last_one_met(indexed: Path, home: Path) -> None:
    """Until its own first sync has ended, which may take a while."""
    write_tree(indexed, PORTABLE)
    with served(indexed, home) as host:
        host.settled()
        refuse(host)
    with served(indexed, home, gated=True) as host:
        host.eventually(lambda: host.daemon.syncs.statistics().state == "indexing")
        (message,) = warned(answers(host)[0]).values()
        status = host.ask(Status()).body["status"]

    assert message.startswith(WHY)
    assert message.endswith("ggrep is retrying now")
    assert warned(status)["sync_failed"] == message


def test_settings_that_cannot_be_read_are_told_in_every_answer(indexed: Path, home: Path) -> None:
    """By the file's name, not by its place; and no answer promises an indexing."""
    with served(indexed, home) as host:
        host.settled()
        (home / "config.toml").write_text("nonsense = 1\n")
        host.reload()
        host.call(host.daemon.syncs.note_change)
        results = [warned(document) for document in answers(host)]

    for each in results:
        assert each["stale_config"].startswith("the settings cannot be read: config.toml: nonsense")
        assert "they are not indexed: the settings cannot be read" in each["index_behind"]
    assert str(home) not in str(results)


def test_a_degraded_snapshot_says_what_is_wrong_with_it(indexed: Path, home: Path) -> None:
    """In each kind of answer, and the same each time: it is of the snapshot."""
    engine = open_engine(indexed, home)
    (indexed / ".git").write_text("gitdir: /nowhere/at/all\n")
    engine.sync()
    with served(indexed, home) as host:
        host.settled()
        result = answers(host, deterministic=True)

    assert all(document["degraded"] for document in result)
    assert all(".git: " in warned(document)["degraded_snapshot"] for document in result)
    assert "/nowhere" not in str(result)

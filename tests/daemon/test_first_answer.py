"""What a daemon answers while nothing is published yet."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.index.store.manifest import SnapshotManifest, read_active_manifest
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.model.slate import SlateRequest
from ggrep.protocol.wire.messages import Ask, Search, Sync, SyncStatus
from tests.fakes.hosts import Served, served
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.wires import Wire

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
        found = read_active_manifest(store)
        assert found is not None
        counts = replace(found.counts, files_indexed=indexed, files_eligible=200)
        return replace(found, partial=True, counts=counts)

    monkeypatch.setattr("ggrep.index.store.manifest.read_active_manifest", some)
    write_tree(root, TREE)
    with served(root, home) as host:
        host.settled()
        found = answer(host)
        monkeypatch.undo()
        then = answer(host)

    assert (found.get("partial") == "scan") is scans
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


def test_the_first_index_leaves_the_machine_to_the_first_answer(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads the same files and would take half of the processor from who waits."""
    monkeypatch.setattr("ggrep.daemon.daemon_tasks._FIRST_ANSWER_S", 600.0)
    write_tree(root, TREE)
    with served(root, home, awaited=True) as host:
        host.ask(SyncStatus())
        before = len(host.syncs.jobs)
        answer(host)
        host.settled()

    assert before == 0
    assert host.syncs.jobs


@pytest.mark.parametrize("message", [Search(ASK), Ask(SlateRequest(ASK))])
def test_a_sync_of_an_index_leaves_the_machine_to_the_first_answer(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, message: Search | Ask[Any]
) -> None:
    """The answer comes from what the last daemon published."""
    monkeypatch.setattr("ggrep.daemon.daemon_tasks._FIRST_ANSWER_S", 600.0)
    write_tree(root, TREE)
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


def test_a_slate_waits_for_an_index_that_begins_with_what_it_is_about(
    root: Path, home: Path
) -> None:
    """A slate of a few files that a scan found would leave out what hangs together with them."""
    write_tree(root, TREE)
    with (
        served(root, home, gated=True) as host,
        Wire.greeted(host.address.socket, host.address.hello) as wire,
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
        said = answer(host, SearchRequest("settle invoice", deterministic=True))

    assert "partial" not in said
    assert said["snapshot_id"]


def test_why_there_is_no_index_stands_beside_the_hits(root: Path, home: Path) -> None:
    """Nobody would learn it otherwise: the search itself does not fail any more."""
    twins = {"src/PAY.py": "x = 1\n", ".ggrep.toml": "portable_paths = true\n"}
    write_tree(root, TREE | twins)
    with served(root, home) as host:
        host.settled()
        said = answer(host)

    warned = {notice["code"]: notice["message"] for notice in said["warnings"]}
    assert said["partial"] == "scan"
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

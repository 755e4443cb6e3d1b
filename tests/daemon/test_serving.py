"""A daemon answers what its engine answers, and says where the answer comes from."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.daemon.watching import HostWatcher, Mode, WatchState
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Describe, Search, Status, Sync
from ggrep.render.answer_json import answer_json
from tests.fakes.git import Git
from tests.fakes.hosts import FLAGS, Served, served
from tests.fakes.repos import open_engine, write_tree


def asked(**changes: Any) -> SearchRequest:
    return SearchRequest(**{"query": "settle invoice", "deterministic": True, **changes})


@pytest.mark.parametrize("request_", [asked(), asked(query="settled", scope="src")])
def test_answers_are_the_engines(indexed: Path, home: Path, request_: SearchRequest) -> None:
    """Below a directory as well, and nothing of another whose name begins alike."""
    expected = stable_json.dumps(answer_json(open_engine(indexed, home).search(request_)))
    with served(indexed, home) as host:
        response = host.ask(Search(request_)).body["response"]

    assert stable_json.dumps(response) == expected
    assert {hit["path"] for hit in response["results"]} >= {"src/pay.py"}
    assert not request_.scope or len(response["results"]) == 1


def test_an_answer_says_that_files_have_changed_since(indexed: Path, home: Path) -> None:
    """Unless it has to be the same again: that one depends on the snapshot alone."""

    def codes(**changes: Any) -> list[str]:
        response = host.ask(Search(asked(**changes))).body["response"]
        return [warning["code"] for warning in response["warnings"]]

    with served(indexed, home) as host:
        host.settled()
        before = codes(deterministic=False)
        host.syncs.gate.clear()
        host.daemon.syncs.note_change()
        behind = codes(deterministic=False), codes(deterministic=True)
        host.syncs.gate.set()

    assert before == []
    assert behind == (["index_behind"], [])


def test_a_polled_root_is_told(indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it has to be the same again, as the root may be watched by then."""
    polled = WatchState("polling", 0, None, "too many directories")
    monkeypatch.setattr(HostWatcher, "state", lambda *_: polled)
    with served(indexed, home) as host:
        host.settled()
        warnings = [
            host.ask(Search(asked(deterministic=same))).body["response"]["warnings"]
            for same in (False, True)
        ]

    assert [[warning["code"] for warning in each] for each in warnings] == [["watch_polling"], []]


def test_an_answer_says_that_git_is_at_work(indexed: Path, home: Path, git: Git) -> None:
    """Nothing is being indexed then, and that nothing is would be wrong to say as well."""
    git(indexed, "init", "-q")
    lock = indexed / ".git" / "index.lock"
    with served(indexed, home) as host:
        host.settled()
        with lock.open("w"):
            host.daemon.syncs.note_change()
            host.eventually(lambda: host.daemon.syncs.statistics().git_at_work)
            question = Search(asked(deterministic=False))
            warnings = host.ask(question).body["response"]["warnings"]
            stage = host.ask(Status()).body["status"]["sync"]["stage"]
            lock.unlink()
        host.eventually(lambda: not host.daemon.syncs.statistics().behind)

    assert [warning["message"] for warning in warnings] == [
        "files have changed since the last sync; they will be indexed when git has finished"
    ]
    assert stage == "waiting for git"


def test_a_settings_edit_of_output_alone_is_taken_in(
    indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store stays the same, so nobody needs another daemon."""
    monkeypatch.setattr("tests.fakes.hosts.POLL_S", 0.01)
    monkeypatch.setattr("ggrep.daemon.daemon_tasks._CONFIG_DEBOUNCE_MS", 1.0)
    with served(indexed, home) as host:
        (indexed / ".ggrep.toml").write_text("max_query_results = 1\n")
        host.eventually(lambda: host.daemon.config.settings.max_query_results == 1)
        response = host.ask(Search(replace(asked(), query="settled"))).body["response"]

    assert len(response["results"]) == 1


@pytest.mark.parametrize(
    ("mode", "freshness"), [("watching", "current"), ("polling", "unknown"), ("off", "unknown")]
)
def test_an_index_is_current_where_its_tree_is_watched(
    indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch, mode: Mode, freshness: str
) -> None:
    """Elsewhere nobody knows, and a coordinator must not say otherwise."""
    monkeypatch.setattr(HostWatcher, "state", lambda *_: WatchState(mode, 0, None, ""))
    with served(indexed, home) as host:
        host.settled()
        reported = host.ask(Describe(20_000)).body["description"]

    assert reported["freshness"] == freshness


def test_a_save_among_products_is_found(root: Path, home: Path, git: Git) -> None:
    """Its neighbours are products, whose events wake nobody."""
    write_tree(root, {"a.py": "a = 1\n", "build/kept.py": "b = 2\n", ".gitignore": "*.o\n"})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "all")
    with served(root, home, flags={**FLAGS, "watch": True}) as host:
        watch = host.daemon.shared.watcher
        host.eventually(lambda: watch.state(root).mode == "watching")
        host.ask(Sync())
        host.eventually(lambda: not host.daemon.syncs.statistics().pending)
        before = watch.state(root).events_total
        write_tree(root, {"build/made.o": "o\n"})
        write_tree(root, {"build/kept.py": "def lately_saved():\n    return 2\n"})
        host.eventually(lambda: _finds(host, "lately_saved"))
        seen = watch.state(root).events_total - before

    assert seen == 1


def _finds(host: Served, name: str) -> bool:
    answer = host.ask(Search(asked(query=name))).body["response"]
    return name in str(answer["results"])

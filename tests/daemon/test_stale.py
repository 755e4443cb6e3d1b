"""A daemon whose settings are no longer its repository's answers, warns and writes nothing."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest, NoIndex
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.daemon.watched_root import LoadedConfig
from ggrep.daemon.watching import HostWatcher, WatchState
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.daemon_address import arrange
from ggrep.protocol.wire.messages import (
    Compact,
    Describe,
    Gc,
    Ping,
    Search,
    Status,
    Sync,
    SyncStatus,
)
from tests.config.test_hostile_files import BOMBS
from tests.fakes.hosts import FLAGS, Served, served
from tests.fakes.repos import open_engine, write_tree

ELSEWHERE = "max_file_size_bytes = 1000\n"
"""A setting that shapes the index."""

AS_FLAGS = {f"GGREP_{key.upper()}": str(value).lower() for key, value in FLAGS.items()}
"""The same settings from variables, which choose the store for everybody."""


def edit(host: Served, text: str | None) -> None:
    write_tree(host.daemon.identity.root, {".ggrep.toml": text})
    host.reload()


@pytest.fixture
def stale(indexed: Path, home: Path) -> Iterator[Served]:
    """Return a daemon that became stale."""
    with served(indexed, home) as host:
        host.settled()
        edit(host, ELSEWHERE)
        yield host


def answered(host: Served) -> dict[str, object]:
    """Return an answer without what may differ between equal ones."""
    request = SearchRequest("settle an invoice", deterministic=True)
    response = dict(host.ask(Search(request)).body["response"])
    return {key: response[key] for key in ("snapshot_id", "results", "warnings")}


def test_answers_are_of_the_last_good_snapshot(indexed: Path, home: Path) -> None:
    """And the warning is the same each time."""
    with served(indexed, home) as host:
        host.settled()
        before = answered(host)
        edit(host, ELSEWHERE)
        first, second = answered(host), answered(host)

    assert first == second
    assert [warning["code"] for warning in first["warnings"]] == ["stale_config"]  # type: ignore[attr-defined, index] # JSON
    assert {**first, "warnings": before["warnings"]} == before


@pytest.mark.parametrize("message", [Sync(), Sync(wait=False), Gc(), Gc(force=True), Compact()])
def test_nothing_is_written(stale: Served, message: Sync | Gc | Compact) -> None:
    """The index of these settings is somebody else's; a look at it would find none."""
    with pytest.raises(InvalidRequest, match="outdated settings"):
        stale.ask(message)


def test_changes_of_the_tree_begin_no_sync(stale: Served, indexed: Path) -> None:
    done = len(stale.syncs.jobs)
    write_tree(indexed, {"src/new.py": "x = 1\n"})
    stale.daemon.syncs.note_change(5)

    assert stale.ask(SyncStatus()).body["sync"]["state"] == "frozen"
    assert len(stale.syncs.jobs) == done


def test_status_and_handshake_say_so(stale: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients start a successor by it; it watches the tree and indexes nothing any more."""
    with stale.link() as link:
        assert link.welcome.stale
    assert stale.ask(Ping()).body["stale"]
    assert stale.ask(Status()).body["status"]["daemon"]["stale"]

    monkeypatch.setattr(HostWatcher, "state", lambda *_: WatchState("watching", 0, None, ""))
    reported = stale.ask(Describe(20_000)).body["description"]

    assert reported["freshness"] == "unknown"
    assert [notice["code"] for notice in reported["notices"]] == ["stale_config"]


def test_a_sync_that_runs_is_ended(indexed: Path, home: Path) -> None:
    with served(indexed, home, gated=True) as host:
        host.eventually(lambda: host.daemon.syncs.statistics().state == "indexing")
        edit(host, ELSEWHERE)
        host.eventually(lambda: host.daemon.syncs.statistics().last_result == "cancelled")

        assert host.daemon.syncs.statistics().state == "frozen"


def test_without_an_index_who_searches_is_told_at_once(root: Path, home: Path) -> None:
    write_tree(root, {"a.py": "a = 1\n"})
    with served(root, home, gated=True) as host:
        host.eventually(lambda: host.daemon.syncs.statistics().state == "indexing")
        edit(host, ELSEWHERE)
        host.eventually(lambda: host.daemon.syncs.statistics().state == "frozen")

        with pytest.raises(NoIndex, match="outdated settings"):
            host.ask(Search(SearchRequest("a", deterministic=True)))
        scanned = host.ask(Search(SearchRequest("a"))).body["response"]

    warned = {notice["code"]: notice["message"] for notice in scanned["warnings"]}
    assert [hit["path"] for hit in scanned["results"]] == ["a.py"]
    assert warned["stale_config"].endswith("; indexing is suspended")


@pytest.mark.slow
def test_settings_made_to_hurt_cost_a_warning(indexed: Path, home: Path) -> None:
    """One after the other, under one daemon: all it answers is its last good snapshot."""
    with served(indexed, home) as host:
        host.settled()
        before = answered(host)
        for bomb in BOMBS.values():
            edit(host, bomb)
            result = answered(host)

            assert [each["code"] for each in result["warnings"]] == ["stale_config"]  # type: ignore[attr-defined, index] # JSON
            assert {**result, "warnings": before["warnings"]} == before, bomb[:60]
        edit(host, None)
        assert answered(host) == before


def test_after_the_edit_is_undone_it_syncs_again(stale: Served, indexed: Path) -> None:
    edit(stale, None)
    write_tree(indexed, {"src/new.py": "def settle_anew():\n    return 1\n"})
    stale.ask(Sync())

    assert "src/new.py" in stale.daemon.engine().view().live_files()


def test_a_successor_of_the_new_settings_serves_beside_it(stale: Served, home: Path) -> None:
    """A client of the new settings does not meet it: the two have different sockets and stores."""
    root = stale.daemon.identity.root
    address = arrange(root, Home(home), environ={}, flags=FLAGS)

    assert address.socket != stale.address.socket
    assert not address.socket.exists()

    with served(root, home) as successor:
        successor.settled()

        assert successor.address.socket != stale.address.socket
        assert successor.address.identity.store_id != stale.address.identity.store_id
        answer = successor.ask(Search(SearchRequest("settle other"))).body["response"]
        assert answer["warnings"] == []
        assert stale.ask(Ping()).body["stale"]


def test_an_ignore_edit_is_published_in_place(indexed: Path, home: Path) -> None:
    """It changes what is eligible, not what an index of these settings is."""
    with served(indexed, home) as host:
        host.settled()
        store = host.address.identity.store_id
        write_tree(indexed, {".ggignore": "src2/\n"})
        report = host.ask(Sync()).body["report"]
        response = host.ask(Search(SearchRequest("settled"))).body["response"]

        assert report["published"]
        assert not host.daemon.stale
        assert response["store_id"] == store == open_engine(indexed, home).identity.store_id
        assert "src2/pay.py" not in [hit["path"] for hit in response["results"]]


def test_an_edit_is_noticed(indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain searches are not led to it while it is stale, and are again afterwards."""
    monkeypatch.setattr("tests.fakes.hosts.POLL_S", 0.01)
    monkeypatch.setattr("ggrep.daemon.daemon_tasks._CONFIG_DEBOUNCE_MS", 30.0)
    with served(indexed, home, flags={}, environ=AS_FLAGS) as host:
        host.settled()
        assert list((home / "daemon").glob("*.locator"))
        write_tree(indexed, {".ggrep.toml": ELSEWHERE})
        host.eventually(lambda: host.daemon.stale)
        host.eventually(lambda: not list((home / "daemon").glob("*.locator")))
        write_tree(indexed, {".ggrep.toml": None})
        host.eventually(lambda: not host.daemon.stale)
        host.eventually(lambda: list((home / "daemon").glob("*.locator")))


def test_a_daemon_that_flags_chose_leads_no_plain_search(indexed: Path, home: Path) -> None:
    """They mean the store of the settings, not of the flags."""
    with served(indexed, home):
        assert not list((home / "daemon").glob("*.locator"))


def test_a_settings_file_that_nobody_writes_to_stops_nothing(indexed: Path, home: Path) -> None:
    """A FIFO would keep who opens it waiting for ever."""
    os.mkfifo(indexed / ".ggrep.toml")
    config = LoadedConfig(Settings(), ((indexed / ".ggrep.toml", b""),))

    assert config.present() == ((indexed / ".ggrep.toml", None),)

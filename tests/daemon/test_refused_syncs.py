"""While a daemon's syncs fail, whatever it is asked says why, and what becomes of it."""

from pathlib import Path
from typing import Any

from ggrep.base import stable_json
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.protocol.wire.messages import Ask, Describe, Health, Search, Status
from tests.fakes.hosts import Served, served
from tests.fakes.repos import open_engine, write_tree

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
    """Return the warnings of an answer, by code."""
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
        found = [warned(document) for document in answers(host)]
        fixed = answers(host, deterministic=True)
        status = host.ask(Status()).body["status"]
        checks = host.ask(Health()).body["health"]["checks"]
        moment = host.ask(Describe()).body["description"]["moment"]

    for each in found:
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
    assert str(home) not in str((found, status["warnings"], moment))


def test_other_settings_are_tried_at_once_and_end_the_warnings(indexed: Path, home: Path) -> None:
    """Nobody has to wait for the next retry, which may be a minute away."""
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
        found = [warned(document) for document in answers(host)]

    for each in found:
        assert each["stale_config"].startswith("the settings cannot be read: config.toml: nonsense")
        assert "they are not indexed: the settings cannot be read" in each["index_behind"]
    assert str(home) not in str(found)


def test_a_degraded_snapshot_says_what_is_wrong_with_it(indexed: Path, home: Path) -> None:
    """In each kind of answer, and the same each time: it is of the snapshot."""
    engine = open_engine(indexed, home)
    (indexed / ".git").write_text("gitdir: /nowhere/at/all\n")
    engine.sync()
    with served(indexed, home) as host:
        host.settled()
        found = answers(host, deterministic=True)

    assert all(document["degraded"] for document in found)
    assert all(".git: " in warned(document)["degraded_snapshot"] for document in found)
    assert "/nowhere" not in str(found)

"""The log tells what was done and never what was asked, and stands in nobody's way."""

import errno
import logging
import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields, replace

from ggrep.base import stable_json
from ggrep.base.errors import StoreError
from ggrep.base.ids import StoreId
from ggrep.daemon.event_log import (
    LIFECYCLE_FIELDS,
    EventLog,
    OpenLogs,
    QueryEvent,
    SyncEvent,
    WarningHandler,
)
from tests.daemon.conftest import descriptors
from tests.fakes.clocks import ManualClock

STORE = StoreId("shop-0123456789ab-0123456789ab")
OTHER = StoreId("gateway-0123456789ab-0123456789ab")
QUERY = QueryEvent(
    request_id="r-1",
    snapshot_id="01HZZZZZZZZZZZZZZZZZZZZZZZ",
    client="agent",
    lane="interactive",
    mode="balanced",
    max_results=10,
    per_file=1,
    snippet="default",
    stages=(("admission", 0.12345), ("rank", 2.0)),
    total_ms=2.5,
    status="ok",
    hits=7,
    limits_hit=("per_file",),
    warnings=("low_confidence",),
)
SYNC = SyncEvent(trigger="change", status="ok", duration_ms=12, indexed=3)


def open_log(directory: Path, store_id: StoreId = STORE, **changes: Any) -> EventLog:
    clock = ManualClock(datetime(2031, 2, 3, 4, 5, 6, 789_000, tzinfo=UTC))
    return EventLog(directory, store_id, clock, **changes)


def lines(path: Path) -> list[dict[str, Any]]:
    return [stable_json.loads(line) for line in path.read_bytes().splitlines()]


def current(directory: Path, store_id: StoreId = STORE) -> Path:
    return directory / f"{store_id}.jsonl"


def fill(log: EventLog, count: int) -> None:
    for number in range(count):
        log.query(replace(QUERY, request_id=f"r-{number:04}"))


def no_space(*_: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_warnings_of_a_process_are_logged_without_directories(tmp_path: Path) -> None:
    """A daemon in the background has no standard error."""
    log = open_log(tmp_path / "logs")
    handler = WarningHandler(log)
    cause = StoreError("/home/ann/x.lance is corrupt")
    message = "segments could not be merged: %s"
    handler.handle(logging.LogRecord("ggrep", logging.WARNING, "", 1, message, (cause,), None))
    with pytest.raises(ValueError, match="a secret") as caught:
        int("a secret")
    error, message = caught.value, "repositories could not be prepared"
    failure = (type(error), error, error.__traceback__)
    handler.handle(logging.LogRecord("ggrep", logging.ERROR, "", 1, message, (), failure))
    log.close()
    first, second = lines(current(tmp_path / "logs"))

    assert (first["event"], first["level"]) == ("warning", "warning")
    assert first["reason"] == "segments could not be merged: x.lance is corrupt"
    assert second["reason"].startswith("repositories could not be prepared: ValueError at ")
    assert "secret" not in second["reason"]


def test_a_search_is_told_as_the_contract_wants_it(tmp_path: Path) -> None:
    """Request, snapshot, profile, limits, stages and how it ended: what operators ask for."""
    log = open_log(tmp_path / "logs")
    log.query(QUERY)
    log.close()

    assert lines(current(tmp_path / "logs")) == [
        {
            "at": "2031-02-03T04:05:06.789Z",
            "event": "query",
            "level": "info",
            "store_id": STORE,
            "request_id": "r-1",
            "snapshot_id": "01HZZZZZZZZZZZZZZZZZZZZZZZ",
            "asked": "search",
            "client": "agent",
            "lane": "interactive",
            "mode": "balanced",
            "limits": {"max_results": 10, "per_file": 1, "snippet": "default"},
            "stages_ms": {"admission": 0.123, "rank": 2.0},
            "total_ms": 2.5,
            "status": "ok",
            "error_code": None,
            "hits": 7,
            "limits_hit": ["per_file"],
            "warnings": ["low_confidence"],
        }
    ]


def test_a_sync_and_a_start_are_told(tmp_path: Path) -> None:
    """One file tells a store's whole day."""
    log = open_log(tmp_path)
    log.lifecycle("started", pid=12, build="b1")
    log.sync(replace(SYNC, status="error", error_code="no_space"))
    log.close()
    started, synced = lines(current(tmp_path))

    assert (started["event"], started["pid"], started["level"]) == ("started", 12, "info")
    assert (synced["event"], synced["error_code"], synced["level"]) == (
        "sync",
        "no_space",
        "warning",
    )


def test_no_event_has_room_for_a_query_or_content() -> None:
    """A field that could hold one must not slip in unnoticed."""
    names = {field.name for kind in (QueryEvent, SyncEvent) for field in fields(kind)}
    names |= LIFECYCLE_FIELDS

    assert not names & {"query", "text", "path", "paths", "content", "message", "vector", "root"}


def test_of_fields_that_nobody_planned_only_the_names_are_told(tmp_path: Path) -> None:
    """A call in a hurry must not write a query word to the disk."""
    log = open_log(tmp_path)
    log.lifecycle("crashed", reason="signal", query="SECRET_WORD", content="SECRET_CONTENT")
    log.close()

    assert b"SECRET" not in current(tmp_path).read_bytes()
    assert lines(current(tmp_path))[0]["omitted"] == "content,query"
    assert lines(current(tmp_path))[0]["reason"] == "signal"


def test_what_a_client_calls_itself_is_one_short_clean_line(tmp_path: Path) -> None:
    """It comes from outside, and a log is read on terminals."""
    log = open_log(tmp_path)
    log.query(replace(QUERY, client="a\x1b[31m\nb" + "c" * 5_000))
    log.close()
    (event,) = lines(current(tmp_path))

    assert event["client"].startswith("a bcc")
    assert len(event["client"]) == 200


def test_log_and_directory_are_the_users_alone(tmp_path: Path) -> None:
    """Even metadata tells who worked on what, and when."""
    before = os.umask(0)
    try:
        log = open_log(tmp_path / "home" / "logs")
        log.query(QUERY)
        log.close()
    finally:
        os.umask(before)
    path = current(tmp_path / "home" / "logs")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_files_rotate_by_size_and_the_oldest_go(tmp_path: Path) -> None:
    """A full file ends where its lines say, so the same events give the same files."""
    written = []
    for directory in (tmp_path / "a", tmp_path / "b"):
        log = open_log(directory, max_bytes=2_000, files=3)
        fill(log, 40)
        log.close()
        newest_first = sorted(directory.iterdir())
        reports = [event["request_id"] for path in reversed(newest_first) for event in lines(path)]
        written.append([path.read_bytes() for path in newest_first])

        assert [path.name for path in newest_first] == [
            f"{STORE}.jsonl",
            f"{STORE}.jsonl.1",
            f"{STORE}.jsonl.2",
        ]
        assert all(path.stat().st_size <= 2_000 for path in newest_first)
        assert reports == [f"r-{number:04}" for number in range(40)][-len(reports) :]
        assert log.dropped_total == 0
    assert written[0] == written[1]


def test_a_single_file_begins_anew_when_it_is_full(tmp_path: Path) -> None:
    log = open_log(tmp_path, max_bytes=1_000, files=1)
    fill(log, 20)
    log.close()

    assert [path.name for path in tmp_path.iterdir()] == [f"{STORE}.jsonl"]
    assert lines(current(tmp_path))[-1]["request_id"] == "r-0019"


def test_a_log_that_is_opened_again_goes_on(tmp_path: Path) -> None:
    """A restart must not lose what led to it, nor glue two lines where a crash cut one."""
    log = open_log(tmp_path)
    log.query(QUERY)
    log.close()
    with current(tmp_path).open("ab") as file:
        file.write(b'{"cut')
    again = open_log(tmp_path)
    again.query(QUERY)
    again.close()
    first, cut, last = current(tmp_path).read_bytes().splitlines()

    assert first == last
    assert cut == b'{"cut'


def test_a_full_disk_drops_events_and_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches go on; that something is missing must be seen in the log itself."""
    log = open_log(tmp_path)
    log.query(QUERY)
    with monkeypatch.context() as patch:
        patch.setattr("ggrep.daemon.event_log.os.write", no_space)
        fill(log, 3)
    assert log.dropped_total == 3
    log.query(QUERY)
    log.close()

    assert [event["event"] for event in lines(current(tmp_path))] == [
        "query",
        "events_dropped",
        "query",
    ]
    assert lines(current(tmp_path))[1]["count"] == 3
    assert log.dropped_total == 3


def test_a_line_cut_short_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last block of a disk takes part of a line."""
    log = open_log(tmp_path)
    log.query(QUERY)
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr("ggrep.daemon.event_log.os.write", lambda fd, line: write(fd, line[:10]))
        log.query(QUERY)
    log.close()

    assert len(lines(current(tmp_path))) == 1
    assert log.dropped_total == 1


def test_a_directory_that_cannot_be_made_drops_events(tmp_path: Path) -> None:
    """A home on a read-only disk still answers searches."""
    (tmp_path / "logs").write_text("a file is in the way")
    log = open_log(tmp_path / "logs")
    log.query(QUERY)
    log.sync(SYNC)

    assert log.dropped_total == 2


def test_an_event_that_json_cannot_say_is_dropped(tmp_path: Path) -> None:
    """A mistake in a figure fails no search."""
    log = open_log(tmp_path)
    log.query(replace(QUERY, hits=1 << 70))
    log.query(QUERY)
    log.close()

    assert log.dropped_total == 1
    assert [event["event"] for event in lines(current(tmp_path))] == ["events_dropped", "query"]


def test_all_logs_of_a_home_stay_within_their_room(tmp_path: Path) -> None:
    """A budget for each store alone would grow with every repository."""
    old = tmp_path / f"{OTHER}.jsonl.2"
    older = tmp_path / f"{OTHER}.jsonl.3"
    for age, path in enumerate((old, older), start=1):
        path.write_bytes(b"x" * 4_000)
        os.utime(path, ns=(0, 10**18 - age))
    current(tmp_path, OTHER).write_bytes(b"{}\n")
    (tmp_path / "notes.txt").write_bytes(b"y" * 4_000)
    log = open_log(tmp_path, total_bytes=8_000, files=4)
    log.query(QUERY)
    kept = {path.name for path in tmp_path.iterdir()}
    fill(log, 100)
    log.close()
    logs = [path for path in tmp_path.iterdir() if path.suffix != ".txt"]

    assert kept == {"notes.txt", old.name, current(tmp_path, OTHER).name, f"{STORE}.jsonl"}
    assert sum(path.stat().st_size for path in logs) <= 8_000
    assert current(tmp_path, OTHER).exists()
    assert (tmp_path / "notes.txt").exists()


def test_a_writer_whose_file_was_taken_begins_another(tmp_path: Path) -> None:
    """Another store's daemon needed the room; lines must not go where nobody sees them."""
    log = open_log(tmp_path)
    log.query(QUERY)
    current(tmp_path).unlink()
    log.query(QUERY)
    log.close()

    assert len(lines(current(tmp_path))) == 1
    assert log.dropped_total == 0


def test_two_writers_of_one_store_rotate_once(tmp_path: Path) -> None:
    """A successor may start while its predecessor still writes its last lines."""
    first, second = (open_log(tmp_path, max_bytes=2_000, files=20) for _ in range(2))
    for number in range(20):
        for log in (first, second):
            log.query(replace(QUERY, request_id=f"r-{number:04}"))
    first.close()
    second.close()
    reports = [event for path in tmp_path.iterdir() for event in lines(path)]

    assert len(reports) == 40
    assert all(path.stat().st_size <= 2_000 for path in tmp_path.iterdir())


def test_a_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    """Nothing is appended to a file that somebody else chose."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"")
    current(tmp_path).symlink_to(victim)
    log = open_log(tmp_path)
    log.query(QUERY)

    assert victim.read_bytes() == b""
    assert log.dropped_total == 1


def test_logs_of_many_stores_hold_few_descriptors(tmp_path: Path) -> None:
    """A host of a thousand daemons held one for each; what is closed opens with its next line."""
    opened = OpenLogs(most=2)
    stores = [StoreId(f"shop-{number:012}-0123456789ab") for number in range(5)]
    logs = [open_log(tmp_path, store, opened=opened) for store in stores]
    for _ in range(2):
        for log in logs:
            log.lifecycle("started", pid=1)
    kept = descriptors(tmp_path)
    for log in logs:
        log.close()

    assert kept == 2
    assert descriptors(tmp_path) == 0
    assert [len(lines(current(tmp_path, store))) for store in stores] == [2] * 5

"""Which daemons of a home run."""

import fcntl
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.processes import own_start_ticks
from ggrep.config.home import Home
from ggrep.protocol.client.daemon_files import is_starting, read_record, running
from ggrep.protocol.wire.endpoint import DaemonRecord, place_of_socket, record_bytes, record_path
from tests.fakes.places import short_directory


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return where sockets go whose home has too long a path: a place of this test's own."""
    with short_directory() as base:
        monkeypatch.setattr("ggrep.protocol.wire.endpoint.FALLBACK", base)
        yield base


def leave(home: Path, store_id: str, root: str = "/r", **other: object) -> DaemonRecord:
    """Leave a record, of this process unless it says otherwise."""
    socket = place_of_socket(Home(home), store_id, "c")
    record = DaemonRecord(
        store_id=store_id,
        config_fingerprint="c",
        root=root,
        socket=str(socket),
        pid=os.getpid(),
        pid_started=own_start_ticks(),
        started_at="2031-02-03T04:05:06Z",
        binary_version="0.1.0",
        build="b",
        protocol_versions=(1,),
        host_id="h",
        encoder="none",
    )
    record = replace(record, **other)  # type: ignore[arg-type] # fields of it
    durable.make_directory(socket.parent)
    durable.replace_file(record_path(socket), record_bytes(record))
    return record


def test_a_home_without_daemons_has_none(home: Path) -> None:
    assert running(Home(home)) == []


def test_daemons_come_by_root_then_by_store(apart: Path) -> None:
    places = (("a", "/2"), ("c", "/1"), ("b", "/1"))
    left = [leave(apart / "h", store, root) for store, root in places]

    assert running(Home(apart / "h")) == [left[2], left[1], left[0]]


def test_the_dead_do_not_count(apart: Path, process: subprocess.Popen[bytes]) -> None:
    """Neither do those whose number another process has now."""
    process.kill()
    process.wait()
    leave(apart / "h", "a", pid=process.pid)
    leave(apart / "h", "b", pid_started=1)

    assert running(Home(apart / "h")) == []


def test_a_damaged_record_hides_no_other(apart: Path) -> None:
    left = leave(apart / "h", "a")
    (apart / "h/daemon/0.json").write_bytes(b"{")
    (apart / "h/daemon/1.json").write_bytes(b"x" * 100_000)

    assert running(Home(apart / "h")) == [left]
    assert read_record(Path(left.socket)) == left
    assert read_record(apart / "h/daemon/0.sock") is None
    assert read_record(apart / "h/daemon/none.sock") is None


def test_daemons_of_a_long_path_are_found_where_they_are(apart: Path) -> None:
    """And no other home's, though all share that place."""
    homes = [apart / ("long" * 30) / name for name in ("one", "other")]
    left = [leave(home, "a") for home in homes]

    assert Path(left[0].socket).parent.parent == apart
    assert running(Home(homes[0])) == [left[0]]
    assert running(Home(homes[1])) == [left[1]]


def test_what_somebody_else_lists_is_not_read(apart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record of theirs would have our signals sent to any process of ours."""
    left = leave(apart / "h", "a")
    assert running(Home(apart / "h")) == [left]
    owner = (apart / "h/daemon").stat().st_uid
    if owner == 0:
        os.chown(apart / "h/daemon", 12_345, -1)
    else:
        monkeypatch.setattr("ggrep.protocol.wire.endpoint.os.geteuid", lambda: owner + 1)

    assert running(Home(apart / "h")) == []


def test_a_start_under_way_is_seen(tmp_path: Path) -> None:
    """Whoever ends all daemons waits for those that are coming up."""
    home = Home(tmp_path)
    home.daemon.mkdir(parents=True)
    file = home.daemon / "a.starting"
    file.touch()
    left_behind = is_starting(home)

    with file.open() as stack:
        fcntl.flock(stack, fcntl.LOCK_EX)
        under_way = is_starting(home)

    assert (left_behind, under_way) == (False, True)

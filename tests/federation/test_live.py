"""What daemons say of themselves to who looks after a workspace."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.base.clock import SystemClock
from ggrep.base.processes import own_start_ticks
from ggrep.config.home import Home
from ggrep.federation.workspace_state import NO_DAEMON, read_workspace_state, records_of
from ggrep.protocol.wire.endpoint import DaemonRecord, place_of_socket, record_bytes, record_path
from tests.fakes.hosts import FLAGS, served
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.workspaces import make_workspace

CLOCK = SystemClock()


@pytest.fixture
def short() -> Iterator[Path]:
    """Return a directory of so short a path that sockets lie below it."""
    with short_directory() as base:
        yield base


@pytest.mark.slow
def test_a_daemon_tells_its_state_and_its_chunks(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other repository has none, and none is started for it."""
    # The daemon of a test is a thread: the process that its record names is made up.
    monkeypatch.setattr("ggrep.protocol.client.daemon_files.is_running", lambda *_: True)
    home = Home(short / "home")
    workspace = make_workspace(short, "alpha", "beta")
    write_tree(short / "alpha", {"a.py": "def alpha():\n    return 1\n"})
    open_engine(short / "alpha", home.base).sync()
    with served(short / "alpha", home.base) as host:
        host.settled()
        state = read_workspace_state(workspace, home, {}, flags=FLAGS, clock=CLOCK)

    alpha, beta = state.members
    daemon, live = alpha.daemon, alpha.reported
    assert (daemon.state, daemon.pid, daemon.protocol) == ("ready", 4242, 1)
    assert live is not None
    assert live.snapshot_id == alpha.index.snapshot_id
    assert sum(number for _, number in live.counts) > 0
    assert beta.daemon == NO_DAEMON
    # The disk tells the keys that the daemon tells, so that both find the same cohorts.
    disk = alpha.description()
    assert disk is not None
    assert (live.embed_key, live.lexical_key, live.schema_key) == (
        disk.embed_key,
        disk.lexical_key,
        disk.schema_key,
    )
    assert live.ignore_fingerprint == disk.ignore_fingerprint
    assert live.config_fingerprint == disk.config_fingerprint


def test_a_daemon_that_does_not_answer_is_silent(short: Path) -> None:
    """Its process runs: nobody else may serve the repository."""
    home = Home(short / "home")
    workspace = make_workspace(short, "alpha")
    (state,) = read_workspace_state(workspace, home, {}).members
    assert state.store_id is not None
    assert state.config_fingerprint is not None
    socket = place_of_socket(home, state.store_id, state.config_fingerprint)
    socket.parent.mkdir(parents=True)
    record = DaemonRecord(
        state.store_id,
        state.config_fingerprint,
        str(short / "alpha"),
        str(socket),
        os.getpid(),
        own_start_ticks(),
        "2031-01-01T00:00:00Z",
        "0.1.0",
        "b",
        (1,),
        "h",
        "none",
    )
    record_path(socket).write_bytes(record_bytes(record))

    (asked,) = read_workspace_state(workspace, home, {}, clock=CLOCK).members
    daemon = asked.daemon

    assert set(records_of([state], home)) == {state.repo_id}
    assert (daemon.state, daemon.pid, daemon.running) == ("silent", os.getpid(), True)
    assert daemon.problem

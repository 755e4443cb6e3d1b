"""Reaching a daemon and meeting it."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.base.processes import start_ticks
from ggrep.config.home import Home
from ggrep.protocol.client.connect_or_start import Connector, version_key
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.client.starting import Died, NotStarted
from ggrep.protocol.wire.endpoint import marker_path
from tests.client.conftest import Spot
from tests.entry.fake_daemon import fails, packed
from tests.fakes.clocks import ManualClock

SECOND = 1_000.0
Act = Callable[[], bool]


class Reacher:
    """Reaches, with its starts and pauses written down.

    Attributes:
        acts: what each start does; the last of them again and again.
        meanwhile: called in each pause.
        log: `start`, pauses in milliseconds, and lines for people, in order.
    """

    def __init__(self, spot: Spot, clock: ManualClock) -> None:
        self.acts: list[Act] = []
        self.meanwhile: Callable[[], object] = lambda: None
        self.log: list[object] = []
        self._clock = clock
        self.reaching = Connector(spot.address, clock, {}, wait=self._wait, notify=self.log.append)

    def start(self, *_: object, **__: object) -> bool:
        """Stand in for the function that starts."""
        self.log.append("start")
        act = self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]
        return act()

    def reach(self, seconds: float = 10.0) -> int:
        with self.reaching.reach(Deadline.after(self._clock, seconds * SECOND)) as link:
            return link.pid

    def _wait(self, seconds: float) -> None:
        self.log.append(round(seconds * SECOND))
        self._clock.advance(seconds * SECOND)
        self.meanwhile()


@pytest.fixture
def reacher(spot: Spot, manual: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Reacher:
    """Return one for the spot; starting opens it unless a test says otherwise."""
    result = Reacher(spot, manual)
    result.acts = [lambda: opens(spot)]
    monkeypatch.setattr("ggrep.protocol.client.connect_or_start.start", result.start)
    return result


def opens(spot: Spot) -> bool:
    spot.open()
    return True


def dies() -> bool:
    """Be a start whose daemon is killed."""
    raise Died("killed")


def refuses() -> bool:
    raise NotStarted("no room")


def test_a_daemon_that_runs_is_used(spot: Spot, reacher: Reacher) -> None:
    spot.open()

    assert reacher.reach() == os.getpid()
    assert reacher.log == []


def test_where_none_runs_one_is_started(reacher: Reacher, home: Path) -> None:
    """Without any in a home that is not there yet, either."""
    assert not home.exists()
    assert reacher.reach() == os.getpid()
    assert reacher.log == ["start", 10]


def test_while_somebody_else_starts_it_we_wait(spot: Spot, reacher: Reacher) -> None:
    reacher.acts = [lambda: False]
    reacher.meanwhile = lambda: len(reacher.log) == 8 and spot.open()

    assert reacher.reach() == os.getpid()
    assert reacher.log == ["start", 10, "start", 20, "start", 40, "start", 80]


def test_only_looking_starts_nothing(reacher: Reacher) -> None:
    """`status` must not bring a daemon about."""
    assert reacher.reaching.running() is None
    assert reacher.log == []


def test_three_daemons_are_started_at_most(reacher: Reacher) -> None:
    """One that dies at once will again."""
    reacher.acts = [lambda: True]

    with pytest.raises(Unreachable, match="no daemon answers"):
        reacher.reach()
    assert reacher.log.count("start") == 3


def test_a_start_that_was_killed_is_made_again(spot: Spot, reacher: Reacher) -> None:
    reacher.acts = [dies, dies, lambda: opens(spot)]

    assert reacher.reach() == os.getpid()
    assert reacher.log.count("start") == 3


@pytest.mark.parametrize(("act", "starts"), [(dies, 3), (refuses, 1)])
def test_a_start_that_keeps_failing_is_told(reacher: Reacher, act: Act, starts: int) -> None:
    reacher.acts = [act]

    with pytest.raises(NotStarted):
        reacher.reach()
    assert reacher.log.count("start") == starts


def leave_note(spot: Spot, process: subprocess.Popen[bytes], reason: str) -> Path:
    note = marker_path(spot.address.socket)
    output: dict[str, stable_json.Json] = {
        "reason": reason,
        "pid": process.pid,
        "pid_started": start_ticks(process.pid) or 0,
    }
    note.write_bytes(stable_json.dumps(output))
    return note


def test_who_is_told_to_wait_waits_and_says_why_once(
    spot: Spot, reacher: Reacher, process: subprocess.Popen[bytes]
) -> None:
    """A daemon started now would serve files that are being deleted."""
    note = leave_note(spot, process, "the index is being deleted")
    reacher.meanwhile = lambda: len(reacher.log) == 4 and note.unlink()

    assert reacher.reach() == os.getpid()
    assert reacher.log == ["waiting: the index is being deleted", 10, 20, 40, "start", 10]


def test_waiting_ends_with_the_deadline_and_its_reason(
    spot: Spot, reacher: Reacher, process: subprocess.Popen[bytes]
) -> None:
    leave_note(spot, process, "moving")

    with pytest.raises(Unreachable, match="no daemon answers: moving"):
        reacher.reach(2.0)
    assert "start" not in reacher.log


def speaks_otherwise(spot: Spot) -> None:
    """Make the daemon one of another protocol."""
    spot.daemon.greeting = lambda _: packed(
        {"error": {"code": "incompatible", "message": "another protocol"}}
    )
    spot.open()


def test_an_older_daemon_of_another_protocol_is_ended_once(
    spot: Spot, reacher: Reacher, process: subprocess.Popen[bytes]
) -> None:
    """After an upgrade nobody has to stop daemons by hand."""
    ours = spot.daemon.greeting
    speaks_otherwise(spot)
    spot.record(process.pid, binary_version="0.0.9")

    def ended() -> None:
        process.wait(300)
        spot.daemon.greeting = ours

    reacher.meanwhile = ended

    assert reacher.reach() == os.getpid()
    assert process.returncode == -signal.SIGTERM
    assert reacher.log == ["ending the daemon of ggrep 0.0.9", 10]


@pytest.mark.parametrize(
    ("record", "reported"),
    [
        # Two builds would end each other's daemons in turns.
        ({"binary_version": "99.0.0"}, r"runs ggrep 99.0.0.*ggrep stop"),
        ({"binary_version": "0.1.0"}, r"runs ggrep 0.1.0.*ggrep stop"),
        # The daemon died, and another process bears its number now.
        ({"binary_version": "0.0.9", "pid_started": 1}, "runs ggrep 0.0.9|unknown"),
        # Without a record there is no telling whom a signal would reach.
        (None, "an unknown version"),
    ],
)
def test_a_daemon_that_is_not_older_or_unknown_is_never_ended(
    spot: Spot,
    reacher: Reacher,
    process: subprocess.Popen[bytes],
    record: dict[str, Any] | None,
    reported: str,
) -> None:
    speaks_otherwise(spot)
    if record is not None:
        spot.record(process.pid, **record)

    with pytest.raises(Incompatible, match=reported):
        reacher.reach()
    assert process.poll() is None
    assert "pid_started" in (record or {}) or reacher.log == []


def test_a_second_daemon_that_does_not_suit_is_left_alone(
    spot: Spot, reacher: Reacher, process: subprocess.Popen[bytes]
) -> None:
    """Somebody keeps starting the older build; it is theirs to sort out."""
    speaks_otherwise(spot)
    spot.record(process.pid, binary_version="0.0.9")

    with pytest.raises(Incompatible):
        reacher.reach()
    assert reacher.log == ["ending the daemon of ggrep 0.0.9", 10]


def test_versions_compare_as_numbers() -> None:
    ordered = ["", "0.9", "0.9.1", "0.10", "0.10.dev1", "1"]

    assert sorted(ordered, key=version_key) == ordered


def test_what_a_daemon_refuses_of_a_greeting_is_final(spot: Spot, reacher: Reacher) -> None:
    """One that serves another store under our name is no reason to start a second."""
    spot.daemon.greeting = fails("invalid_request")
    spot.open()

    with pytest.raises(Exception, match="no"):
        reacher.reach()
    assert reacher.log == []


def meet(root: Path, home: Path, *, encoder: str | None = None, **environ: str) -> DaemonAddress:
    """Return where a root's daemon is met."""
    return arrange(root, Home(home), environ=environ, flags={"encoder": encoder})


def test_what_shapes_the_index_leads_elsewhere(root: Path, home: Path) -> None:
    assert meet(root, home) == meet(root, home)
    assert meet(root, home).socket == meet(root, home, GGREP_CLIENT_ID="another").socket

    usual = meet(root, home)

    assert meet(root, home, encoder="hashed").socket != usual.socket
    assert meet(root, home, GGREP_MAX_FILE_SIZE_BYTES="9").socket != usual.socket
    assert meet(root, home, GGREP_MAX_QUERY_RESULTS="9").socket == usual.socket


def test_budgets_and_flags_are_those_of_this_client(root: Path, home: Path) -> None:
    """Daemon and client may have been started under different variables."""
    budgets = dict(meet(root, home, GGREP_MAX_QUERY_RESULTS="9").budgets)

    assert budgets["max_query_results"] == 9
    assert budgets["max_query_per_file"] == 50
    assert dict(meet(root, home).flags) == {}
    assert dict(meet(root, home, encoder="hashed").flags) == {"encoder": "hashed"}


def test_wrong_settings_meet_nobody(root: Path, home: Path) -> None:
    with pytest.raises(InvalidRequest, match="max_query_results"):
        meet(root, home, GGREP_MAX_QUERY_RESULTS="many")


PROFILES = """
[profiles.data]
include = ["Datasets/**"]
max_bytes_indexed = 1
max_file_size_bytes = 1
max_store_bytes = 1
[profiles.docs.view]
paths = ["docs"]
"""


def test_a_profile_with_a_store_meets_a_daemon_of_its_own_and_one_without_does_not(
    root: Path, home: Path
) -> None:
    """One daemon answers all views; were it told one, plain searches would not find it."""
    (root / ".ggrep.toml").write_text(PROFILES)
    plain, docs = meet(root, home), meet(root, home, GGREP_PROFILE="docs")

    assert docs.socket == plain.socket
    assert (docs.profile.name, docs.served_profile) == ("docs", "")

    (root / ".ggrep.toml").write_text(PROFILES)
    data = meet(root, home, GGREP_PROFILE="data")

    assert data.socket != meet(root, home).socket
    assert data.served_profile == "data"


def test_a_view_is_told_where_the_repositorys_own_choice_leads_elsewhere(
    root: Path, home: Path
) -> None:
    """Left to itself its daemon would serve the data."""
    (root / ".ggrep.toml").write_text(f"profile = 'data'\n{PROFILES}")

    assert meet(root, home).served_profile == ""
    assert meet(root, home, GGREP_PROFILE="docs").served_profile == "docs"

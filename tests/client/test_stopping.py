"""Ending a daemon: asked, told, killed; and nobody starts another meanwhile."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ggrep.protocol.client.daemon_control import Stopped, stop, stopped
from ggrep.protocol.client.daemon_files import standing_reason
from ggrep.protocol.wire.endpoint import marker_path, record_path
from tests.client.conftest import Spot
from tests.entry.fake_daemon import Reply, packed
from tests.fakes.clocks import ManualClock

STUBBORN = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
signal.pause()
"""


@pytest.fixture
def stubborn() -> Iterator[subprocess.Popen[bytes]]:
    """Return a process that only SIGKILL ends."""
    line = [sys.executable, "-S", "-c", STUBBORN]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            yield child
        finally:
            child.kill()


def end(spot: Spot, clock: ManualClock, process: subprocess.Popen[bytes]) -> Stopped:
    """Stop the daemon of a record, in manual time."""

    def wait(seconds: float) -> None:
        clock.advance(1_000.0 * seconds)
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.001)

    return stop(spot.record(process.pid), "to be moved", clock, wait=wait)


def agrees(spot: Spot, *, goes: bool) -> Reply:
    """Return the reply of a daemon that gives its place up, or only says so."""

    def reply(asked: dict[str, object]) -> bytes:
        if goes:
            record_path(spot.address.socket).unlink()
        return packed({**asked, "stopping": True})

    return reply


def test_a_daemon_that_is_asked_ends_alone(
    spot: Spot, manual: ManualClock, process: subprocess.Popen[bytes]
) -> None:
    spot.open()
    spot.daemon.reply = agrees(spot, goes=True)

    assert end(spot, manual, process).how == "asked"
    assert process.poll() is None
    assert spot.daemon.seen[1]["message"] == "shutdown"
    assert spot.daemon.seen[1]["reason"] == "to be moved"


def test_a_daemon_that_has_died_is_gone(
    spot: Spot, manual: ManualClock, process: subprocess.Popen[bytes]
) -> None:
    """There is nothing to do, and nothing is done."""
    record = spot.record(process.pid, pid_started=1)

    assert stop(record, "", manual) == Stopped(record, "gone")
    assert process.poll() is None


def test_a_number_that_is_given_away_while_we_ask_is_not_signalled(
    spot: Spot,
    manual: ManualClock,
    process: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The daemon ended by itself meanwhile, and its number may be anybody's by now."""
    spot.address.socket.touch()
    looks, signalled = iter([True]), []
    with monkeypatch.context() as patch:
        patch.setattr(
            "ggrep.protocol.client.daemon_control.is_running", lambda *_: next(looks, False)
        )
        patch.setattr("os.kill", lambda *given: signalled.append(given))
        end(spot, manual, process)

    assert signalled == []


@pytest.mark.slow
@pytest.mark.parametrize("listens", [True, False])
def test_a_daemon_that_does_not_go_is_told(
    spot: Spot, manual: ManualClock, process: subprocess.Popen[bytes], *, listens: bool
) -> None:
    """It says it ends and does not, or does not even listen."""
    if listens:
        spot.open()
        spot.daemon.reply = agrees(spot, goes=False)
    else:
        spot.address.socket.touch()

    assert end(spot, manual, process).how == "terminated"


def test_a_daemon_of_another_protocol_is_told(
    spot: Spot, manual: ManualClock, process: subprocess.Popen[bytes]
) -> None:
    spot.open()
    spot.daemon.greeting = lambda _: packed({"error": {"code": "incompatible", "message": "no"}})

    assert end(spot, manual, process).how == "terminated"


@pytest.mark.slow
def test_a_daemon_that_hangs_is_killed(
    spot: Spot, manual: ManualClock, stubborn: subprocess.Popen[bytes]
) -> None:
    spot.address.socket.touch()

    assert end(spot, manual, stubborn).how == "killed"


def test_nobody_is_to_start_one_for_the_length_of_the_block(
    spot: Spot,
    manual: ManualClock,
    process: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wherever one could come: running there now or not."""
    other = spot.address.socket.with_name("other.sock")
    places = [spot.address.socket, other]
    gone = spot.record(process.pid, pid_started=1)

    with stopped([gone], places, "moving", manual) as ended:
        notes = [marker_path(place).is_file() for place in places]
        monkeypatch.setattr("os.getpid", lambda: 1)
        reasons = [standing_reason(place) for place in places]
        monkeypatch.undo()

    assert [each.how for each in ended] == ["gone"]
    assert notes == [True, True]
    assert reasons == ["moving", "moving"]
    assert not any(marker_path(place).exists() for place in places)


def test_what_fails_in_the_block_takes_the_notes_away(spot: Spot, manual: ManualClock) -> None:
    """Or no daemon would start until this process ends."""
    with (
        pytest.raises(OSError, match="odd"),
        stopped([], [spot.address.socket], "moving", manual),
    ):
        raise OSError("odd")
    assert list(Path(spot.address.socket.parent).iterdir()) == []

"""Starting daemons, and the mark that one is starting."""

import errno
import fcntl
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import durable, stable_json
from ggrep.base.errors import Cancelled
from ggrep.base.locks import is_held
from ggrep.base.processes import start_ticks
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.daemon_files import marked, standing_reason
from ggrep.protocol.client.starting import Died, NotStarted, StillStarting, start, start_all
from ggrep.protocol.wire.endpoint import marker_path
from tests.client.conftest import Program, Spot


def lock_of(spot: Spot) -> Path:
    """Return the file that who starts a daemon holds."""
    return spot.address.socket.with_suffix(".starting")


def test_a_daemon_is_started_as_the_client_would_be(
    spot: Spot, program: Program, tmp_path: Path
) -> None:
    """Same root, flags, variables and home, or it would be another's."""
    output = tmp_path / "said"
    program(f'echo "$@" "$GGREP_X" "$GGREP_HOME" "$PWD" > {output}')
    address = replace(spot.address, flags={"low_impact": "x", "encoder": "hashed"})

    assert start(address, {"GGREP_X": "of the client", "GGREP_HOME": "odd"})
    assert output.read_text().split(" ") == [
        *("-m", "ggrep", "serve", "--background", "--yes", "--path", str(address.identity.root)),
        *("--encoder", "hashed", "--low-impact", "x"),
        *("of", "the", "client", str(address.home.base), "/\n"),
    ]
    assert not lock_of(spot).exists()


def test_a_daemon_is_told_its_profile_by_a_variable(
    spot: Spot, program: Program, tmp_path: Path
) -> None:
    """The client's own is not the daemon's: several profiles may share one."""
    output = tmp_path / "said"
    program(f'echo "$@" "[$GGREP_PROFILE]" >> {output}')
    environ = {"GGREP_PROFILE": "docs"}
    named = replace(spot.address, flags={"profile": "data"}, served_profile="data")

    assert start(spot.address, environ)
    assert start(named, environ)
    assert [line.rpartition(" ")[2] for line in output.read_text().splitlines()] == ["[]", "[data]"]
    assert "--profile" not in output.read_text()


def test_a_start_whose_mark_cannot_be_removed_lets_the_next_one_start(
    spot: Spot, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that runs for days would keep the lock, and each client would wait for it."""
    program("true")
    lock, unlink = lock_of(spot), Path.unlink

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        if path == lock:
            raise PermissionError(errno.EACCES, "no")
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        with pytest.raises(PermissionError):
            start(spot.address, {})

    assert not is_held(lock)


def test_who_comes_second_does_not_wait(spot: Spot, program: Program) -> None:
    """It looks again in a moment; and leaves the first one's lock where it is."""
    program("exit 1")
    descriptor = durable.open_lock(lock_of(spot))
    with os.fdopen(descriptor, "rb"):
        fcntl.flock(descriptor, fcntl.LOCK_EX)

        assert not start(spot.address, {})
        assert lock_of(spot).exists()


def test_the_next_may_try_once_a_starter_died(spot: Spot, program: Program) -> None:
    """The kernel lets go of its lock, whose file stays."""
    program("exit 0")
    lock_of(spot).touch()

    assert start(spot.address, {})


def test_a_daemon_that_will_not_start_says_why(spot: Spot, program: Program) -> None:
    program("echo 'a note' >&2; printf 'error: no \\033[1mroom\\n' >&2; exit 1")

    with pytest.raises(NotStarted, match=r"could not be started: no \S*room") as caught:
        start(spot.address, {})
    assert "\x1b" not in str(caught.value)
    assert not isinstance(caught.value, Died)
    assert not lock_of(spot).exists()


@pytest.mark.parametrize("end", ["kill -9 $$", "exit 12"])
def test_a_daemon_that_was_killed_may_be_tried_again(
    spot: Spot, program: Program, end: str
) -> None:
    program(end)

    with pytest.raises(Died):
        start(spot.address, {})


def test_a_place_that_cannot_be_written_is_named(spot: Spot, program: Program) -> None:
    program("exit 0")
    spot.address.socket.parent.joinpath("file").touch()
    address = replace(spot.address, socket=spot.address.socket.parent / "file" / "d.sock")

    with pytest.raises(NotStarted, match="no daemon can be started"):
        start(address, {})


def several(spot: Spot, *names: str) -> list[DaemonAddress]:
    """Return where daemons are met beside the spot, by name."""
    address, result = spot.address, []
    for name in names:
        identity = replace(address.identity, root=address.identity.root.with_name(name))
        result.append(
            replace(address, identity=identity, socket=address.socket.with_name(f"{name}.sock"))
        )
    return result


def roots_of(addresses: Sequence[DaemonAddress]) -> list[str]:
    return [address.identity.root.name for address in addresses]


def test_one_process_is_started_for_several(spot: Spot, program: Program, tmp_path: Path) -> None:
    """Each is claimed meanwhile, and in the order of sockets, whoever asks."""
    output = tmp_path / "said"
    place = spot.address.socket.parent
    program(f'echo "$@" > {output}; ls {place} >> {output}')
    addresses = [replace(each, flags={"encoder": "hashed"}) for each in several(spot, "b", "a")]

    assert roots_of(start_all(addresses, {})) == ["a", "b"]
    line, *kept = output.read_text().splitlines()
    assert line.split(" ") == [
        *("-m", "ggrep", "serve", "--background", "--yes"),
        *("--path", str(addresses[1].identity.root), "--path", str(addresses[0].identity.root)),
        *("--encoder", "hashed"),
    ]
    assert {"a.starting", "b.starting"} <= set(kept)
    assert not list(place.glob("*.starting"))
    assert not list(spot.address.home.daemon.iterdir())


def test_what_others_start_is_left_to_them(spot: Spot, program: Program) -> None:
    """Two hosts of one repository would both be started, and one in vain."""
    program("exit 0")
    ones = several(spot, "a", "b")
    with os.fdopen(durable.open_lock(ones[0].socket.with_suffix(".starting")), "rb") as stack:
        fcntl.flock(stack, fcntl.LOCK_EX)

        assert roots_of(start_all(ones, {})) == ["b"]
        assert roots_of(start_all(ones[:1], {})) == []
        assert ones[0].socket.with_suffix(".starting").exists()


def test_what_listens_by_now_is_not_started(spot: Spot, program: Program, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program(f"touch {ran}")
    spot.open()

    assert start_all([], {}) == start_all([spot.address], {}) == ()
    assert not ran.exists()
    assert roots_of(start_all([spot.address, *several(spot, "a")], {})) == ["a"]


@pytest.mark.parametrize("gets_it", [True, False])
def test_clients_share_out_in_turn(spot: Spot, program: Program, gets_it: bool) -> None:
    """Who comes second waits a moment; if the first one is stopped, it starts nothing."""
    program("exit 0")
    pauses: list[float] = []
    turn = spot.address.home.daemon / "all.starting"
    durable.make_directory(turn.parent)
    with os.fdopen(durable.open_lock(turn), "rb") as stack:
        fcntl.flock(stack, fcntl.LOCK_EX)

        def wait(seconds: float) -> None:
            pauses.append(seconds)
            if gets_it and len(pauses) == 3:
                fcntl.flock(stack, fcntl.LOCK_UN)

        assert roots_of(start_all(several(spot, "a"), {}, wait=wait)) == ["a"] * gets_it
    assert pauses[:3] == [0.02, 0.02, 0.02]  # what follows may be the start itself
    assert gets_it or sum(pauses) == pytest.approx(1.0)


def test_a_host_that_will_not_start_lets_go_of_all(spot: Spot, program: Program) -> None:
    program("echo 'error: no room' >&2; exit 1")
    ones = several(spot, "a", "b")

    with pytest.raises(NotStarted, match="no room"):
        start_all(ones, {})
    assert not list(spot.address.socket.parent.glob("*.starting"))


@pytest.mark.parametrize("timeout_s", [0.0, 30.0])
def test_what_nobody_waits_for_any_more_goes_on_and_keeps_its_claim(
    spot: Spot, program: Program, tmp_path: Path, timeout_s: float
) -> None:
    """Killed half way, it would have to be started again; let go of, it would be started twice."""
    gate, done = tmp_path / "gate", tmp_path / "done"
    os.mkfifo(gate)
    program(f"read line < {gate}; echo > {done}")

    def leave(_seconds: float) -> None:
        raise Cancelled("nobody waits any more")

    with pytest.raises(StillStarting):
        start(spot.address, {}, timeout_s, wait=leave)
    again = start(spot.address, {})
    with lock_of(spot).open() as lock:
        gate.write_text("go\n")
        fcntl.flock(lock, fcntl.LOCK_EX)  # the program has ended

    assert not again
    assert done.exists()
    program("")
    assert start(spot.address, {})


def test_the_lock_of_who_is_done_keeps_nobody_out(
    spot: Spot, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It removes the file: what we opened before that is held by nobody, and so by anybody."""
    program("exit 1")
    opened = durable.open_lock

    def late(path: Path) -> int:
        descriptor = opened(path)
        path.unlink()
        path.touch()
        return descriptor

    monkeypatch.setattr(durable, "open_lock", late)

    assert not start(spot.address, {})


def write(socket: Path, pid: int, started: int) -> None:
    """Leave a note as that process would."""
    note: dict[str, stable_json.Json] = {"reason": "moving", "pid": pid, "pid_started": started}
    marker_path(socket).write_bytes(stable_json.dumps(note))


def test_a_living_process_is_waited_for_and_a_dead_one_is_not(
    tmp_path: Path, process: subprocess.Popen[bytes]
) -> None:
    socket = tmp_path / "d.sock"
    write(socket, process.pid, start_ticks(process.pid) or 0)
    assert standing_reason(socket) == "moving"

    write(socket, process.pid, 1)
    assert standing_reason(socket) is None


def test_the_writer_itself_may_start_one_and_its_note_goes(tmp_path: Path) -> None:
    socket = tmp_path / "d.sock"

    with marked(socket, "moving"):
        note = stable_json.loads(marker_path(socket).read_bytes())
        assert standing_reason(socket) is None
    assert note == {"reason": "moving", "pid": os.getpid(), "pid_started": start_ticks(os.getpid())}

    socket = tmp_path / "deep" / "d.sock"

    with pytest.raises(ValueError, match="odd"), marked(socket, "moving"):
        raise ValueError("odd")
    assert list(socket.parent.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"reason": 1}', b"\xff"])
def test_a_damaged_note_says_nothing(tmp_path: Path, content: bytes) -> None:
    """It would otherwise keep daemons away for ever."""
    socket = tmp_path / "d.sock"
    marker_path(socket).write_bytes(content)

    assert standing_reason(socket) is None

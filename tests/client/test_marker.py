"""The note that keeps daemons from being started stands for as long as its writer lives."""

import os
import subprocess
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.processes import start_ticks
from ggrep.protocol.client.daemon_files import marked, standing_reason
from ggrep.protocol.wire.endpoint import marker_path


def write(socket: Path, pid: int, started: int) -> None:
    """Leave a note as that process would."""
    note: dict[str, stable_json.Json] = {"reason": "moving", "pid": pid, "pid_started": started}
    marker_path(socket).write_bytes(stable_json.dumps(note))


def test_a_living_process_is_waited_for(tmp_path: Path, process: subprocess.Popen[bytes]) -> None:
    """It says why."""
    socket = tmp_path / "d.sock"
    write(socket, process.pid, start_ticks(process.pid) or 0)

    assert standing_reason(socket) == "moving"


def test_a_dead_process_is_not(tmp_path: Path, process: subprocess.Popen[bytes]) -> None:
    """Nor one whose number was given away again."""
    socket = tmp_path / "d.sock"
    write(socket, process.pid, 1)

    assert standing_reason(socket) is None


def test_the_writer_itself_may_start_one(tmp_path: Path) -> None:
    """It knows what it does."""
    socket = tmp_path / "d.sock"

    with marked(socket, "moving"):
        note = stable_json.loads(marker_path(socket).read_bytes())
        assert standing_reason(socket) is None
    assert note == {"reason": "moving", "pid": os.getpid(), "pid_started": start_ticks(os.getpid())}


def test_the_note_is_gone_afterwards(tmp_path: Path) -> None:
    """Whatever came of the work."""
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

"""Coming to a socket, and never later than the deadline."""

import errno
import math
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import BudgetExceeded, DeadlineExceeded
from ggrep.protocol.client import channel
from ggrep.protocol.client.channel import before, dial
from ggrep.protocol.client.link import Unreachable
from tests.fakes.places import short_directory

CLOCK = SystemClock()


@pytest.fixture
def path() -> Iterator[Path]:
    with short_directory() as base:
        yield base / "d.sock"


async def test_a_block_ends_at_its_deadline() -> None:
    deadline = Deadline.after(CLOCK, 5)

    with pytest.raises(DeadlineExceeded, match="too late"), before(deadline, "too late"):
        await anyio.sleep_forever()


async def test_a_block_that_is_done_in_time_goes_on() -> None:
    """With and without an end to its time; what it raises is raised."""
    reached = []
    for milliseconds in (20_000, math.inf):
        with before(Deadline.after(CLOCK, milliseconds), "too late"):
            await anyio.lowlevel.checkpoint()
            reached.append(milliseconds)

    assert len(reached) == 2
    with pytest.raises(ValueError, match="its own"), before(Deadline.never(CLOCK), "too late"):
        raise ValueError("its own")


async def test_who_listens_is_connected_to(path: Path) -> None:
    """Without waiting for it to accept: the kernel holds the connection meanwhile."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        stream = await dial(path)

        assert stream.extra(SocketAttribute.remote_address) == str(path)  # noqa: S610 - no Django
        await stream.aclose()


async def test_nobody_there_is_unreachable(path: Path) -> None:
    """Whoever asks may start one; a socket that a dead daemon left is as good as none."""
    with pytest.raises(Unreachable, match="no daemon answers: No such file"):
        await dial(path)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))

    with pytest.raises(Unreachable, match="no daemon answers: Connection refused"):
        await dial(path)


@pytest.fixture
def full(path: Path) -> Iterator[socket.socket]:
    """Return a listener who accepts nobody, with as many waiting as the kernel lets."""
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as waits:
        listener.bind(str(path))
        listener.listen(0)
        waits.connect(str(path))
        yield listener


async def test_a_daemon_that_accepts_nobody_is_unreachable(
    path: Path, full: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "CONNECT_MS", 30)

    with pytest.raises(Unreachable, match="does not accept"):
        await dial(path)


async def test_a_daemon_that_accepts_after_a_while_is_connected_to(
    path: Path, full: socket.socket
) -> None:
    streams = []

    async def come() -> None:
        streams.append(await dial(path))

    async with anyio.create_task_group() as group:
        group.start_soon(come)
        await anyio.wait_all_tasks_blocked()
        full.accept()[0].close()

    await streams[0].aclose()


async def test_a_process_without_a_file_left_to_open_says_so(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon is well; starting another would not help."""

    def refuse(*_: object) -> socket.socket:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(socket, "socket", refuse)

    with pytest.raises(BudgetExceeded, match="Too many open files"):
        await dial(path)

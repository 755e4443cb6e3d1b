"""A real host: a process of its own, with its worker, ended by signals."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from ggrep.base.clock import Deadline, SystemClock
from ggrep.config.home import Home
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.daemon_address import arrange
from ggrep.protocol.client.daemon_files import running
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.wire.endpoint import parse_record, place_of_socket, record_path
from ggrep.protocol.wire.messages import Message, Search
from ggrep.protocol.wire.replies import Reply
from tests.fakes.repos import write_tree

pytestmark = pytest.mark.slow

CLOCK = SystemClock()
FLAGS = {"encoder": "hashed", "watch": False}
SWITCHES = ("--encoder", "hashed", "--no-watch")


def eventually(holds: Callable[[], object]) -> None:
    """Wait until something holds; fail when it never does."""
    deadline = Deadline.after(CLOCK, 600_000)
    while not holds():
        deadline.check("the wait")
        time.sleep(0.02)


class Host:
    """A process `ggrep serve` of one root."""

    def __init__(self, root: Path, home: Path, log: Path) -> None:
        environ = {key: value for key, value in os.environ.items() if key != "GGREP_OFFLINE"}
        self.address = arrange(root, Home(home), environ={}, flags=FLAGS)
        self._log = log
        with log.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "ggrep", "serve", "--path", str(root), *SWITCHES],
                env={**environ, "GGREP_HOME": str(home)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=err,
            )
        self.workers: list[psutil.Process] = []
        eventually(lambda: self.listens or self.process.poll() is not None)

    @property
    def listens(self) -> bool:
        """Return whether it can be asked: a socket is there a moment before that."""
        try:
            Link.connect(self.address.socket, self.address.hello, CLOCK).close()
        except Unreachable:
            return False
        return True

    @property
    def said(self) -> str:
        """Return what it told its terminal."""
        return self._log.read_text()

    def ask(self, message: Message) -> Reply:
        with Link.connect(self.address.socket, self.address.hello, CLOCK) as link:
            return link.ask(message, Deadline.after(CLOCK, 60_000))

    def note_workers(self) -> None:
        self.workers = psutil.Process(self.process.pid).children(recursive=True)

    def end(self) -> None:
        """Kill whatever still runs of it."""
        with suppress(psutil.NoSuchProcess):
            self.note_workers()
        self.process.kill()
        self.process.wait(300)
        for worker in self.workers:
            with suppress(psutil.NoSuchProcess):
                worker.kill()


@pytest.fixture
def start(root: Path, home: Path, tmp_path: Path) -> Iterator[Callable[[], Host]]:
    """Return what starts a host of a small tree; all are gone at the end."""
    write_tree(root, {"pay.py": "def settle_invoice():\n    return 1\n"})
    hosts: list[Host] = []

    def begin() -> Host:
        hosts.append(Host(root, home, tmp_path / f"log{len(hosts)}"))
        return hosts[-1]

    yield begin
    for host in hosts:
        host.end()


def found(host: Host) -> list[str]:
    reply = host.ask(Search(SearchRequest("settle invoice")))
    return [hit["path"] for hit in reply.body["response"]["results"]]


def names(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "daemon").iterdir())


def test_a_signal_ends_a_host_in_order(start: Callable[[], Host], home: Path) -> None:
    """Worker, names, lease and lock are gone; the status is that of success."""
    host = start()
    assert found(host) == ["pay.py"]
    host.note_workers()
    host.process.send_signal(signal.SIGTERM)

    assert host.process.wait(300) == 0
    assert names(home) == []
    assert "stopped: SIGTERM was received" in host.said
    eventually(lambda: not any(worker.is_running() for worker in host.workers))
    assert running(Home(home)) == []


def test_a_host_follows_a_killed_one(start: Callable[[], Host], root: Path, home: Path) -> None:
    """The kernel has let go of its locks, its worker has noticed, and its lease is taken over."""
    first = start()
    assert found(first) == ["pay.py"]
    first.note_workers()
    first.process.kill()
    first.process.wait(300)
    assert names(home)
    eventually(lambda: not any(worker.is_running() for worker in first.workers))
    assert running(Home(home)) == []
    write_tree(root, {"new.py": "def settle_invoice_anew():\n    return 1\n"})
    second = start()
    eventually(lambda: len(running(Home(home))) == 1)
    eventually(lambda: "new.py" in found(second))

    record = parse_record(record_path(second.address.socket).read_bytes())
    assert record is not None
    assert record.pid == second.process.pid


def test_a_second_host_of_a_store_says_so(
    start: Callable[[], Host],
) -> None:
    """And ends with a failure; the first serves on."""
    first, second = start(), start()

    assert second.process.wait(300) != 0
    assert "already" in second.said
    assert found(first) == ["pay.py"]
    socket = place_of_socket(
        first.address.home,
        first.address.identity.store_id,
        first.address.identity.config_fingerprint,
    )
    assert socket.exists()

"""Search nodes that run as processes of this machine; the coordinator starts and replaces them.

A node listens on a socket in its cache directory; messages are frames of bytes. A node ends when
the process that started it ends.
"""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, to_builtins

from ggrep.base import durable, stable_json
from ggrep.base.clock import Clock, SystemClock
from ggrep.base.errors import DeadlineExceeded
from ggrep.base.processes import raise_descriptors
from ggrep.base.stable_json import decode
from ggrep.config.remotes import Remote
from ggrep.config.settings import Settings, environment
from ggrep.protocol.client.link import Unreachable
from ggrep.server.node import SearchNode

_MODULE: Final = "ggrep.server.node_process"
_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
_SOCKET: Final = "AF_UNIX"
_HUNG_MS: Final = 30_000.0
"""Time without an answer after which a node is replaced."""


class NodePlan(Struct, frozen=True):
    """The configuration that a node receives when it starts.

    Attributes:
        cache: directory of the node's snapshots.
    """

    cache: str
    remote: Remote
    settings: Settings


class ProcessNode:
    """Runs a node in a separate process and sends messages to it. Thread-safe, except `keep`."""

    def __init__(self, plan: NodePlan, clock: Clock) -> None:
        """Start the process."""
        self._plan, self._clock = plan, clock
        self._address = str(Path(plan.cache) / "node.sock")
        self._free: list[Connection[Any, Any]] = []
        self._answered_ms = clock.monotonic_ms()
        self._start()

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return self._process.pid

    def send(self, data: bytes, timeout_s: float) -> bytes:
        """Return the reply to a message; see `NodeLink.send`."""
        connection = None
        try:
            connection = self._free.pop() if self._free else Client(self._address, _SOCKET)
            connection.send_bytes(data)
            if not connection.poll(timeout_s):
                connection.close()
                raise DeadlineExceeded("a node did not answer in time")
            reply = connection.recv_bytes()
        except (OSError, EOFError, IndexError) as error:
            if connection is not None:
                connection.close()
            raise Unreachable("the node does not answer") from error
        self._answered_ms = self._clock.monotonic_ms()
        self._free.append(connection)
        return reply

    def keep(self) -> None:
        """Restart the process if it has ended or no longer answers."""
        silent_ms = self._clock.monotonic_ms() - self._answered_ms
        if self._process.poll() is None and silent_ms < _HUNG_MS:
            return
        self.close()
        self._start()

    def close(self) -> None:
        """Kill the process."""
        while self._free:
            self._free.pop().close()
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _start(self) -> None:
        durable.make_directory(Path(self._plan.cache))
        Path(self._plan.cache).chmod(0o700)  # only this user may connect to the socket
        Path(self._address).unlink(missing_ok=True)
        self._answered_ms = self._clock.monotonic_ms()
        self._process = subprocess.Popen(  # noqa: S603 - a module of this package
            [sys.executable, "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            cwd=_PACKAGE_ROOT,
            env=dict(environment()),
            start_new_session=True,
        )
        assert self._process.stdin is not None  # noqa: S101 - the call above requests a pipe
        with suppress(BrokenPipeError):
            self._process.stdin.write(stable_json.dumps(to_builtins(self._plan)) + b"\n")
            self._process.stdin.flush()


def main() -> None:
    """Run a node: answer messages until the parent process ends."""
    plan = decode(NodePlan, stable_json.loads(sys.stdin.buffer.readline()))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    raise_descriptors()
    node = SearchNode(Path(plan.cache), plan.remote, plan.settings, SystemClock())
    with Listener(str(Path(plan.cache) / "node.sock"), _SOCKET, backlog=64) as listener:
        while True:
            connection = listener.accept()
            threading.Thread(target=_answer, args=(node, connection), daemon=True).start()


def _answer(node: SearchNode, connection: "Connection[Any, Any]") -> None:
    with suppress(OSError, EOFError), connection:
        while True:
            connection.send_bytes(node.answer(connection.recv_bytes()))


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()

"""A host of daemons in a process of its own, for as long as a test wants it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from ggrep.base.clock import Deadline, SystemClock
from ggrep.config.home import Home
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.wire.messages import Sync

CLOCK = SystemClock()
FLAGS = {"encoder": "hashed", "watch": False}
SWITCHES = ("--encoder", "hashed", "--no-watch")
_PATIENCE_S = 600


class HostProcess:
    """`ggrep serve` of some roots.

    Attributes:
        process: None unless it was started, and after `end`.
    """

    def __init__(self, roots: Sequence[Path], home: Path, log: Path) -> None:
        self.home = home
        self._roots = tuple(roots)
        self._log = log
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Serve; return when every root was compared with its index, so that no answer warns."""
        environ = {key: value for key, value in os.environ.items() if key != "GGREP_OFFLINE"}
        paths = [word for root in self._roots for word in ("--path", str(root))]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "ggrep", "serve", *paths, *SWITCHES],
                env={**environ, "GGREP_HOME": str(self.home)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = Deadline.after(CLOCK, _PATIENCE_S * 1_000)
        for root in self._roots:
            while not self._is_compared(root, deadline):
                assert self.process.poll() is None, self._log.read_text()
                deadline.check("the start of a host")
                time.sleep(0.02)

    def end(self) -> None:
        """Have it end, and with it whatever it has started."""
        if self.process is None:
            return
        workers = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_PATIENCE_S)
        finally:
            for each in (*workers, self.process):
                with suppress(psutil.NoSuchProcess, ProcessLookupError):
                    each.kill()
            self.process.wait(_PATIENCE_S)
            self.process = None

    def address(self, root: Path) -> DaemonAddress:
        """Return where the daemon of a root is met."""
        return arrange(root, Home(self.home), environ={}, flags=FLAGS)

    def _is_compared(self, root: Path, deadline: Deadline) -> bool:
        address = self.address(root)
        try:
            with Link.connect(address.socket, address.hello, CLOCK) as link:
                link.ask(Sync(), deadline)
        except Unreachable:
            return False
        return True


@contextmanager
def host_process(roots: Sequence[Path], home: Path, log: Path) -> Iterator[HostProcess]:
    """Serve roots for the length of the block."""
    result = HostProcess(roots, home, log)
    result.start()
    try:
        yield result
    finally:
        result.end()

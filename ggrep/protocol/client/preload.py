"""A process that preloads a daemon's modules while the client works out which one it is.

    client                                  the process
    fork, exec ────────────────────────────> python -m ggrep serve --background --yes --later 3
    settings, fingerprint, claim            imports
    job, with the claim's lock ────────────> becomes a daemon in the background, ends
    or: nothing, and the end of the socket ─> ends

What the client is waits for nobody, so that the two take as long as the longer of them. The
standard library's bare parts alone: every plain search that finds no daemon loads this.
"""

import os
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket, socketpair
from collections.abc import Sequence

from ggrep.base.commands import LATER, STARTING

_SIGKILL = 9  # the signal module loads enum
CHANNEL = 3
"""The descriptor of the process's end of the socket."""


class Preload:
    """A process that waits to be told what to serve; it ends when this is closed first.

    Attributes:
        returncode: its exit status, as `subprocess.Popen` has it; None while it runs.
    """

    def __init__(self, environ: dict[str, str]) -> None:
        """Start it, apart from our terminal, directory and descriptors.

        Raises:
            OSError: it cannot be started.

        Requires: this process has one thread.
        """
        ours, theirs = socketpair(AF_UNIX, SOCK_STREAM)
        self.returncode: int | None = None
        self.channel: socket = ours
        try:
            self.pid = os.fork()
        except OSError:
            ours.close()
            raise
        finally:
            if getattr(self, "pid", None) != 0:
                theirs.close()
        if self.pid == 0:
            _become(theirs.fileno(), environ)

    def tell(self, job: bytes, descriptors: Sequence[int]) -> None:
        """Say what to serve, and hand over descriptors: the first to complain on.

        Raises:
            OSError: it has ended, or was told before.
        """
        try:
            rights = b"".join(one.to_bytes(4, sys.byteorder) for one in descriptors)
            sent = self.channel.sendmsg([job], [(SOL_SOCKET, SCM_RIGHTS, rights)])
            self.channel.sendall(job[sent:])
        finally:
            # Its end is what says that the job is whole.
            self.channel.close()

    def poll(self) -> int | None:
        """Return its exit status; None while it runs."""
        return self._reaped(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait until it ends."""
        return self._reaped(0)

    def close(self) -> None:
        """End it, unless it was told what to serve; then this changes nothing."""
        if self.channel.fileno() < 0:
            return
        self.channel.close()
        if self.poll() is None:
            os.kill(self.pid, _SIGKILL)
            self.wait()

    def _reaped(self, how: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, how)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def _become(channel: int, environ: dict[str, str]) -> None:
    """Turn a fresh child into the process; nothing of the caller's is left to it."""
    try:
        os.setsid()
        os.chdir("/")
        # First of all: where a stream of ours was closed, it may be the socket that has its place.
        os.dup2(channel, CHANNEL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.set_inheritable(CHANNEL, True)  # noqa: FBT003 - it has no name
        # `python -m` would take modules from the current directory first; that is `/` by now.
        line = [sys.executable, "-m", "ggrep", *STARTING, LATER, str(CHANNEL)]
        os.closerange(CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))
        os.execve(sys.executable, line, environ)  # noqa: S606 - our own program
    finally:
        os._exit(127)

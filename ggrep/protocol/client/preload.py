"""A process that preloads a daemon's modules while the client computes the daemon's address.

    client                                  the process
    fork, exec ────────────────────────────> python -m ggrep serve --background --yes --later 3
    settings, fingerprint, claim            imports
    job, with the claim's lock ────────────> becomes a daemon in the background, ends
    or: nothing, and the end of the socket ─> ends

Both processes run concurrently, so the start takes as long as the slower process. This module
imports only small parts of the standard library: every plain search without a daemon loads it.
"""

import os
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket, socketpair
from collections.abc import Sequence

from ggrep.base.commands import LATER, STARTING

_SIGKILL = 9  # the signal module loads enum
CHANNEL = 3
"""Descriptor of the socket in the preloaded process."""


class Preload:
    """A preloaded process that waits for a job; it ends if the `Preload` is closed first.

    Attributes:
        returncode: exit status as in `subprocess.Popen`; None while the process runs.
    """

    def __init__(self, environ: dict[str, str]) -> None:
        """Start the process without the terminal, directory and descriptors of this process.

        Raises:
            OSError: the process cannot be started.

        Requires: this process has a single thread.
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
        """Send the job with descriptors; the first descriptor is for error messages.

        Raises:
            OSError: the process has ended, or already has a job.
        """
        try:
            rights = b"".join(number.to_bytes(4, sys.byteorder) for number in descriptors)
            sent = self.channel.sendmsg([job], [(SOL_SOCKET, SCM_RIGHTS, rights)])
            self.channel.sendall(job[sent:])
        finally:
            # The end of the stream marks the end of the job.
            self.channel.close()

    def poll(self) -> int | None:
        """Return the exit status of the process; None while it runs."""
        return self._reaped(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait until the process ends; return its exit status."""
        return self._reaped(0)

    def close(self) -> None:
        """Kill the process; does nothing if it already has a job."""
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
    """Turn a forked child into the preloaded process."""
    try:
        os.setsid()
        os.chdir("/")
        # First, because the socket may have the number of a closed standard stream.
        os.dup2(channel, CHANNEL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.set_inheritable(CHANNEL, True)  # noqa: FBT003 - it has no name
        # `python -m` imports from the current directory first, which is `/` by now.
        line = [sys.executable, "-m", "ggrep", *STARTING, LATER, str(CHANNEL)]
        os.closerange(CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))
        os.execve(sys.executable, line, environ)  # noqa: S606 - our own program
    finally:
        os._exit(127)

"""Starting a daemon's process, once however many clients want it."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ggrep import durable
from ggrep.client.meeting import Meeting
from ggrep.domain.sanitise import sanitise_line
from ggrep.errors import Cancelled, GgrepError

START_S: Final = 30.0
"""How long a daemon may take to listen; about half a second on an idle machine."""


class NotStarted(GgrepError):
    """No daemon could be started; the message says why."""


class Died(NotStarted):
    """It was killed while it started, and gave no reason why another would end likewise."""


def start(meeting: Meeting, environ: Mapping[str, str], timeout_s: float = START_S) -> bool:
    """Start the daemon of a repository and wait until it listens.

    Returns False at once when another client is starting it. Past `timeout_s` nobody waits for it
    any more, and it goes on starting for the next who asks.

    Raises:
        Died: it was killed meanwhile; it may be tried again.
        NotStarted: it ended instead, or took too long.
    """
    lock = meeting.socket.with_suffix(".starting")
    try:
        durable.make_directory(lock.parent)
        descriptor = durable.open_lock(lock)
    except OSError as error:
        raise NotStarted(f"no daemon can be started: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The one before us removes its file when it is done: that one's lock keeps nobody out.
        if not os.path.samestat(os.fstat(descriptor), lock.stat()):
            return False
        try:
            _run(_command(meeting), environ, meeting.home.base, min(timeout_s, START_S))
        finally:
            lock.unlink(missing_ok=True)
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(descriptor)
    return True


def _command(meeting: Meeting) -> list[str]:
    line = [sys.executable, "-m", "ggrep", "serve", "--background"]
    line += ["--path", str(meeting.identity.root)]
    for name, value in sorted(meeting.flags.items()):
        line += [f"--{name.replace('_', '-')}", str(value)]
    return line


def _run(line: Sequence[str], environ: Mapping[str, str], home: Path, timeout_s: float) -> None:
    """Run the command that puts itself into the background."""
    try:
        done = subprocess.run(  # noqa: S603 - our own program and arguments
            line,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**environ, "GGREP_HOME": str(home)},
            cwd="/",
            timeout=timeout_s,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotStarted(f"no daemon could be started: {error}") from error
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        why = told[-1].removeprefix("error: ") if told else f"status {done.returncode}"
        killed = done.returncode < 0 or done.returncode == Cancelled.exit_status
        raise (Died if killed else NotStarted)(f"the daemon did not start: {sanitise_line(why)}")

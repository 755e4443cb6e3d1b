"""Starting the process of daemons, once however many clients want it."""

import fcntl
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from ggrep import durable
from ggrep.client.meeting import Meeting
from ggrep.config.settings import PROFILE_VARIABLE
from ggrep.config.values import PROFILE
from ggrep.domain.sanitise import sanitise_line
from ggrep.errors import Cancelled, GgrepError

START_S: Final = 30.0
"""How long a daemon may take to listen; about half a second on an idle machine."""

_TURN: Final = "all.sock"
"""Whose place is held by who shares out several daemons; no daemon is called that."""

_TURNS: Final = 50
_TURN_S: Final = 0.02
_PROBE_S: Final = 0.5


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
    with _claimed(meeting.socket) as ours:
        if ours:
            _run(_command([meeting]), _under(meeting, environ), min(timeout_s, START_S))
        return ours


def start_all(
    meetings: Sequence[Meeting],
    environ: Mapping[str, str],
    timeout_s: float = START_S,
    *,
    wait: Callable[[float], None] = time.sleep,
) -> tuple[Meeting, ...]:
    """Start one host for the daemons of some repositories and wait until it listens.

    Those that another client is starting are left to it, and those that listen by now need none.

    Returns:
        Those that the host was started for.

    Raises:
        Died: it was killed meanwhile; it may be tried again.
        NotStarted: it ended instead, took too long, or serves only some of them.

    Requires: one home, the same flags and the same profile to be served for all of them.
    """
    with ExitStack() as held:
        claimed = _claim(sorted(meetings, key=lambda meeting: meeting.socket), held, wait)
        if claimed:
            _run(_command(claimed), _under(claimed[0], environ), min(timeout_s, START_S))
        return tuple(claimed)


def _claim(
    meetings: Sequence[Meeting], held: ExitStack, wait: Callable[[float], None]
) -> list[Meeting]:
    """Return those that are ours to start, for as long as `held` holds.

    Clients claim in turn: two that want the same would otherwise share them out, and start two
    hosts. Who does not get its turn starts nothing.
    """
    if not meetings:
        return []
    for _ in range(_TURNS):
        with _claimed(meetings[0].home.daemon / _TURN) as ours:
            if ours:
                found = [one for one in meetings if held.enter_context(_claimed(one.socket))]
                # Whoever claimed before us may be done by now.
                return [one for one in found if not _listens(one.socket)]
        wait(_TURN_S)
    return []


@contextmanager
def _claimed(place: Path) -> Iterator[bool]:
    """Keep others from starting a daemon for the length of the block.

    Yields False where somebody else does so already.

    Raises:
        NotStarted: there can be none.
    """
    lock = place.with_suffix(".starting")
    try:
        durable.make_directory(lock.parent)
        descriptor = durable.open_lock(lock)
    except OSError as error:
        raise NotStarted(f"no daemon can be started: {error.strerror}") from error
    try:
        if not _is_locked(descriptor, lock):
            yield False
            return
        try:
            yield True
        finally:
            lock.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int, lock: Path) -> bool:
    """Return whether we hold the lock now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The one before us removes its file when it is done: that one's lock keeps nobody out.
        return os.path.samestat(os.fstat(descriptor), lock.stat())
    except (BlockingIOError, FileNotFoundError):
        return False


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True


def _command(meetings: Sequence[Meeting]) -> list[str]:
    # Whether the roots are to be indexed was settled by whoever asks.
    line = [sys.executable, "-m", "ggrep", "serve", "--background", "--yes"]
    for meeting in meetings:
        line += ["--path", str(meeting.identity.root)]
    for name, value in sorted(meetings[0].flags.items()):
        if name == PROFILE:
            continue  # told by a variable, or the daemon's locator would lead nobody there
        line += [f"--{name.replace('_', '-')}", str(value)]
    return line


def _under(meeting: Meeting, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a daemon is started under."""
    others = {name: value for name, value in environ.items() if name != PROFILE_VARIABLE}
    profile = {PROFILE_VARIABLE: meeting.served_profile} if meeting.served_profile else {}
    return {**others, **profile, "GGREP_HOME": str(meeting.home.base)}


def _run(line: Sequence[str], environ: Mapping[str, str], timeout_s: float) -> None:
    """Run the command that puts itself into the background."""
    try:
        done = subprocess.run(  # noqa: S603 - our own program and arguments
            line,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environ,
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

"""Stops daemons, and lets running hosts serve further roots."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from ggrep.base import durable
from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import Busy, GgrepError, RequestError, StoreError
from ggrep.base.linux import is_stopped
from ggrep.base.locks import HeldFile, Patience, read_only, take, wait_for
from ggrep.base.processes import is_running
from ggrep.config.home import Home
from ggrep.protocol.client.daemon_files import marked, running
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.wire.endpoint import DaemonRecord, record_path
from ggrep.protocol.wire.frames import PROTOCOL_VERSIONS
from ggrep.protocol.wire.handshake import Hello
from ggrep.protocol.wire.messages import Claim, Serve, Shutdown

How = Literal["asked", "terminated", "killed", "gone"]

_REPLY_MS: Final = 2_000
_END_MS: Final = 10_000
"""Time for a daemon to end: longer than it waits for its clients to receive their last replies."""

_LOOK_S: Final = 0.02


class Stopped(Struct, frozen=True):
    """A daemon that was stopped.

    Attributes:
        how: `asked` if the daemon ended on request; `gone` if it had ended before.
    """

    record: DaemonRecord
    how: How


def stop(
    record: DaemonRecord,
    reason: str,
    clock: Clock,
    *,
    wait: Callable[[float], None] = time.sleep,
) -> Stopped:
    """Stop a daemon; other daemons of its process continue, unless the process is killed.

    Raises:
        GgrepError: the process did not end after being killed.
    """
    if _has_ended(record):
        return Stopped(record, "gone")
    if _ask(record, reason, clock) and _ends(record, clock, wait):
        return Stopped(record, "asked")
    signals: list[tuple[int, How]]
    signals = [(signal.SIGTERM, "terminated"), (signal.SIGKILL, "killed")]
    for number, how in signals[is_stopped(record.pid) :]:  # a stopped process only obeys SIGKILL
        if is_running(record.pid, record.pid_started):
            _signal(record.pid, number)
        if _ends(record, clock, wait):
            return Stopped(record, how)
    raise GgrepError(f"the daemon process {record.pid} does not end")


@contextmanager
def stopped(
    records: list[DaemonRecord], sockets: list[Path], reason: str, clock: Clock
) -> Iterator[list[Stopped]]:
    """Stop daemons and prevent clients from starting new daemons during the block."""
    with ExitStack() as markers:
        for socket in sockets:
            markers.enter_context(marked(socket, reason))
        yield [stop(record, reason, clock) for record in records]


def _signal(pid: int, number: int) -> None:
    """Send a signal, unless the process has ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise GgrepError(f"the daemon process {pid} belongs to another user") from error


def hello_to(record: DaemonRecord) -> Hello:
    """Return the hello for the daemon in a record, independent of current settings."""
    return Hello(
        protocol_versions=PROTOCOL_VERSIONS,
        store_id=record.store_id,
        config_fingerprint=record.config_fingerprint,
        client_id=f"operator-{os.getpid()}",
    )


def _ask(record: DaemonRecord, reason: str, clock: Clock) -> bool:
    try:
        with Link.connect(Path(record.socket), hello_to(record), clock) as link:
            link.ask(Shutdown(reason), Deadline.after(clock, _REPLY_MS))
    except Unreachable:
        return not Path(record.socket).exists()
    except GgrepError:
        return False
    return True


def _has_ended(record: DaemonRecord) -> bool:
    """Return whether a daemon's process has ended or released its socket."""
    alive = is_running(record.pid, record.pid_started)
    return not alive or not record_path(Path(record.socket)).exists()


def _ends(record: DaemonRecord, clock: Clock, wait: Callable[[float], None]) -> bool:
    """Wait for the end of a daemon; return whether it ended in time."""
    deadline = Deadline.after(clock, _END_MS)
    while not _has_ended(record):
        if deadline.remaining_ms() <= 0.0:
            return False
        wait(_LOOK_S)
    return True


_SERVE_MS: Final = 5_000.0
_MOST_ASKED: Final = 3
"""Maximum number of processes to try. A home has several processes only for different builds or
variables, or during long syncs."""
_TURN_MS: Final = 30_000.0
_TURN_RETRY_MS: Final = 20.0


@contextmanager
def turn(home: Home, clock: Clock) -> Iterator[None]:
    """Let one process at a time start daemons of a home; wait for other processes at most 30 s."""
    lock = None
    patience = Patience(Deadline.after(clock, _TURN_MS), time.sleep, retry_ms=_TURN_RETRY_MS)
    with suppress(StoreError, Busy):  # claiming a socket reports a home that cannot be written
        lock = wait_for(home.daemon, lambda: _take_directory(home.daemon), patience)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def _take_directory(directory: Path) -> HeldFile | None:
    durable.make_directory(directory, lasting=True)
    return take(directory, open_file=read_only)


def adopted(
    home: Home,
    roots: Sequence[Path],
    encoder: str,
    environ: Mapping[str, str],
    build: str,
    clock: Clock,
) -> list[Path]:
    """Let running processes of the home serve canonical roots; return the refused roots."""
    ours = {name: value for name, value in environ.items() if name.startswith("GGREP_")}
    remaining = list(roots)
    for record in _hosts(home, build)[:_MOST_ASKED]:
        if not remaining:
            break
        with (
            suppress(GgrepError),
            Link.connect(Path(record.socket), hello_to(record), clock) as link,
        ):
            for root in tuple(remaining):
                with suppress(RequestError):  # the process may accept the other roots
                    message = Serve(Claim(str(root), ours, build), encoder)
                    link.ask(message, Deadline.after(clock, _SERVE_MS))
                    remaining.remove(root)
    return remaining


def _hosts(home: Home, build: str) -> list[DaemonRecord]:
    """Return a daemon of each process of a build, the oldest process first."""
    hosts: dict[str, DaemonRecord] = {}
    for record in sorted(running(home), key=lambda record: (record.started_at, record.pid)):
        if record.build == build and not is_stopped(record.pid):
            hosts.setdefault(record.host_id, record)
    return list(hosts.values())

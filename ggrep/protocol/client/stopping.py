"""Stops daemons: by request, then by SIGTERM, at last by SIGKILL."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError
from ggrep.base.linux import is_stopped
from ggrep.base.processes import is_running
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.client.marker import marked
from ggrep.protocol.wire.endpoint import DaemonRecord, record_path
from ggrep.protocol.wire.handshake import Hello
from ggrep.protocol.wire.message_types import Shutdown
from ggrep.protocol.wire.versions import PROTOCOL_VERSIONS

How = Literal["asked", "terminated", "killed", "gone"]

_REPLY_MS: Final = 2_000
_END_MS: Final = 10_000
"""Longer than a daemon gives its clients to take their last replies."""

_LOOK_S: Final = 0.02


class Stopped(Struct, frozen=True):
    """A daemon that was stopped.

    Attributes:
        how: `asked` when it ended by itself; `gone` when it had died before.
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
    """Stop one daemon; other daemons of its process go on, unless it no longer listens.

    Raises:
        GgrepError: its process does not end even when it is killed.
    """
    ending = _Ending(record, clock, wait)
    if ending.is_over():
        return Stopped(record, "gone")
    if _ask(record, reason, clock) and ending.comes():
        return Stopped(record, "asked")
    ways = [(signal.SIGTERM, "terminated"), (signal.SIGKILL, "killed")]
    for number, how in ways[is_stopped(record.pid) :]:  # a stopped one takes no other signal
        if is_running(record.pid, record.pid_started):
            _signal(record.pid, number)
        if ending.comes():
            return Stopped(record, "terminated" if how == "terminated" else "killed")
    raise GgrepError(f"process {record.pid} does not end")


@contextmanager
def stopped(
    records: list[DaemonRecord], sockets: list[Path], reason: str, clock: Clock
) -> Iterator[list[Stopped]]:
    """Stop daemons and keep clients from starting others for the length of the block.

    Args:
        records: those that run.
        sockets: where none is to be started, running now or not.
        reason: told to clients, whose requests end and who wait.
        clock: for patience.
    """
    with _all_marked(sockets, reason):
        yield [stop(record, reason, clock) for record in records]


@contextmanager
def _all_marked(sockets: list[Path], reason: str) -> Iterator[None]:
    if not sockets:
        yield
        return
    with marked(sockets[0], reason), _all_marked(sockets[1:], reason):
        yield


def _signal(pid: int, number: int) -> None:
    """Send a signal, unless the process is gone.

    Raises:
        GgrepError: the process is another user's.
    """
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise GgrepError(f"process {pid} belongs to another user") from error


def hello_to(record: DaemonRecord) -> Hello:
    """Return how to greet the daemon of a record, whatever its repository's settings are."""
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


class _Ending:
    """Detects when a daemon has stopped."""

    def __init__(self, record: DaemonRecord, clock: Clock, wait: Callable[[float], None]) -> None:
        self._record = record
        self._clock = clock
        self._wait = wait

    def is_over(self) -> bool:
        """Return whether its process is gone or has released its socket."""
        record = self._record
        if not is_running(record.pid, record.pid_started):
            return True
        return not record_path(Path(record.socket)).exists()

    def comes(self) -> bool:
        """Return whether the end comes within the time it needs."""
        deadline = Deadline.after(self._clock, _END_MS)
        while not self.is_over():
            if deadline.remaining_ms() <= 0.0:
                return False
            self._wait(_LOOK_S)
        return True

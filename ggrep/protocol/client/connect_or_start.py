"""Connects to a repository's daemon, and starts the daemon if necessary.

    connect ──refused──> stop marker? ───yes──> pause ──> connect
       │                      │no
       │                      └──> start (one client does, the others pause) ──> connect
       └──another protocol──> ours is newer, and it is the first time? ──> end it ──> connect
                                   └──no──> give up

A daemon of an older build is used if there is a common protocol. Without a common protocol, a newer
client ends the daemon, but an older client never does, so that two builds cannot end each other in
turn.
"""

import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from ggrep import __version__
from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import Incompatible
from ggrep.base.processes import is_running
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.daemon_files import read_record, standing_reason
from ggrep.protocol.client.link import Link, NoReply, Unreachable
from ggrep.protocol.client.preload import Preload
from ggrep.protocol.client.starting import Died, NotStarted, start

_FIRST_PAUSE_MS: Final = 10.0
_LONGEST_PAUSE_MS: Final = 500.0
_STARTS: Final = 3
"""Maximum number of daemons that a client starts for a connection: daemons that die at once would
die again."""


class Connector:
    """Connects to the daemon of a repository, and reconnects after each loss."""

    def __init__(  # noqa: PLR0913 - all but three have a default
        self,
        address: DaemonAddress,
        clock: Clock,
        environ: Mapping[str, str],
        *,
        starts: bool = True,
        wait: Callable[[float], None] = time.sleep,
        notify: Callable[[str], None] = lambda _: None,
        head: Preload | None = None,
    ) -> None:
        """Create the connector; `self.starts` counts the started daemons."""
        self.starts = 0
        self._address = address
        self._clock = clock
        self._environ = environ
        self._may_start = starts
        self._wait = wait
        self._notify = notify
        self._head = head
        self._has_ended_older = False

    def running(self, deadline: Deadline | None = None) -> Link | None:
        """Return a connection to the running daemon; None if no daemon runs."""
        try:
            address = self._address
            return Link.connect(address.socket, address.hello, self._clock, deadline)
        except NoReply:
            raise
        except Unreachable:
            return None

    def reach(self, deadline: Deadline) -> Link:
        """Return a connection to the daemon; start the daemon if it does not run."""
        pause_ms, reason, self.starts = _FIRST_PAUSE_MS, "", 0
        while True:
            try:
                if (link := self.running(deadline)) is not None:
                    return link
                if not self._may_start:
                    raise NotStarted("no daemon runs")
                why = standing_reason(self._address.socket)
                if why is not None and why != reason:
                    self._notify(f"waiting: {why}")
                reason = why or ""
                if (
                    why is None
                    and self.starts < _STARTS
                    and self._start(deadline, last=self.starts + 1 == _STARTS)
                ):
                    self.starts += 1
                    pause_ms = _FIRST_PAUSE_MS
            except Incompatible:
                self._end_older()
            if (left_ms := deadline.remaining_ms()) <= 0.0:
                raise Unreachable(f"no daemon answers{f': {reason}' if reason else ''}")
            self._wait(min(pause_ms, max(1.0, left_ms)) / 1000.0)
            pause_ms = min(2 * pause_ms, _LONGEST_PAUSE_MS)

    def _start(self, deadline: Deadline, *, last: bool) -> bool:
        """Start a daemon; return False if another client starts the daemon.

        True is also returned if the daemon was killed during its start, unless `last` is set.
        """
        try:
            timeout_s = max(deadline.remaining_ms(), 1.0) / 1000.0
            head, self._head = self._head, None
            return start(self._address, self._environ, timeout_s, wait=self._wait, head=head)
        except Died:
            if last:
                raise
            return True

    def _end_older(self) -> None:
        """Stop a daemon of an older build without a common protocol, at most once."""
        record = read_record(self._address.socket)
        older = record is not None and version_key(record.binary_version) < version_key(__version__)
        if record is None or not older or self._has_ended_older:
            version = record.binary_version if record else "an unknown version"
            raise Incompatible(
                f"the daemon runs ggrep {version}, whose protocol differs from that of version"
                f" {__version__}; to end the daemon: ggrep stop"
            )
        self._has_ended_older = True
        self._notify(f"ending the daemon of ggrep {record.binary_version}")
        if is_running(record.pid, record.pid_started):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(record.pid, signal.SIGTERM)


def version_key(text: str) -> tuple[int, ...]:
    """Return a version as comparable numbers, up to its first non-numeric part."""
    numbers = []
    for part in text.split("."):
        if not part.isdecimal():
            break
        numbers.append(int(part))
    return tuple(numbers)

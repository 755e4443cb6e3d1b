"""Has host processes of the home serve other roots, so that one process serves many.

A process that is to serve roots asks the running hosts first and serves the roots that they refuse.
New processes take turns: if many start at once, all but the first find a running host.
"""

import fcntl
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError, RequestError
from ggrep.base.linux import is_stopped
from ggrep.config.home import Home
from ggrep.protocol.client.daemon_listing import running
from ggrep.protocol.client.link import Link
from ggrep.protocol.client.stopping import hello_to
from ggrep.protocol.wire.endpoint import DaemonRecord
from ggrep.protocol.wire.message_types import Claim, Serve

_REPLY_MS: Final = 5_000.0
_MOST_ASKED: Final = 3
"""Processes that are asked; a home has more only where builds, variables or long syncs differ."""
_TURN_MS: Final = 30_000.0
_LOOK_S: Final = 0.02


@contextmanager
def turn(home: Home, clock: Clock) -> Iterator[None]:
    """Let one process at a time start daemons of a home; none waits longer than half a minute."""
    descriptor = None
    with suppress(OSError):  # a home that cannot be written is said where daemons claim places
        durable.make_directory(home.daemon, lasting=True)
        descriptor = os.open(home.daemon, os.O_RDONLY | os.O_CLOEXEC)
    deadline = Deadline.after(clock, _TURN_MS)
    try:
        while descriptor is not None and deadline.remaining_ms() > 0.0:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(_LOOK_S)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def adopted(
    home: Home,
    roots: Sequence[Path],
    encoder: str,
    environ: Mapping[str, str],
    build: str,
    clock: Clock,
) -> list[Path]:
    """Have running processes of the home serve canonical roots; return the roots they refused.

    Args:
        home: whose processes are asked.
        roots: of the repositories.
        encoder: from a flag; empty for that of the settings.
        environ: of the client; only processes under equal `GGREP_*` variables take roots in.
        build: of the client.
        clock: for patience.
    """
    ours = tuple(
        (name, value) for name, value in sorted(environ.items()) if name.startswith("GGREP_")
    )
    remaining = list(roots)
    for record in _hosts(home, build)[:_MOST_ASKED]:
        if not remaining:
            break
        with (
            suppress(GgrepError),
            Link.connect(Path(record.socket), hello_to(record), clock) as link,
        ):
            for root in tuple(remaining):
                with suppress(RequestError):  # the process may still take the other roots
                    message = Serve(Claim(str(root), ours, build), encoder)
                    link.ask(message, Deadline.after(clock, _REPLY_MS))
                    remaining.remove(root)
    return remaining


def _hosts(home: Home, build: str) -> list[DaemonRecord]:
    """Return one daemon of each process of a build, that of the oldest process first."""
    hosts: dict[str, DaemonRecord] = {}
    for record in sorted(running(home), key=lambda record: (record.started_at, record.pid)):
        if record.build == build and not is_stopped(record.pid):
            hosts.setdefault(record.host_id, record)
    return list(hosts.values())

"""Starts daemons in threads, for tasks of an event loop."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final, cast

import anyio
from anyio import CapacityLimiter, to_thread

from ggrep.base import stable_json
from ggrep.base.clock import Clock, Deadline
from ggrep.base.command_time import LATE
from ggrep.base.errors import Cancelled, GgrepError
from ggrep.base.stable_json import Json
from ggrep.config import store_files
from ggrep.protocol.client.channel import before
from ggrep.protocol.client.connect_or_start import Connector
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.daemon_client import START_MS
from ggrep.protocol.client.daemon_files import standing_reason
from ggrep.protocol.client.starting import Died, StillStarting, start_all

_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[3]
_BEHIND: Final = "ggrep.protocol.client.starting_behind"
_HOSTS: Final = 4
_THREADS: Final = 16
"""Maximum number of threads that start hosts, and of separate threads that start single daemons,
which can wait for a host."""
_MOST_SINGLE: Final = 8
_SINGLE_WINDOW_MS: Final = 30_000.0
"""A process starts at most `_MOST_SINGLE` single daemons for workspaces within this time.
Unfinished starts, at most `_THREADS`, do not count yet. Each single daemon is a separate process:
when a host of a thousand daemons ends, its clients must not start a thousand processes."""


class Launcher:
    """Starts daemons."""

    def __init__(
        self, clock: Clock, environ: Mapping[str, str], notify: Callable[[str], None]
    ) -> None:
        self._clock = clock
        self._environ = environ
        self._notify = notify
        self._threads = CapacityLimiter(_THREADS)
        self._hosts = CapacityLimiter(_HOSTS)
        self._started_ms: list[float] = []

    async def start(
        self, address: DaemonAddress, deadline: Deadline, *, bounded: bool = False
    ) -> None:
        """Start a daemon in a thread, which ends if the waiting task is cancelled.

        Raises:
            NotStarted: the start failed, or with `bounded`, this process has just started many
                daemons.
        """
        soon = deadline.within(START_MS)

        def work(nap: Callable[[float], None]) -> None:
            since_ms = self._clock.monotonic_ms() - _SINGLE_WINDOW_MS
            self._started_ms = [each for each in self._started_ms if each > since_ms]
            may_start = not bounded or len(self._started_ms) < _MOST_SINGLE
            connector = Connector(
                address, self._clock, self._environ, starts=may_start, wait=nap, notify=self._notify
            )
            try:
                connector.reach(soon).close()
            finally:
                self._started_ms += [self._clock.monotonic_ms()] * connector.starts

        await self._waited_for(work, self._threads)

    async def start_all(self, addresses: Sequence[DaemonAddress], deadline: Deadline) -> None:
        """Start a host for all daemons that may be started; errors are ignored.

        A host that does not listen at the deadline continues to start for later requests.
        """
        soon = deadline.within(START_MS)
        with suppress(GgrepError), before(soon, LATE):
            async with anyio.create_task_group() as group:
                for host in _by_host(addresses):
                    group.start_soon(self._start_host, host, soon)

    def start_behind(self, addresses: Sequence[DaemonAddress]) -> None:
        """Let a separate process start a host for all daemons that may be started; never fails."""
        for host in _by_host(addresses):
            roots: list[Json] = [os.fsencode(address.identity.root).hex() for address in host]
            flags = cast("dict[str, Json]", dict(host[0].flags))
            with suppress(OSError), TemporaryFile() as job:
                job.write(stable_json.dumps([str(host[0].home.base), flags, roots]))
                job.seek(0)
                subprocess.Popen(  # noqa: S603 - our own program
                    [sys.executable, "-m", _BEHIND],
                    stdin=job,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=dict(self._environ),
                    cwd=_PACKAGE_ROOT,
                    start_new_session=True,
                )

    async def _start_host(self, addresses: Sequence[DaemonAddress], deadline: Deadline) -> None:
        """Start a host, and retry once if it was killed; wait for starts by other clients."""
        theirs: list[DaemonAddress] = []

        def work(nap: Callable[[float], None]) -> None:
            wanted = [address for address in addresses if may_start(address)]
            for _ in range(2):
                with suppress(Died):
                    ours = start_all(wanted, self._environ, deadline.remaining_ms() / 1e3, wait=nap)
                    sockets = {address.socket for address in ours}
                    theirs.extend(each for each in wanted if each.socket not in sockets)
                    return

        with suppress(GgrepError):
            await self._waited_for(work, self._hosts)
            if theirs:
                await self.start(max(theirs, key=lambda address: address.socket), deadline)

    async def _waited_for(
        self, work: Callable[[Callable[[float], None]], None], limiter: CapacityLimiter
    ) -> None:
        """Run `work` in a thread; its sleep function raises if the waiting task is cancelled."""
        left = threading.Event()

        def nap(seconds: float) -> None:
            if left.wait(seconds):
                raise Cancelled("the start of the daemon was cancelled: no task waits for it")

        def run() -> None:
            try:
                work(nap)
            except StillStarting as error:
                self._notify(str(error))
                raise

        try:
            await to_thread.run_sync(run, abandon_on_cancel=True, limiter=limiter)
        finally:
            left.set()


def is_published(address: DaemonAddress) -> bool:
    """Return whether the store has a snapshot, from which a new daemon could answer at once."""
    return store_files.active_file(address.identity.store).exists()


def may_start(address: DaemonAddress) -> bool:
    """Return whether a repository's daemon may be started together with other daemons."""
    return (
        is_published(address)
        and address.settings.start_daemon
        and address.identity.root.is_dir()
        and standing_reason(address.socket) is None
    )


def _by_host(addresses: Iterable[DaemonAddress]) -> list[list[DaemonAddress]]:
    """Group daemons that one process can serve: same home, profile and flags."""
    hosts: dict[tuple[object, ...], list[DaemonAddress]] = {}
    for address in addresses:
        flags = tuple(sorted((name, str(value)) for name, value in address.flags.items()))
        key = (address.home.base, address.served_profile, flags)
        hosts.setdefault(key, []).append(address)
    return list(hosts.values())

"""An open repository, with its root and its daemon or engine."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar, get_args

from msgspec import Struct, field

from ggrep.base.build import build_id
from ggrep.base.clock import Clock, Deadline, Stop, SystemClock
from ggrep.base.errors import Closed, InvalidRequest
from ggrep.config.settings import environment, home_from
from ggrep.index.repo_identity import require_asked, require_modest
from ggrep.model.status import Status
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.link import NoReply
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire.messages import QueryMessage, timeout_of
from ggrep.service.answers import Answer, SyncAnswer, as_answer
from ggrep.service.calls import AnyPath, read_here
from ggrep.service.daemon_addresses import DaemonAddresses
from ggrep.service.daemon_choice import uses_daemon
from ggrep.service.location import Location, enclosing_index, location_of, open_engine
from ggrep.service.status_reading import disk_status, read_document, status_document

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

A = TypeVar("A", bound=Answer)

DaemonUse: TypeAlias = Literal["auto", "require", "never"]
"""The process that answers.

`auto`: a daemon, started if settings allow it; this process if no daemon is available.
`require`: a daemon.  `never`: this process.
"""

LOG: Final = logging.getLogger("ggrep")
"""Logs the messages that the command line prints to standard error, such as reasons for waiting."""


class Surroundings(Struct, frozen=True):
    """The environment in which a repository or a workspace is opened.

    Attributes:
        environ: environment variables for reading settings and starting daemons.
    """

    daemon: DaemonUse
    environ: Mapping[str, str]
    flags: Mapping[str, object] = field(default_factory=dict)

    @property
    def client_name(self) -> str:
        """Return the client name for fair queueing in daemons; empty if the environment sets it."""
        return "" if self.environ.get("GGREP_CLIENT_ID") else f"python-{os.getpid()}"

    @property
    def is_offline(self) -> bool:
        """Return whether the environment forbids daemons."""
        return bool(self.environ.get("GGREP_OFFLINE"))

    def do_without(self, error: NotStarted | NoReply) -> None:
        """Log the error and continue without the daemon; raise if a daemon is required."""
        if self.daemon == "require":
            raise error
        LOG.info("%s; reading the index without a daemon", error)


def surroundings(
    daemon: DaemonUse, environ: Mapping[str, str] | None, flags: Mapping[str, object]
) -> Surroundings:
    """Return the environment for opening a repository or a workspace."""
    if daemon not in get_args(DaemonUse):
        known = ", ".join(get_args(DaemonUse))
        raise InvalidRequest(f"daemon: unknown value {daemon!r}; use one of {known}")
    given = {name: value for name, value in flags.items() if value is not None}
    return Surroundings(daemon, environment() if environ is None else environ, given)


class _ProcessResources:
    """The resources of a process; a forked process creates new ones."""

    def __init__(self, within: Surroundings) -> None:
        self.pid = os.getpid()
        self.lock = Lock()
        self.engine: Engine | None = None
        self.addresses = DaemonAddresses(
            home_from(within.environ),
            within.environ,
            flags=within.flags,
            build=build_id(),
            client_name=within.client_name,
        )


class RepositoryHandle:
    """An open repository; usable by threads and forked processes."""

    def __init__(self, path: AnyPath, within: Surroundings, *, index: bool) -> None:
        self.within = within
        self.clock: Clock = SystemClock()
        self._index = index
        self._root = location_of(Path(path), directory=True).root
        self._here = _ProcessResources(within)
        self._closed = False
        self.address()

    def address(self) -> DaemonAddress:
        """Return the daemon's address under the repository's current settings.

        Outside of git, the nearest enclosing directory with an index becomes the root.
        """
        self.require_open()
        addresses = self._resources().addresses
        address = addresses.of(self._root)
        if address.identity.store.is_dir():
            return address
        within, place = self.within, Location(self._root, "")
        root = enclosing_index(place, within.environ, within.flags).root
        return address if root == self._root else addresses.of(root)

    def asks(self, address: DaemonAddress, *, wanted: bool = False) -> bool:
        """Return whether a daemon should answer; raise if the user did not consent to an index."""
        within = self.within
        offline = within.daemon == "never"
        asks = uses_daemon(address, within.environ, offline=offline)
        if within.daemon == "require" and not asks:
            why = "GGREP_OFFLINE is set" if within.is_offline else "no daemon runs"
            raise NotStarted(f"{why}, but daemon='require' needs a daemon")
        if not self._index and (asks or wanted):
            # Calling `sync` is consent to an index, except in system directories.
            require = require_modest if wanted else require_asked
            require(address.identity.root, address.home)
        return asks

    def deadline(self, address: DaemonAddress, message: QueryMessage) -> Deadline:
        """Return the deadline of a request that starts now."""
        timeout_ms = timeout_of(message) or address.settings.query_timeout_ms
        return Deadline.after(self.clock, timeout_ms, Stop())

    def read(
        self, kind: type[A], address: DaemonAddress, message: QueryMessage, deadline: Deadline
    ) -> A:
        """Return the answer from the index in this process."""
        return read_here(kind, self.engine(address), message, deadline)

    def sync(self, address: DaemonAddress, *, strict: bool) -> SyncAnswer:
        """Sync the index in this process, then do the store's maintenance."""
        from ggrep.search.engine.sync_outcomes import kept_up, outcome_of

        engine = self.engine(address)
        engine.sweep()
        done = outcome_of(engine.sync(strict=strict))
        return as_answer(SyncAnswer, kept_up(engine, done, "after"))

    def status(self) -> Status:
        """Return the state of the index and its daemon; starts no daemon."""
        address, environ = self.address(), self.within.environ
        if self.within.daemon == "never":
            return disk_status(address, self.engine(address))
        return read_document(
            status_document(address, environ, lambda: self.engine(address), LOG.info)
        )

    def engine(self, address: DaemonAddress) -> "Engine":
        """Return the engine for the current settings; thread-safe."""
        here, identity = self._resources(), address.identity
        with here.lock:
            engine = here.engine
            if engine is None or (engine.settings, engine.identity) != (address.settings, identity):
                engine = open_engine(identity.root, self.within.environ, flags=self.within.flags)
                here.engine = engine
            return engine

    def require_open(self) -> None:
        """Raise if the repository was closed."""
        if self._closed:
            raise Closed(f"{self._root}: was closed")

    def close(self) -> None:
        """Close the index; running queries still finish."""
        self._closed = True
        here = self._here
        if here.pid != os.getpid():
            return
        with here.lock:
            engine, here.engine = here.engine, None
        if engine is not None:
            engine.close()

    def _resources(self) -> _ProcessResources:
        """Return the resources of this process; a fork needs new ones, as locks may be taken."""
        if self._here.pid != os.getpid():
            self._here = _ProcessResources(self.within)
        return self._here

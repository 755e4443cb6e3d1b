"""The connections of a process to daemons; starts missing daemons."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias

import anyio
from anyio import CapacityLimiter, to_thread
from msgspec import Struct, field

from ggrep.base.clock import Clock, Deadline
from ggrep.base.command_time import LATE
from ggrep.base.errors import Cancelled, GgrepError, Incompatible, NoIndex
from ggrep.protocol.client.channel import Channel, before
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.daemon_client import START_MS
from ggrep.protocol.client.daemon_files import host_in_record
from ggrep.protocol.client.launching import Launcher, is_published
from ggrep.protocol.client.link import NoReply, Unreachable
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire.messages import Message, for_daemon
from ggrep.protocol.wire.replies import Reply

_PAUSES_S: Final = (0.0, 0.02, 0.05, 0.1)
"""Pauses before further attempts after a daemon ended during a request."""

_STOPPING_S: Final = 0.1
_LOOK_MS: Final = 1_000.0
"""Time for handshakes in `prepare`; a listening daemon needs almost none."""

_LOOKS: Final = 64

_MANY: Final = 17
"""Minimum number of daemons for reading their records to group them by process."""


Start: TypeAlias = Literal["always", "published", "never"]
"""Condition of starting a missing daemon; `published` means that there is a snapshot."""


class DaemonConnection(Protocol):
    """A connection to a daemon: a `Channel`, or direct calls to a daemon in this process."""

    @property
    def pid(self) -> int:
        """Return the process id of the daemon."""
        ...

    @property
    def is_open(self) -> bool:
        """Return whether the daemon seems to run."""
        ...

    async def exchange(self, message: Message, deadline: Deadline, caller: str = "") -> Reply:
        """Return the reply to a message; see `Channel.exchange`."""
        ...

    async def aclose(self) -> None:
        """Close the connection; its running requests end."""
        ...


Local: TypeAlias = Callable[[DaemonAddress], DaemonConnection | None]
"""Returns the connection to a daemon of this process; None for any other daemon."""


class _Peer(Struct):
    """The connection to a daemon; a task holds `lock` while it connects."""

    lock: anyio.Lock = field(default_factory=anyio.Lock)
    channel: DaemonConnection | None = None

    @property
    def open_channel(self) -> DaemonConnection | None:
        """Return the connection; None if there is none yet."""
        return self.channel if self.channel is not None and self.channel.is_open else None


class Channels:
    """Keeps a connection to each daemon, for the tasks of an event loop."""

    def __init__(
        self,
        clock: Clock,
        environ: Mapping[str, str],
        *,
        starts: bool = True,
        notify: Callable[[str], None] = lambda _: None,
        local: Local = lambda _: None,
    ) -> None:
        self._clock = clock
        self._local = local
        self._starts = starts
        self._launcher = Launcher(clock, environ, notify)
        self._places: dict[Path, _Peer] = {}
        # For each socket, the socket of a connected daemon in the same process.
        self._beside: dict[Path, Path] = {}
        self._closed = False

    async def ask(
        self,
        address: DaemonAddress,
        message: Message,
        deadline: Deadline,
        start: Start = "published",
    ) -> Reply:
        """Return the answer of a daemon; if the daemon ends, send the message to its successor.

        Requires: the message changes nothing.

        Raises:
            GgrepError: the daemon's error.
            NoIndex: no daemon runs, and no daemon is started because there is no snapshot.
            NotStarted: no daemon runs, and starting a daemon failed or is not allowed.
            Unreachable: each started daemon ends at once.
            NoReply: the daemon's process is stopped or hangs.
            DeadlineExceeded: there was no answer in time.
        """
        return await self.ask_within(address, lambda _: message, deadline, start)

    async def ask_within(
        self,
        address: DaemonAddress,
        message: Callable[[float], Message],
        deadline: Deadline,
        start: Start = "published",
    ) -> Reply:
        """Return the answer to a message that depends on the remaining milliseconds; see `ask`.

        The remaining time is computed after a start of the daemon.
        """
        with before(deadline, LATE):
            return await self._ask(address, message, deadline, start if self._starts else "never")

    async def prepare(
        self, addresses: Sequence[DaemonAddress], deadline: Deadline, *, waits: bool = True
    ) -> None:
        """Connect to daemons, and start a host for all missing daemons.

        If the records of many daemons name the same process, they share a connection. Failures are
        reported when a daemon is queried. A hanging daemon takes at most a quarter of the time. A
        host that is not ready in time, or is not awaited, continues to start.
        """
        missing = await self._missing(addresses, deadline)
        if self._starts and waits:
            await self._launcher.start_all(missing, deadline)
            if len(missing) > 1:
                # This detects that the started daemons belong to the same process.
                await self._missing(missing, deadline)
        elif self._starts:
            self._launcher.start_behind(missing)

    def hosts_of(self, addresses: Iterable[DaemonAddress]) -> list[int | None]:
        """Return each daemon's process id; None for a daemon without a connection.

        A connection is checked once for all daemons that share it.
        """
        looked: dict[Path, int | None] = {}

        def host(socket: Path) -> int | None:
            if socket not in looked:
                place = self._places.get(socket)
                channel = place.open_channel if place else None
                looked[socket] = channel.pid if channel else None
            return looked[socket]

        sockets = [address.socket for address in addresses]
        return [host(socket) or host(self._beside.get(socket, socket)) for socket in sockets]

    def guide(self, addresses: Sequence[DaemonAddress], host: int) -> DaemonAddress | None:
        """Return the address of a connected daemon in the process `host`; None if there is none."""
        for address in addresses:
            place = self._places.get(address.socket)
            if place and place.open_channel and place.open_channel.pid == host:
                return address
        return None

    async def aclose(self) -> None:
        """Close every connection; running requests fail."""
        self._closed = True
        for place in list(self._places.values()):
            if place.channel is not None:
                await place.channel.aclose()

    async def _ask(
        self,
        address: DaemonAddress,
        message: Callable[[float], Message],
        deadline: Deadline,
        start: Start,
    ) -> Reply:
        lost: GgrepError | None = None
        pauses = iter(_PAUSES_S)
        patience = deadline.within(START_MS)
        while True:
            try:
                channel = await self._reach(address, deadline, start)
                request = message(for_daemon(deadline.remaining_ms()))
                reply = await channel.exchange(request, deadline, address.caller)
            except NoReply:
                raise
            except (NotStarted, Unreachable) as error:
                lost = _lost(error, lost, start)
                pause = next(pauses, None)
                if pause is None:
                    raise lost from error
                await anyio.sleep(pause)
                continue
            if reply.error is None:
                return reply
            if not reply.body.get("stopping") or patience.remaining_ms() <= 0.0:
                raise reply.error
            lost = Unreachable(f"the daemon is stopping: {reply.error}")
            await anyio.sleep(_STOPPING_S)  # it listens until its clients got their last replies

    async def _reach(
        self, address: DaemonAddress, deadline: Deadline, start: Start
    ) -> DaemonConnection:
        """Return the connection to a daemon; start the daemon if it does not run."""
        self._require_unclosed()
        place = self._place(address)
        async with place.lock:
            if (channel := place.open_channel) is not None:
                return channel
            await self._leave(place)
            channel = await self._connect(address, deadline, start)
            try:
                self._require_unclosed()
            except Cancelled:
                await channel.aclose()
                raise
            place.channel = channel
            return channel

    def _require_unclosed(self) -> None:
        if self._closed:
            raise Cancelled("the connections to all daemons were closed")

    async def _connect(
        self, address: DaemonAddress, deadline: Deadline, start: Start
    ) -> DaemonConnection:
        if (local := self._local(address)) is not None:
            return local
        try:
            return await Channel.open(address.socket, address.hello, deadline)
        except NoReply:
            raise
        except (Unreachable, Incompatible) as error:
            _require_startable(address, error, start)
        await self._launcher.start(address, deadline, bounded=start != "always")
        return await Channel.open(address.socket, address.hello, deadline)

    async def _missing(
        self, addresses: Sequence[DaemonAddress], deadline: Deadline
    ) -> list[DaemonAddress]:
        """Connect to all running daemons; return the other addresses, sorted by socket."""
        missing: dict[Path, DaemonAddress] = {}
        looks = CapacityLimiter(_LOOKS)
        for address in addresses:
            place = self._place(address)
            place.channel = place.channel or self._local(address)
        soon = Deadline.after(self._clock, min(_LOOK_MS, deadline.remaining_ms() / 4))

        async def look(address: DaemonAddress) -> None:
            async with looks:
                if await self._is_missing(address, soon):
                    missing[address.socket] = address

        with suppress(GgrepError), before(soon, LATE):
            apart = self._apart({address.socket: address for address in addresses}.values())
            neighbours: Sequence[Sequence[DaemonAddress]] = ()
            if len(apart) >= _MANY:
                neighbours = await to_thread.run_sync(_by_record, apart, abandon_on_cancel=True)
            for several in neighbours:
                await self._is_missing(several[0], soon)
                if not self._apart(several[:1]):
                    self._beside.update((each.socket, several[0].socket) for each in several)
            async with anyio.create_task_group() as group:
                for address in self._apart(apart):
                    group.start_soon(look, address)
        return [missing[socket] for socket in sorted(missing)]

    async def _is_missing(self, address: DaemonAddress, soon: Deadline) -> bool:
        """Connect to a daemon; return whether its socket has no listener."""
        place = self._place(address)
        async with place.lock:
            if place.open_channel is not None:
                return False  # another task connected meanwhile
            await self._leave(place)
            try:
                place.channel = await Channel.open(address.socket, address.hello, soon)
            except NoReply:
                return False
            except Unreachable:
                return True
            except GgrepError:
                return False
            return False

    def _apart(self, addresses: Collection[DaemonAddress]) -> list[DaemonAddress]:
        """Return the addresses without a connection."""
        hosts = zip(addresses, self.hosts_of(addresses), strict=True)
        return [address for address, host in hosts if host is None]

    def _place(self, address: DaemonAddress) -> _Peer:
        return self._places.setdefault(address.socket, _Peer())

    async def _leave(self, place: _Peer) -> None:
        """Close the connection of a daemon that ended."""
        if place.channel is not None:
            await place.channel.aclose()
            place.channel = None


def _by_record(addresses: Sequence[DaemonAddress]) -> Sequence[Sequence[DaemonAddress]]:
    """Return the groups of at least two daemons whose records name the same host process."""
    hosts: dict[str, list[DaemonAddress]] = {}
    for address in addresses:
        if host := host_in_record(address.socket):
            hosts.setdefault(host, []).append(address)
    return [several for _, several in sorted(hosts.items()) if len(several) > 1]


def _lost(error: GgrepError, lost: GgrepError | None, start: Start) -> GgrepError:
    """Return the error for a daemon that ended."""
    if not isinstance(error, NotStarted):
        return error
    if lost is None or start != "never":
        raise error
    return lost


def _require_startable(address: DaemonAddress, error: GgrepError, start: Start) -> None:
    """Raise unless a daemon may be started."""
    is_missing = isinstance(error, Unreachable)
    if is_missing and start != "always" and not is_published(address):
        raise NoIndex("this repository has no index yet; run: ggrep index") from error
    if start == "never" or not address.settings.start_daemon:
        raise (NotStarted("no daemon runs") if is_missing else error) from error

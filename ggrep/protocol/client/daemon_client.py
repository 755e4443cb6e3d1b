"""Sends a request to a daemon, and sends it again when the daemon ends meanwhile.

A search changes nothing, so it is sent again when the daemon ends before the answer. A daemon's
answer is final, also `busy` and `timeout`: admission would be useless otherwise.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TypeVar

from msgspec import Struct

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config.declarations import MAX_QUERY_TIMEOUT_MS
from ggrep.model.operations import operation_of
from ggrep.model.request import Request, SearchRequest, ViewOptions
from ggrep.protocol.client.connect_or_start import Connector
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.link import Link, NoReply, Unreachable, late
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire.messages import (
    Ask,
    Cancel,
    Message,
    QueryMessage,
    Search,
    Sync,
    SyncStatus,
    for_daemon,
    timed,
    timeout_of,
    within,
)
from ggrep.protocol.wire.replies import Reply

A = TypeVar("A")
T = TypeVar("T")


def value_of(kind: type[T], reply: Reply, key: str) -> T:
    """Return a field of a reply as a value of the domain."""
    try:
        return decode(kind, reply.body.get(key), key)
    except DecodeError as error:
        raise Unreachable(f"invalid reply from the daemon: {error}") from error


_LOOK_MS: Final = 5_000
"""Timeout of a daemon's progress report."""

START_MS: Final = 35_000
"""Timeout of a daemon's start."""

_POLL_MS: Final = 200
_CANCEL_MS: Final = 100
_TRIES: Final = 5
_STOPPING_S: Final = 0.1


class IndexingProgress(Struct, frozen=True):
    """The progress of the daemon's indexing while the client waits."""

    stage: str
    done_files: int
    total_files: int


class Printed(Struct, frozen=True):
    """Output that the daemon rendered for the client to print.

    Attributes:
        scan: a scan answered, as nothing was indexed.
        before: text for standard error, before all other output.
    """

    out: str
    err: str
    exit_status: int
    hits: int
    scan: bool = False
    before: str = ""


Watcher = Callable[[IndexingProgress], None]


class DaemonClient:
    """Queries the daemon of one repository, which is started if it does not run."""

    def __init__(
        self,
        address: DaemonAddress,
        reaching: Connector,
        clock: Clock,
        *,
        wait: Callable[[float], None] = time.sleep,
        began_ms: float | None = None,
        until: Deadline | None = None,
    ) -> None:
        self._wait = wait
        self._began_ms = began_ms
        self._until = until or Deadline.never(clock)
        self._address = address
        self._reaching = reaching
        self._clock = clock
        self._keeps = False
        self._kept: Link | None = None

    @contextmanager
    def one_connection(self) -> Iterator[None]:
        """Send all requests of the block over one connection; a broken one is replaced."""
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False
            self._drop()

    def search(
        self, request: SearchRequest, view: ViewOptions, watch: Watcher | None = None
    ) -> Printed:
        """Return a search's answer as output of the view."""
        timeout_ms = request.timeout_ms or self._address.settings.query_timeout_ms

        def message(left_ms: float) -> Search:
            return Search(
                # The client's own timeout holds, not that of the daemon's settings, and it includes
                # the start of the daemon.
                request=timed(request, left_ms),
                budgets=self._address.budgets,
                priority=self._address.hello.client_kind,
                render=view,
                waited_ms=self._waited_ms(),
            )

        reply = self._ask(message, self._until.within(timeout_ms), watch)
        return value_of(Printed, reply, "rendered")

    def ask(self, request: Request[A], watch: Watcher | None = None) -> A:
        """Return the answer to a query."""
        message = Ask(request, self._address.hello.client_kind, values=True)
        return self.value(operation_of(request).response, message, watch)

    def value(self, kind: type[T], message: QueryMessage, watch: Watcher | None = None) -> T:
        """Return the answer to a query as a value.

        Requires: the message asks for values.
        """
        timeout_ms = timeout_of(message) or self._address.settings.query_timeout_ms
        deadline = self._until.within(timeout_ms)
        reply = self._ask(lambda left_ms: within(message, left_ms), deadline, watch)
        return value_of(kind, reply, "value")

    def sync(self, watch: Watcher | None = None, *, strict: bool = False) -> Mapping[str, object]:
        """Bring the index up to date with the work tree; return the report."""
        never = Deadline.never(self._clock)
        reply = self._ask(lambda _: Sync(wait=True, strict=strict), never, watch)
        report = reply.body.get("report")
        return report if isinstance(report, dict) else {}

    def follow(self, is_there: Callable[[], bool], watch: Watcher, patience_ms: float) -> bool:
        """Report indexing progress until a snapshot is published; return whether there is one."""
        deadline = Deadline.after(self._clock, patience_ms)
        while not is_there():
            reply = self._ask(lambda _: SyncStatus(), self._soon(_LOOK_MS), None)
            state = reply.body.get("sync")
            match state:
                case {"state": "idle", "last_result": str()}:
                    break
                case _:
                    watch(progress_of(state))
            if deadline.remaining_ms() <= 0.0:
                break
            self._wait(_POLL_MS / 1000)
        return is_there()

    def _ask(
        self, message: Callable[[float], Message], deadline: Deadline, watch: Watcher | None
    ) -> Reply:
        """Return the answer; ask again if the daemon ends first."""
        tried, patience = 0, deadline.within(START_MS)
        while True:
            try:
                with self._connected(deadline.within(START_MS)) as link:
                    request = message(for_daemon(deadline.remaining_ms()))
                    reply = self._exchange(link, request, deadline, watch)
            except NoReply:
                raise
            except (NotStarted, Unreachable) as error:
                tried += 1
                _give_up(error, tried, deadline)
                continue
            if reply.error is None:
                return reply
            if not reply.body.get("stopping") or patience.remaining_ms() <= 1_000 * _STOPPING_S:
                raise reply.error
            self._drop()
            self._wait(_STOPPING_S)  # it listens until its clients have their last replies

    @contextmanager
    def _connected(self, deadline: Deadline) -> Iterator[Link]:
        """Yield the kept connection, else a new one.

        An abandoned request may still be answered, so its connection is closed.
        """
        link = self._kept or self._reaching.reach(deadline)
        self._kept = link if self._keeps else None
        try:
            yield link
        except BaseException:
            link.close()
            self._kept = None
            raise
        if not self._keeps:
            link.close()

    def _drop(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _exchange(
        self, link: Link, message: Message, deadline: Deadline, watch: Watcher | None
    ) -> Reply:
        """Return the reply to a message; poll the sync's progress if it takes long."""
        wanted = link.send(message, deadline)
        try:
            while deadline.remaining_ms() > 0.0:
                reply = link.receive(deadline if watch is None else deadline.within(_POLL_MS))
                if reply is None:
                    if watch is not None:
                        link.send(SyncStatus(), deadline)
                elif reply.request_id == wanted:
                    return reply
                elif watch is not None and reply.name == "sync_status":
                    watch(progress_of(reply.body.get("sync")))
        except KeyboardInterrupt:
            link.send(Cancel(wanted), self._soon(_CANCEL_MS))
            raise
        raise late(wanted)

    def _waited_ms(self) -> int:
        began_ms = self._began_ms
        waited_ms = 0.0 if began_ms is None else self._clock.monotonic_ms() - began_ms
        return int(min(waited_ms, MAX_QUERY_TIMEOUT_MS))

    def _soon(self, milliseconds: float) -> Deadline:
        return Deadline.after(self._clock, milliseconds)


def _give_up(error: GgrepError, tried: int, deadline: Deadline) -> None:
    """Raise an error if no further try makes sense."""
    if deadline.remaining_ms() <= 0.0:
        raise DeadlineExceeded("the daemon was not ready within the timeout") from error
    if tried >= _TRIES or isinstance(error, NotStarted):
        raise error


def progress_of(state: object) -> IndexingProgress:
    """Return the indexing progress in a reply to `sync_status`; no stage while it is idle."""
    match state:
        case {"stage": str(stage), "done_files": int(done), "total_files": int(total)}:
            return IndexingProgress(stage, done, total)
        case _:
            return IndexingProgress("", 0, 0)

"""Sends requests to a daemon, and repeats a request if the daemon ends before the answer.

A search changes nothing, so it can be repeated. An answer is final, including `busy` and `timeout`:
repeating a rejected request would make admission control useless.
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
    """Return a field of a reply as a value of type `kind`."""
    try:
        return decode(kind, reply.body.get(key), key)
    except DecodeError as error:
        raise Unreachable(f"invalid reply from the daemon: {error}") from error


_LOOK_MS: Final = 5_000
"""Timeout for a daemon's reply about indexing progress."""

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
        scan: whether a scan answered because there is no index.
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
    """Queries the daemon of a repository; starts the daemon if it does not run."""

    def __init__(
        self,
        address: DaemonAddress,
        connector: Connector,
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
        self._connector = connector
        self._clock = clock
        self._keeps = False
        self._kept: Link | None = None

    @contextmanager
    def one_connection(self) -> Iterator[None]:
        """Send all requests of the block over the same connection; replace a broken connection."""
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False
            self._drop()

    def search(
        self, request: SearchRequest, view: ViewOptions, watch: Watcher | None = None
    ) -> Printed:
        """Return a search's answer as output rendered for `view`."""
        timeout_ms = request.timeout_ms or self._address.settings.query_timeout_ms

        def message(left_ms: float) -> Search:
            return Search(
                # The timeout of the client applies instead of the daemon's, and includes the
                # daemon's start.
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
        """Return the answer to a query as a value of type `kind`.

        Requires: `message.values` is set.
        """
        timeout_ms = timeout_of(message) or self._address.settings.query_timeout_ms
        deadline = self._until.within(timeout_ms)
        reply = self._ask(lambda left_ms: within(message, left_ms), deadline, watch)
        return value_of(kind, reply, "value")

    def sync(self, watch: Watcher | None = None, *, strict: bool = False) -> Mapping[str, object]:
        """Update the index to the state of the work tree; return the report."""
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
        """Return the answer; repeat the request if the daemon ends first."""
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
            self._wait(_STOPPING_S)  # it listens until its clients have received their last replies

    @contextmanager
    def _connected(self, deadline: Deadline) -> Iterator[Link]:
        """Yield the open connection, or a new connection.

        An error closes the connection, because the daemon may still send the reply of an abandoned
        request.
        """
        link = self._kept or self._connector.reach(deadline)
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
        """Return the reply to a message; report the sync's progress while waiting."""
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
    """Raise if a further attempt is useless."""
    if deadline.remaining_ms() <= 0.0:
        raise DeadlineExceeded("the daemon was not ready within the timeout") from error
    if tried >= _TRIES or isinstance(error, NotStarted):
        raise error


def progress_of(state: object) -> IndexingProgress:
    """Return the indexing progress in a reply to `sync_status`; empty while no sync runs."""
    match state:
        case {"stage": str(stage), "done_files": int(done), "total_files": int(total)}:
            return IndexingProgress(stage, done, total)
        case _:
            return IndexingProgress("", 0, 0)

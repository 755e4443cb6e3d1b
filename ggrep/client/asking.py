"""Asking a daemon, whatever becomes of it meanwhile.

A search changes nothing, so it is asked again when the daemon goes away before it has answered.
What a daemon answers is final, `busy` and `timeout` among it: going around it would defeat what
it is there for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ggrep.client.link import Link, Silent, Unreachable
from ggrep.client.meeting import Meeting
from ggrep.client.reaching import Reaching
from ggrep.clock import Clock
from ggrep.domain.deadline import Deadline
from ggrep.domain.request import SearchRequest
from ggrep.domain.view import ViewOptions
from ggrep.errors import DeadlineExceeded
from ggrep.wire.message_types import Cancel, Message, Search, Sync, SyncStatus
from ggrep.wire.replies import Reply

GRACE_MS: Final = 5_000
"""How much longer than its deadline a search is waited for: the daemon says that it passed."""

START_MS: Final = 35_000
"""How long a daemon may take to be there."""

_POLL_MS: Final = 200
_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class IndexingProgress:
    """How far the daemon is that indexes while we wait."""

    stage: str
    done_files: int
    total_files: int


@dataclass(frozen=True, slots=True)
class Printed:
    """What a daemon would have us print."""

    out: str
    err: str
    exit_status: int
    hits: int


Watcher = Callable[[IndexingProgress], None]


class Asking:
    """Asks the daemon of one repository; it is started when it does not run."""

    def __init__(self, meeting: Meeting, reaching: Reaching, clock: Clock) -> None:
        self._meeting = meeting
        self._reaching = reaching
        self._clock = clock

    def search(
        self, request: SearchRequest, view: ViewOptions, watch: Watcher | None = None
    ) -> Printed:
        """Return a search's answer as the view wants it printed.

        Args:
            request: the question.
            view: how to print.
            watch: told how far indexing is while the answer takes long; None not to ask.

        Raises:
            GgrepError: as the daemon says, or there is none.
        """
        timeout_ms = request.timeout_ms or self._meeting.settings.query_timeout_ms
        message = Search(
            # The client's own bound holds, not the one that the daemon was started under.
            request=replace(request, timeout_ms=timeout_ms),
            budgets=self._meeting.budgets,
            priority=self._meeting.hello.client_kind,
            render=view,
        )
        reply = self._ask(message, timeout_ms + GRACE_MS, watch)
        return _printed(reply.body.get("rendered"))

    def sync(self, watch: Watcher | None = None) -> Mapping[str, object]:
        """Bring the index up to the work tree; return what that did."""
        reply = self._ask(Sync(wait=True), float("inf"), watch)
        report = reply.body.get("report")
        return report if isinstance(report, dict) else {}

    def _ask(self, message: Message, timeout_ms: float, watch: Watcher | None) -> Reply:
        """Return the answer; asked again where the daemon ends before it.

        Raises:
            GgrepError: as the daemon says.
            Unreachable: daemons end as fast as they are started.
        """
        tried = 0
        while True:
            tried += 1
            try:
                with self._reaching.reach(Deadline.after(self._clock, START_MS)) as link:
                    reply = self._exchange(link, message, timeout_ms, watch)
            except Silent:
                raise
            except Unreachable:
                if tried >= _TRIES:
                    raise
                continue
            if reply.error is None:
                return reply
            if not reply.body.get("stopping") or tried >= _TRIES:
                raise reply.error

    def _exchange(
        self, link: Link, message: Message, timeout_ms: float, watch: Watcher | None
    ) -> Reply:
        """Return the reply to a message; ask for the sync's progress while it takes long."""
        deadline = Deadline.after(self._clock, timeout_ms)
        wanted = link.send(message)
        try:
            while deadline.remaining_ms() > 0.0:
                left_ms = deadline.remaining_ms()
                reply = link.receive(
                    deadline if watch is None else self._soon(min(_POLL_MS, left_ms))
                )
                if reply is None:
                    if watch is not None:
                        link.send(SyncStatus())
                elif reply.request_id == wanted:
                    return reply
                elif watch is not None and reply.name == "sync_status":
                    watch(_progress(reply.body.get("sync")))
        except KeyboardInterrupt:
            link.send(Cancel(wanted))
            raise
        raise DeadlineExceeded("the daemon did not answer in time")

    def _soon(self, milliseconds: float) -> Deadline:
        return Deadline.after(self._clock, milliseconds)


def _printed(rendered: object) -> Printed:
    match rendered:
        case {"out": str(out), "err": str(err), "exit_status": int(status), "hits": int(hits)}:
            return Printed(out, err, status, hits)
        case _:
            raise Unreachable("the daemon does not say what to print")


def _progress(state: object) -> IndexingProgress:
    match state:
        case {"stage": str(stage), "done_files": int(done), "total_files": int(total)}:
            return IndexingProgress(stage, done, total)
        case _:
            return IndexingProgress("", 0, 0)

"""Answers commands as they were typed: read, asked and printed here, for a client that does none.

A line that is not certain is refused as a stale hint: then the client does all of it by itself.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.deadline import Deadline
from ggrep.base.errors import Busy, GgrepError, NoIndex
from ggrep.base.stable_json import Document
from ggrep.daemon import navigating, searching
from ggrep.daemon.admitting import is_published
from ggrep.daemon.caller import Caller
from ggrep.daemon.hint_checks import StaleHint, check_claim
from ggrep.daemon.plan import ServedRoot, WorkspacePlan, execute
from ggrep.daemon.status_reply import status_of
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.protocol.wire import message_types as m
from ggrep.protocol.wire.timing import timeout_of
from ggrep.render.printed import Rendered

T = TypeVar("T")

_MOST_WAITING: Final = 64
"""Workspaces' questions that wait for those at work."""


async def line(daemon: StoreDaemon, caller: Caller, message: m.Line) -> Document:
    """Answer a typed command with rendered output.

    Raises:
        StaleHint: the client has to read the command by itself.
        NoIndex: there is none yet, which the client tells about while it waits.
    """
    shared = daemon.shared
    served = ServedRoot(daemon.identity.root, shared.home, daemon.config.profile, shared.environ)
    read = partial(shared.reads, message, served)
    planned = await to_thread.run_sync(read, limiter=shared.threads)
    if planned is None:
        raise StaleHint("the command is not as plain as that")
    await check_claim(daemon, message.claim, *planned.places)
    if isinstance(planned.plan, WorkspacePlan):
        return {"rendered": (await _coordinated(daemon, caller, planned.plan)).document()}
    rendered = await execute(planned.plan, _Here(daemon, caller, message))
    return {"rendered": rendered.document()}


class _Here(Struct, frozen=True):
    """This daemon, as the host of a line's plan."""

    daemon: StoreDaemon
    caller: Caller
    line: m.Line

    async def answer(self, message: m.Question | m.Status) -> object:
        """Return the answer; the output of a search.

        Raises:
            NoIndex: there is none yet.
        """
        if isinstance(message, m.Status):
            return await status_of(self.daemon)
        if isinstance(message, m.Search):
            claimed = replace(message, claim=self.line.claim, priority=self.line.priority)
            rendered = (await searching.search(self.daemon, self.caller, claimed))["rendered"]
            assert isinstance(rendered, dict)  # noqa: S101 - as it was asked for
            return Rendered(**rendered)
        if not is_published(self.daemon):
            raise NoIndex("there is no index yet")
        answers: list[Any] = []

        def keep(answer: object) -> Rendered:
            answers.append(answer)
            return Rendered("", "")

        await navigating.ask(self.daemon, self.caller, message, keep)
        return answers[0]

    async def compute(self, work: Callable[[], T]) -> T:
        """Return the result of a function, in a thread."""
        return await to_thread.run_sync(work, limiter=self.daemon.shared.threads)

    def deadline(self, message: m.Question) -> Deadline:
        """Return the end of a message's time, which begins now."""
        return self.caller.deadline(self.daemon, timeout_of(message))


async def _coordinated(daemon: StoreDaemon, caller: Caller, plan: WorkspacePlan) -> Rendered:
    """Return the output of a plan that asks other daemons, and this one as they do.

    Raises:
        Busy: as much is done for others.
        StaleHint: the client has to do it.
    """
    limiter = daemon.shared.coordinating
    if limiter.statistics().tasks_waiting >= _MOST_WAITING:
        raise Busy("daemon busy with workspaces", retry_after_ms=daemon.admission.retry_after_ms())
    work = partial(plan.run, caller.stop, caller.client)
    try:
        # A client that went away is not waited for: the thread looks whether it is to end.
        return await to_thread.run_sync(work, limiter=limiter, abandon_on_cancel=True)
    except GgrepError as error:
        raise StaleHint(str(error)) from error

"""Answers commands as they were typed: read, asked and printed here, for a client that does none.

Whatever is not certain is refused as a stale hint: then the client does all of it by itself.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from anyio import to_thread
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.deadline import Stop
from ggrep.base.errors import Busy, DeadlineExceeded, GgrepError, NoIndex
from ggrep.base.stable_json import Document
from ggrep.daemon import navigating, searching
from ggrep.daemon.admitting import is_published
from ggrep.daemon.asked_line import AskedLine, Found, SearchThenOpen, ServedRoot, Several, Work
from ggrep.daemon.caller import Caller
from ggrep.daemon.hint_checks import StaleHint, check_claim
from ggrep.daemon.status_reply import status_of
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.protocol.wire import message_types as m
from ggrep.protocol.wire.timing import timeout_of, within
from ggrep.render.printed import Rendered

Body = Document

_MOST_WAITING: Final = 64
"""Workspaces' questions that wait for those at work."""


async def line(daemon: StoreDaemon, caller: Caller, message: m.Line) -> Body:
    """Answer a typed command with rendered output.

    Raises:
        StaleHint: the client has to read the command by itself.
        NoIndex: there is none yet, which the client tells about while it waits.
    """
    shared = daemon.shared
    served = ServedRoot(daemon.identity.root, shared.home, daemon.config.profile, shared.environ)
    read = partial(shared.reads, message, served)
    asked = await to_thread.run_sync(read, limiter=shared.threads)
    if asked is None:
        raise StaleHint("the command is not as plain as that")
    await check_claim(daemon, message.claim, *asked.places)
    body = await _answered(daemon, caller, message, asked)
    return {"rendered": _judged(body["rendered"], asked)}


async def _answered(
    daemon: StoreDaemon, caller: Caller, line: m.Line, asked: AskedLine
) -> Mapping[str, Any]:
    answer: object
    match asked.message:
        case Work(run):
            return {"rendered": await _done(daemon, caller, run)}
        case m.Search():
            return await _search(daemon, caller, line, asked.message)
        case m.Status():
            answer = await status_of(daemon)
        case SearchThenOpen():
            answer = await _search_and_open(daemon, caller, line, asked.message)
        case Several(messages):
            answer = await _each(daemon, caller, messages, DeadlineExceeded)
        case message:
            if not is_published(daemon):
                raise NoIndex("there is no index yet")
            return await navigating.ask(daemon, caller, message, asked.printed)
    # Printing a status asks other daemons, which takes a thread that none of them needs.
    told = await to_thread.run_sync(partial(asked.printed, answer), limiter=daemon.shared.threads)
    return {"rendered": told.document()}


async def _search(daemon: StoreDaemon, caller: Caller, line: m.Line, search: m.Search) -> Body:
    message = replace(search, claim=line.claim, priority=line.priority)
    return await searching.search(daemon, caller, message)


async def _search_and_open(
    daemon: StoreDaemon, caller: Caller, line: m.Line, wanted: SearchThenOpen
) -> Found:
    """Return the document of a search and what came of each expansion."""
    body = await _search(daemon, caller, line, wanted.search)
    document: dict[str, Any] = stable_json.loads(stable_json.dumps(dict(body)))["response"]
    to_open = await to_thread.run_sync(
        partial(wanted.to_open, document), limiter=daemon.shared.threads
    )
    messages = [expansion for _, expansion in to_open]
    answers = await _each(daemon, caller, messages, GgrepError) if messages else []
    return document, [(place, each) for (place, _), each in zip(to_open, answers, strict=True)]


async def _each(
    daemon: StoreDaemon,
    caller: Caller,
    messages: Sequence[m.Ask[Any]],
    alone: type[GgrepError],
) -> list[object]:
    """Return the answers in the order of the questions, or the failures of such as fail alone.

    Raises:
        NoIndex: there is none yet.
        GgrepError: a failure of another kind; the client tells of it.
    """
    if not is_published(daemon):
        raise NoIndex("there is no index yet")
    deadline = caller.deadline(daemon, timeout_of(messages[0]))
    found: list[object] = []

    def keep(answer: object) -> Rendered:
        found.append(answer)
        return Rendered("", "")

    for message in messages:
        try:
            timed = within(message, deadline.next_ms())
            await navigating.ask(daemon, caller, timed, keep)
        except alone as error:
            found.append(error)
    return found


async def _done(
    daemon: StoreDaemon, caller: Caller, run: Callable[[Stop, str], Rendered]
) -> Document:
    """Return the output of work that asks other daemons, and this one as they do.

    Raises:
        Busy: as much is done for others.
        StaleHint: the client has to do it.
    """
    limiter = daemon.shared.coordinating
    if limiter.statistics().tasks_waiting >= _MOST_WAITING:
        raise Busy("daemon busy with workspaces", retry_after_ms=daemon.admission.retry_after_ms())
    work = partial(run, caller.stop, caller.client)
    try:
        # Who went away is not waited for: the thread looks whether it is to end.
        told = await to_thread.run_sync(work, limiter=limiter, abandon_on_cancel=True)
    except GgrepError as error:
        raise StaleHint(str(error)) from error
    return told.document()


def _judged(rendered: Mapping[str, Any], asked: AskedLine) -> dict[str, Any]:
    """Return the output with the exit status that the command asks for."""
    failed = asked.needs_hits and not rendered["hits"]
    return {**rendered, "exit_status": rendered["exit_status"] or int(failed)}

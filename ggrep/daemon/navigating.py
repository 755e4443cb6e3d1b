"""Answers the requests that follow a search: slates, definitions, usages, surrounding code.

Each goes the way of a search, and is answered once, by the snapshot.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError
from ggrep.base.stable_json import Document
from ggrep.daemon.admitting import (
    Spent,
    first_snapshot,
    is_published,
    spent_from_now,
    worked,
    worked_with,
)
from ggrep.daemon.caller import Caller
from ggrep.daemon.daemon_notices import with_warnings
from ggrep.daemon.hint_checks import scope_of
from ggrep.daemon.query_log import Outcome, Question, note, note_failure
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.request import SearchRequest, can_scan
from ggrep.model.slate import SlateResponse
from ggrep.protocol.wire.codec import to_json
from ggrep.protocol.wire.message_types import Expand, References, Slate, Symbol
from ggrep.render.navigation_json import expand_success, references_success, symbol_success
from ggrep.render.slate_json import slate_success

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

A = TypeVar("A", SlateResponse, SymbolResponse, ReferencesResponse, ExpandResponse)
Body = Document


@dataclass(frozen=True, slots=True)
class _Asking(Generic[A]):
    """One request while it is answered.

    Attributes:
        work: returns the engine's answer.
        document: returns the answer's JSON.
        found: returns how many things it holds, for the log.
        values: reply with the answer itself, not with its document.
    """

    question: Question
    deadline: Deadline
    spent: Spent
    work: Callable[["Engine"], A]
    document: Callable[[A], Body]
    found: Callable[[A], int]
    deterministic: bool
    values: bool


async def slate(daemon: StoreDaemon, caller: Caller, message: Slate) -> Body:
    """Answer with a slate."""
    request, spent = message.request, spent_from_now(daemon)
    if message.path:
        search = replace(request.search, scope=scope_of(daemon, message.path))
        request = replace(request, search=search)
    deadline = caller.deadline(daemon, request.search.timeout_ms)

    def work(engine: "Engine") -> SlateResponse:
        found = engine.slate(
            request,
            deadline,
            request_id=caller.request_id,
            admitted=spent.admitted,
        )
        # Who sent them has them.
        return replace(found, request=replace(found.request, statistics=None, vector=None))

    mode, budgets = request.search.mode.value, request.budgets
    await _begin_with(daemon, caller, deadline, request.search)
    return await _answered(
        daemon,
        caller,
        _Asking(
            Question("slate", mode, budgets.files, budgets.evidence_per_file, f"{request.level}"),
            deadline,
            spent,
            work,
            slate_success,
            lambda found: sum(len(packs) for _, packs in found.slate.sections),
            request.search.deterministic,
            message.values,
        ),
    )


async def _begin_with(
    daemon: StoreDaemon, caller: Caller, deadline: Deadline, request: SearchRequest
) -> None:
    """Let the first index, if there is none yet, start with the files a slate is about.

    Whatever goes wrong is for the slate itself to say.
    """
    if is_published(daemon) or not can_scan(request):
        return
    with suppress(GgrepError):
        spent = spent_from_now(daemon)
        found = await worked_with(
            daemon.scanner,
            daemon,
            caller,
            deadline,
            spent,
            lambda scanner: scanner.scan(request, deadline),
        )
        if found.provenance.scan is not None:
            daemon.wish(found.provenance.scan.best)


async def symbol(daemon: StoreDaemon, caller: Caller, message: Symbol) -> Body:
    """Answer with the definitions of a name."""
    request, spent = message.request, spent_from_now(daemon)
    if message.path:
        request = replace(request, scope=scope_of(daemon, message.path))
    deadline = caller.deadline(daemon, request.timeout_ms)

    def work(engine: "Engine") -> SymbolResponse:
        return engine.symbol(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        )

    return await _answered(
        daemon,
        caller,
        _Asking(
            Question("symbol", most=request.limit),
            deadline,
            spent,
            work,
            symbol_success,
            lambda found: len(found.definitions),
            request.deterministic,
            message.values,
        ),
    )


async def references(daemon: StoreDaemon, caller: Caller, message: References) -> Body:
    """Answer with the usages of a name."""
    request, spent = message.request, spent_from_now(daemon)
    if message.path:
        request = replace(request, scope=scope_of(daemon, message.path))
    deadline = caller.deadline(daemon, request.timeout_ms)

    def work(engine: "Engine") -> ReferencesResponse:
        return engine.references(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        )

    return await _answered(
        daemon,
        caller,
        _Asking(
            Question("references", most=request.limit),
            deadline,
            spent,
            work,
            references_success,
            lambda found: len(found.references),
            request.deterministic,
            message.values,
        ),
    )


async def expand(daemon: StoreDaemon, caller: Caller, message: Expand) -> Body:
    """Answer with the code around a place."""
    request, spent = message.request, spent_from_now(daemon)
    deadline = caller.deadline(daemon, request.timeout_ms)

    def work(engine: "Engine") -> ExpandResponse:
        return engine.expand(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        )

    return await _answered(
        daemon,
        caller,
        _Asking(
            Question("expand", most=request.max_bytes),
            deadline,
            spent,
            work,
            expand_success,
            lambda _: 1,
            request.deterministic,
            message.values,
        ),
    )


async def _answered(daemon: StoreDaemon, caller: Caller, asking: _Asking[A]) -> Body:
    """Return the reply's body: `response` holds the document, or `value` the answer itself.

    Raises:
        GgrepError: there is no answer.
    """
    spent = asking.spent

    def work(engine: "Engine") -> tuple[A, Body]:
        found = asking.work(engine)
        found = with_warnings(daemon, found, deterministic=asking.deterministic)
        if asking.values:
            return found, {"value": to_json(found)}
        return found, {"response": asking.document(found)}

    try:
        await first_snapshot(daemon, asking.deadline)
        spent.started_ms = daemon.shared.clock.monotonic_ms()
        found, body = await worked(daemon, caller, asking.deadline, spent, work)
    except BaseException as error:
        note_failure(daemon, caller, asking.question, spent, error)
        raise
    outcome = Outcome(
        found.provenance.snapshot_id,
        asking.found(found),
        found.limits_hit,
        found.warnings,
        found.timings_ms,
    )
    note(daemon, caller, asking.question, spent, outcome)
    return body

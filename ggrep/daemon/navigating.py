"""Answers the requests that follow a search: slates, definitions, usages, surrounding code.

Each goes the way of a search, and is answered once, by the snapshot.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

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
from ggrep.model.outline import OutlineResponse, TourResponse
from ggrep.model.request import SearchRequest, can_scan
from ggrep.model.slate import SlateResponse
from ggrep.protocol.wire.codec import to_json
from ggrep.protocol.wire.message_types import (
    Expand,
    Navigation,
    Outline,
    References,
    Slate,
    Symbol,
    Tour,
)
from ggrep.protocol.wire.timing import timeout_of
from ggrep.render.navigation_json import expand_success, references_success, symbol_success
from ggrep.render.outline_json import outline_success, tour_success
from ggrep.render.printed import Rendered
from ggrep.render.slate_json import slate_success

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

A = TypeVar(
    "A",
    SlateResponse,
    SymbolResponse,
    ReferencesResponse,
    ExpandResponse,
    OutlineResponse,
    TourResponse,
)
Body = Document
Printer = Callable[[Any], Rendered]
"""Returns what is printed of an answer."""


class _Way(Struct, Generic[A], frozen=True):
    """How one kind of request is answered.

    Attributes:
        question: what the log says of it.
        work: returns the engine's answer.
        document: returns the answer's JSON.
        found: returns how many things it holds, for the log.
        search: the question that a first index is to begin with the files of; None for none.
    """

    question: Question
    work: Callable[["Engine", Deadline, Spent], A]
    document: Callable[[A], Body]
    found: Callable[[A], int]
    deterministic: bool
    search: SearchRequest | None = None


async def slate(
    daemon: StoreDaemon, caller: Caller, message: Slate, printed: Printer | None = None
) -> Body:
    """Answer with a slate."""
    request = message.request
    if message.path:
        search = replace(request.search, scope=scope_of(daemon, message.path))
        request = replace(request, search=search)

    def work(engine: "Engine", deadline: Deadline, spent: Spent) -> SlateResponse:
        found = engine.slate(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        )
        # Who sent them has them.
        return replace(found, request=replace(found.request, statistics=None, vector=None))

    mode, budgets = request.search.mode.value, request.budgets
    way = _Way(
        Question("slate", mode, budgets.files, budgets.evidence_per_file, f"{request.level}"),
        work,
        slate_success,
        lambda found: sum(len(packs) for _, packs in found.slate.sections),
        request.search.deterministic,
        request.search,
    )
    return await _answered(daemon, caller, message, way, printed)


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


async def symbol(
    daemon: StoreDaemon, caller: Caller, message: Symbol, printed: Printer | None = None
) -> Body:
    """Answer with the definitions of a name."""
    request = message.request
    if message.path:
        request = replace(request, scope=scope_of(daemon, message.path))
    way: _Way[SymbolResponse] = _Way(
        Question("symbol", most=request.limit),
        lambda engine, deadline, spent: engine.symbol(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        ),
        symbol_success,
        lambda found: len(found.definitions),
        request.deterministic,
    )
    return await _answered(daemon, caller, message, way, printed)


async def references(
    daemon: StoreDaemon, caller: Caller, message: References, printed: Printer | None = None
) -> Body:
    """Answer with the usages of a name."""
    request = message.request
    if message.path:
        request = replace(request, scope=scope_of(daemon, message.path))
    way: _Way[ReferencesResponse] = _Way(
        Question("references", most=request.limit),
        lambda engine, deadline, spent: engine.references(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        ),
        references_success,
        lambda found: len(found.references),
        request.deterministic,
    )
    return await _answered(daemon, caller, message, way, printed)


async def expand(
    daemon: StoreDaemon, caller: Caller, message: Expand, printed: Printer | None = None
) -> Body:
    """Answer with the code around a place."""
    request = message.request
    way: _Way[ExpandResponse] = _Way(
        Question("expand", most=request.max_bytes),
        lambda engine, deadline, spent: engine.expand(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        ),
        expand_success,
        lambda _: 1,
        request.deterministic,
    )
    return await _answered(daemon, caller, message, way, printed)


async def outline(
    daemon: StoreDaemon, caller: Caller, message: Outline, printed: Printer | None = None
) -> Body:
    """Answer with what files and folders define."""
    request = message.request
    way: _Way[OutlineResponse] = _Way(
        Question("outline", most=request.max_bytes),
        lambda engine, deadline, spent: engine.outline(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        ),
        outline_success,
        lambda found: len(found.outlines),
        request.deterministic,
    )
    return await _answered(daemon, caller, message, way, printed)


async def tour(
    daemon: StoreDaemon, caller: Caller, message: Tour, printed: Printer | None = None
) -> Body:
    """Answer with what the repository is."""
    request = message.request
    way: _Way[TourResponse] = _Way(
        Question("tour", most=request.max_bytes),
        lambda engine, deadline, spent: engine.tour(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        ),
        tour_success,
        lambda found: len(found.sections),
        request.deterministic,
    )
    return await _answered(daemon, caller, message, way, printed)


async def _answered(
    daemon: StoreDaemon,
    caller: Caller,
    message: Navigation,
    way: _Way[A],
    printed: Printer | None,
) -> Body:
    """Return the reply's body: the document, the answer itself, or what is printed of it.

    Raises:
        GgrepError: there is no answer.
    """
    spent = spent_from_now(daemon)
    deadline = caller.deadline(daemon, timeout_of(message))
    if way.search is not None:
        await _begin_with(daemon, caller, deadline, way.search)

    def work(engine: "Engine") -> tuple[A, Body]:
        found = way.work(engine, deadline, spent)
        found = with_warnings(daemon, found, deterministic=way.deterministic)
        if printed is not None:
            return found, {"rendered": printed(found).document()}
        if message.values:
            return found, {"value": to_json(found)}
        return found, {"response": way.document(found)}

    try:
        await first_snapshot(daemon, deadline)
        spent.started_ms = daemon.shared.clock.monotonic_ms()
        found, body = await worked(daemon, caller, deadline, spent, work)
    except BaseException as error:
        note_failure(daemon, caller, way.question, spent, error)
        raise
    outcome = Outcome(
        found.provenance.snapshot_id,
        way.found(found),
        found.limits_hit,
        found.warnings,
        found.timings_ms,
    )
    note(daemon, caller, way.question, spent, outcome)
    return body

"""Answers what coordinators ask about names: definitions and occurrences by one rule, imports."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from msgspec import to_builtins

from ggrep.base.deadline import Deadline
from ggrep.base.stable_json import Document
from ggrep.daemon.admitting import spent_from_now, worked
from ggrep.daemon.caller import Caller
from ggrep.daemon.query_log import Outcome, Question, note, note_failure
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model import name_pools
from ggrep.protocol.wire.message_types import Imports, ReferencesPool, SymbolPool

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

P = TypeVar("P", name_pools.SymbolPool, name_pools.ReferencesPool)


async def symbol_pool(daemon: StoreDaemon, caller: Caller, message: SymbolPool) -> Document:
    """Answer with the definitions of a name by one rule."""
    asked = message.request.asked
    deadline = caller.deadline(daemon, asked.timeout_ms)
    question = Question("symbol", most=asked.limit)

    def count(found: name_pools.SymbolPool) -> int:
        return len(found.definitions)

    def work(engine: "Engine") -> name_pools.SymbolPool:
        return engine.symbol_pool(message.request, deadline)

    return await _pooled(daemon, caller, deadline, question, work, count)


async def references_pool(daemon: StoreDaemon, caller: Caller, message: ReferencesPool) -> Document:
    """Answer with the occurrences of a name by one rule."""
    asked = message.request.asked
    deadline = caller.deadline(daemon, asked.timeout_ms)
    question = Question("references", most=asked.limit)

    def count(found: name_pools.ReferencesPool) -> int:
        return len(found.references)

    def work(engine: "Engine") -> name_pools.ReferencesPool:
        return engine.references_pool(message.request, deadline)

    return await _pooled(daemon, caller, deadline, question, work, count)


async def imports(daemon: StoreDaemon, caller: Caller, message: Imports) -> Document:
    """Answer with which imports of files elsewhere mean something here."""
    deadline = caller.deadline(daemon, message.request.timeout_ms)
    found = await worked(
        daemon,
        caller,
        deadline,
        spent_from_now(daemon),
        lambda engine: engine.imports_found(message.request, deadline),
    )
    return {"imports": to_builtins(found)}


async def _pooled(
    daemon: StoreDaemon,
    caller: Caller,
    deadline: Deadline,
    question: Question,
    work: Callable[["Engine"], P],
    count: Callable[[P], int],
) -> Document:
    spent = spent_from_now(daemon)
    try:
        found = await worked(daemon, caller, deadline, spent, work)
    except BaseException as error:
        note_failure(daemon, caller, question, spent, error)
        raise
    outcome = Outcome(found.provenance.snapshot_id, count(found), found.limits_hit, found.warnings)
    note(daemon, caller, question, spent, outcome)
    return {"pool": to_builtins(found)}

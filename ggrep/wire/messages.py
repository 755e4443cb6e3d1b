"""Messages as JSON objects, and back.

A message is `{"message": NAME, "request_id": STR, "caller": STR, ...fields}`. Fields that a
message does not have are passed over, messages that nobody knows are refused.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, cast

from ggrep.config.caps import MAX_QUERY_TIMEOUT_MS
from ggrep.stable_json import Json
from ggrep.wire.codec import to_json
from ggrep.wire.fields import Fields, misfit
from ggrep.wire.message_types import (
    Cancel,
    Claim,
    Compact,
    Describe,
    Encode,
    Envelope,
    Expand,
    Gc,
    Health,
    Message,
    Metrics,
    Ping,
    Pool,
    Priority,
    References,
    Search,
    Shutdown,
    Slate,
    Status,
    Symbol,
    Sync,
    SyncStatus,
    TermStats,
    WatchStatus,
)
from ggrep.wire.navigation_requests import (
    parse_expand_request,
    parse_references_request,
    parse_slate_request,
    parse_symbol_request,
)
from ggrep.wire.requests import (
    MAX_QUERY_BYTES,
    parse_pool_request,
    parse_search_request,
)
from ggrep.wire.search_fields import parse_budgets, parse_claim, parse_path, parse_render

__all__ = [
    "CANCEL_SYNC",
    "MAX_TIMEOUT_MS",
    "Cancel",
    "Claim",
    "Compact",
    "Describe",
    "Encode",
    "Envelope",
    "Expand",
    "Gc",
    "Health",
    "Message",
    "Metrics",
    "Ping",
    "Pool",
    "Priority",
    "References",
    "Search",
    "Shutdown",
    "Slate",
    "Status",
    "Symbol",
    "Sync",
    "SyncStatus",
    "TermStats",
    "WatchStatus",
    "message_json",
    "message_name",
    "parse_message",
    "request_id_of",
]

CANCEL_SYNC: Final = "sync"
"""What `Cancel.target` says for the running sync; no request may be called that."""

MAX_TIMEOUT_MS: Final = MAX_QUERY_TIMEOUT_MS
"""Longest deadline of any message."""

_PRIORITIES: Final = ("interactive", "batch")
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_MOST_REASON: Final = 256
_MOST_CALLER: Final = 64


def parse_message(body: Mapping[str, object]) -> Envelope:
    """Return the message that an object spells.

    Raises:
        InvalidRequest: nobody knows it, or a field is malformed or out of bounds; the error can
            be answered under `request_id_of(body)`.
    """
    request_id = _request_id(body)
    name = Fields(body).printable("message", 64)
    if name not in _READERS:
        raise misfit("message", name, f"one of {', '.join(sorted(_READERS))}")
    caller = Fields(body).printable("caller", _MOST_CALLER, default="")
    return Envelope(request_id, name, _READERS[name](Fields(body)), caller)


def message_json(request_id: str, message: Message, caller: str = "") -> dict[str, Json]:
    """Return the object that `parse_message` reads; an empty `request_id` or caller is left out.

    Raises:
        InvalidRequest: a string holds half of a surrogate pair, as names of files can.
    """
    fields = cast(dict[str, Json], to_json(message))
    if isinstance(message, Search):
        fields["budgets"] = dict(message.budgets)
        if message.claim is not None:
            environ = to_json(dict(message.claim.environ))
            fields["claim"] = {**cast(dict[str, Json], fields["claim"]), "environ": environ}
    named: dict[str, Json] = {"request_id": request_id} if request_id else {}
    if caller:
        named["caller"] = caller
    return {"message": message_name(message), **named, **fields}


def message_name(message: Message) -> str:
    """Return a message's name on the wire."""
    return _NAMES[type(message)]


def request_id_of(body: Mapping[str, object]) -> str:
    """Return the request's id, whatever else is wrong with it; empty when it has no good one."""
    found = body.get("request_id", "")
    return found if isinstance(found, str) and _is_request_id(found) else ""


def _request_id(body: Mapping[str, object]) -> str:
    if "request_id" not in body:
        return ""
    found = request_id_of(body)
    if not found:
        raise misfit(
            "request_id", body["request_id"], "1 to 64 of A-Z a-z 0-9 . _ : -, and not sync"
        )
    return found


def _is_request_id(text: str) -> bool:
    return _REQUEST_ID.fullmatch(text) is not None and text != CANCEL_SYNC


def _timeout(fields: Fields) -> int:
    return fields.whole("timeout_ms", 0, MAX_TIMEOUT_MS, default=0)


def _priority(fields: Fields) -> Priority:
    return cast(Priority, fields.choice("priority", _PRIORITIES, default="interactive"))


def _search(fields: Fields) -> Search:
    return Search(
        request=parse_search_request(fields.body.get("request"), "request"),
        budgets=parse_budgets(fields),
        priority=_priority(fields),
        render=parse_render(fields),
        claim=parse_claim(fields),
        path=parse_path(fields),
        waited_ms=fields.whole("waited_ms", 0, MAX_TIMEOUT_MS, default=0),
        values=fields.flag("values", default=False),
    )


def _slate(fields: Fields) -> Slate:
    return Slate(
        request=parse_slate_request(fields.body.get("request"), "request"),
        priority=_priority(fields),
        path=parse_path(fields),
        values=fields.flag("values", default=False),
    )


def _symbol(fields: Fields) -> Symbol:
    return Symbol(
        request=parse_symbol_request(fields.body.get("request"), "request"),
        priority=_priority(fields),
        path=parse_path(fields),
        values=fields.flag("values", default=False),
    )


def _references(fields: Fields) -> References:
    return References(
        request=parse_references_request(fields.body.get("request"), "request"),
        priority=_priority(fields),
        path=parse_path(fields),
        values=fields.flag("values", default=False),
    )


def _expand(fields: Fields) -> Expand:
    return Expand(
        request=parse_expand_request(fields.body.get("request"), "request"),
        priority=_priority(fields),
        values=fields.flag("values", default=False),
    )


def _cancel(fields: Fields) -> Cancel:
    target = fields.printable("target", 64)
    if target != CANCEL_SYNC and not _is_request_id(target):
        raise fields.misfit("target", "a request_id, or sync")
    return Cancel(target)


def _sync(fields: Fields) -> Sync:
    return Sync(
        wait=fields.flag("wait", default=True),
        strict=fields.flag("strict", default=False),
        allow_degraded=fields.flag("allow_degraded", default=False),
        fresh=fields.flag("fresh", default=False),
        timeout_ms=_timeout(fields),
    )


_READERS: Final[Mapping[str, Callable[[Fields], Message]]] = MappingProxyType(
    {
        "search": _search,
        "slate": _slate,
        "symbol": _symbol,
        "references": _references,
        "expand": _expand,
        "describe": lambda fields: Describe(_timeout(fields)),
        "term_stats": lambda fields: TermStats(
            parse_search_request(fields.body.get("request"), "request")
        ),
        "pool": lambda fields: Pool(parse_pool_request(fields.body.get("request"), "request")),
        "encode": lambda fields: Encode(fields.text("text", MAX_QUERY_BYTES), _timeout(fields)),
        "status": lambda _: Status(),
        "health": lambda fields: Health(fields.flag("deep", default=False)),
        "metrics": lambda _: Metrics(),
        "sync": _sync,
        "sync_status": lambda _: SyncStatus(),
        "watch_status": lambda _: WatchStatus(),
        "cancel": _cancel,
        "gc": lambda fields: Gc(fields.flag("force", default=False)),
        "compact": lambda fields: Compact(fields.flag("force", default=False)),
        "shutdown": lambda fields: Shutdown(fields.text("reason", _MOST_REASON, default="")),
        "ping": lambda _: Ping(),
    }
)

_NAMES: Final[Mapping[type, str]] = MappingProxyType(
    {
        Search: "search",
        Slate: "slate",
        Symbol: "symbol",
        References: "references",
        Expand: "expand",
        Describe: "describe",
        TermStats: "term_stats",
        Pool: "pool",
        Encode: "encode",
        Status: "status",
        Health: "health",
        Metrics: "metrics",
        Sync: "sync",
        SyncStatus: "sync_status",
        WatchStatus: "watch_status",
        Cancel: "cancel",
        Gc: "gc",
        Compact: "compact",
        Shutdown: "shutdown",
        Ping: "ping",
    }
)

"""Messages from clients to daemons: their types, their JSON, and their timeouts."""

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Generic, Literal, TypeAlias, TypeVar, cast, get_args

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Json
from ggrep.config.declarations import MAX_QUERY_TIMEOUT_MS
from ggrep.model.batched_query import MOST_MEMBERS, BatchedPoolRequest, Member
from ggrep.model.field_meta import (
    MOST_BYTES,
    MOST_MS,
    MOST_PATH_BYTES,
    MOST_QUERY_BYTES,
    WireBounds,
)
from ggrep.model.operations import OPERATIONS, bounded, bounds_of, has_scope, operation_of
from ggrep.model.request import Request, SearchRequest, ViewOptions
from ggrep.protocol.wire.reading import check_scored, misfit, read

Q = TypeVar("Q")

Priority: TypeAlias = Literal["interactive", "batch"]
Milliseconds: TypeAlias = Annotated[int, WireBounds(MOST_MS)]
AbsolutePath: TypeAlias = Annotated[str, WireBounds(MOST_PATH_BYTES, form="path")]

_MOST_FIELDS: Final = 64
"""Maximum number of fields of an object in a message."""


class Claim(Struct, frozen=True):
    """A client's assumptions about a daemon found by a locator; the daemon checks them first.

    Attributes:
        environ: all environment variables of the client that change settings, by name.
    """

    root: Annotated[str, WireBounds(MOST_PATH_BYTES, 1, form="path")]
    environ: Annotated[
        Mapping[str, str],
        WireBounds(256, each=(0, 32 * 1024), keys=r"[A-Za-z_][A-Za-z0-9_]{0,127}"),
    ] = {}
    build: Annotated[str, WireBounds(128, form="shown")] = ""


class Search(Struct, frozen=True):
    """A search.

    Attributes:
        budgets: output bounds of the client's settings, by name.
        claim: None if the client computed the configuration fingerprint itself.
        path: absolute path of a directory or file to search; empty to use the scope of the request.
        waited_ms: time that the user waited before the message was sent.
        values: whether to answer with all fields of the response Struct instead of its published
            JSON document; `render` takes precedence.
    """

    request: SearchRequest
    budgets: Annotated[
        Mapping[str, int],
        WireBounds(_MOST_FIELDS, each=(0, MOST_BYTES), keys=r"[a-z][a-z0-9_]{0,63}"),
    ] = {}
    priority: Priority = "interactive"
    render: Annotated[ViewOptions | None, WireBounds(_MOST_FIELDS)] = None
    claim: Annotated[Claim | None, WireBounds(_MOST_FIELDS)] = None
    path: AbsolutePath = ""
    waited_ms: Milliseconds = 0
    values: bool = False


class Ask(Struct, Generic[Q], frozen=True):
    """A query to a snapshot; its name on the wire is the name of its operation.

    The budgets of a slate are in the request; budgets of a search do not apply.

    Attributes:
        path: as in `Search`; sent only if the request has a scope.
        values: as in `Search`; the value of a slate includes facts about its files.
    """

    request: Q
    priority: Priority = "interactive"
    path: AbsolutePath = ""
    values: bool = False


class Describe(Struct, frozen=True):
    """Request for the description of the repository, the first message of a coordinator.

    With `timeout_ms` 0 the timeout of the daemon's settings applies.
    """

    timeout_ms: Milliseconds = 0


class Fetch(Struct, Generic[Q], frozen=True):
    """A coordinator's query; its name on the wire is the name of its operation."""

    request: Q


class JointDescribe(Struct, frozen=True):
    """Request for the descriptions of many repositories, the first message of a coordinator.

    Attributes:
        key: key of the list of members, see `members_key`.
        members: the list of members; empty if the daemon may have cached the list under its key.
        known: epoch of the description that the client has; empty for none.
    """

    key: Annotated[str, WireBounds(64, 1, form="shown")]
    members: Annotated[tuple[Member, ...], WireBounds(MOST_MEMBERS)] = ()
    known: Annotated[str, WireBounds(64, form="shown")] = ""
    timeout_ms: Milliseconds = 0


class JointPool(Struct, frozen=True):
    """Request for the first hits of many repositories, as lists for a coordinator to merge."""

    request: BatchedPoolRequest


class Status(Struct, frozen=True):
    """Request for the `status` document."""


class Health(Struct, frozen=True):
    """Request for the `health` document; `deep` hashes every file again."""

    deep: bool = False


class Metrics(Struct, frozen=True):
    """Request for counters and latencies."""


class Sync(Struct, frozen=True):
    """Request to update the index to the state of the work tree.

    Attributes:
        wait: whether to answer at the end of the sync instead of its start.
        allow_degraded: if files exceed the budget of a profile's `include`, index those that fit.
        fresh: rebuild without reusing the existing index.
        timeout_ms: maximum time to wait; 0 for no bound.
        strict: fail if any file cannot be read, decoded or chunked as intended.
    """

    wait: bool = True
    allow_degraded: bool = False
    fresh: bool = False
    timeout_ms: Milliseconds = 0
    strict: bool = False


class SyncStatus(Struct, frozen=True):
    """Request for the progress of the running sync and the outcome of the last sync."""


class WatchStatus(Struct, frozen=True):
    """Request for the state of watching the root."""


class Cancel(Struct, frozen=True):
    """Cancel a request of the same client by its id, or the running sync by the word `sync`."""

    target: Annotated[str, WireBounds(64, form="shown")]


class Gc(Struct, frozen=True):
    """Delete files that no snapshot needs; without `force` only list them."""

    force: bool = False


class Compact(Struct, frozen=True):
    """Merge segments; without `force` only when it is due."""

    force: bool = False


class Shutdown(Struct, frozen=True):
    """Stop the daemon; `reason` is sent to every client whose request ends because of this."""

    reason: Annotated[str, WireBounds(256)] = ""


class Serve(Struct, frozen=True):
    """Serve another repository in this process, for a client with equal `GGREP_*` variables.

    Attributes:
        encoder: encoder from a flag; empty for the encoder of the settings.
    """

    claim: Annotated[Claim, WireBounds(_MOST_FIELDS)]
    encoder: Annotated[str, WireBounds(128)] = ""


class Ping(Struct, frozen=True):
    """Check that the daemon is alive."""


class Line(Struct, frozen=True):
    """A command line, answered with rendered output.

    Attributes:
        arguments: the command's name, then its arguments.
        render: options of the output; its `cwd` is the directory of the command.
    """

    arguments: Annotated[tuple[str, ...], WireBounds(_MOST_FIELDS, each=(0, MOST_QUERY_BYTES))]
    claim: Annotated[Claim, WireBounds(_MOST_FIELDS)]
    render: Annotated[ViewOptions, WireBounds(_MOST_FIELDS)]
    priority: Priority = "interactive"


QueryMessage: TypeAlias = Search | Ask[Any]
"""A query about the code, with its own timeout."""

Message: TypeAlias = (
    Search
    | Ask[Any]
    | Line
    | Describe
    | Fetch[Any]
    | JointDescribe
    | JointPool
    | Status
    | Health
    | Metrics
    | Sync
    | SyncStatus
    | WatchStatus
    | Cancel
    | Gc
    | Compact
    | Shutdown
    | Serve
    | Ping
)


class Envelope(Struct, frozen=True):
    """A received message.

    Attributes:
        request_id: id from the client; empty to let the daemon choose one.
        caller: the client's name for its caller, such as the number of a seat; empty if the client
            asks for itself.
    """

    request_id: str
    name: str
    message: Message
    caller: str = ""


def message_of(
    request: Request[Any],
    priority: Priority = "interactive",
    budgets: Mapping[str, int] | None = None,
    *,
    values: bool = False,
) -> QueryMessage:
    """Return the message for a request; with `values` the answer is a value, else a document."""
    if isinstance(request, SearchRequest):
        return Search(request, budgets or {}, priority, values=values)
    return Ask(request, priority, values=values)


CANCEL_SYNC: Final = "sync"
"""`Cancel.target` of the running sync; not allowed as a request id."""

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")


class _Head(Struct, frozen=True):
    message: Annotated[str, WireBounds(64, form="shown")]
    caller: Annotated[str, WireBounds(64, form="shown")] = ""


def parse_message(body: Mapping[str, object]) -> Envelope:
    """Return the message in a JSON object.

    Raises:
        InvalidRequest: the name is unknown, or a field is malformed or out of bounds; the error
            reply can use `request_id_of(body)`.
    """
    request_id = _request_id(body)
    head = read(_Head, body)
    name = head.message
    if name not in KINDS:
        raise misfit("message", name, f"one of {', '.join(sorted(KINDS))}")
    message = read(KINDS[name], body)
    match message:
        case Ask(request) | Fetch(request):
            check_scored(request, "request")
        case Cancel(target) if target != CANCEL_SYNC and not _is_request_id(target):
            raise misfit("target", target, "a request_id, or sync")
        case _:
            pass
    return Envelope(request_id, name, message, head.caller)


def message_json(request_id: str, message: Message, caller: str = "") -> dict[str, Json]:
    """Return the JSON object that `parse_message` reads; empty ids and callers are omitted.

    Raises:
        InvalidRequest: a string contains a lone surrogate, for example from a file name.
    """
    fields: dict[str, Json] = to_builtins(message)
    try:
        stable_json.dumps(fields)
    except TypeError as error:
        raise InvalidRequest(
            "a string contains a lone surrogate, which UTF-8 cannot encode"
        ) from error
    if isinstance(message, Ask) and not has_scope(message.request):
        del fields["path"]
    named: dict[str, Json] = {"request_id": request_id} if request_id else {}
    if caller:
        named["caller"] = caller
    return {"message": message_name(message), **named, **fields}


def message_name(message: Message) -> str:
    """Return a message's name on the wire."""
    if isinstance(message, Ask | Fetch):
        return operation_of(message.request).name
    return _name_of(type(message))


def request_id_of(body: Mapping[str, object]) -> str:
    """Return the id of a possibly invalid request; empty if it has no valid id."""
    request_id = body.get("request_id", "")
    return request_id if isinstance(request_id, str) and _is_request_id(request_id) else ""


def _request_id(body: Mapping[str, object]) -> str:
    if "request_id" not in body:
        return ""
    request_id = request_id_of(body)
    if not request_id:
        raise misfit(
            "request_id",
            body["request_id"],
            "1 to 64 characters of A-Z a-z 0-9 . _ : -, except the word sync",
        )
    return request_id


def _is_request_id(text: str) -> bool:
    return _REQUEST_ID.fullmatch(text) is not None and text != CANCEL_SYNC


def _name_of(kind: type[Message]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


KINDS: Final[Mapping[str, type[Message]]] = MappingProxyType(
    {
        **{_name_of(kind): kind for kind in get_args(Message) if not get_args(kind)},
        **{
            each.name: cast(type[Message], (Ask if each.is_public else Fetch)[each.request])
            for each in OPERATIONS
            if each.name != "search"
        },
    }
)
"""All messages by their names on the wire."""

M = TypeVar("M", bound=Search | Ask[Any] | Fetch[Any])

_REPLY_MS: Final = 50


def for_daemon(left_ms: float) -> float:
    """Return the timeout for a daemon in milliseconds, from the client's remaining time.

    The daemon's timeout is a little shorter, so that its timeout error arrives in time.
    """
    return left_ms if math.isinf(left_ms) else left_ms - min(_REPLY_MS, left_ms / 10)


def timeout_of(message: QueryMessage) -> int:
    """Return the timeout of a request in milliseconds; 0 for the configured timeout."""
    timeout_ms: int = bounds_of(message.request).timeout_ms
    return timeout_ms


def within(message: M, left_ms: float) -> M:
    """Return the message with `left_ms` as the timeout of its request."""
    return replace(message, request=bounded(message.request, timeout_ms=whole_ms(left_ms)))


def timed(request: SearchRequest, left_ms: float) -> SearchRequest:
    """Return the search with `left_ms` as its timeout."""
    return replace(request, timeout_ms=whole_ms(left_ms))


def whole_ms(left_ms: float) -> int:
    """Return a timeout in whole milliseconds, at least 1, because 0 would mean the default."""
    return max(1, int(min(left_ms, MAX_QUERY_TIMEOUT_MS)))

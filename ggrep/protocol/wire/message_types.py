"""Every message that a client can send to a daemon, one value each."""

from typing import Annotated, Any, Final, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

from ggrep.model.answer_view import ViewOptions
from ggrep.model.answerable import Request
from ggrep.model.joint_pools import MOST_MEMBERS, JointPoolRequest
from ggrep.model.joint_pools import Place as Member
from ggrep.model.request import SearchRequest
from ggrep.model.says import MOST_BYTES, MOST_MS, MOST_PATH_BYTES, MOST_QUERY_BYTES, Sent

Q = TypeVar("Q")

Priority: TypeAlias = Literal["interactive", "batch"]
Deadline: TypeAlias = Annotated[int, Sent(MOST_MS)]
Place: TypeAlias = Annotated[str, Sent(MOST_PATH_BYTES, form="path")]

_MOST_FIELDS: Final = 64
"""Most fields of an object that stands in a message."""


class Claim(Struct, frozen=True):
    """A client's assumptions about a daemon found by hint, which the daemon checks first.

    Attributes:
        root: absolute path of the repository it means.
        environ: every variable of its environment that changes settings, by name.
        build: of the client.
    """

    root: Annotated[str, Sent(MOST_PATH_BYTES, 1, form="path")]
    environ: Annotated[
        tuple[tuple[str, str], ...],
        Sent(256, each=(0, 32 * 1024), keys=r"[A-Za-z_][A-Za-z0-9_]{0,127}"),
    ] = ()
    build: Annotated[str, Sent(128, form="shown")] = ""


class Search(Struct, frozen=True):
    """A query.

    Attributes:
        budgets: output bounds that the client's settings have, by name.
        render: how to print the answer; None for the document itself.
        claim: None from a client that computed the fingerprint itself.
        path: absolute path of the directory or file that the answer is narrowed to; empty to
            leave that to the request's scope.
        waited_ms: how long somebody has waited for the answer when this is sent.
        values: answer with the response itself, in place of its document; `render` beats it.
    """

    request: SearchRequest
    budgets: Annotated[
        tuple[tuple[str, int], ...],
        Sent(_MOST_FIELDS, each=(0, MOST_BYTES), keys=r"[a-z][a-z0-9_]{0,63}"),
    ] = ()
    priority: Priority = "interactive"
    render: Annotated[ViewOptions | None, Sent(_MOST_FIELDS)] = None
    claim: Annotated[Claim | None, Sent(_MOST_FIELDS)] = None
    path: Place = ""
    waited_ms: Deadline = 0
    values: bool = False


class Ask(Struct, Generic[Q], frozen=True):
    """A question that the snapshot answers; its name on the wire is that of its operation.

    A slate's budgets are the request's own: those of a search cut nothing here.

    Attributes:
        path: as a Search's; only on the wire where the request has a scope.
        values: answer with the response itself, the facts of a slate's files among it, in place
            of its document.
    """

    request: Q
    priority: Priority = "interactive"
    path: Place = ""
    values: bool = False


class Describe(Struct, frozen=True):
    """Facts that a coordinator needs first. `timeout_ms` 0 is the daemon's own bound."""

    timeout_ms: Deadline = 0


class TermStats(Struct, frozen=True):
    """Collection statistics of a query's terms.

    Attributes:
        snapshot_id: one that a session keeps; None for the active one.
    """

    request: SearchRequest
    snapshot_id: Annotated[str | None, Sent(26)] = None


class Fetch(Struct, Generic[Q], frozen=True):
    """A coordinator's question: for ranked lists, definitions, occurrences or imports."""

    request: Q


class JointDescribe(Struct, frozen=True):
    """Facts of many repositories of this host, that a coordinator needs first.

    Attributes:
        key: of the list of members, see `members_key`.
        members: the list itself; empty where the daemon may know it by its key.
        known: epoch of the description that the client has; empty for none.
        timeout_ms: 0 for the daemon's own bound.
    """

    key: Annotated[str, Sent(64, 1, form="shown")]
    members: Annotated[tuple[Member, ...], Sent(MOST_MEMBERS)] = ()
    known: Annotated[str, Sent(64, form="shown")] = ""
    timeout_ms: Deadline = 0


class JointPool(Struct, frozen=True):
    """The beginnings of the lists of many repositories of this host, to merge."""

    request: JointPoolRequest


class Encode(Struct, frozen=True):
    """A query's text as a vector. `timeout_ms` 0 is the daemon's own bound."""

    text: Annotated[str, Sent(MOST_QUERY_BYTES)]
    timeout_ms: Deadline = 0


class Status(Struct, frozen=True):
    """The `status` document."""


class Health(Struct, frozen=True):
    """The `health` document; `deep` hashes every file again."""

    deep: bool = False


class Metrics(Struct, frozen=True):
    """Counters and latencies."""


class Sync(Struct, frozen=True):
    """Bring the index up to the work tree.

    Attributes:
        wait: answer when it is done, not when it has begun.
        allow_degraded: over the budget of what a profile includes, index what fits.
        fresh: take nothing over from what is indexed.
        timeout_ms: how long to wait for it; 0 for no bound.
        strict: refuse where a file cannot be read, decoded or cut as it should.
    """

    wait: bool = True
    allow_degraded: bool = False
    fresh: bool = False
    timeout_ms: Deadline = 0
    strict: bool = False


class SyncStatus(Struct, frozen=True):
    """Progress of the running sync, and the outcome of the last one."""


class WatchStatus(Struct, frozen=True):
    """What is watched, and which events were seen."""


class Cancel(Struct, frozen=True):
    """End a request of the same client by its id, or the running sync by the word `sync`."""

    target: Annotated[str, Sent(64, form="shown")]


class Gc(Struct, frozen=True):
    """Delete what no snapshot needs; without `force` only list it."""

    force: bool = False


class Compact(Struct, frozen=True):
    """Merge segments; without `force` only when it is due."""

    force: bool = False


class Shutdown(Struct, frozen=True):
    """Stop the daemon; `reason` is sent to every client whose request ends with it."""

    reason: Annotated[str, Sent(256)] = ""


class Serve(Struct, frozen=True):
    """Serve another repository in the same process, for a client under equal variables.

    Attributes:
        claim: the root, the variables and the build.
        encoder: from a flag; empty for that of the settings.
    """

    claim: Annotated[Claim, Sent(_MOST_FIELDS)]
    encoder: Annotated[str, Sent(128)] = ""


class Ping(Struct, frozen=True):
    """Check that the daemon is alive."""


class Line(Struct, frozen=True):
    """A command as it was typed, to be answered in print by whoever reads commands here.

    Attributes:
        arguments: the command's name first.
        claim: what the client went by.
        render: how to print; its `cwd` is where the command was typed.
    """

    arguments: Annotated[tuple[str, ...], Sent(_MOST_FIELDS, each=(0, MOST_QUERY_BYTES))]
    claim: Annotated[Claim, Sent(_MOST_FIELDS)]
    render: Annotated[ViewOptions, Sent(_MOST_FIELDS)]
    priority: Priority = "interactive"


Question: TypeAlias = Search | Ask[Any]
"""What is asked about the code, within a time of its own."""

Message: TypeAlias = (
    Search
    | Ask[Any]
    | Line
    | Describe
    | TermStats
    | Fetch[Any]
    | JointDescribe
    | JointPool
    | Encode
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
    """A message as it arrived.

    Attributes:
        request_id: chosen by the client; empty when it left that to the daemon.
        name: the message's name on the wire.
        caller: for whom the client asks, as it tells its callers apart; empty for itself.
    """

    request_id: str
    name: str
    message: Message
    caller: str = ""


def message_of(
    request: Request[Any],
    priority: Priority = "interactive",
    budgets: tuple[tuple[str, int], ...] = (),
    *,
    values: bool = False,
) -> Question:
    """Return the message that asks for the answer to a request, or for its document."""
    if isinstance(request, SearchRequest):
        return Search(request, budgets, priority, values=values)
    return Ask(request, priority, values=values)

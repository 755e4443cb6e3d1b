"""A failure, as every surface reports it."""

from collections.abc import Sequence
from typing import Annotated, Final, NotRequired, TypedDict

from ggrep.base import errors
from ggrep.model.constraints import Count, ErrorCode, Held, RequestId, SafeLine, SnapshotId, held_to

CODES: Final = tuple(
    sorted(
        {
            kind.code
            for kind in vars(errors).values()
            if isinstance(kind, type) and issubclass(kind, errors.GgrepError)
        }
    )
)
"""Names of failures; those of a workspace's own are `ERR_WORKSPACE_*` and `ERR_FEDERATED_*`."""


class IssueJson(TypedDict):
    """One thing wrong with a workspace file or a federated request."""

    code: ErrorCode
    """Stable name of the mistake."""
    message: str
    """One line for people."""
    path: str
    """The file it stands in; empty for a request."""
    field: str
    """Where in it, such as $.repos[2].root; empty when unknown."""
    reason: str
    """A short stable word such as missing, type or duplicate; may be empty."""
    hint: str
    """What to do about it; may be empty."""


@held_to(
    if_={"properties": {"code": {"const": "busy"}}},
    then={"required": ["retry_after_ms"]},
    else_={"properties": {"retry_after_ms": False}},
)
class ErrorJson(TypedDict):
    """The failure."""

    code: Annotated[str, CODES] | ErrorCode
    """Stable name of the failure; callers decide by it."""
    message: SafeLine
    retry_after_ms: NotRequired[Count]
    """Milliseconds to wait before trying again; present for busy alone."""
    snapshot_id: NotRequired[SnapshotId]
    """The snapshot that was in use, when one was."""
    request_id: NotRequired[RequestId]
    """The request that failed, when it had a name."""
    issues: NotRequired[Annotated[Sequence[IssueJson], Held(least=1)]]
    """All that was found wrong with a workspace file or a federated request."""
    reasons: NotRequired[Annotated[Sequence[str], Held(least=1)]]
    """Why nothing was published, a line for each file or rule."""


class FailureJson(TypedDict):
    """What any command prints with --json when it fails."""

    error: ErrorJson


class HintJson(TypedDict):
    """What can be done about a failure, where that is known."""

    hint: NotRequired[str]


class ToolFailureJson(FailureJson, HintJson):
    """What a tool returns when it fails."""

    code: str
    """The same as error.code."""
    message: str
    """The same as error.message."""

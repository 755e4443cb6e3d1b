"""The JSON of a failure, the same for the command line, HTTP and MCP."""

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
"""Codes of failures; workspaces also use `ERR_WORKSPACE_*` and `ERR_FEDERATED_*`."""


class IssueJson(TypedDict):
    """A mistake in a workspace file or a workspace request."""

    code: ErrorCode
    """Stable name of the mistake."""
    message: str
    """Text on a single line."""
    path: str
    """File with the mistake; empty for a request."""
    field: str
    """JSON path of the mistake, such as `$.repos[2].root`; empty if unknown."""
    reason: str
    """A short stable word such as missing, type or duplicate; may be empty."""
    hint: str
    """Advice; may be empty."""


@held_to(
    if_={"properties": {"code": {"const": "busy"}}},
    then={"required": ["retry_after_ms"]},
    else_={"properties": {"retry_after_ms": False}},
)
class ErrorJson(TypedDict):
    """The failure."""

    code: Annotated[str, CODES] | ErrorCode
    """Stable name of the failure, for programs."""
    message: SafeLine
    retry_after_ms: NotRequired[Count]
    """Milliseconds to wait before trying again; present only for busy."""
    snapshot_id: NotRequired[SnapshotId]
    """Snapshot that was queried; absent if there was none."""
    request_id: NotRequired[RequestId]
    """Id of the failed request; absent if it had none."""
    issues: NotRequired[Annotated[Sequence[IssueJson], Held(least=1)]]
    """All mistakes in a workspace file or a workspace request."""
    reasons: NotRequired[Annotated[Sequence[str], Held(least=1)]]
    """Reasons why nothing was published, a line for each file or rule."""


class FailureJson(TypedDict):
    """Output of a command with --json when it fails."""

    error: ErrorJson


class HintJson(TypedDict):
    """Advice about a failure; absent if there is no advice."""

    hint: NotRequired[str]


class ToolFailureJson(FailureJson, HintJson):
    """Output of a tool when it fails."""

    code: str
    """The same as error.code."""
    message: str
    """The same as error.message."""

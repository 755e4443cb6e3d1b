"""The result of a failed tool call: one envelope, with a hint at what to do."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ggrep.base.errors import GgrepError, InvalidRequest, Issue, WorkspaceError
from ggrep.base.stable_json import Document
from ggrep.federation.diagnostics import redact
from ggrep.federation.federated_response import failure_json
from ggrep.interfaces.mcp.arguments import Argument, in_flat_words
from ggrep.render.error_json import query_error

_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "forbidden": "start `ggrep mcp` with --allowed-root DIRECTORY, or with --allow-any-root",
        "no_index": "run `ggrep index` in the repository, or try again later",
        "busy": "ask again after retry_after_ms",
        "timeout": "give a larger timeout_ms; `ggrep stop` ends a daemon that hangs",
        "session_expired": "start a new session with session: new",
        "session_full": "start a new session with session: new",
        "incompatible": "restart the server: ggrep was upgraded while it ran",
    }
)


def failure(error: GgrepError, *, shows_paths: bool) -> Document:
    """Return the envelope of a call of one repository that failed.

    Args:
        error: what went wrong.
        shows_paths: leave absolute paths in; the caller is on this machine.
    """
    body = query_error(error)["error"]
    if not shows_paths:
        body["message"] = redact(body["message"])
    return with_hint({"error": body, "code": body["code"], "message": body["message"]})


def federated_failure(error: GgrepError, *, shows_paths: bool) -> Document:
    """Return the envelope of a workspace search that came to nothing."""
    return with_hint(failure_json(error, include_paths=shows_paths))


def with_hint(document: Document) -> Document:
    """Return a failure with what can be done about it, where that is known."""
    # The federated contract has some of the codes in capitals.
    hint = _HINTS.get(str(document.get("code")).lower())
    return document if hint is None else {**document, "hint": hint}


def in_arguments(error: GgrepError, arguments: Sequence[Argument]) -> GgrepError:
    """Return the error with the names of arguments where it names places of a body."""
    if isinstance(error, WorkspaceError):
        return WorkspaceError(tuple(_issue(issue, arguments) for issue in error.issues))
    if type(error) is InvalidRequest:
        renamed = InvalidRequest(in_flat_words(str(error), arguments))
        renamed.request_id, renamed.snapshot_id = error.request_id, error.snapshot_id
        return renamed
    return error


def _issue(issue: Issue, arguments: Sequence[Argument]) -> Issue:
    return Issue(
        issue.code,
        in_flat_words(issue.message, arguments),
        path=issue.path,
        field=in_flat_words(issue.field, arguments),
        reason=issue.reason,
        hint=issue.hint,
    )

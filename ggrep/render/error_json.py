"""The JSON of a failure: schema `query_error`, version 1."""

from typing import TYPE_CHECKING

from ggrep.base.errors import Busy, GgrepError, Issue, SyncRefused, WorkspaceError
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.model.schemas.failure import ErrorJson, FailureJson, IssueJson


def query_error(error: GgrepError) -> "FailureJson":
    """Return the error object that every surface prints."""
    body: ErrorJson = {"code": error.code, "message": sanitise_line(str(error))}
    if error.request_id:
        body["request_id"] = error.request_id
    if error.snapshot_id:
        body["snapshot_id"] = error.snapshot_id
    if isinstance(error, Busy):
        body["retry_after_ms"] = error.retry_after_ms
    if isinstance(error, WorkspaceError):
        body["issues"] = [issue_json(issue) for issue in error.issues]
    if isinstance(error, SyncRefused):
        body["reasons"] = [sanitise_line(reason) for reason in error.reasons]
    return {"error": body}


def issue_json(issue: Issue) -> "IssueJson":
    """Return one problem of a workspace file."""
    return {
        "code": issue.code,
        "message": sanitise_line(issue.message),
        "path": sanitise_line(issue.path),
        "field": issue.field,
        "reason": issue.reason,
        "hint": issue.hint,
    }

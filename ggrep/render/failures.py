"""Renders an error as JSON (schema `query_error`, version 1) and as text."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ggrep.base.errors import Busy, GgrepError, Issue, SyncRefused, WorkspaceError
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import with_file

if TYPE_CHECKING:
    from ggrep.model.schemas.failure import ErrorJson, FailureJson, IssueJson


def query_error(error: GgrepError) -> "FailureJson":
    """Return the JSON of an error, the same for all surfaces."""
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
    """Return the JSON of an issue in a workspace file."""
    return {
        "code": issue.code,
        "message": sanitise_line(issue.message),
        "path": sanitise_line(issue.path),
        "field": issue.field,
        "reason": issue.reason,
        "hint": issue.hint,
    }


def error_lines(error: GgrepError) -> list[str]:
    """Return the unsanitised lines of an error; a line about a file contains its path."""
    if isinstance(error, WorkspaceError):
        return [_issue_line(issue) for issue in error.issues]
    lines = [str(error)]
    if isinstance(error, SyncRefused) and len(error.reasons) > 1:
        lines += error.reasons
    return lines


def typed_path(arguments: Sequence[str]) -> str | None:
    """Return the repository path in a command line; None if there is no such option."""
    for option, value in zip(arguments, [*arguments[1:], ""], strict=True):
        if option in {"--path", "-p", "--repo"}:
            return value
        if option.startswith(("--path=", "--repo=")):
            return option.partition("=")[2]
    return None


def _issue_line(issue: Issue) -> str:
    line = f":{issue.line}" if issue.line else ""
    place = f"{issue.path}{line}: " if issue.path and issue.path not in issue.message else ""
    hint = f"; {with_file(issue.hint, Path(issue.path))}" if issue.hint else ""
    return f"{place}{issue.message}{hint}"

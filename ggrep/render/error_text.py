"""A failure for people: one line for each problem."""

from pathlib import Path

from ggrep.base.errors import GgrepError, Issue, SyncRefused, WorkspaceError
from ggrep.model.hints import with_file


def error_lines(error: GgrepError) -> list[str]:
    """Return the lines to print, unsanitised; each names its file where there is one."""
    if isinstance(error, WorkspaceError):
        return [_issue_line(issue) for issue in error.issues]
    lines = [f"{error} ({error.code})"]
    if isinstance(error, SyncRefused) and len(error.reasons) > 1:
        lines += error.reasons
    return lines


def _issue_line(issue: Issue) -> str:
    line = f":{issue.line}" if issue.line else ""
    place = f"{issue.path}{line}: " if issue.path and issue.path not in issue.message else ""
    hint = f"; {with_file(issue.hint, Path(issue.path))}" if issue.hint else ""
    return f"{place}{issue.message}{hint} ({issue.code})"

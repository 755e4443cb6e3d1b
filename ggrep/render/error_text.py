"""A failure for people: one line for each problem."""

from collections.abc import Sequence
from pathlib import Path

from ggrep.base.errors import GgrepError, Issue, SyncRefused, WorkspaceError
from ggrep.model.hints import with_file


def error_lines(error: GgrepError) -> list[str]:
    """Return the lines to print, unsanitised; each names its file where there is one."""
    if isinstance(error, WorkspaceError):
        return [_issue_line(issue) for issue in error.issues]
    lines = [str(error)]
    if isinstance(error, SyncRefused) and len(error.reasons) > 1:
        lines += error.reasons
    return lines


def typed_path(arguments: Sequence[str]) -> str | None:
    """Return the repository that an option of a command line names; None for the current one."""
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

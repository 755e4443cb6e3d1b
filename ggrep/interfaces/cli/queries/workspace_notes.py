"""What is told of a workspace's answer beside its hits: cuts, warnings, failures, times."""

import os
from pathlib import Path

from msgspec.structs import replace

from ggrep.federation.attendance import Attended
from ggrep.federation.editing import MERGE_LINE
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_requests import SHARE_LIMIT
from ggrep.federation.workspace import Workspace
from ggrep.model.answer_view import ViewOptions
from ggrep.model.hints import with_file
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

_MOST_NAMED = 8
"""Repositories that one line names; the JSON document has all."""


def merge_told(response: FederatedResponse, cwd: str) -> str:
    """Return a line that nobody said how hits are merged, and what ranks better; else nothing."""
    if not response.merge_unsaid:
        return ""
    file = sanitise_line(str(_file_of(response, cwd)))
    return (
        f"merged by rank only, because neither the command nor {file} sets a strategy;"
        f" better: --merge global, or in {file}: {MERGE_LINE}\n"
    )


def times_of(response: Attended) -> str:
    """Return a line with the total time and the slowest repositories."""
    names = {repo.repo_id: repo.alias or repo.repo_id for repo in response.workspace.repos}
    slowest = sorted(response.repo_elapsed_ms, key=lambda item: (-item[1], item[0]))
    each = ", ".join(f"{names[repo]} {ms:.0f} ms" for repo, ms in slowest[:_MOST_NAMED])
    known = " from memory" if response.from_memory else ""
    return f"{len(response.reports)} repos in {response.elapsed_ms:.0f} ms{known}: {each}\n"


def notices_of(response: Attended, cwd: str) -> list[Notice]:
    """Return the notices, as seen from a directory; repositories with equal ones share a line."""
    told: dict[tuple[str, str], set[str | None]] = {}
    for item in (*response.warnings, *response.errors):
        told.setdefault((item.code, item.message), set()).add(item.repo_id)
    file = _file_of(response, cwd)
    return [
        Notice(code, _prefix(response.workspace, repos) + with_file(message, file))
        for (code, message), repos in told.items()
    ]


def limits_of(response: Attended) -> list[LimitHit]:
    """Return the limits hit, with the repository of each.

    Who ran out of its share of the deadline is among the errors already.
    """
    names = {repo.repo_id: repo.alias or repo.repo_id for repo in response.workspace.repos}
    found = []
    for entry in response.limits_hit:
        limit, repo = entry.limit, names.get(entry.repo_id) if entry.repo_id else None
        if limit.code == SHARE_LIMIT:
            continue
        if repo is not None:
            place = f"{repo}:{limit.path_key}" if limit.path_key else repo
            limit = replace(limit, path_key=place)
        found.append(limit)
    return found


def failure_of(response: Attended, view: ViewOptions) -> str:
    """Return the line of the failure, with the workspace's file in its suggested commands."""
    error = response.error
    if error is None:
        return ""
    mark = Style(view.notes_colour).paint("bad", "error: ")
    line = with_file(str(error), _file_of(response, view.cwd))
    return f"{mark}{sanitise_line(line)}\n"


def for_agent(text: str, response: Attended, view: ViewOptions) -> str:
    """Return what an agent reads, with the workspace's file in its suggested commands."""
    return with_file(text, _file_of(response, view.cwd)) + "\n"


def _file_of(response: Attended, cwd: str) -> Path:
    return Path(os.path.relpath(response.workspace.workspace_path, cwd or None))


def _prefix(workspace: Workspace, repos: set[str | None]) -> str:
    """Return the repositories' names and a colon; empty for the workspace as a whole."""
    names = [repo.alias or repo.repo_id for repo in workspace.repos if repo.repo_id in repos]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}: " if names else ""

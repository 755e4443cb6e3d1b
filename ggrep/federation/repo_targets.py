"""Places of a workspace as they are printed and typed: `alias:path:line`."""

import re
from typing import Final

from msgspec import Struct

from ggrep.base.errors import InvalidRequest
from ggrep.federation.selection import Selection
from ggrep.federation.workspace import Workspace, WorkspaceRepo

_BRACKETED: Final = re.compile(r"\[(?P<repo>[^\]]+)\]\s*(?P<rest>.+)", re.DOTALL)
"""How a search prints a place."""


class RepoTarget(Struct, frozen=True):
    """A target, and where it lies.

    Attributes:
        repo: None where the target does not say.
        target: as one repository takes it.
    """

    repo: WorkspaceRepo | None
    target: str


def label_of(repo: WorkspaceRepo) -> str:
    """Return what a repository is called in places: its alias, else its id."""
    return repo.alias or repo.repo_id


def repo_target(typed: str, workspace: Workspace, selection: Selection) -> RepoTarget:
    """Return the target that was typed; an alias or id in front beats a path that looks so.

    Raises:
        InvalidRequest: it names a repository that is not selected.
    """
    bracketed = _BRACKETED.fullmatch(typed)
    head, colon, rest = (
        (bracketed["repo"], ":", bracketed["rest"]) if bracketed else typed.partition(":")
    )
    folded = head.casefold()
    named = [
        repo
        for repo in workspace.repos
        if folded in {(repo.alias or "").casefold(), repo.repo_id.casefold()}
    ]
    if not (colon and rest and head and named):
        return RepoTarget(None, typed)
    if named[0].repo_id not in selection.repo_ids:
        raise InvalidRequest(f"target: {label_of(named[0])} is not among the selected repositories")
    return RepoTarget(named[0], rest)

"""The document of `ggrep://workspace`: the repositories to search, and their names."""

from collections.abc import Sequence

from ggrep.base.stable_json import Json
from ggrep.federation.workspace import Workspace

WORKSPACES_SCHEMA = 1
"""JSON of the workspaces that a server was started for.

1. First shape.
"""


def workspaces_json(workspaces: Sequence[Workspace]) -> dict[str, Json]:
    """Return the workspaces with their repositories, in the order they were given in."""
    return {
        "schema_version": WORKSPACES_SCHEMA,
        "workspaces": [
            {
                "workspaceId": one.repo_set_id,
                "name": one.name,
                "repos": [
                    {
                        "repoId": repo.repo_id,
                        "alias": repo.alias,
                        "root": str(repo.root_canonical),
                        "enabled": repo.enabled,
                        "tags": list(repo.tags),
                    }
                    for repo in one.repos
                ],
            }
            for one in workspaces
        ],
    }

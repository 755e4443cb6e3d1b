"""The resources: documents that a client can read without calling a tool."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ggrep.base.errors import GgrepError
from ggrep.base.stable_json import Json

if TYPE_CHECKING:
    from ggrep.federation.workspace import Workspace


class ResourceFailed(GgrepError):
    """A resource cannot be read; `code` is the error code of the cause."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class Resource(Struct, frozen=True):
    """A resource of the server; its URI is `ggrep://` and its name."""

    name: str
    title: str
    says: str

    @property
    def uri(self) -> str:
        """Return the resource's URI."""
        return f"ggrep://{self.name}"


RESOURCES: Final = (
    Resource("status", "Index status", "Result of ggrep_status for the server's own repository."),
    Resource("health", "Index health", "Result of ggrep_health for the server's own repository."),
    Resource("workspace", "Workspaces", "Ids and repositories that search_workspace accepts."),
)
"""Resources in the order of the list."""

BY_URI: Final = {resource.uri: resource for resource in RESOURCES}

WORKSPACES_SCHEMA = 1
"""Version of the JSON of a server's workspaces.

1. First shape.
"""


def workspaces_json(workspaces: "Sequence[Workspace]") -> dict[str, Json]:
    """Return the document that lists workspaces and their repositories, in the given order."""
    return {
        "schema_version": WORKSPACES_SCHEMA,
        "workspaces": [
            {
                "workspaceId": workspace.repo_set_id,
                "name": workspace.name,
                "repos": [
                    {
                        "repoId": repo.repo_id,
                        "alias": repo.alias,
                        "root": str(repo.root_canonical),
                        "enabled": repo.enabled,
                        "tags": list(repo.tags),
                    }
                    for repo in workspace.repos
                ],
            }
            for workspace in workspaces
        ],
    }

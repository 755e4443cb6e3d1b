"""The resources: documents that a client can read without calling a tool."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource, `ggrep://` and its name."""

    name: str
    title: str
    says: str

    @property
    def uri(self) -> str:
        """Return its address."""
        return f"ggrep://{self.name}"


RESOURCES: Final = (
    Resource("status", "Index status", "State of the server's own repository, as ggrep_status."),
    Resource("health", "Index health", "Health of the server's own repository, as ggrep_health."),
    Resource("workspace", "Workspaces", "Ids and repositories that search_workspace knows."),
)
"""In the order that they are listed in."""

BY_URI: Final = {resource.uri: resource for resource in RESOURCES}

"""JSON documents for the web page that `ggrep api` serves."""

from collections.abc import Mapping

from msgspec import Struct

from ggrep.model.constraints import Named, Versioned


class PageSession(Versioned, frozen=True, kw_only=True):
    """The credential of a page."""

    key: Named | None
    """Bearer key of the page's requests; null when the server requires no token."""


class PageRepository(Struct, frozen=True):
    """A repository that a page can search."""

    name: str
    """Name of the directory; in a workspace the alias, or the id without an alias."""
    root: str | None
    """Absolute path; null for callers without the token."""


class PageWorkspace(Struct, frozen=True):
    """A workspace file that may be searched."""

    name: Named
    """Name of the file without its ending; unique among the workspaces and the repository."""
    path: Named
    """Absolute path."""
    repositories: tuple[PageRepository, ...]
    """Enabled repositories; none when the file cannot be read."""


class PagePlaces(Versioned, frozen=True, kw_only=True):
    """Repositories and workspaces that a page can search."""

    version: Named
    """Version of the program."""
    repository: PageRepository | None
    """Repository of the server; null for none."""
    workspaces: tuple[PageWorkspace, ...]
    """Workspaces that the server was started with; empty for callers without the token."""
    editors: Mapping[str, str]
    """Links that open a file in an editor, with `{path}` and `{line}`, by the editor's name."""

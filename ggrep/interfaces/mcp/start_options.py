"""The start options of the server: the allowed repositories, and the form of answers."""

from pathlib import Path

from msgspec import Struct


class StartOptions(Struct, frozen=True):
    """The options of the server's command line.

    Attributes:
        directory: base of relative paths; None if it was removed.
        path: the default repository; None for the repository that contains `directory`.
        workspaces: workspace files that calls may name by id, and whose repositories are allowed.
        allowed: further allowed directories; `anywhere` allows all.
        structured: make every result structured.
        legacy: list old names of tools.
    """

    directory: Path | None
    path: Path | None = None
    workspaces: tuple[Path, ...] = ()
    allowed: tuple[Path, ...] = ()
    anywhere: bool = False
    structured: bool = False
    legacy: bool = False

"""The start options of the server: what may be searched, and the form of answers."""

from pathlib import Path

from msgspec import Struct


class StartOptions(Struct, frozen=True):
    """The command line of the server.

    Attributes:
        directory: base of relative paths; None when it is gone.
        path: the default repository; None for the one around `directory`.
        workspaces: files that calls may name by their id, and whose repositories may be used.
        allowed: further directories that may be searched; `anywhere` allows all.
        structured: every result is structured.
        legacy: old names of tools are listed.
    """

    directory: Path | None
    path: Path | None = None
    workspaces: tuple[Path, ...] = ()
    allowed: tuple[Path, ...] = ()
    anywhere: bool = False
    structured: bool = False
    legacy: bool = False

"""The workspace file that a command is about, loaded."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from ggrep.base.errors import UsageError
from ggrep.config.home import Home
from ggrep.config.identity.root import canonical_root
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.parsing.flags import Argument, Flag
from ggrep.interfaces.cli.terminal import Terminal

if TYPE_CHECKING:
    from ggrep.federation.workspace import Workspace


WORKSPACE_SCHEMA: Final = 1
"""Of every document that a workspace command prints."""

FileArgument = Annotated[Path | None, Argument("The workspace file.")]
FileOption = Annotated[
    list[Path] | None, Flag("--workspace", "Use this workspace file; same as FILE.")
]


def load(path: Path, *, whole: bool = False) -> "Workspace":
    """Return the workspace of a file; with `whole`, every repository must exist.

    Raises:
        WorkspaceError: the file is wrong; every issue is in it.
    """
    from ggrep.federation.workspace import load_workspace

    return load_workspace(path, resolve_root=canonical_root, whole=whole)


def chosen_file(file: Path | None, named: Sequence[Path] | None) -> Path:
    """Return the only named file, from the argument or `--workspace`.

    Raises:
        UsageError: none was, or more than one.
    """
    given = [*([file] if file else []), *(named or ())]
    if not given:
        raise UsageError("no workspace file; give FILE or --workspace FILE")
    if len(given) > 1:
        raise UsageError(
            "a workspace file was given more than once",
            code="ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG",
        )
    return given[0]


def home_of(terminal: Terminal) -> Home:
    """Return the ggrep home of the process's environment."""
    return home_from(terminal.environ)

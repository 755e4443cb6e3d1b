"""The workspace file of a command, loaded."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.config.home import Home
from ggrep.config.root import RootFinder
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.parsing.flags import Argument, EncoderFlag, Flag, JsonFlag, PlainFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal

if TYPE_CHECKING:
    from ggrep.federation.workspace import Workspace
    from ggrep.federation.workspace_manifest import WorkspaceManifest


WORKSPACE_SCHEMA: Final = 1
"""Schema version of the documents of workspace commands."""

FileArgument = Annotated[Path | None, Argument("The workspace file.")]
FileOption = Annotated[
    list[Path] | None, Flag("--workspace", "Use this workspace file; same as FILE.")
]


def load(path: Path, *, whole: bool = False) -> "Workspace":
    """Return the workspace of a file; with `whole`, every repository must exist."""
    from ggrep.federation.workspace import load_workspace

    return load_workspace(path, resolve_root=RootFinder(), whole=whole)


def chosen_file(file: Path | None, named: Sequence[Path] | None) -> Path:
    """Return the only named file, from the argument or `--workspace`."""
    given = [*([file] if file else []), *(named or ())]
    if not given:
        raise UsageError("no workspace file; give FILE or --workspace FILE")
    if len(given) > 1:
        raise UsageError(
            "a workspace file was given more than once",
            code="ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG",
        )
    return given[0]


class Survey(Struct, frozen=True):
    """Options of commands that read the state of a workspace's indexes."""

    title: ClassVar = None

    encoder: EncoderFlag = None
    json: JsonFlag = False
    plain: PlainFlag = False

    def open(self, file: Path | None, named: Sequence[Path] | None) -> "Surveyed":
        """Return the workspace of the only named file."""
        terminal = open_terminal(plain=self.plain)
        chosen = chosen_file(file, named)
        return Surveyed(terminal, chosen, load(chosen), home_from(terminal.environ), self.encoder)


class Surveyed(Struct, frozen=True):
    """A workspace whose indexes are read; `file` is as it was typed."""

    terminal: Terminal
    file: Path
    workspace: "Workspace"
    home: Home
    encoder: str | None

    def survey(self) -> "WorkspaceManifest":
        """Return the state of its indexes."""
        from ggrep.federation.manifest_builder import build_manifest

        flags = {"encoder": self.encoder}
        return build_manifest(self.workspace, self.home, self.terminal.environ, flags=flags)

"""Loads the workspace file of a command."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from msgspec import Struct

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import UsageError
from ggrep.config.home import Home
from ggrep.config.root import RootFinder
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.parsing.flags import Argument, EncoderFlag, Flag, JsonFlag, PlainFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal

if TYPE_CHECKING:
    from ggrep.federation.workspace import Workspace
    from ggrep.federation.workspace_state import WorkspaceState
    from ggrep.model.workspace_state import TeamServer


WORKSPACE_SCHEMA: Final = 1
"""Schema version of the documents of workspace commands."""

_SERVER_MS: Final = 5_000
"""Timeout of a team server's list of repositories."""

FileArgument = Annotated[Path | None, Argument("The workspace file.")]
FileOption = Annotated[
    list[Path] | None, Flag("--workspace", "Use this workspace file; same as FILE.")
]


def load(path: Path, *, whole: bool = False) -> "Workspace":
    """Return the workspace of a file; with `whole`, every repository must exist."""
    from ggrep.federation.workspace import load_workspace

    return load_workspace(path, resolve_root=RootFinder(), whole=whole)


def chosen_file(file: Path | None, named: Sequence[Path] | None) -> Path:
    """Return the file from the argument or `--workspace`; naming both is an error."""
    given = [*([file] if file else []), *(named or ())]
    if not given:
        raise UsageError("the workspace file is missing; use FILE or --workspace FILE")
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

    def open(self, file: Path | None, named: Sequence[Path] | None) -> "OpenedWorkspace":
        """Return the workspace of the named file; naming several files is an error."""
        terminal = open_terminal(plain=self.plain)
        chosen = chosen_file(file, named)
        return OpenedWorkspace(
            terminal, chosen, load(chosen), home_from(terminal.environ), self.encoder
        )


class OpenedWorkspace(Struct, frozen=True):
    """A loaded workspace; `file` is its path as typed."""

    terminal: Terminal
    file: Path
    workspace: "Workspace"
    home: Home
    encoder: str | None

    def servers(self) -> "tuple[TeamServer, ...]":
        """Return the state of each team server of the workspace, after a request to the server."""
        if not self.workspace.remotes:
            return ()
        import anyio

        from ggrep.federation.daemon_searcher import KnownHosts
        from ggrep.federation.server_connection import connections
        from ggrep.federation.server_members import TeamServers

        connect = connections(self.home.remotes, self.terminal.environ)
        deadline = Deadline.after(SystemClock(), _SERVER_MS)
        return anyio.run(TeamServers(connect, KnownHosts()).states, self.workspace, deadline)

    def state(self, *, asks: bool = False) -> "WorkspaceState":
        """Return the state of the indexes and, with `asks`, of the running daemons."""
        from ggrep.federation.workspace_state import read_workspace_state

        return read_workspace_state(
            self.workspace,
            self.home,
            self.terminal.environ,
            flags={"encoder": self.encoder},
            clock=SystemClock() if asks else None,
        )

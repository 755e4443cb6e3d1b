"""A workspace file that is read again after it was edited."""

from collections.abc import Callable
from pathlib import Path

from ggrep.base.errors import GgrepError
from ggrep.federation.daemon_upkeep import Change
from ggrep.federation.workspace import Workspace, is_there


class ReloadingFile:
    """Remembers the stamp of the file when it was last read.

    Attributes:
        workspace: of the last edit that could be loaded.
    """

    def __init__(self, path: Path, load: Callable[[Path], Workspace]) -> None:
        """Read the file.

        Raises:
            WorkspaceError: it is wrong.
        """
        self._path = path
        self._load = load
        self._seen = self._look()
        self.workspace = load(path)

    def look(self) -> Change | None:
        """Return the effect of an edit, or of a repository that went missing or came back.

        Of a wrong edit, the workspace of before stays.
        """
        seen, before = self._look(), self.workspace
        is_edited = seen != self._seen
        if not is_edited and all(
            is_there(one.root_abs) == (not one.missing) for one in before.repos
        ):
            return None
        self._seen = seen
        try:
            self.workspace = self._load(self._path)
        except GgrepError as error:
            return Change("workspace_wrong", f"the workspace file is wrong: {error}")
        if is_edited:
            return Change("workspace_changed", "the workspace file was edited")
        if self.workspace == before:
            return None
        return Change("workspace_changed", "repositories went missing or came back")

    def _look(self) -> tuple[int, ...]:
        try:
            found = self._path.stat()
        except OSError:
            return ()
        return (found.st_ino, found.st_size, found.st_mtime_ns)

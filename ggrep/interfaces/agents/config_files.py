"""The clients on this machine: the paths of their configuration files, and whether to edit them."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.config.settings import user_home
from ggrep.interfaces.agents.clients import CLIENTS, Base, Client, ConfigFile, Scope
from ggrep.interfaces.agents.shells import SHELLS
from ggrep.interfaces.agents.text_edit import Refused

_BASES: Final = {
    "home": ("", ""),
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", ".local/share"),
    "claude": ("CLAUDE_CONFIG_DIR", ".claude"),
    "claude-state": ("CLAUDE_CONFIG_DIR", ""),
    "codex": ("CODEX_HOME", ".codex"),
    "zsh": ("ZDOTDIR", ""),
}
"""The user's directories: for each, its environment variable and its default in the home."""


class ConfigFiles(Struct, frozen=True):
    """The directories that contain configuration files of clients.

    Attributes:
        project: root of the repository; None for the user's files.
    """

    home: Path
    project: Path | None
    environ: Mapping[str, str]

    @classmethod
    def of(cls, environ: Mapping[str, str], project: Path | None) -> "ConfigFiles":
        """Return the directories that environment variables and defaults determine."""
        return cls(user_home(environ), project, environ)

    @property
    def scope(self) -> Scope:
        """Return whether the directories belong to the user or to a project."""
        return "user" if self.project is None else "project"

    def base(self, base: Base) -> Path:
        """Return the path of a base directory."""
        if base == "project":
            if self.project is None:
                raise Refused("no project is given")
            return self.project
        variable, below = _BASES[base]
        named = self._named(variable)
        return self.home / below if named is None else named

    def path_of(self, target: ConfigFile) -> Path:
        """Return the first existing path of a configuration file, or else its first path."""
        paths = [self.base(target.base) / path for path in target.paths]
        return next((path for path in paths if os.path.lexists(path)), paths[0])

    def real(self, path: Path) -> Path:
        """Return the file at `path` after following symbolic links.

        Raises:
            Refused: a link is broken or points outside the home or project, or the target is not a
                regular file.
        """
        try:
            real = path.resolve()
        except (OSError, RuntimeError) as error:
            raise Refused("the path contains a loop of symbolic links") from error
        if not any(real.is_relative_to(top) for top in self._allowed()):
            top = "home directory" if self.project is None else "project"
            raise Refused(f"the file is a link to a file outside the {top}")
        if path.is_symlink() and not real.exists():
            raise Refused("the file is a broken link")
        if real.exists() and not real.is_file():
            raise Refused("the path is not a regular file")
        return real

    def _allowed(self) -> list[Path]:
        if self.project is not None:
            return [self.project.resolve()]
        named = (self._named(variable) for variable, _ in _BASES.values())
        tops = [self.home, *filter(None, named)]
        return [top.resolve() for top in tops]

    def _named(self, variable: str) -> Path | None:
        value = self.environ.get(variable, "")
        return Path(value) if value.startswith("/") else None


def is_there(client: Client, places: ConfigFiles) -> bool:
    """Return whether a client's program is on PATH, or a folder of its configuration exists."""
    path = places.environ.get("PATH", "")
    if any(shutil.which(program, path=path) for program in client.programs):
        return True
    return any((places.base(base) / folder).exists() for base, folder in client.folders)


def those_there(places: ConfigFiles) -> list[Client]:
    """Return the installed clients, in the order of `CLIENTS`."""
    return [client for client in CLIENTS.values() if is_there(client, places)]


def shell_of(environ: Mapping[str, str]) -> Client | None:
    """Return the user's shell; None if ggrep has no completions for this shell."""
    return SHELLS.get(environ.get("SHELL", "").rpartition("/")[2])


def command_of(environ: Mapping[str, str]) -> str:
    """Return the command that starts ggrep: its name if it is on PATH, else its script's path.

    The PATH of an active virtual environment does not count, as clients start from other shells.
    """
    script = Path(sys.executable).with_name("ggrep")
    reached = shutil.which("ggrep", path=environ.get("PATH", ""))
    in_environment = sys.prefix != sys.base_prefix
    if reached and not (in_environment and Path(reached).parent == script.parent):
        return "ggrep"
    return str(script) if script.is_file() else "ggrep"

"""Where the files of a client are on this machine, and which of them may be written."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.config.settings import user_home
from ggrep.interfaces.agents.clients import Base, Scope, Target
from ggrep.interfaces.agents.pieces import Refused

_BASES: Final = {
    "home": ("", ""),
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", ".local/share"),
    "claude": ("CLAUDE_CONFIG_DIR", ".claude"),
    "claude-state": ("CLAUDE_CONFIG_DIR", ""),
    "codex": ("CODEX_HOME", ".codex"),
    "zsh": ("ZDOTDIR", ""),
}
"""Directories of a user: the variable that names one, and where it is below the home otherwise."""


class Places(Struct, frozen=True):
    """The directories that files of clients are relative to.

    Attributes:
        project: root of the repository; None where only the user's files are meant.
    """

    home: Path
    project: Path | None
    environ: Mapping[str, str]

    @classmethod
    def of(cls, environ: Mapping[str, str], project: Path | None) -> "Places":
        """Return those of a user."""
        return cls(user_home(environ), project, environ)

    @property
    def scope(self) -> Scope:
        """Return which files are meant."""
        return "user" if self.project is None else "project"

    def base(self, base: Base) -> Path:
        """Return a directory.

        Raises:
            Refused: there is none, as no project is meant.
        """
        if base == "project":
            if self.project is None:
                raise Refused("no project is meant")
            return self.project
        variable, below = _BASES[base]
        named = self._named(variable)
        return self.home / below if named is None else named

    def path_of(self, target: Target) -> Path:
        """Return the file of a target: the first that exists, else the first."""
        paths = [self.base(target.base) / path for path in target.paths]
        return next((path for path in paths if os.path.lexists(path)), paths[0])

    def real(self, path: Path) -> Path:
        """Return the file that is read and written for `path`, links followed.

        Raises:
            Refused: a link leads out of the home or project, or nowhere; or it is no plain file.
        """
        try:
            real = path.resolve()
        except (OSError, RuntimeError) as error:
            raise Refused("its links form a loop") from error
        if not any(real.is_relative_to(top) for top in self._allowed()):
            top = "home directory" if self.project is None else "project"
            raise Refused(f"it is a link that leads out of the {top}")
        if path.is_symlink() and not real.exists():
            raise Refused("it is a broken link")
        if real.exists() and not real.is_file():
            raise Refused("it is not a regular file")
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

"""Caches the addresses of repositories' daemons until settings may have changed."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from ggrep.config.home import Home
from ggrep.config.settings_files import REPO_FILE
from ggrep.index.embedding.identity import TRANSFORMER
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange

_Look: TypeAlias = tuple[tuple[int, ...] | None, ...]


@dataclass(slots=True)
class DaemonAddresses:
    """A cache of addresses by root; thread-safe.

    Otherwise each federated search would read and hash the settings of every repository of its
    workspace.
    """

    home: Home
    environ: Mapping[str, str]
    flags: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    build: str = field(default="", kw_only=True)
    client_name: str = field(default="", kw_only=True)
    _cache: dict[Path, tuple[_Look, DaemonAddress]] = field(default_factory=dict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)
    _config_file: str = field(init=False)

    def __post_init__(self) -> None:
        self._config_file = str(self.home.config_file)

    def of(self, root: Path) -> DaemonAddress:
        """Return the daemon's address for the repository at a canonical root."""
        # It changes with a settings file, or with the kind of the root. A link of the user's own is
        # followed when it is read, and does not change with its file.
        user_file = _stamp(self._config_file, follows=True)
        look = _stamp(f"{root}/{REPO_FILE}"), user_file, _stamp(f"{root}/.git")
        with self._lock:
            cached = self._cache.get(root)
        if cached is not None and cached[0] == look:
            return cached[1]
        address = arrange(
            root,
            self.home,
            environ=self.environ,
            flags=self.flags,
            build=self.build,
            client_name=self.client_name,
        )
        # A model's folder is part of who we are and is not looked at here.
        if not address.settings.encoder.startswith(TRANSFORMER):
            with self._lock:
                self._cache[root] = (look, address)
        return address


def _stamp(path: str, *, follows: bool = False) -> tuple[int, ...] | None:
    try:
        status = os.stat(path, follow_symlinks=follows)  # noqa: PTH116 - of each, every time
    except OSError:
        return None
    # A directory's times change with every commit.
    if stat.S_ISDIR(status.st_mode) or (stat.S_ISLNK(status.st_mode) and os.path.isdir(path)):  # noqa: PTH112 - of each, every time
        return status.st_dev, status.st_ino
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

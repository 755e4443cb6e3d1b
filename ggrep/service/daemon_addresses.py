"""Caches the addresses of daemons until settings files change."""

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
    """A thread-safe cache of daemon addresses by root.

    Without the cache, each workspace search would read and hash the settings of every repository.
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
        """Return the address of the daemon for a canonical root."""
        # The address depends on the settings files and on whether the root has `.git`. The user's
        # settings file may be a link: its target is checked, as edits do not change the link.
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
        # The address depends on a model's directory, whose changes are not checked here.
        if not address.settings.encoder.startswith(TRANSFORMER):
            with self._lock:
                self._cache[root] = (look, address)
        return address


def _stamp(path: str, *, follows: bool = False) -> tuple[int, ...] | None:
    try:
        status = os.stat(path, follow_symlinks=follows)  # noqa: PTH116 - called often
    except OSError:
        return None
    # The times of the `.git` directory change with every commit.
    if stat.S_ISDIR(status.st_mode) or (stat.S_ISLNK(status.st_mode) and os.path.isdir(path)):  # noqa: PTH112 - called often
        return status.st_dev, status.st_ino
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

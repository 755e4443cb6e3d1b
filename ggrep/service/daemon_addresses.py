"""Caches the addresses of repositories' daemons until settings may have changed."""

import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TypeAlias

from ggrep.config.files import REPO_FILE
from ggrep.config.home import Home
from ggrep.index.embedding.identity import TRANSFORMER
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange

_Look: TypeAlias = tuple[tuple[int, ...] | None, ...]


class DaemonAddresses:
    """A cache of addresses by root; thread-safe.

    A federated search meets every repository of its workspace, each of which would otherwise have
    its settings read and hashed for every question.
    """

    def __init__(
        self,
        home: Home,
        environ: Mapping[str, str],
        *,
        flags: Mapping[str, object] = MappingProxyType({}),
        build: str = "",
        client_name: str = "",
    ) -> None:
        """Read nothing yet.

        Args:
            home: where stores and sockets lie.
            environ: what settings are read from.
            flags: settings that beat all others.
            build: of this program.
            client_name: who asks; empty for the name that the environment gives.
        """
        self._home = home
        self._environ = environ
        self._flags = flags
        self._build = build
        self._client_name = client_name
        self._held: dict[Path, tuple[_Look, DaemonAddress]] = {}
        self._lock = Lock()

    def of(self, root: Path) -> DaemonAddress:
        """Return the daemon's address for the repository at a canonical root.

        Raises:
            InvalidRequest: a settings file or variable is wrong.
        """
        look = self._look(root)
        with self._lock:
            held = self._held.get(root)
        if held is not None and held[0] == look:
            return held[1]
        address = arrange(
            root,
            self._home,
            environ=self._environ,
            flags=self._flags,
            build=self._build,
            client_name=self._client_name,
        )
        # A model's folder is part of who we are and is not looked at here.
        if not address.settings.encoder.startswith(TRANSFORMER):
            with self._lock:
                self._held[root] = (look, address)
        return address

    def _look(self, root: Path) -> _Look:
        """Return a key that changes with a settings file, or with the kind of the root."""
        # A link of the user's own is followed when it is read, and does not change with its file.
        linked = Path(os.path.realpath(self._home.config_file))
        places = (root / REPO_FILE, self._home.config_file, linked, root / ".git")
        return tuple(_stamp(path) for path in places)


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if os.path.isdir(path):  # noqa: PTH112 - its times change with every commit
        return found.st_dev, found.st_ino
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

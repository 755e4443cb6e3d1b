"""Detects changes of the files that a root's settings come from."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from ggrep.base.errors import InvalidRequest
from ggrep.config.confined import read_descriptor
from ggrep.config.files import REPO_FILE
from ggrep.config.home import Home
from ggrep.config.profiles import Profile
from ggrep.config.settings import Settings, load_settings

_TRIES = 5
_MOST_BYTES = 1 << 20


class LoadedConfig(Struct, frozen=True):
    """Settings, with the bytes of the files they were read from.

    Attributes:
        files: path and bytes of each file; None where there was none, which counts as well.
        profile: the one in force.
    """

    settings: Settings
    files: tuple[tuple[Path, bytes | None], ...]
    profile: Profile = field(default_factory=lambda: Profile(""))

    def present(self) -> tuple[tuple[Path, bytes | None], ...]:
        """Return what the files hold now."""
        return tuple((path, _bytes_of(path)) for path, _ in self.files)

    def is_current(self) -> bool:
        """Return whether every file still holds the same bytes."""
        return self.present() == self.files


def load_config(
    root: Path, home: Home, environ: Mapping[str, str], flags: Mapping[str, object]
) -> LoadedConfig:
    """Return the settings of a root, with the bytes they were read from.

    Raises:
        InvalidRequest: a file or variable is wrong, or the files change without end.
    """
    paths = (root / REPO_FILE, home.config_file)
    for _ in range(_TRIES):
        before = tuple((path, _bytes_of(path)) for path in paths)
        found = load_settings(home, root, environ=environ, flags=flags)
        loaded = LoadedConfig(found.settings, before, found.profile)
        # What was read between the two looks is what the bytes say.
        if loaded.is_current():
            return loaded
    raise InvalidRequest(f"{REPO_FILE}: changes while it is read")


def _bytes_of(path: Path) -> bytes | None:
    try:
        # Opening a FIFO that took the file's place must not wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return read_descriptor(descriptor, most_bytes=_MOST_BYTES) if regular else None
    except OSError:
        return None
    finally:
        os.close(descriptor)

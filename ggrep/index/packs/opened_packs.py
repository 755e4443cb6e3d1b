"""The packs of a home, opened in one process for as long as they lie as they were."""

from pathlib import Path
from threading import Lock

from msgspec import Struct

from ggrep.base.errors import CorruptStore, Incompatible, StoreError
from ggrep.config.home import Home
from ggrep.index.packs.pack_directory import pack_files
from ggrep.index.packs.pack_image import Pack, open_pack
from ggrep.index.store.verify import Stamp, stamp_of


class _Held(Struct, frozen=True):
    """A pack as it was opened, and how its file lay before; None for what cannot be read."""

    stamp: Stamp
    pack: Pack | None


class OpenedPacks:
    """Opens packs once each, and looks before each question whether they still lie so.

    Threads may share it.
    """

    def __init__(self, home: Home) -> None:
        """Open nothing yet."""
        self._home = home
        self._lock = Lock()
        self._opened: dict[Path, _Held] = {}

    def packs(self) -> tuple[Pack, ...]:
        """Return the packs that can be read, the newest first.

        What is mapped must not be shorter than it was, so each file is looked at first. A file that
        is not what was written counts as none until it is another one, one that cannot be read now
        until the next question.
        """
        with self._lock:
            files = self._files()
            held = [(path, self._held(path)) for path in files]
            self._opened = {path: one for path, one in held if one is not None}
            return tuple(one.pack for _, one in held if one is not None and one.pack is not None)

    def _files(self) -> list[Path]:
        """Return the packs that lie there; those that are open while that cannot be told."""
        try:
            return pack_files(self._home)
        except OSError:
            return sorted(self._opened, reverse=True)

    def _held(self, path: Path) -> _Held | None:
        known = self._opened.get(path)
        try:
            stamp = stamp_of(str(path))
            if known is not None and known.stamp == stamp:
                return known
            return _Held(stamp, _opened(path))
        except (OSError, StoreError):
            return None  # another process packed it into another one meanwhile


def _opened(path: Path) -> Pack | None:
    try:
        return open_pack(path)
    except (CorruptStore, Incompatible):
        return None

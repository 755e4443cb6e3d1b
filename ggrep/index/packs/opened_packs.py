"""The packs of a home, kept open in one process as long as their files are unchanged."""

from pathlib import Path
from threading import Lock

from msgspec import Struct

from ggrep.base.errors import CorruptStore, Incompatible, StoreError
from ggrep.config.home import Home
from ggrep.index.packs.pack_directory import pack_files
from ggrep.index.packs.pack_image import Pack, open_pack
from ggrep.index.store.verify import Stamp, stamp_of


class _OpenedPack(Struct, frozen=True):
    """An opened pack, with the stat of its file; `pack` is None if the pack is damaged."""

    stamp: Stamp
    pack: Pack | None


class OpenedPacks:
    """Opens each pack once, and checks before each query that its file is unchanged.

    Thread-safe.
    """

    def __init__(self, home: Home) -> None:
        """Open nothing yet."""
        self._home = home
        self._lock = Lock()
        self._opened: dict[Path, _OpenedPack] = {}

    def packs(self) -> tuple[Pack, ...]:
        """Return the packs that can be read, the newest first.

        Each file is checked first, because reading a mapped file that was truncated would end the
        process. A damaged file is ignored until it is replaced. A file that cannot be read now is
        ignored until the next query.
        """
        with self._lock:
            files = self._files()
            opened = [(path, self._reopened(path)) for path in files]
            self._opened = {path: entry for path, entry in opened if entry is not None}
            return tuple(
                entry.pack for _, entry in opened if entry is not None and entry.pack is not None
            )

    def _files(self) -> list[Path]:
        """Return the existing packs; return the open packs if the directory cannot be read."""
        try:
            return pack_files(self._home)
        except OSError:
            return sorted(self._opened, reverse=True)

    def _reopened(self, path: Path) -> _OpenedPack | None:
        known = self._opened.get(path)
        try:
            stamp = stamp_of(str(path))
            if known is not None and known.stamp == stamp:
                return known
            return _OpenedPack(stamp, _opened(path))
        except (OSError, StoreError):
            return None  # another process merged it into another pack meanwhile


def _opened(path: Path) -> Pack | None:
    try:
        return open_pack(path)
    except (CorruptStore, Incompatible):
        return None

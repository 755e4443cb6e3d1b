"""The packs of a home, opened in one process for as long as they lie as they were."""

from pathlib import Path
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import CorruptStore, Incompatible, StoreError
from ggrep.config.home import Home
from ggrep.index.packs.pack_directory import pack_files, texts_file
from ggrep.index.packs.pack_image import Pack, open_pack
from ggrep.index.packs.pack_texts import PackTexts, open_texts
from ggrep.index.store.verify import Stamp, stamp_of, stamp_or_none


class _Held(Struct, frozen=True):
    """A pack as it was opened, and how its files lay before; None for what cannot be read."""

    stamp: Stamp
    pack: Pack | None
    texts_stamp: Stamp | None


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
            stamp, texts_stamp = stamp_of(str(path)), stamp_or_none(str(texts_file(path)))
        except OSError:
            return None  # somebody packed it into another one meanwhile
        if known is not None and (known.stamp, known.texts_stamp) == (stamp, texts_stamp):
            return known
        same = known is not None and known.stamp == stamp
        try:
            pack = known.pack if known is not None and same else _opened(path)
            if pack is not None:
                pack = replace(pack, texts=_texts(path, pack) if texts_stamp else None)
        except StoreError:
            return None
        return _Held(stamp, pack, texts_stamp)


def _opened(path: Path) -> Pack | None:
    try:
        return open_pack(path)
    except (CorruptStore, Incompatible):
        return None


def _texts(path: Path, pack: Pack) -> PackTexts | None:
    try:
        return open_texts(texts_file(path), pack.image, pack.digest)
    except (CorruptStore, Incompatible):
        return None

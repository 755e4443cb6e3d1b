"""A log file that rotates by size, and the size limit that a directory's logs share.

`NAME.jsonl` is written to; `NAME.jsonl.1` is the one before it, and so on. A line is in one file
as a whole. The same lines give the same files, whatever the time.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from ggrep.base.durable import make_directory
from ggrep.base.modes import modes_in

SUFFIX: Final = ".jsonl"
_ROTATED = re.compile(r".+\.jsonl\.[0-9]+")
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class LogFile:
    """The newest of at most `files` files of at most `max_bytes` each; one thread at a time."""

    def __init__(self, path: Path, *, max_bytes: int, files: int, total_bytes: int = 0) -> None:
        """Write nothing yet.

        Args:
            path: the file to write to; its directory is made when it is missing.
            max_bytes: of each file.
            files: this one and those before it.
            total_bytes: of all log files in the directory; 0 for no bound.
        """
        self._path = path
        self._files = files
        self._total_bytes = total_bytes
        # A quarter, so that the rest of the room can be cleared without touching what is written.
        self._max_bytes = min(max_bytes, total_bytes // 4) if total_bytes else max_bytes
        self._descriptor = -1

    def append(self, line: bytes) -> None:
        """Write one line, completely or not at all.

        Raises:
            OSError: it could not be written, or is longer than a file may be.
        """
        if len(line) > self._max_bytes:
            raise OSError(f"a line of {len(line)} bytes, where a file holds {self._max_bytes}")
        before = self._ready(len(line))
        written = os.write(self._descriptor, line)
        if written != len(line):
            os.ftruncate(self._descriptor, before)
            raise OSError(f"{written} of {len(line)} bytes were written: no room")

    def close(self) -> None:
        """Close the file; the next line reopens it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _ready(self, coming: int) -> int:
        """Return the size of the open file, rotated if so many more bytes would not fit."""
        while True:
            self._open()
            held = os.fstat(self._descriptor)
            if held.st_nlink and held.st_size + coming <= self._max_bytes:
                return held.st_size
            # Another process may have rotated or removed what this one wrote to: then what has
            # the name now is another file, to go on in.
            if self._is_named(held):
                self._rotate()
            self.close()

    def _open(self) -> None:
        if self._descriptor >= 0:
            return
        directory = self._path.parent
        make_directory(directory)
        mode = modes_in(directory).file
        self._descriptor = os.open(self._path, _FLAGS, mode)
        held = os.fstat(self._descriptor)
        if held.st_uid == os.geteuid():
            os.fchmod(self._descriptor, mode)
        if held.st_size and os.pread(self._descriptor, 1, held.st_size - 1) != b"\n":
            os.write(self._descriptor, b"\n")  # a crash cut the last line short
        make_room(directory, self._total_bytes, keep=self._path, coming=self._max_bytes)

    def _is_named(self, held: os.stat_result) -> bool:
        with suppress(FileNotFoundError):
            return os.path.samestat(held, self._path.stat())
        return False

    def _rotate(self) -> None:
        for number in range(self._files - 1, 0, -1):
            source = self._numbered(number - 1)
            with suppress(FileNotFoundError):
                source.replace(self._numbered(number))
        if self._files == 1:
            self._path.unlink(missing_ok=True)

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path


def make_room(directory: Path, total_bytes: int, *, keep: Path, coming: int) -> None:
    """Delete log files until `coming` bytes more in `keep` would not pass the total.

    Rotated files of any store go first, the oldest before the newer; then what other stores write
    to: a writer whose file is gone begins another. 0 is no bound.
    """
    if not total_bytes:
        return
    found = []
    for path in sorted(directory.iterdir()):
        rotated = bool(_ROTATED.fullmatch(path.name))
        if rotated or path.suffix == SUFFIX:
            with suppress(FileNotFoundError):
                held = path.stat()
                found.append((not rotated, held.st_mtime_ns, path.name, held.st_size))
    own = sum(size for *_, name, size in found if name == keep.name)
    used = sum(size for *_, size in found) - own + max(own, coming)
    for *_, name, size in sorted(found):
        if used <= total_bytes:
            return
        if name != keep.name:
            (directory / name).unlink(missing_ok=True)
            used -= size

"""Packs a segment's table into one file: a header that lists its files, then the files' content.

The header is one line of JSON, `[["path", bytes], ...]` in the order of the table's digest. Packing
the same table always yields the same bytes.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from ggrep.base import durable, stable_json
from ggrep.base.errors import NotTrusted
from ggrep.base.ids import SegmentName
from ggrep.index.store.tables import table_files

_MOST_HEADER: Final = 1 << 20
_PART: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
_MOST_PARTS: Final = 4
_MOST_FILES: Final = 256


def pack(store: Path, segment: SegmentName, goal: Path) -> None:
    """Write a segment's table into one new file."""
    files = table_files(store, segment)
    listed: stable_json.Json = [[name, path.stat().st_size] for path, name in files]
    with _new(goal) as file:
        file.write(stable_json.dumps(listed) + b"\n")
        for path, _ in files:
            with path.open("rb") as data:
                shutil.copyfileobj(data, file)


def unpack(packed: Path, goal: Path) -> None:
    """Unpack a packed file into a table's directory, and sync it.

    Raises:
        NotTrusted: the file is not a packed table; the caller must remove the unpacked files.
    """
    with packed.open("rb") as data:
        for name, size in _header(data):
            file = goal / name
            durable.make_directory(file.parent)
            with _new(file) as out:
                if _copied(data, out, size) != size:
                    raise NotTrusted("a packed table ends too early")
        if data.read(1):
            raise NotTrusted("a packed table has trailing bytes")
    durable.sync_tree(goal)


def _header(data: BinaryIO) -> list[tuple[str, int]]:
    line = data.readline(_MOST_HEADER)
    try:
        listed = stable_json.loads(line)
        files = [(name, size) for name, size in listed]
    except (ValueError, TypeError) as error:
        raise NotTrusted("a packed table has no valid header") from error
    for name, size in files:
        if not isinstance(name, str) or type(size) is not int or size < 0 or not _is_safe(name):
            raise NotTrusted("the header of a packed table contains an invalid file name or size")
    if not 0 < len({name for name, _ in files}) == len(files) <= _MOST_FILES:
        raise NotTrusted(
            "the header of a packed table lists no files, too many files, or one twice"
        )
    return files


def _is_safe(name: str) -> bool:
    """Return whether a path has the form of LanceDB's paths: inside the directory, not hidden."""
    parts = name.split("/")
    return len(parts) <= _MOST_PARTS and all(map(_PART.fullmatch, parts))


def _copied(data: BinaryIO, out: BinaryIO, size: int) -> int:
    done = 0
    while done < size and (chunk := data.read(min(1 << 20, size - done))):
        out.write(chunk)
        done += len(chunk)
    return done


@contextmanager
def _new(path: Path) -> Iterator[BinaryIO]:
    with durable.new_file(path) as descriptor, os.fdopen(os.dup(descriptor), "wb") as file:
        yield file

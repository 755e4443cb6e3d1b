"""Sizes on disk: bytes of a store, size and digest of a file."""

import hashlib
import os
from pathlib import Path


def store_bytes(directory: Path) -> int:
    """Return the bytes of all files below a directory.

    A file that is removed during the count is ignored.
    """
    total, ahead = 0, [str(directory)]
    while ahead:
        try:
            with os.scandir(ahead.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        ahead.append(entry.path)
                    else:
                        total += _size(entry)
        except (FileNotFoundError, NotADirectoryError):
            continue
    return total


def measure_file(path: Path) -> tuple[int, str]:
    """Return a file's size in bytes and its SHA-256."""
    with path.open("rb") as file:
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()


def _size(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        return 0

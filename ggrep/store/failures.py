"""What a failed read says: that an artifact is damaged, or nothing about it at all.

A process that ran out of file descriptors must not take a sound snapshot for a damaged one and
answer from an older.
"""

import errno
import os
import re

from ggrep.errors import CorruptStore, StoreError

_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR})
_IN_WORDS = re.compile(r"\(os error (\d+)\)")


def read_failure(what: str, error: OSError) -> StoreError:
    """Return damage when `what` is not there, else an error that no fallback heals."""
    return _failure(what, error.errno or 0)


def table_failure(what: str, error: Exception) -> StoreError:
    """Return the same for lancedb, which tells a failed system call in words only."""
    number = system_error(error)
    return CorruptStore(f"{what} cannot be read") if number is None else _failure(what, number)


def system_error(error: Exception) -> int | None:
    """Return the number of the system call's error behind an error; None when there is none."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    found = _IN_WORDS.search(str(error))
    return int(found[1]) if found else None


def _failure(what: str, number: int) -> StoreError:
    if number in _GONE:
        return CorruptStore(f"{what} is missing")
    return StoreError(f"{what} cannot be read: {os.strerror(number)}")

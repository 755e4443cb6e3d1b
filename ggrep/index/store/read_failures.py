"""Tells whether a failed read means that an artifact is damaged.

A process that ran out of file descriptors must not take a sound snapshot for a damaged one and
answer from an older.
"""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ggrep.base.errors import CorruptStore, StoreError

_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR})
_IN_WORDS = re.compile(r"\(os error (\d+)\)")


@contextmanager
def typed_failures(base: Path) -> Iterator[None]:
    """Turn a failed system call in the block into an error that an operator understands.

    It stands where work on a store begins, because any of its steps may meet a full disk, and what
    a failed step leaves behind is the next writer's to remove.

    Args:
        base: what file names are shown relative to.

    Raises:
        StoreError: names the file and what the system said.
    """
    try:
        yield
    except BrokenPipeError:
        raise  # whoever watched the progress is gone: no file of ours
    except OSError as error:
        raise call_failure(error, base) from error


def read_failure(what: str, error: OSError) -> StoreError:
    """Return damage when `what` is not there, else an error that no fallback heals."""
    return _failure(what, error.errno or 0)


def table_failure(what: str, error: BaseException) -> StoreError:
    """Return the same for lancedb, which tells a failed system call in words only."""
    number = system_error(error)
    return CorruptStore(f"{what} cannot be read") if number is None else _failure(what, number)


def system_error(error: BaseException) -> int | None:
    """Return the number of the system call's error behind an error; None when there is none."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    found = _IN_WORDS.search(str(error))
    return int(found[1]) if found else None


def call_failure(error: OSError, base: Path) -> StoreError:
    """Return the failed call with its file's name, never with an absolute path."""
    said = os.strerror(error.errno) if error.errno else str(error)
    if not isinstance(error.filename, str | bytes | os.PathLike):
        return StoreError(f"a file of the store: {said}")
    path = Path(os.fsdecode(error.filename))
    shown = path.relative_to(base).as_posix() if base in path.parents else path.name
    return StoreError(f"{shown}: {said}")


def _failure(what: str, number: int) -> StoreError:
    if number in _GONE:
        return CorruptStore(f"{what} is missing")
    return StoreError(f"{what} cannot be read: {os.strerror(number)}")

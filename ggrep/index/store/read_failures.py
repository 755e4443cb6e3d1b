"""Separates damage of an artifact from transient failures to read it.

A process without free file descriptors must not treat an intact snapshot as damaged and answer from
an older one.
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
    """Convert a failed system call in the block into an error that an operator understands.

    The block is the whole work on a store, because the disk may be full at any step. The next
    writer removes the files of a failed step.

    Args:
        base: file names are shown relative to it.

    Raises:
        StoreError: it names the file and the system's reason.
    """
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of the progress has closed its pipe: not a file of the store
    except OSError as error:
        raise call_failure(error, base) from error


def read_failure(what: str, error: OSError) -> StoreError:
    """Return CorruptStore if `what` is missing; else StoreError, which no fallback avoids."""
    return _failure(what, error.errno or 0)


def table_failure(what: str, error: BaseException) -> StoreError:
    """Return the same for lancedb, whose errors name a failed system call in their text only."""
    number = system_error(error)
    return CorruptStore(f"{what} cannot be read") if number is None else _failure(what, number)


def system_error(error: BaseException) -> int | None:
    """Return the errno that caused an error; None if no system call did."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    number = _IN_WORDS.search(str(error))
    return int(number[1]) if number else None


def call_failure(error: OSError, base: Path) -> StoreError:
    """Return the error for a failed call, with its file's name and without an absolute path."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    if not isinstance(error.filename, str | bytes | os.PathLike):
        return StoreError(f"a file of the store: {reason}")
    path = Path(os.fsdecode(error.filename))
    shown = path.relative_to(base).as_posix() if base in path.parents else path.name
    return StoreError(f"{shown}: {reason}")


def _failure(what: str, number: int) -> StoreError:
    if number in _GONE:
        return CorruptStore(f"{what} is missing")
    return StoreError(f"{what} cannot be read: {os.strerror(number)}")

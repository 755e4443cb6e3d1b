"""Distinguishes damage of an artifact from temporary failures to read it.

For example, a process without free file descriptors must not treat an intact snapshot as damaged
and answer from an older snapshot.
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
    """Convert the error of a failed system call in the block into an error with a clear message.

    The block comprises the whole work on a store, because the disk can be full at any step. The
    next writer removes the files of a failed step.

    Args:
        base: directory to which file names in messages are relative.

    Raises:
        StoreError: the message contains the file and the system's reason.
    """
    try:
        yield
    except BrokenPipeError:
        raise  # the pipe for progress reports is closed: this is not a file of the store
    except OSError as error:
        raise call_failure(error, base) from error


def read_failure(what: str, error: OSError) -> StoreError:
    """Return CorruptStore if `what` is missing; else StoreError, so no older snapshot answers."""
    return _failure(what, error.errno or 0)


def table_failure(what: str, error: BaseException) -> StoreError:
    """Return the error to raise for an error of lancedb; its text may name a failed system call."""
    number = system_error(error)
    return CorruptStore(f"{what} cannot be read") if number is None else _failure(what, number)


def system_error(error: BaseException) -> int | None:
    """Return the errno that caused an error; None if the cause is not a system call."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    number = _IN_WORDS.search(str(error))
    return int(number[1]) if number else None


def call_failure(error: OSError, base: Path) -> StoreError:
    """Return the error for a failed call, with its file's name and without an absolute path."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        reason += "; to see unused indexes: ggrep gc --stores"
    if not isinstance(error.filename, str | bytes | os.PathLike):
        return StoreError(f"a file of the store: {reason}")
    path = Path(os.fsdecode(error.filename))
    shown = path.relative_to(base).as_posix() if base in path.parents else path.name
    return StoreError(f"{shown}: {reason}")


def _failure(what: str, number: int) -> StoreError:
    if number in _GONE:
        return CorruptStore(f"{what} is missing")
    return StoreError(f"{what} cannot be read: {os.strerror(number)}")

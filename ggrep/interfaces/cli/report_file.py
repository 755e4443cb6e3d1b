"""Writes report files to the user's paths, which may be symbolic links or pipes."""

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from ggrep.base import durable
from ggrep.base.errors import UsageError
from ggrep.model.sanitise import sanitise_line


def require_writable(reports: Mapping[str, Path | None], inputs: Iterable[Path]) -> None:
    """Raise unless every report path is writable and distinct; called before the work starts."""
    taken = {_place(path): f"{shown_path(path)}, an input file" for path in inputs}
    for flag, path in reports.items():
        if path is None:
            continue
        try:
            fault = _fault(path)
        except OSError as error:
            raise UsageError(f"{flag}: {shown_path(path)}: {error.strerror or error}") from error
        if fault:
            raise UsageError(f"{flag}: {fault}")
        place = _place(path)
        if place in taken:
            raise UsageError(f"{flag}: {shown_path(path)} is the same file as {taken[place]}")
        taken[place] = flag


def write_report(flag: str, path: Path, data: bytes) -> None:
    """Write the report that belongs to a flag.

    A regular file or the target of a link is replaced; a pipe or device is written to.
    """
    if is_standard_output(path):
        sys.stdout.flush()
        _write_into(sys.stdout.fileno(), data)
        return
    try:
        fault = _fault(path)
        if fault:
            raise UsageError(f"{flag}: {fault}")
        if path.exists() and not path.is_file():
            descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY)
            try:
                _write_into(descriptor, data)
            finally:
                os.close(descriptor)
        else:
            durable.replace_file(Path(os.path.realpath(path)), data, mode=0o644)
    except BrokenPipeError as error:
        # Not standard output, whose closed reader is no failure.
        raise UsageError(f"{flag}: {shown_path(path)}: no process reads the pipe") from error
    except OSError as error:
        raise UsageError(f"{flag}: {shown_path(path)}: {error.strerror or error}") from error


def _fault(path: Path) -> str:
    """Return the reason why a report cannot be written to `path`; empty if it can be."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    if stat.S_ISDIR(mode):
        return f"{shown_path(path)}: is a directory"
    if not stat.S_ISREG(mode):
        return "" if os.access(path, os.W_OK) else f"{shown_path(path)}: cannot be written"
    directory = Path(os.path.realpath(path)).parent
    if not directory.is_dir():
        return f"{shown_path(directory)}: no such directory"
    if not os.access(directory, os.W_OK | os.X_OK):
        return f"{shown_path(directory)}: cannot be written"
    return ""


def _place(path: Path) -> tuple[int, int] | str:
    """Return a key that is equal for all paths of one file."""
    try:
        result = path.stat()
    except OSError:
        return os.path.realpath(path)
    return result.st_dev, result.st_ino


def is_standard_output(path: Path) -> bool:
    """Return whether `path` is this process's standard output, which must not be replaced."""
    try:
        return path.exists() and os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def _write_into(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def shown_path(path: Path) -> str:
    """Return a path in its form for messages."""
    return sanitise_line(str(path))

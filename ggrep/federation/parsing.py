"""Parses a workspace file's bytes into a JSON value, within bounds on the parser's input."""

import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import Final

import json5

from ggrep.base.clock import Clock, ThreadClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import DeadlineExceeded, Issue, WorkspaceError
from ggrep.config.confined import open_root
from ggrep.federation.jsonc import JsoncError, read_jsonc

MAX_WORKSPACE_BYTES: Final = 256 * 1024
"""Largest workspace file that is parsed: thousands of repositories."""

PARSE_DEADLINE_MS: Final = 2000
"""Most processor time spent on one file; the worst one of the size above takes half a second."""

MAX_JUDGED_CHARS: Final = 4096
"""Longest text that is judged: the JSON5 parser reads 30 to 140 characters a millisecond."""


_PARSED_KEPT = 8
# Without O_NONBLOCK, opening a FIFO would wait for ever for somebody to write.
_OPENED = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_HINT = "a workspace file is one JSON object; comments and trailing commas are allowed"
_JSON5_HINT = (
    "this is JSON5; use plain JSON, with names and strings in double quotes and decimal "
    "numbers; only comments and trailing commas are allowed in addition"
)


def read_text(path: Path, real: Path | None = None) -> str:
    """Return the text of a workspace file.

    Args:
        path: of the file.
        real: that path free of links; what is read then is there, or nothing is.

    Raises:
        InvalidRequest: a link took the place of the directory it was in.
        WorkspaceError: there is no regular file of bounded size and valid UTF-8 at `path`.
    """
    data = _read_bytes(path, real)
    if len(data) > MAX_WORKSPACE_BYTES:
        message = f"workspace file {path} is larger than {MAX_WORKSPACE_BYTES} bytes"
        raise _parse_failed(path, message, "too-large")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"workspace file {path} is not valid UTF-8 at byte {error.start}"
        raise _parse_failed(path, message, "encoding") from error


def parse_text(text: str, path: Path | str, clock: Clock | None = None) -> object:
    """Return the value that `text` spells; it may be shared, so leave it as it is.

    Requires: `text` is at most `MAX_WORKSPACE_BYTES` long.

    Args:
        text: JSON with comments and trailing commas.
        path: names the file in messages.
        clock: measures `PARSE_DEADLINE_MS`; None for this thread's processor time.

    Raises:
        WorkspaceError: the text is empty, no JSONC, nested too deep or names a key twice, or it
            takes too long.
    """
    try:
        parsed = _parse(text) if clock is None else _parsed_now(text, clock)
    except DeadlineExceeded as error:
        message = f"workspace file {path} takes over {PARSE_DEADLINE_MS} ms to parse (too-slow)"
        raise _parse_failed(path, message, "too-slow") from error
    if isinstance(parsed, JsoncError):
        message = f"workspace file {path} cannot be parsed ({parsed.reason}): {parsed}"
        hint = _JSON5_HINT if parsed.reason == "syntax" and is_json5(text) else _HINT
        raise _parse_failed(path, message, parsed.reason, hint)
    return parsed


def is_json5(text: str) -> bool:
    """Return True for JSON5: single quotes, bare names, hexadecimal numbers and so on.

    A longer text than `MAX_JUDGED_CHARS` is never said to be any.
    """
    if len(text) > MAX_JUDGED_CHARS:
        return False
    try:
        json5.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _read_bytes(path: Path, real: Path | None) -> bytes:
    if not path.name:
        raise _not_found(path)
    try:
        descriptor = os.open(path, _OPENED) if real is None else _open_real(real)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _not_found(path) from error
    except (OSError, ValueError) as error:
        raise _parse_failed(
            path, f"workspace file {path} cannot be opened", "unreadable"
        ) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _parse_failed(path, f"workspace file {path} is not a regular file", "not-regular")
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(MAX_WORKSPACE_BYTES + 1)
    except OSError as error:
        raise _parse_failed(path, f"workspace file {path} cannot be read", "unreadable") from error
    finally:
        os.close(descriptor)


def _open_real(real: Path) -> int:
    directory = open_root(real.parent)
    try:
        return os.open(real.name, _OPENED | os.O_NOFOLLOW, dir_fd=directory)
    finally:
        os.close(directory)


# Keyed by the content itself: two searches over one file parse it once, and an edit is seen.
@lru_cache(maxsize=_PARSED_KEPT)
def _parse(text: str) -> object:
    return _parsed_now(text, ThreadClock())


def _parsed_now(text: str, clock: Clock) -> object:
    try:
        return read_jsonc(text, Deadline.after(clock, PARSE_DEADLINE_MS))
    except JsoncError as error:
        return error


def _not_found(path: Path) -> WorkspaceError:
    message, hint = f"workspace file not found: {path}", "give the path of a .jsonc workspace file"
    issue = Issue("ERR_WORKSPACE_FILE_NOT_FOUND", message, str(path), "$", "missing", hint)
    return WorkspaceError((issue,))


def _parse_failed(path: Path | str, message: str, reason: str, hint: str = _HINT) -> WorkspaceError:
    return WorkspaceError(
        (Issue("ERR_WORKSPACE_PARSE_FAILED", message, str(path), "$", reason, hint),)
    )

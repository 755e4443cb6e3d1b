"""A workspace file's bytes become a JSON value, with bounds on what the parser is given."""

import os
import re
import stat
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

import json5

from ggrep.errors import Issue, WorkspaceError
from ggrep.federation.jsonc import MAX_DEPTH, TRIVIA, JsoncError, scan

MAX_WORKSPACE_BYTES: Final = 256 * 1024
"""Largest workspace file that is parsed; the JSON5 parser reads some 40 KB a second."""

_PARSED_KEPT = 8
_PARSER_PLACE = re.compile(r"^<string>:(\d+) (.*) at column (\d+)$", re.DOTALL)


class _DuplicateKey(Exception):
    """No ValueError, which the parser would wrap in its own."""


def read_text(path: Path) -> str:
    """Return the text of a workspace file.

    Raises:
        WorkspaceError: there is no regular file of bounded size and valid UTF-8 at `path`.
    """
    data = _read_bytes(path)
    if len(data) > MAX_WORKSPACE_BYTES:
        message = f"workspace file {path} is larger than {MAX_WORKSPACE_BYTES} bytes"
        raise _parse_failed(path, message, "too-large")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"workspace file {path} is not valid UTF-8 at byte {error.start}"
        raise _parse_failed(path, message, "encoding") from error


def parse_text(text: str, path: Path | str) -> object:
    """Return the value that `text` spells; it may be shared, so leave it as it is.

    Requires: `text` is at most `MAX_WORKSPACE_BYTES` long. Parsing may take seconds: keep it off
    an event loop.

    Args:
        text: JSON with comments and trailing commas.
        path: names the file in messages.

    Raises:
        WorkspaceError: the text is empty, no JSONC, nested too deep or names a key twice.
    """
    parsed = _parse(text)
    if isinstance(parsed, JsoncError):
        message = f"workspace file {path} cannot be parsed: {parsed}"
        raise _parse_failed(path, message, parsed.reason)
    return parsed


def _read_bytes(path: Path) -> bytes:
    if not path.name:
        raise _not_found(path)
    try:
        # Without O_NONBLOCK, opening a FIFO would wait for ever for somebody to write.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
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


# Keyed by the content itself: two searches over one file parse it once, and an edit is seen.
@lru_cache(maxsize=_PARSED_KEPT)
def _parse(text: str) -> object:
    try:
        kinds = {token.kind for token in scan(text)}
        if kinds <= TRIVIA:
            return JsoncError("it is empty", "empty")
        return json5.loads(text, object_pairs_hook=_object)
    except JsoncError as error:
        problem = error
    except _DuplicateKey as error:
        problem = JsoncError(str(error), "duplicate-key")
    except RecursionError:
        problem = JsoncError(f"nested too deep for the parser (cap {MAX_DEPTH})", "too-deep")
    except ValueError as error:
        problem = JsoncError(_with_place(str(error)))
    return problem


def _object(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateKey(f"key {key!a} stands twice in one object")
        found[key] = value
    return found


def _with_place(message: str) -> str:
    found = _PARSER_PLACE.match(message)
    if found is None:
        return message
    line, what, column = found.groups()
    return f"line {line}, column {column}: {what}"


def _not_found(path: Path) -> WorkspaceError:
    return WorkspaceError(
        (
            Issue(
                code="ERR_WORKSPACE_FILE_NOT_FOUND",
                message=f"workspace file not found: {path}",
                path=str(path),
                field="$",
                reason="missing",
                hint="give the path of a .jsonc workspace file",
            ),
        )
    )


def _parse_failed(path: Path | str, message: str, reason: str) -> WorkspaceError:
    return WorkspaceError(
        (
            Issue(
                code="ERR_WORKSPACE_PARSE_FAILED",
                message=message,
                path=str(path),
                field="$",
                reason=reason,
                hint="a workspace file is one JSON object; comments and trailing commas may stand",
            ),
        )
    )

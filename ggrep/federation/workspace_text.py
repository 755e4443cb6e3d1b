"""Parses the text of a workspace file and finds the positions of its entries."""

import os
import stat
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import json5
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Clock, Deadline, ThreadClock
from ggrep.base.errors import DeadlineExceeded, Issue, WorkspaceError
from ggrep.config.confined import open_root
from ggrep.federation.jsonc import TRIVIA, JsoncError, Token, read_jsonc, scan

MAX_WORKSPACE_BYTES: Final = 256 * 1024
"""Maximum size of a workspace file: enough for thousands of repositories."""

PARSE_DEADLINE_MS: Final = 2000
"""Maximum CPU time for parsing a file; the worst case of the maximum size takes half a second."""

MAX_JUDGED_CHARS: Final = 4096
"""Maximum length of a text to check for JSON5; that parser reads 30 to 140 characters per ms."""


_PARSED_KEPT = 8
# Without O_NONBLOCK, opening a FIFO would block until a process opens it for writing.
_OPENED = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_HINT = "a workspace file is one JSON object; comments and trailing commas are allowed"
_JSON5_HINT = (
    "this is JSON5; use plain JSON, with names and strings in double quotes and decimal "
    "numbers; only comments and trailing commas are allowed in addition"
)


def read_text(path: Path, real: Path | None = None) -> str:
    """Return the text of a workspace file.

    With `real`, the path free of links, only the file at `real` is read.

    Raises:
        InvalidRequest: a link has replaced the directory that contains the file.
        WorkspaceError: `path` is not a regular file, too large, or not valid UTF-8.
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
    """Return the value of a JSONC text. Do not modify the value, as it can be cached.

    Requires: `text` is at most `MAX_WORKSPACE_BYTES` long.

    Args:
        text: JSON with comments and trailing commas.
        path: path of the file, for messages.
        clock: measures `PARSE_DEADLINE_MS`; None for this thread's CPU time.

    Raises:
        WorkspaceError: the text is empty, not JSONC or nested too deep, repeats a key, or takes too
            long to parse.
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
    """Return whether the text is JSON5: single quotes, bare names, hexadecimal numbers and so on.

    The result is False for a text longer than `MAX_JUDGED_CHARS`.
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


# The cache key is the content: two searches over an unchanged file parse it once.
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


TEXT: Final = "(text)"
"""Replaces the file's path in messages about a text."""

_REPOS_HINT: Final = 'write "repos": [] into the object'
_KEY_DEPTH: Final = 3
"""Nesting depth of an entry's keys."""


class EntryPositions(Struct, frozen=True):
    """The positions of the elements of the `repos` array in the text.

    Attributes:
        commas: offset of the comma after each element; None after a last element without a comma.
    """

    elements: tuple[tuple[int, int], ...]
    commas: tuple[int | None, ...]
    tokens: tuple[Token, ...]


def entries_of(text: str) -> list[object]:
    """Return the elements of `repos`, of any type.

    Raises:
        WorkspaceError: the text is not JSONC or has no array `repos`.
    """
    value = parse_text(text, TEXT)
    repos = value.get("repos") if isinstance(value, Mapping) else None
    if not isinstance(repos, list):
        raise shape_problem("the file has no array named `repos`", _REPOS_HINT)
    return repos


def find_entries(text: str) -> EntryPositions:
    """Return the positions of the `repos` array and of its elements."""
    tokens = tuple(scan(text))
    solid = [token for token in tokens if token.kind not in TRIVIA]
    opening = _opening_of_repos(text, solid)
    inside: list[Token] = []
    for token in solid[opening + 1 :]:
        if token.depth == solid[opening].depth:
            break
        inside.append(token)
    elements, commas = _elements(text, inside, solid[opening].depth + 1)
    return EntryPositions(elements, commas, tokens)


def _opening_of_repos(text: str, solid: Sequence[Token]) -> int:
    for index, token in enumerate(solid[:-2]):
        is_key = token.kind == "string" and token.depth == 1
        if is_key and text[solid[index + 1].start] == ":":
            key = stable_json.loads(text[token.start : token.end])
            if key == "repos":
                return index + 2
    raise shape_problem("the file has no key `repos`", _REPOS_HINT)


def _elements(
    text: str, inside: Sequence[Token], depth: int
) -> tuple[tuple[tuple[int, int], ...], tuple[int | None, ...]]:
    spans: list[tuple[int, int]] = []
    commas: list[int | None] = []
    start = None
    for token in inside:
        if token.depth == depth and text[token.start] == ",":
            commas[-1] = token.start
            start = None
        elif start is None:
            start = token.start
            spans.append((start, token.end))
            commas.append(None)
        else:
            spans[-1] = (start, token.end)
    return tuple(spans), tuple(commas)


def lines_of(text: str) -> dict[str, int]:
    """Return the 1-based line of each top-level key, each entry and each key of an entry.

    The keys of the result are the fields that issues name, such as `$.name`, `$.repos[2]` and
    `$.repos[2].root`.

    Requires: `text` is JSONC.
    """
    try:
        entries_of(text)
    except WorkspaceError:
        starts: dict[int, int] = {}
    else:
        starts = {start: at for at, (start, _) in enumerate(find_entries(text).elements)}
    line_by_field: dict[str, int] = {}
    line, counted, entry = 1, 0, ""
    for token, after in pairwise(token for token in scan(text) if token.kind not in TRIVIA):
        line, counted = line + text.count("\n", counted, token.start), token.start
        if token.start in starts:
            entry = f"$.repos[{starts[token.start]}]"
            line_by_field[entry] = line
        if token.kind != "string" or text[after.start] != ":":
            continue
        key = stable_json.loads(text[token.start : token.end])
        if token.depth == 1:
            line_by_field[f"$.{key}"], entry = line, ""
        elif entry and token.depth == _KEY_DEPTH:
            line_by_field[f"{entry}.{key}"] = line
    return line_by_field


def line_of(lines: Mapping[str, int], field: str) -> int:
    """Return the line of a field, or of the nearest enclosing field; 0 if unknown."""
    while field not in lines and field.strip("$"):
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return lines.get(field, 0)


def located(error: WorkspaceError, path: Path, text: str) -> WorkspaceError:
    """Return the error with path and line in each issue."""
    lines = lines_of(text)
    issues = (
        replace(issue, path=str(path), line=line_of(lines, issue.field)) for issue in error.issues
    )
    return WorkspaceError(tuple(issues))


def shape_problem(message: str, hint: str = "") -> WorkspaceError:
    """Return the error for a text that cannot be edited as requested."""
    issue = Issue("ERR_WORKSPACE_INVALID_SHAPE", message, "", "$.repos", "no-match", hint)
    return WorkspaceError((issue,))

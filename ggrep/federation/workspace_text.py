"""Parses the text of a workspace file, within bounds, and finds the positions of its entries."""

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
"""Largest workspace file that is parsed: thousands of repositories."""

PARSE_DEADLINE_MS: Final = 2000
"""Most processor time spent on one file; the worst one of the size above takes half a second."""

MAX_JUDGED_CHARS: Final = 4096
"""Longest text that is judged: the JSON5 parser reads 30 to 140 characters a millisecond."""


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

    With `real`, the path free of links, the file is read from there or not at all.

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


TEXT: Final = "(text)"
"""Stands for the file in messages about a text."""

_REPOS_HINT: Final = 'write "repos": [] into the object'
_KEY_DEPTH: Final = 3
"""Depth of an entry's keys."""


class EntryPositions(Struct, frozen=True):
    """The position of the `repos` array in the text.

    Attributes:
        commas: offset of the comma behind each element, None behind a last one without.
    """

    elements: tuple[tuple[int, int], ...]
    commas: tuple[int | None, ...]
    tokens: tuple[Token, ...]


def entries_of(text: str) -> list[object]:
    """Return the value of `repos`, of whatever type.

    Raises:
        WorkspaceError: it is no JSONC, or holds no such array.
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
    for place, token in enumerate(solid[:-2]):
        is_key = token.kind == "string" and token.depth == 1
        if is_key and text[solid[place + 1].start] == ":":
            key = stable_json.loads(text[token.start : token.end])
            if key == "repos":
                return place + 2
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
    """Return the line, from 1, of each key of the file and of each entry and its keys.

    Names are those of issues, such as `$.name`, `$.repos[2]` and `$.repos[2].root`.

    Requires: `text` is JSONC.
    """
    try:
        entries_of(text)
    except WorkspaceError:
        starts: dict[int, int] = {}
    else:
        starts = {start: at for at, (start, _) in enumerate(find_entries(text).elements)}
    places: dict[str, int] = {}
    line, counted, entry = 1, 0, ""
    for token, after in pairwise(token for token in scan(text) if token.kind not in TRIVIA):
        line, counted = line + text.count("\n", counted, token.start), token.start
        if token.start in starts:
            entry = f"$.repos[{starts[token.start]}]"
            places[entry] = line
        if token.kind != "string" or text[after.start] != ":":
            continue
        key = stable_json.loads(text[token.start : token.end])
        if token.depth == 1:
            places[f"$.{key}"], entry = line, ""
        elif entry and token.depth == _KEY_DEPTH:
            places[f"{entry}.{key}"] = line
    return places


def line_of(lines: Mapping[str, int], field: str) -> int:
    """Return the line of a field, or of its nearest enclosing position; 0 if unknown."""
    while field not in lines and field.strip("$"):
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return lines.get(field, 0)


def located(error: WorkspaceError, path: Path, text: str) -> WorkspaceError:
    """Return the errors of a parsed file, with the lines to edit."""
    lines = lines_of(text)
    issues = (
        replace(issue, path=str(path), line=line_of(lines, issue.field)) for issue in error.issues
    )
    return WorkspaceError(tuple(issues))


def shape_problem(message: str, hint: str = "") -> WorkspaceError:
    """Return the error that the text cannot be edited as requested."""
    issue = Issue("ERR_WORKSPACE_INVALID_SHAPE", message, "", "$.repos", "no-match", hint)
    return WorkspaceError((issue,))

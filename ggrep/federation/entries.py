"""The positions of a workspace file's entries in its text, valid or not."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import Issue, WorkspaceError
from ggrep.federation.jsonc import TRIVIA, Token, scan
from ggrep.federation.parsing import parse_text

TEXT: Final = "(text)"
"""Stands for the file in messages about a text."""

_REPOS_HINT: Final = 'write "repos": [] into the object'
_KEY_DEPTH: Final = 3
"""Of an entry's keys."""


class Places(Struct, frozen=True):
    """The position of the `repos` array in the text.

    Attributes:
        elements: start and end of each element.
        commas: offset of the comma behind each element, None behind a last one without.
        tokens: of the whole text.
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
        raise shape_problem("there is no array of `repos`", _REPOS_HINT)
    return repos


def find_entries(text: str) -> Places:
    """Return the positions of the `repos` array and of its elements.

    Raises:
        WorkspaceError: there is none.
    """
    tokens = tuple(scan(text))
    solid = [token for token in tokens if token.kind not in TRIVIA]
    opening = _opening_of_repos(text, solid)
    inside: list[Token] = []
    for token in solid[opening + 1 :]:
        if token.depth == solid[opening].depth:
            break
        inside.append(token)
    elements, commas = _elements(text, inside, solid[opening].depth + 1)
    return Places(elements, commas, tokens)


def _opening_of_repos(text: str, solid: Sequence[Token]) -> int:
    for place, token in enumerate(solid[:-2]):
        is_key = token.kind == "string" and token.depth == 1
        if is_key and text[solid[place + 1].start] == ":":
            key = stable_json.loads(text[token.start : token.end])
            if key == "repos":
                return place + 2
    raise shape_problem("there is no `repos`", _REPOS_HINT)


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
    found: dict[str, int] = {}
    line, counted, entry = 1, 0, ""
    for token, after in pairwise(token for token in scan(text) if token.kind not in TRIVIA):
        line, counted = line + text.count("\n", counted, token.start), token.start
        if token.start in starts:
            entry = f"$.repos[{starts[token.start]}]"
            found[entry] = line
        if token.kind != "string" or text[after.start] != ":":
            continue
        key = stable_json.loads(text[token.start : token.end])
        if token.depth == 1:
            found[f"$.{key}"], entry = line, ""
        elif entry and token.depth == _KEY_DEPTH:
            found[f"{entry}.{key}"] = line
    return found


def line_of(lines: Mapping[str, int], field: str) -> int:
    """Return the line of a field, or of its nearest enclosing position; 0 if unknown."""
    while field not in lines and field.strip("$"):
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return lines.get(field, 0)


def located(error: WorkspaceError, path: Path, text: str) -> WorkspaceError:
    """Return the errors of a parsed file, with the lines to edit."""
    lines = lines_of(text)
    issues = (replace(one, path=str(path), line=line_of(lines, one.field)) for one in error.issues)
    return WorkspaceError(tuple(issues))


def shape_problem(message: str, hint: str = "") -> WorkspaceError:
    """Return the error that the text cannot be edited as requested."""
    issue = Issue("ERR_WORKSPACE_INVALID_SHAPE", message, "", "$.repos", "no-match", hint)
    return WorkspaceError((issue,))

"""Edits the text of a workspace file; unchanged parts keep their comments and formatting."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import stable_json
from ggrep.base.stable_json import Json
from ggrep.federation.jsonc import TRIVIA, Token
from ggrep.federation.validation import SCHEMA_VERSION, validate
from ggrep.federation.workspace_text import (
    TEXT,
    EntryPositions,
    entries_of,
    find_entries,
    lines_of,
    parse_text,
    shape_problem,
)
from ggrep.model.suggested_commands import remove_entry

NamesOf: TypeAlias = Callable[[str], Collection[str]]
"""Returns the other names of a root, given as it is written in the file."""


class NewEntry(Struct, frozen=True):
    """An entry to write; keys with the value None are omitted."""

    root: str
    alias: str | None = None
    enabled: bool | None = None
    priority: int | None = None
    tags: tuple[str, ...] = ()


MERGE_LINE: Final = '"merge": { "strategy": "global" }'
"""Line of a workspace file that selects the `global` merge strategy."""


def init_text(name: str, roots: Sequence[str | NewEntry]) -> str:
    """Return the text of a new workspace file with the `global` merge strategy.

    Raises:
        WorkspaceError: the file would not be valid.
    """
    entries = [NewEntry(root) if isinstance(root, str) else root for root in roots]
    lines = [
        "// Repositories that are searched together; roots are relative to this file.",
        "{",
        f'  "schemaVersion": {SCHEMA_VERSION},',
        f'  "name": {_json(name)},',
        f"  {MERGE_LINE},",
        '  "repos": [',
        *(f"    {_entry_text(entry)}," for entry in entries),
        "  ],",
        "}",
        "",
    ]
    return _checked("\n".join(lines))


def add_repo(text: str, entry: NewEntry) -> str:
    """Return `text` with another entry at the end of `repos`.

    Raises:
        WorkspaceError: the text is invalid before or after the edit.
    """
    positions = find_entries(_checked(text))
    piece = _entry_text(entry)
    start, end = positions.elements[-1]
    comma = positions.commas[-1]
    indent = _indent(text, start)
    if indent is None:
        return _checked(f"{text[:end]}, {piece}{text[end:]}")
    newline = "\r\n" if "\r\n" in text else "\n"
    after = _end_of_line(text, end if comma is None else comma + 1, positions.tokens)
    tail = "," if comma is not None else ""
    rest = text[end:after] if comma is not None else "," + text[end:after]
    return _checked(f"{text[:end]}{rest}{newline}{indent}{piece}{tail}{text[after:]}")


def move_repo(text: str, index: int, root: str) -> str:
    """Return `text` with the root of the entry at `index` replaced and everything else unchanged.

    Raises:
        WorkspaceError: the text is invalid before or after the edit.
    """
    positions = find_entries(text)
    start, end = positions.elements[index]
    inside = [t for t in positions.tokens if start <= t.start < end and t.kind not in TRIVIA]
    for key, value in zip(inside, inside[2:], strict=False):
        if text[key.start : key.end].strip("\"'") == "root" and key.depth == value.depth:
            return _checked(f"{text[: value.start]}{_json(root)}{text[value.end :]}")
    raise shape_problem(f"the entry repos[{index}] has no root")


def remove_repo(text: str, selector: str, names: NamesOf = lambda _: ()) -> str:
    """Return `text` without the entry that `selector` names; the entry may be invalid.

    The selector is compared with aliases (ignoring case), then with the names from `names`, then
    with roots as written, and last with positions such as `repos[2]`.

    Args:
        text: JSONC with an array `repos`; the other keys may be invalid.
        selector: the selector as the user typed it.
        names: returns the id and the absolute paths of the repository with a root.

    Raises:
        WorkspaceError: no entry or several entries match, or the file has a single entry.
    """
    wanted = selector.strip()
    entries = entries_of(text)
    other_names = [
        names(root) if (root := _text(entry, "root")) else (_text(entry, "remote"),)
        for entry in entries
    ]
    ways = (
        [_text(entry, "alias").casefold() == wanted.casefold() for entry in entries],
        [wanted in called for called in other_names],
        [_text(entry, "root").rstrip("/") == wanted.rstrip("/") for entry in entries],
        [f"repos[{index}]" == wanted for index in range(len(entries))],
    )
    matching = next(([i for i, is_it in enumerate(way) if is_it] for way in ways if any(way)), [])
    if not wanted or not matching:
        raise shape_problem(f"no entry matches {selector!r}; use an alias, an id or a root")
    if len(matching) > 1:
        lines = lines_of(text)
        which = ", ".join(f"repos[{i}] (line {lines.get(f'$.repos[{i}]', 0)})" for i in matching)
        hint = f"remove an entry by its position: {remove_entry(matching[-1])}"
        raise shape_problem(f"several entries match {selector!r}: {which}", hint)
    return remove_repo_at(text, matching[0])


def remove_repo_at(text: str, index: int) -> str:
    """Return `text` without the entry at `index` and without the comment after it on its line.

    Comments above an entry are kept, as they may describe all following entries.
    """
    entries_of(text)
    positions = find_entries(text)
    if not 0 <= index < len(positions.elements):
        raise shape_problem(
            f"there is no entry repos[{index}]; the file has {len(positions.elements)} entries"
        )
    if len(positions.elements) == 1:
        hint = "add another entry first, or delete the file"
        raise shape_problem(
            "the only entry cannot be removed; a workspace needs at least one", hint
        )
    start, end = positions.elements[index]
    comma = positions.commas[index]
    if comma is None and index > 0:
        before = positions.commas[index - 1]
        shorter = _cut_last(text, before or start, start, end, positions)
    else:
        shorter = _cut(text, start, end if comma is None else comma + 1, positions)
    entries_of(shorter)
    return shorter


def _cut_last(text: str, comma: int, start: int, end: int, positions: EntryPositions) -> str:
    if _indent(text, start) is None and not text[comma + 1 : start].strip():
        return text[:comma] + text[end:]
    shortened = _cut(text, start, end, positions)
    return shortened[:comma] + shortened[comma + 1 :]


def _cut(text: str, start: int, stop: int, positions: EntryPositions) -> str:
    """Return `text` without a span, and without the span's line if nothing else is on the line."""
    indent = _indent(text, start)
    after = _end_of_line(text, stop, positions.tokens)
    if indent is None or text[after:].partition("\n")[0].strip():
        blanks = len(text) - stop - len(text[stop:].lstrip(" \t"))
        return text[:start] + text[stop + (blanks if text[stop : stop + 1] == " " else 0) :]
    line_start = start - len(indent)
    newline = text.find("\n", after)
    return text[:line_start] + (text[newline + 1 :] if newline >= 0 else "")


def _indent(text: str, start: int) -> str | None:
    """Return the whitespace before `start` on its line; None if the line has text there."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line if not line.strip(" \t") else None


def _end_of_line(text: str, offset: int, tokens: Sequence[Token]) -> int:
    """Return the offset after the comments that follow `offset` on the same line."""
    end = offset
    for token in tokens:
        if token.start < offset:
            continue
        blanks = token.kind == "space" and "\n" not in text[token.start : token.end]
        if token.kind not in {"line", "block"} and not blanks:
            break
        if token.kind != "space":
            end = token.end
    return end


def _text(entry: object, key: str) -> str:
    value = entry.get(key) if isinstance(entry, Mapping) else None
    return value.strip() if isinstance(value, str) else ""


def _checked(text: str) -> str:
    """Return `text` if it is a valid workspace file; no root is read."""
    validate(parse_text(text, TEXT), TEXT, lambda _: None)
    return text


def _entry_text(entry: NewEntry) -> str:
    parts = {key: value for key, value in asdict(entry).items() if value not in (None, ())}
    body = ", ".join(f'"{key}": {_json(value)}' for key, value in parts.items())
    return f"{{ {body} }}"


def _json(value: Json) -> str:
    try:
        return stable_json.dumps(value).decode()
    except TypeError as error:
        raise shape_problem(f"{value!a} cannot be written as JSON") from error

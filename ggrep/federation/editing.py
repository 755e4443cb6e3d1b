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
"""Returns what a root, as it is written, is called besides."""


class NewEntry(Struct, frozen=True):
    """An entry to write; None leaves the key out."""

    root: str
    alias: str | None = None
    enabled: bool | None = None
    priority: int | None = None
    tags: tuple[str, ...] = ()


MERGE_LINE: Final = '"merge": { "strategy": "global" }'
"""Line of a workspace file that ranks like one index over all repositories."""


def init_text(name: str, roots: Sequence[str | NewEntry]) -> str:
    """Return the text of a new workspace file, with the merge strategy that loses no hit.

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
    """Return `text` with one more entry at the end of `repos`.

    Raises:
        WorkspaceError: the text is not valid, before or after.
    """
    places = find_entries(_checked(text))
    piece = _entry_text(entry)
    start, end = places.elements[-1]
    comma = places.commas[-1]
    indent = _indent(text, start)
    if indent is None:
        return _checked(f"{text[:end]}, {piece}{text[end:]}")
    newline = "\r\n" if "\r\n" in text else "\n"
    after = _end_of_line(text, end if comma is None else comma + 1, places.tokens)
    tail = "," if comma is not None else ""
    rest = text[end:after] if comma is not None else "," + text[end:after]
    return _checked(f"{text[:end]}{rest}{newline}{indent}{piece}{tail}{text[after:]}")


def move_repo(text: str, index: int, root: str) -> str:
    """Return `text` with another root of the entry at `index`, and all else of it as it is.

    Raises:
        WorkspaceError: the text is not valid, before or after.
    """
    places = find_entries(text)
    start, end = places.elements[index]
    inside = [t for t in places.tokens if start <= t.start < end and t.kind not in TRIVIA]
    for key, value in zip(inside, inside[2:], strict=False):
        if text[key.start : key.end].strip("\"'") == "root" and key.depth == value.depth:
            return _checked(f"{text[: value.start]}{_json(root)}{text[value.end :]}")
    raise shape_problem(f"the entry repos[{index}] has no root")


def remove_repo(text: str, selector: str, names: NamesOf = lambda _: ()) -> str:
    """Return `text` without the entry that `selector` names, which may be invalid.

    An alias (case aside) comes before what `names` gives, that before a root as it is written, and
    last comes a place such as `repos[2]`.

    Args:
        text: JSONC with an array of `repos`; nothing else of it need be valid.
        selector: as typed.
        names: other names of an entry with a root: its id, and its location.

    Raises:
        WorkspaceError: no entry or several match, or it is the only one.
    """
    wanted = selector.strip()
    entries = entries_of(text)
    other_names = [names(root) if (root := _text(entry, "root")) else () for entry in entries]
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
    """Return `text` without the entry at `index`, nor the comment behind it on its line.

    Comments above an entry stay: they may speak of all that follow.
    """
    entries_of(text)
    places = find_entries(text)
    if not 0 <= index < len(places.elements):
        raise shape_problem(
            f"there is no entry repos[{index}]; the file has {len(places.elements)} entries"
        )
    if len(places.elements) == 1:
        hint = "add another entry first, or delete the file"
        raise shape_problem(
            "the only entry cannot be removed; a workspace needs at least one", hint
        )
    start, end = places.elements[index]
    comma = places.commas[index]
    if comma is None and index > 0:
        before = places.commas[index - 1]
        shorter = _cut_last(text, before or start, start, end, places)
    else:
        shorter = _cut(text, start, end if comma is None else comma + 1, places)
    entries_of(shorter)
    return shorter


def _cut_last(text: str, comma: int, start: int, end: int, places: EntryPositions) -> str:
    if _indent(text, start) is None and not text[comma + 1 : start].strip():
        return text[:comma] + text[end:]
    shortened = _cut(text, start, end, places)
    return shortened[:comma] + shortened[comma + 1 :]


def _cut(text: str, start: int, stop: int, places: EntryPositions) -> str:
    """Return `text` without a span, and without its line when nothing else stands on it."""
    indent = _indent(text, start)
    after = _end_of_line(text, stop, places.tokens)
    if indent is None or text[after:].partition("\n")[0].strip():
        blanks = len(text) - stop - len(text[stop:].lstrip(" \t"))
        return text[:start] + text[stop + (blanks if text[stop : stop + 1] == " " else 0) :]
    line_start = start - len(indent)
    newline = text.find("\n", after)
    return text[:line_start] + (text[newline + 1 :] if newline >= 0 else "")


def _indent(text: str, start: int) -> str | None:
    """Return the blanks before `start`, or None when something else stands on its line."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line if not line.strip(" \t") else None


def _end_of_line(text: str, offset: int, tokens: Sequence[Token]) -> int:
    """Return where the line of `offset` ends, behind the comments that stand on it."""
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
    """Return `text` when it is a valid workspace file, as far as text alone can tell."""
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

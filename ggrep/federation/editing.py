"""Edits the text of a workspace file; what is not touched keeps its comments and its form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ggrep import stable_json
from ggrep.errors import Issue, WorkspaceError
from ggrep.federation.jsonc import TRIVIA, Token, scan
from ggrep.federation.parsing import parse_text
from ggrep.federation.validation import SCHEMA_VERSION, validate
from ggrep.stable_json import Json

_FILE = "(text)"


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry to write; None leaves the key out."""

    root: str
    alias: str | None = None
    enabled: bool | None = None
    priority: int | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the `repos` array stands in the text.

    Attributes:
        opening: offset of its `[`; `closing` that of its `]`.
        elements: start and end of each element.
        commas: offset of the comma behind each element, None behind a last one without.
        tokens: of the whole text.
    """

    opening: int
    closing: int
    elements: tuple[tuple[int, int], ...]
    commas: tuple[int | None, ...]
    tokens: tuple[Token, ...]


def init_text(name: str, roots: Sequence[str | NewEntry]) -> str:
    """Return the text of a new workspace file, merged by the strategy that loses nothing.

    Raises:
        WorkspaceError: the file would not be valid.
    """
    entries = [NewEntry(root) if isinstance(root, str) else root for root in roots]
    lines = [
        "// Repositories that are searched together; roots are relative to this file.",
        "{",
        f'  "schemaVersion": {SCHEMA_VERSION},',
        f'  "name": {_json(name)},',
        '  "merge": { "strategy": "global" },',
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
    places = _find(_checked(text))
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


def remove_repo(text: str, selector: str) -> str:
    """Return `text` without the entry whose alias (case aside) or root is `selector`.

    Raises:
        WorkspaceError: no entry or several match, or it is the last one.
    """
    wanted = selector.strip().casefold()
    found = [
        index
        for index, entry in enumerate(_entries(text))
        if wanted == str(entry.get("alias") or "").strip().casefold()
        or selector.strip().rstrip("/") == str(entry["root"]).strip().rstrip("/")
    ]
    if len(found) != 1:
        many = "several entries match" if found else "no entry matches"
        raise _problem(f"{many} {selector!r}; name an alias or a root as it is written")
    return remove_repo_at(text, found[0])


def remove_repo_at(text: str, index: int) -> str:
    """Return `text` without the entry at `index`, nor the comment behind it on its line.

    Comments above an entry stay: they may speak of all that follow.

    Raises:
        WorkspaceError: there is no such entry, or it is the only one.
    """
    places = _find(_checked(text))
    if not 0 <= index < len(places.elements):
        raise _problem(f"there is no entry {index}; the file has {len(places.elements)}")
    start, end = places.elements[index]
    comma = places.commas[index]
    if comma is None and index > 0:
        before = places.commas[index - 1]
        return _checked(_cut_last(text, before or start, start, end, places))
    stop = end if comma is None else comma + 1
    return _checked(_cut(text, start, stop, places))


def _cut_last(text: str, comma: int, start: int, end: int, places: _Places) -> str:
    if _indent(text, start) is None and not text[comma + 1 : start].strip():
        return text[:comma] + text[end:]
    shortened = _cut(text, start, end, places)
    return shortened[:comma] + shortened[comma + 1 :]


def _cut(text: str, start: int, stop: int, places: _Places) -> str:
    """Return `text` without a span, and without its line when nothing else stands on it."""
    indent = _indent(text, start)
    after = _end_of_line(text, stop, places.tokens)
    if indent is None or not _ends_line(text, after):
        blanks = len(text) - stop - len(text[stop:].lstrip(" \t"))
        return text[:start] + text[stop + (blanks if text[stop : stop + 1] == " " else 0) :]
    line_start = start - len(indent)
    newline = text.find("\n", after)
    return text[:line_start] + (text[newline + 1 :] if newline >= 0 else "")


def _find(text: str) -> _Places:
    tokens = tuple(scan(text))
    solid = [token for token in tokens if token.kind not in TRIVIA]
    opening = _opening_of_repos(text, solid)
    inside: list[Token] = []
    for token in solid[opening + 1 :]:
        if token.depth == solid[opening].depth:
            break
        inside.append(token)
    closing = solid[opening + 1 + len(inside)].start
    elements, commas = _elements(text, inside, solid[opening].depth + 1)
    return _Places(solid[opening].start, closing, elements, commas, tokens)


def _opening_of_repos(text: str, solid: Sequence[Token]) -> int:
    for place, token in enumerate(solid[:-2]):
        is_key = token.kind == "string" and token.depth == 1
        if is_key and text[solid[place + 1].start] == ":":
            key = stable_json.loads(text[token.start : token.end])
            if key == "repos":
                return place + 2
    raise _problem("there is no `repos`")


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


def _ends_line(text: str, offset: int) -> bool:
    newline = text.find("\n", offset)
    return not text[offset : newline if newline >= 0 else len(text)].strip()


def _entries(text: str) -> list[Mapping[str, object]]:
    _checked(text)
    value = parse_text(text, _FILE)
    repos = value["repos"] if isinstance(value, Mapping) else []
    return list(repos)


def _checked(text: str) -> str:
    """Return `text` when it is a valid workspace file, as far as text alone can tell."""
    validate(parse_text(text, _FILE), _FILE, lambda _: None)
    return text


def _entry_text(entry: NewEntry) -> str:
    parts: dict[str, Json] = {"root": entry.root}
    if entry.alias is not None:
        parts["alias"] = entry.alias
    if entry.enabled is not None:
        parts["enabled"] = entry.enabled
    if entry.priority is not None:
        parts["priority"] = entry.priority
    if entry.tags:
        parts["tags"] = list(entry.tags)
    body = ", ".join(f'"{key}": {_json(value)}' for key, value in parts.items())
    return f"{{ {body} }}"


def _json(value: Json) -> str:
    try:
        return stable_json.dumps(value).decode()
    except TypeError as error:
        raise _problem(f"{value!a} cannot be written as JSON") from error


def _problem(message: str) -> WorkspaceError:
    issue = Issue("ERR_WORKSPACE_INVALID_SHAPE", message, field="$.repos", reason="no-match")
    return WorkspaceError((issue,))

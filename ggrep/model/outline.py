"""Outlines of files and directories, tours of a repository, and their text lines."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.constraints import Code, Count, Positive
from ggrep.model.field_meta import (
    MOST_ITEMS,
    MOST_PATH_BYTES,
    Field,
    WireBounds,
)
from ggrep.model.line_numbers import line_range
from ggrep.model.request import Deterministic, MaxBytes, Request, TimeoutMs
from ggrep.model.response import Answer
from ggrep.model.written_names import last_of

MOST_TARGETS = 32
"""Maximum number of paths in a request."""

Reading: TypeAlias = Literal["syntax", "structure", "none"]


class OutlineRequest(Request["OutlineResponse"], frozen=True):
    """A request for the definitions in files or folders."""

    targets: Annotated[
        tuple[str, ...],
        Field(
            "path",
            "Files, folders, or `path:line` for the definition around a line; empty for the root.",
            most=MOST_TARGETS,
        ),
        WireBounds(MOST_TARGETS, each=(0, MOST_PATH_BYTES)),
    ] = ("",)
    depth: Annotated[
        int,
        Field(
            "depth",
            "Number of nested levels to show; 0 for as many as fit into the byte budget.",
            most=MOST_ITEMS,
        ),
    ] = 0
    max_bytes: MaxBytes = 4_096
    deterministic: Deterministic = False
    timeout_ms: TimeoutMs = 0


LEAST_BYTES: Final = 100
"""Minimum byte budget, enough for a line of an outline or a tour."""


class OutlineEntry(Struct, frozen=True):
    """A definition, heading or key in an outline."""

    depth: Count
    """Nesting depth; 0 at the top of the file."""
    kind: Code
    """Kind of the entry: function, method, class, struct, constant, field, section and so on."""
    name: str
    """Name, or several names separated by commas when they are shown together."""
    signature: str
    """Head of the entry, starting with the name; empty for none."""
    start_line: Positive
    """First line of the entry, including decorators and comments before it."""
    end_line: Positive
    """Last line of the entry, inclusive."""


class ListedPath(Struct, frozen=True):
    """One file or subfolder of a folder."""

    depth: Count
    """Levels below the folder; 0 for its direct entries."""
    name: str
    """Path below the listed folder."""
    folder: bool
    """Whether the entry is a subfolder."""
    files: Count
    """Files below a subfolder; 1 for a file."""
    lines: Count
    """Number of lines of these files."""
    language: str
    """Language of the file, or of most lines of the subfolder."""
    holds: tuple[str, ...] = ()
    """Main definitions of a file, in source order."""
    more: Count = 0
    """Names of the file that are not shown."""


class PathOutline(Struct, frozen=True):
    """The outline of one file or folder."""

    path: str
    """Path below the repository's root; empty for the root."""
    folder: bool
    """Whether the path is a folder."""
    language: str
    """Language of the file, or of most lines of the folder."""
    files: Count
    """Files below the folder; 1 for a file."""
    lines: Count
    """Lines of the file, or of the folder's files."""
    reading: Reading
    """Source of the entries: syntax, structure (headings, keys), or none."""
    entries: tuple[OutlineEntry, ...] = ()
    """Entries of a file, in source order."""
    listed: tuple[ListedPath, ...] = ()
    """Entries of a folder, in the order of paths."""
    left_out: Mapping[Code, Count] = {}
    """Numbers of entries that did not fit, by kind."""


class OutlineResponse(Answer, frozen=True):
    """The answer to an OutlineRequest."""

    request: OutlineRequest
    outlines: tuple[PathOutline, ...]
    """One outline for each target, in the order of targets."""


class TourRequest(Request["TourResponse"], frozen=True):
    """A request for a summary of the repository."""

    max_bytes: MaxBytes = 4_096
    deterministic: Deterministic = False
    timeout_ms: TimeoutMs = 0


class TourFact(Struct, frozen=True):
    """A fact about the repository, and its source."""

    text: str
    """The fact: a quotation, a name or a count."""
    path: str
    """File or folder that states the fact; empty for facts about all files."""
    line: Count = 0
    """Line in the file; 0 for the whole file."""


class TourSection(Struct, frozen=True):
    """Facts of one kind."""

    kind: Code
    """Kind of the facts: about, languages, folders, entry_points, main_files, build_and_test,
    configuration, docs or tests.
    """
    facts: tuple[TourFact, ...]
    left_out: Count = 0
    """Number of facts that did not fit."""


class TourResponse(Answer, frozen=True):
    """The answer to a TourRequest."""

    request: TourRequest
    sections: tuple[TourSection, ...]
    """Sections with facts; subjects without facts are omitted."""


_TYPES: Final = frozenset({"class", "interface", "enum", "typealias", "module"})
_TYPE_WORDS: Final = frozenset(
    {
        *("actor", "annotation", "class", "concept", "contract", "data", "defmodule", "enum"),
        *("extension", "impl", "instance", "interface", "mod", "module", "namespace", "newtype"),
        *("object", "package", "protocol", "record", "service", "message", "struct", "trait"),
        *("type", "typedef", "union"),
    }
)
"""Keywords before a type's name that are more specific than its kind."""
_WORD: Final = re.compile(r"[A-Za-z]+")
_OPENED: Final = re.compile(r"([(\[]|(?<=\w)<|^<) +")
_CLOSED: Final = re.compile(r",? +([)\]])")
_PARAMETER: Final = re.compile(r"(?:[*&]{0,2}|\.\.\.|mut |ref )[\w$]+\??|[*/]|&(?:mut )?self|_")
_OPENING: Final = re.compile(r"(``|[`\"'|(]) ?$")
_CLOSING: Final = re.compile(r" ?(``|[`\"'|)])")
_SIGIL: Final = re.compile(r"(?<![\w$@%)\]])[$@%]$")
_UNTOLD: Final = frozenset({"block", "section"})
"""Kinds that outlines omit."""
_OF_PLACES: Final = frozenset({"main_files", "configuration", "docs", "tests"})
"""Sections of a tour whose facts are about files."""
_PLURALS: Final = {
    "class": "classes",
    "typealias": "type aliases",
    "entry": "entries",
    "repository": "repositories",
}


def label_of(name: str, signature: str) -> str:
    """Return the part of a definition's head from the name on, such as `retry(self, n)`.

    If the head does not contain the name, the result is the name. Quotes around the name in the
    head are part of the result: `` `adds two coins`() ``, `(<+>) :: a -> a`, `$x`.
    """
    shown = name if _place(name, signature) >= 0 else last_of(name)
    place = _place(shown, signature)
    if place < 0:
        return name
    head, before, tail = (
        name.removesuffix(shown),
        signature[:place],
        signature[place + len(shown) :],
    )
    quoting, closing = _OPENING.search(before), _CLOSING.match(tail)
    if quoting and closing and _pair(quoting[1], closing[1], shown):
        shown, tail = quoting[0] + shown + closing[0], tail[closing.end() :]
    elif sigil := _SIGIL.search(before):
        shown = sigil[0] + shown
    tail = _balanced(_CLOSED.sub(r"\1", _OPENED.sub(r"\1", tail)).rstrip(" ;"))
    return head + shown + (tail[1:] if tail.startswith(" (") else tail)


def _pair(opening: str, closing: str, name: str) -> bool:
    """Return whether two marks quote the name between them; parentheses quote only operators."""
    if opening == "(":
        return closing == ")" and (name[0] == "|" or re.match(r"\w*[^\w\s]", name) is not None)
    return opening == closing


def _balanced(tail: str) -> str:
    """Return the text before the first unmatched closing bracket."""
    depth = 0
    for place, mark in enumerate(tail):
        depth += (mark in "([{") - (mark in ")]}")
        if depth < 0:
            return tail[:place].rstrip()
    return tail


def bare_label(label: str) -> str:
    """Return a head with only the names of parameters, without types and defaults.

    `retry(self, n: int = 3) -> bool` becomes `retry(self, n)`. A head without parameters, or with
    types before names, is unchanged.
    """
    start = label.find("(")
    parts = _parameters(label, start)
    if parts is None:
        return label
    names = [re.split(r"[:=]", part, maxsplit=1)[0].strip() for part in parts]
    if not all(_PARAMETER.fullmatch(name) for name in names):
        return label
    return f"{label[:start]}({', '.join(names)})"


def _parameters(label: str, start: int) -> list[str] | None:
    """Return the parameters in the brackets at `start`; None if the brackets are not closed."""
    if start < 0:
        return None
    parts, depth, begin = [], 0, start + 1
    for place in range(start, len(label)):
        mark = label[place]
        depth += (mark in "([{<") - (mark in ")]}>" and label[place - 1] not in "-=")
        if depth == 0 or (depth == 1 and mark == ","):
            parts.append(label[begin:place].strip())
            begin = place + 1
        if depth == 0:
            return [part for part in parts if part]
    return None


def kind_word(kind: str, name: str, signature: str) -> str:
    """Return the word for a definition's kind; for a type, a keyword in its head like `struct`."""
    if kind not in _TYPES:
        return kind
    place = _place(name.rpartition(".")[2], signature)
    before = _WORD.findall(signature[:place]) if place > 0 else []
    return next((word for word in reversed(before) if word in _TYPE_WORDS), kind)


def _place(name: str, signature: str) -> int:
    """Return the offset of a name as a whole word in a head; -1 if it does not occur."""
    match = re.search(rf"(?<!\w)(?<!\w\$){re.escape(name)}(?![\w$])", signature) if name else None
    return -1 if match is None else match.start()


def entry_line(entry: OutlineEntry) -> str:
    """Return the line of a definition: `  40-62 method retry(self, n)`."""
    span = line_range(entry.start_line, entry.end_line)
    kind = "" if entry.kind in _UNTOLD else f"{entry.kind} "
    return f"{'  ' * entry.depth}{span} {kind}{entry.signature or entry.name}"


def listed_line(listed: ListedPath) -> str:
    """Return the line of a file or subfolder."""
    indent = "  " * listed.depth
    if listed.folder:
        return f"{indent}{listed.name}/  {counted(listed.files, 'file')}, {listed.language}"
    holds = f": {', '.join(listed.holds)}" if listed.holds else ""
    more = f" +{listed.more}" if listed.more else ""
    return f"{indent}{listed.name}  {listed.lines}{holds}{more}"


def heading_line(outline: PathOutline, shown: str) -> str:
    """Return the first line of an outline; `shown` is the displayed path."""
    lines = counted(outline.lines, "line")
    if outline.folder:
        files = counted(outline.files, "file")
        return f"{shown.rstrip('/') or '.'}/  {files}, {lines}, {outline.language}"
    read = "" if outline.reading != "none" else "; no definitions, as there is no parser"
    return f"{shown}  {outline.language}, {lines}{read}"


def left_out_line(outline: PathOutline, shown: str) -> str:
    """Return the line about omitted entries and options that show more; empty if there are none."""
    if not outline.left_out:
        return ""
    counts = ", ".join(counted(count, kind) for kind, count in outline.left_out.items())
    if outline.folder:
        return f"left out: {counts}; to see more: a subfolder, --max-bytes, --depth"
    return f"left out: {counts}; to see more: {shown}:LINE, --max-bytes"


def tour_line(line: TourFact, *, place_first: bool = False) -> str:
    """Return the line of a fact and its location; with `place_first` the location comes first."""
    if not line.path:
        return line.text
    if line.text.startswith(f"{line.path}  "):
        return line.text  # a directory that no file describes
    place = f"{line.path}:{line.line}" if line.line else line.path
    return f"{place}  {line.text}" if place_first else f"{line.text}  [{place}]"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `1 file`, `2 files`, `3 classes`."""
    return f"{count} {noun}" if count == 1 else f"{count} {_PLURALS.get(noun, noun + 's')}"


def indexed_files(count: int) -> str:
    """Return a count of indexed files with its noun."""
    return counted(count, "indexed file")


def size_of(lines: Sequence[str]) -> int:
    """Return the number of bytes in lines, including newlines."""
    return sum(len(line.encode()) + 1 for line in lines)


def outline_lines(outline: PathOutline, shown: str) -> list[str]:
    """Return all lines of an outline; `shown` is the displayed path."""
    lines = [
        heading_line(outline, shown),
        *map(entry_line, outline.entries),
        *map(listed_line, outline.listed),
    ]
    tail = left_out_line(outline, shown)
    return [*lines, tail] if tail else lines


def tour_lines(sections: Sequence[TourSection]) -> list[str]:
    """Return all lines of a tour."""
    return [line for section in sections for line in section_lines(section)]


def section_lines(section: TourSection) -> list[str]:
    """Return the lines of a section, starting with its heading."""
    more = [f"  +{section.left_out} more"] if section.left_out else []
    place_first = section.kind in _OF_PLACES
    lines = [f"  {tour_line(line, place_first=place_first)}" for line in section.facts]
    return [section.kind.replace("_", " "), *lines, *more]

"""Hits and expansions as text for agents, without lines that were already shown."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, Final, TypeAlias

from msgspec import Struct, field

from ggrep.model.field_meta import MAX_INTEGER
from ggrep.model.files import TEST, traits_of
from ggrep.model.line_numbers import (
    folded_range,
    last_line,
    line_range,
    longest_fold,
    numbered_lines,
    shown_lines,
    with_numbers,
)
from ggrep.model.outline import counted
from ggrep.render.page import plural
from ggrep.search.reading.folding import OPENED, Source, folded

Range: TypeAlias = tuple[int, int]


class AlreadyShown(Struct):
    """Lines and locations that earlier answers of the same command have shown.

    Attributes:
        lines: ranges of lines by path.
        left_out: lines inside these ranges that were omitted, by path.
        places: path and line of each shown definition and mention.
    """

    lines: dict[str, list[Range]] = field(default_factory=dict)
    left_out: dict[str, set[int]] = field(default_factory=dict)
    places: set[tuple[str, int]] = field(default_factory=set)

    def covers(self, path: str, first: int, last: int) -> bool:
        """Return whether these lines were shown before; record them as shown."""
        ranges = self.lines.setdefault(path, [])
        if any(low <= first and last <= high for low, high in ranges):
            return True
        ranges.append((first, last))
        return False

    def add(self, path: str, shown: Iterable[int], left_out: Iterable[int]) -> None:
        """Record the shown lines of a file, and the lines omitted between them."""
        self.lines.setdefault(path, []).extend(_ranges(shown))
        self.left_out.setdefault(path, set()).update(left_out)

    def split(self, path: str, first: int, last: int) -> tuple[list[Range], list[Range]]:
        """Return the ranges of lines to show, and the ranges that were shown before.

        Omitted lines are shown only if no other line of the range was shown before.
        """
        ranges, every = self.lines.get(path, ()), range(first, last + 1)
        seen = [n for n in every if any(low <= n <= high for low, high in ranges)]
        known = set(seen) | (self.left_out.get(path, set()) if seen else set())
        return _ranges(n for n in every if n not in known), _ranges(seen)

    def repeated(self, places: Sequence[tuple[str, int]]) -> set[tuple[str, int]]:
        """Return the locations that were shown before; record all locations as shown."""
        old = self.places & set(places)
        self.places.update(places)
        return old


def _ranges(numbers: Iterable[int]) -> list[Range]:
    ranges: list[Range] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


def opened_lines(
    document: Mapping[str, Any], *, comments: bool
) -> tuple[list[tuple[int, str]], list[int]]:
    """Return the numbered lines of an expansion to show, and the numbers of omitted lines.

    The key `unseen`, which is not in the schema, has the ranges of lines that earlier answers of
    the command have not shown. Lines are folded unless they were requested by number or contain
    folds already. With `comments`, or if only folds would remain, all lines are shown.
    """
    content, begins = document["content"], document["start_line"]
    texts = content.split("\n") if content else []
    whole = list(numbered_lines(texts, begins))
    lines = whole
    if not comments and document["boundary"] != "lines" and not any(starmap(folded_range, whole)):
        is_test = bool(traits_of(document["path"]) & TEST)
        text = folded(Source(texts, begins, document["language"], is_test), OPENED)
        lines = list(numbered_lines(text.split("\n"), begins))
    ranges = document.get("unseen", ((0, MAX_INTEGER),))
    inside = {number for number, _ in whole if any(low <= number <= high for low, high in ranges)}
    shown = [each for each in shown_lines((line for _, line in lines), begins) if each[0] in inside]
    if not any(line.strip() for number, line in shown if not folded_range(number, line)):
        return [each for each in whole if each[0] in inside], []
    left = (
        range(number, last_line(number, line) + 1)
        for number, line in lines
        if folded_range(number, line)
    )
    return shown, [number for numbers in left for number in numbers]


_Object: TypeAlias = Mapping[str, Any]

_LONG: Final = 120
"""Number of lines of a requested range above which the text suggests `--focus`."""
_HEAD: Final = 60
"""Maximum number of characters of a signature after a hit's name."""
_DIGITS: Final = 7
"""Number of shown digits of a row id, mostly unique among millions of rows; `expand` reports an
ambiguous prefix."""


def hit_lines(document: _Object) -> Iterator[str]:
    """Yield a line for each hit, followed by the code of the expanded hits."""
    hits = document["results"]
    yield f"{document.get('confidence', 'found')}, {counted(len(hits), 'hit')}"
    spans = [_place(hit) for hit in hits]
    for hit, (path, first, last) in zip(hits, spans, strict=True):
        alias = f"[{hit['repoAlias']}] " if hit.get("repoAlias") else ""
        is_unique = spans.count((path, first, last)) == 1
        handle = f" #{hit['row_id'][:_DIGITS]}" if hit.get("row_id") and not is_unique else ""
        name = hit.get("qualified_name") or hit.get("name") or ".".join(hit.get("breadcrumb", ()))
        kind = hit.get("chunk_type", "")
        head = f"{alias}{path}:{line_range(first, last)}{_within(hit)} {kind} {name}".rstrip()
        yield head + _parameters(hit) + handle
        if content := hit.get("content"):
            if (begins := hit.get("content_start_line", first)) != first:
                yield f"  from {begins}:"
            yield from content.rstrip("\n").split("\n")
    for hit in hits:
        if body := hit.get("body"):
            yield from body_lines(body)


def body_lines(body: _Object) -> Iterator[str]:
    """Yield the code of an expanded hit below its location, or why it could not be expanded."""
    if "code" in body:
        yield f"not opened: {body['message']}"
        return
    name = ".".join(body["breadcrumb"])
    span = line_range(body["start_line"], body["end_line"])
    yield from _opened(body, f"## {body['path']}:{span} {name}".rstrip(), comments=False)


def expansion_lines(
    document: _Object, *, comments: bool, shown_before: AlreadyShown | None = None
) -> Iterator[str]:
    """Yield the numbered lines of an expansion; record the lines in `shown_before`."""
    span = line_range(document["start_line"], document["end_line"])
    inside = f" in {' > '.join(document['breadcrumb'])}" if document["breadcrumb"] else ""
    whole = f" of {document['file_lines']} lines"
    head = f"{path_of(document)}:{span} {document['boundary']}{inside},{whole}"
    yield from _opened(document, head, comments=comments, shown_before=shown_before)


def neighbour_lines(document: _Object) -> Iterator[str]:
    """Yield a line about the neighbouring chunks, if there are any."""
    near = [
        f"{line_range(item['start_line'], item['end_line'])}"
        f" {item.get('name') or item['chunk_type']}"
        for item in document["neighbours"]
    ]
    if near:
        yield f"around: {', '.join(near)}"


def path_of(place: _Object) -> str:
    """Return a path as `expand` accepts it; in a workspace it begins with the repository's name."""
    repo = place.get("repoAlias") or place.get("repoId")
    return f"{repo}:{place['path']}" if repo else str(place["path"])


def _place(hit: _Object) -> tuple[str, int, int]:
    if "file" in hit:
        return hit["file"], hit["start"], hit["end"]
    return hit["path"], hit.get("start_line", 1), hit.get("end_line", 1)


def _within(hit: _Object) -> str:
    around = hit.get("definition")
    return f" in {line_range(around['start_line'], around['end_line'])}" if around else ""


def _parameters(hit: _Object) -> str:
    """Return the parameters, bases or value that follow a hit's name in its signature."""
    head, name = " ".join(hit.get("signature", "").split()), hit.get("name", "")
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", head) if name else None
    if match is None:
        return ""
    rest = head[match.end() :].partition(" # ")[0].replace("( ", "(").replace(", )", ")")
    return f"{rest[:_HEAD].rstrip()}..." if len(rest) > _HEAD else rest.rstrip(":{ ")


def _opened(
    document: _Object, head: str, *, comments: bool, shown_before: AlreadyShown | None = None
) -> Iterator[str]:
    """Yield the head, an expansion's lines, and a line that says how to see omitted lines."""
    shown, left = opened_lines(document, comments=comments)
    path = path_of(document)
    if shown_before is not None:
        shown_before.add(path, [number for number, _ in shown], left)
    yield head
    yield from with_numbers(shown)
    if left:
        longest = max(_ranges(left), key=lambda each: each[1] - each[0])
        place = f"{path}:{line_range(*longest)}"
        yield f"folded: {plural(len(left), 'line')}; expand {place} shows the longest"
    if document["boundary"] == "lines" and len(shown) > _LONG:
        yield f'{len(shown)} lines; --focus "words" shows only relevant lines'
    hidden = document.get("hidden_lines", 0)
    if hidden and not longest_fold(document["content"].split("\n"), document["start_line"]):
        what, after = document["boundary"], f"{path}:{document['end_line'] + 1}"
        yield f"cut: {plural(hidden, 'more line')} of this {what}; expand {after} goes on"


_MOST_CHARACTERS: Final = 240
_MOST_NAME: Final = 60
"""Maximum number of characters of the enclosing definition's name; long names lose their start."""
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>\s*")


def match_lines(document: _Object) -> Iterator[str]:
    """Yield the counts of matches, then the matching lines of each file below its path."""
    totals = document["matches"]
    verb = "matches" if totals["lines"] == 1 else "match"
    yield f"{counted(totals['lines'], 'line')} {verb} in {counted(totals['files'], 'file')}"
    if listed := totals.get("by_file") or totals.get("byFile"):
        yield from (f"{_path(item)}: {item['lines']}" for item in listed)
        return
    files: dict[str, dict[int, tuple[bool, str]]] = {}
    for hit in document["results"]:
        lines = files.setdefault(_path(hit), {})
        name = _name(hit)
        for line in hit.get("lines", ()):
            number, matches = line["line"], bool(line["columns"])
            if matches or number not in lines:
                text = line["text"].strip()[:_MOST_CHARACTERS]
                lines[number] = matches, f"{text}  in {name}" if name and matches else text
    for path, lines in files.items():
        yield path
        for number, (matches, text) in sorted(lines.items()):
            yield f" {number}{':' if matches else '-'} {text}".rstrip()


def _path(place: _Object) -> str:
    path = place.get("path") or place["file"]
    repo = place.get("repoAlias") or place.get("repoId")
    return f"[{repo}] {path}" if repo else str(path)


def _name(hit: _Object) -> str:
    name = _TAG.sub("", hit.get("qualified_name") or hit.get("qualifiedName") or hit["name"])
    return name if len(name) <= _MOST_NAME else f"...{name[-_MOST_NAME:]}"

"""Converts a slate's JSON to the text for agents.

    ## code
    src/queue.py
     9-20 in Queue
    9       def retry(self):
     40-62 class Job

The lines of a diagram are relations without line numbers.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, TypeAlias

from ggrep.model.line_numbers import line_range, longest_fold, shown_lines, with_numbers
from ggrep.model.slate import Section

_Object: TypeAlias = Mapping[str, Any]


def slate_lines(slate: _Object) -> Iterator[str]:
    """Yield the sections with their files, then the graph; next commands are left out."""
    for section in slate.get("sections", ()):
        yield f"## {section['kind']}"
        is_source = section["kind"] != Section.DIAGRAMS.value
        for file in section["files"]:
            yield from file_lines(file, is_source=is_source)
    if edges := slate.get("graph", {}).get("edges"):
        yield "## graph"
        for source, group in groupby(edges, key=lambda edge: edge["from"]):
            yield source
            yield from (f"  {edge['kind']} {edge['to']}" for edge in group)


def folded_place(slate: _Object) -> str:
    """Return the place of the longest fold in a slate; empty without folds."""
    folds = [
        (fold, f"{file['repo']}:{file['path']}" if "repo" in file else file["path"])
        for section in slate.get("sections", ())
        for file in section["files"]
        for piece in (*([file["anchor"]] if "anchor" in file else ()), *file.get("evidence", ()))
        if (fold := longest_fold(piece["snippet"].split("\n"), _begins(piece)))
    ]
    if not folds:
        return ""
    (first, last), path = max(folds, key=lambda each: each[0][1] - each[0][0])
    return f"{path}:{line_range(first, last)}"


def _begins(piece: _Object) -> int:
    line: int = piece.get("snippet_start_line", piece["start_line"])
    return line


def file_lines(file: _Object, *, is_source: bool = True) -> Iterator[str]:
    """Yield the line of a file, then its evidence in the order of line numbers."""
    alias = f"[{file['repo']}] " if "repo" in file else ""
    name = f" {file['name']}" if "name" in file else ""
    begins = f":{file['line']}" if not file.keys() & {"evidence", "outline"} else ""
    yield f"{alias}{file['path']}{begins}{name}"
    if "anchor" in file:
        yield from piece_lines(file["anchor"], is_source=is_source)
    shown = [(item["start_line"], item) for item in file.get("evidence", ())]
    named = [(int(item.partition("-")[0]), item) for item in file.get("outline", ())]
    for _, item in sorted([*shown, *named], key=lambda each: each[0]):
        if isinstance(item, str):
            yield named_line(item)
        else:
            yield from piece_lines(item, is_source=is_source)


def named_line(outlined: str) -> str:
    """Return the line for evidence whose text is not shown."""
    return f" {outlined}"


def piece_lines(piece: _Object, *, is_source: bool = True) -> Iterator[str]:
    """Yield the line numbers of a piece, and its text; source lines are numbered."""
    numbered = told_lines(piece)
    twins = f" (the same in {', '.join(piece['also'])})" if "also" in piece else ""
    span = line_range(piece["start_line"], piece["end_line"])
    yield f" {span} {_called(piece, numbered[0][1] if numbered else '')}".rstrip() + twins
    yield from with_numbers(numbered) if is_source else (f"\t{line}" for _, line in numbered)


def _called(piece: _Object, first: str) -> str:
    """Return kind and name of a piece; a name that its first line contains is left out."""
    crumb, name = piece.get("breadcrumb", ()), piece.get("name", "")
    if name and name in first:
        return f"in {crumb[-1]}" if crumb else ""
    kind = piece["chunk_type"] if name or not crumb else "part of"
    return f"{kind} {'.'.join([*crumb, *([name] if name else ())][-2:])}"


def told_lines(piece: _Object) -> list[tuple[int, str]]:
    """Return the non-blank lines of a piece with their line numbers.

    Each level of indentation is reduced to one space, because indentation took a sixth of all
    bytes.
    """
    lines = [
        (number, line.lstrip(" \t"), line)
        for number, line in shown_lines(piece["snippet"].split("\n"), _begins(piece))
        if line.strip()
    ]
    widths = {line[: len(line) - len(bare)].expandtabs(8) for _, bare, line in lines}
    steps = {width: " " * step for step, width in enumerate(sorted(widths, key=len))}
    return [
        (number, steps[line[: len(line) - len(bare)].expandtabs(8)] + bare)
        for number, bare, line in lines
    ]

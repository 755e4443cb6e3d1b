"""Definitions, usages and surrounding code for people."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from ggrep.model.navigation import (
    Definition,
    ExpandResponse,
    Neighbour,
    Reference,
    ReferencesResponse,
    SymbolResponse,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.model.traits import TEST, traits_of
from ggrep.render.page import Page, SourceLines, plural, span
from ggrep.render.style import cut

IMPORT: Final = re.compile(r"\s*(?:import|from|use|using|require|include|#\s*include)\b")
"""How a line begins that only makes a name known to its file."""

_NAME_COLUMNS: Final = 40
_ID_DIGITS: Final = 7
"""So many of a row id are a target of `expand`."""


def symbol_text(response: SymbolResponse, page: Page) -> str:
    """Return the definitions; empty without any."""
    blocks = [_definition(found, page) for found in response.definitions]
    roomy = any(len(block) > 1 for block in blocks)
    return ("\n" if roomy else "").join("\n".join(block) + "\n" for block in blocks)


def symbol_notes(response: SymbolResponse) -> str:
    """Return a line where nothing was found, with names that are spelled nearly so."""
    if response.definitions:
        return ""
    near = f"; similar names: {', '.join(response.suggestions)}" if response.suggestions else ""
    return sanitise_line(f"nothing defines {response.request.name}{near}") + "\n"


def references_text(response: ReferencesResponse, page: Page) -> str:
    """Return the mentions, file by file: uses, those in tests, then where it is imported.

    Files with calls come first. Empty without any.
    """
    used = [one for one in response.references if not _is_listed(one)]
    calling = {one.path for one in used if one.role == "call"}
    used.sort(key=lambda one: (*_group(one)[:2], one.path not in calling, *_place(one)))
    groups = groupby(used, key=_group)
    blocks = [_mentions(path, list(group), page) for (_, _, path), group in groups]
    for told, role in (("imported", "import"), ("receiver or implemented type", "receiver")):
        listed = [one for one in response.references if _is_listed(one) and _role(one) == role]
        places = ", ".join(dict.fromkeys(page.path(one.path, one.line) for one in listed))
        blocks += [f"{told} at {places}\n"] if places else []
    return "\n".join(blocks)


def _is_listed(found: Reference) -> bool:
    """Return whether a mention is told by its place alone."""
    return _role(found) in {"import", "receiver"}


def _role(found: Reference) -> str:
    """Return what a mention does; where no syntax was read an import is told by its line."""
    is_import = not found.container and bool(IMPORT.match(found.content))
    return "import" if is_import and found.role != "receiver" else found.role


def _group(found: Reference) -> tuple[bool, bool, str]:
    return _in_test(found), found.guess, found.path


def _in_test(found: Reference) -> bool:
    return found.test or bool(traits_of(found.path) & TEST)


def _place(found: Reference) -> tuple[str, int, int]:
    return found.path, found.line, found.column


def references_notes(response: ReferencesResponse) -> str:
    """Return a line on what is shown, and what was left out for its kind.

    What was left out for its number is a limit, which is told as everywhere.
    """
    request, totals = response.request, dict(response.totals)
    asked = {"usage": True, "string": request.strings, "comment": request.comments}
    told, left = [], []
    for kind, wanted in asked.items():
        shown = sum(found.kind == kind for found in response.references)
        if shown:
            told.append(plural(shown, kind))
        elif not wanted and totals.get(kind, 0):
            left.append(f"{plural(totals[kind], kind)} not shown, --{kind}s shows them")
    nothing = f"nothing uses {request.name}"
    head = f"{', '.join(told)} in {plural(response.files, 'file')}" if told else nothing
    return sanitise_line("; ".join([head, *left])) + "\n"


def expansion_text(response: ExpandResponse, page: Page) -> str:
    """Return the lines around a place, and what stands before and behind them."""
    blocks = [[_heading(response, page)]]
    if response.content:
        lines = SourceLines(response.content, response.start_line, response.hidden_lines)
        blocks.append(page.source(lines))
    if response.neighbours:
        blocks.append(_neighbours(response.neighbours, page))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _definition(found: Definition, page: Page) -> list[str]:
    place, kind = page.path(found.path, found.start_line, found.end_line), sanitise_line(found.kind)
    name = page.style.paint("name", page.fitting(found.qualified_name or found.name))
    lines = [f"{place}  {page.style.paint('kind', kind)} {name}"]
    if found.signature:
        lines.append("    " + page.fitting(found.signature, 4))
    first = found.doc.strip().partition("\n")[0]
    return [*lines, "    " + page.muted(page.fitting(first, 4))] if first else lines


def _mentions(path: str, found: Sequence[Reference], page: Page) -> str:
    """Return a file and the mentions in it, the lines' text below each other."""
    marks = [f"{item.line}:{item.column}" for item in found]
    width = max(len(mark) for mark in marks)
    doubt = page.muted("  may be another container's") if found[0].guess else ""
    lines = [page.path(path) + doubt]
    for item, mark in zip(found, marks, strict=True):
        taken = 2 + width + 2
        text = page.fitting(item.content.strip(), taken)
        inside = sanitise_line(f"  in {item.container}") if item.container else ""
        fits = not page.columns or taken + len(text) + len(inside) <= page.columns
        where = "  " + page.style.paint("line", mark)
        tail = page.muted(inside) if fits else ""
        lines.append(f"{where}{' ' * (width - len(mark))}  {page.lit(text)}{tail}".rstrip())
    return "".join(line + "\n" for line in lines)


def _heading(response: ExpandResponse, page: Page) -> str:
    place = page.path(response.path, response.start_line)
    inside = f", in {' > '.join(response.breadcrumb)}" if response.breadcrumb else ""
    lines = f"lines {span(response.start_line, response.end_line)} of {response.file_lines}"
    return f"{place}  {page.muted(f'{response.boundary}{inside}, {lines}')}"


def _neighbours(found: Sequence[Neighbour], page: Page) -> list[str]:
    """Return what stands on either side, and what to type to see it."""
    spans = [span(item.start_line, item.end_line) for item in found]
    named = [f"{item.chunk_type} {item.name or item.signature}".rstrip() for item in found]
    width, widest = max(map(len, spans)), min(max(map(len, named)), _NAME_COLUMNS)
    lines = []
    for item, lines_of, name in zip(found, spans, named, strict=True):
        head = f"{item.side:<6}  {lines_of:<{width}}  {cut(sanitise_line(name), widest):<{widest}}"
        lines.append(page.muted(f"{head}  ggrep expand {item.row_id[:_ID_DIGITS]}"))
    return lines

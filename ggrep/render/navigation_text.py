"""Definitions, usages and surrounding code as text, of one or several repositories."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from ggrep.model.files import TEST, traits_of
from ggrep.model.line_numbers import line_range
from ggrep.model.navigation import (
    Definition,
    ExpandResponse,
    Neighbour,
    Reference,
    ReferencesRequest,
    ReferencesResponse,
    SymbolResponse,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.render.page import Page, SourceLines, plural
from ggrep.render.style import cut

IMPORT: Final = re.compile(r"\s*(?:import|from|use|using|require|include|#\s*include)\b")
"""Start of a line that imports a name."""

_NAME_COLUMNS: Final = 40
_ID_DIGITS: Final = 7
"""Number of shown digits of a row id; `expand` accepts such a prefix."""


def symbol_text(response: SymbolResponse, page: Page) -> str:
    """Return the definitions as text; empty if there are none."""
    return definitions_text([(item.path, item) for item in response.definitions], page)


def definitions_text(definitions: Sequence[tuple[str, Definition]], page: Page) -> str:
    """Return definitions with their paths as text; empty if there are none."""
    blocks = [_definition(key, item, page) for key, item in definitions]
    roomy = any(len(block) > 1 for block in blocks)
    return ("\n" if roomy else "").join("\n".join(block) + "\n" for block in blocks)


def symbol_notes(response: SymbolResponse) -> str:
    """Return a line with similar names if there is no definition."""
    if response.definitions:
        return ""
    return nothing_defines(response.request.name, response.suggestions)


def nothing_defines(name: str, suggestions: Sequence[str]) -> str:
    """Return the message that nothing defines a name, with similar names."""
    near = f"; similar names: {', '.join(suggestions)}" if suggestions else ""
    return sanitise_line(f"nothing defines {name}{near}") + "\n"


def references_text(response: ReferencesResponse, page: Page) -> str:
    """Return the mentions by file: usages in files with calls first, then tests, then imports."""
    return placed_mentions([Placed(item.path, item) for item in response.references], page)


class Placed(Struct, frozen=True):
    """A mention with its shown path, and its tie to a definition in another repository."""

    key: str
    mention: Reference
    tie: str = ""


def placed_mentions(mentions: Sequence[Placed], page: Page) -> str:
    """Return mentions in the format of `references_text`."""
    used = [item for item in mentions if not _is_listed(item.mention)]
    calling = {item.key for item in used if item.mention.role == "call"}
    used.sort(key=lambda item: (*_group(item)[:3], item.key not in calling, item.mention.path))
    blocks = [
        _mentions(key, [item.mention for item in group], page, tie)
        for (*_, key, tie), group in groupby(used, key=_group)
    ]
    for title, role in (("imported", "import"), ("receiver or implemented type", "receiver")):
        listed = [
            item for item in mentions if _is_listed(item.mention) and _role(item.mention) == role
        ]
        places = ", ".join(dict.fromkeys(_listed_place(item, page) for item in listed))
        blocks += [f"{title} at {places}\n"] if places else []
    return "\n".join(blocks)


def _listed_place(item: Placed, page: Page) -> str:
    """Return the location of a mention, marked if it is a guess."""
    place = page.path(item.key, item.mention.line)
    return f"{place} {page.muted(item.tie)}" if item.tie == "guess" else place


def _is_listed(item: Reference) -> bool:
    """Return whether a mention is shown by its location only."""
    return _role(item) in {"import", "receiver"}


def _role(item: Reference) -> str:
    """Return the role of a mention; imports without a parsed role are detected from the line."""
    is_import = not item.container and bool(IMPORT.match(item.content))
    return "import" if is_import and item.role != "receiver" else item.role


def _group(placed: Placed) -> tuple[str, bool, bool, str, str]:
    """Return the sort key of mentions, equal below a shared head; mentions in texts come last."""
    kind = "" if placed.mention.kind == "usage" else "mentioned"
    return kind, _in_test(placed.mention), placed.mention.guess, placed.key, placed.tie


def _in_test(item: Reference) -> bool:
    return item.test or bool(traits_of(item.path) & TEST)


def references_notes(response: ReferencesResponse) -> str:
    """Return a line with the counts of shown mentions and of omitted kinds."""
    mentions = response.mentions, response.mention_files
    return mentions_summary(
        response.request, response.references, dict(response.totals), response.files, mentions
    )


def mentions_summary(
    request: ReferencesRequest,
    references: Sequence[Reference],
    totals: Mapping[str, int],
    files: int,
    mentions: tuple[int, int],
) -> str:
    """Return a line with the counts of shown mentions, of omitted kinds and of further files.

    `mentions` contains the number of occurrences in further files, and the number of such files.
    """
    asked = {"usage": True, "string": request.strings, "comment": request.comments}
    counts, left = [], []
    for kind, wanted in asked.items():
        shown = sum(mention.kind == kind for mention in references)
        if shown:
            counts.append(plural(shown, kind))
        elif not wanted and totals.get(kind, 0):
            left.append(f"{plural(totals[kind], kind)} not shown, --{kind}s shows them")
    nothing = f"nothing uses {request.name}"
    head = f"{', '.join(counts)} in {plural(files, 'file')}" if counts else nothing
    if mentions[0]:
        in_files = plural(mentions[1], "more file")
        left.append(f"about {plural(mentions[0], 'mention')} in {in_files}")
    return sanitise_line("; ".join([head, *left])) + "\n"


def expansion_text(response: ExpandResponse, page: Page, ask: str = "ggrep expand ") -> str:
    """Return the code around a location, and its neighbours; `ask` is the command for a row id."""
    blocks = [[_heading(response, page)]]
    if response.content:
        lines = SourceLines(
            response.content, response.start_line, response.hidden_lines, response.path
        )
        blocks.append(page.source(lines))
    if response.neighbours:
        blocks.append(_neighbours(response.neighbours, page, ask))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _definition(key: str, item: Definition, page: Page) -> list[str]:
    place, kind = page.path(key, item.start_line, item.end_line), sanitise_line(item.kind)
    name = page.style.paint("name", page.fitting(item.qualified_name or item.name))
    lines = [f"{place}  {page.style.paint('kind', kind)} {name}"]
    if item.signature:
        lines.append("    " + page.fitting(item.signature, 4))
    first = item.doc.strip().partition("\n")[0]
    return [*lines, "    " + page.muted(page.fitting(first, 4))] if first else lines


def _mentions(key: str, mentions: Sequence[Reference], page: Page, tie: str) -> str:
    """Return a file with its mentions, aligned."""
    marks = [f"{item.line}:{item.column}" for item in mentions]
    width = max(len(mark) for mark in marks)
    doubt = "may be of another class or module" if mentions[0].guess else ""
    mentioned = "" if mentions[0].kind == "usage" else "mentioned"
    notes = ", ".join(filter(None, (mentioned, tie, doubt)))
    lines = [page.path(key) + (f"  {page.muted(notes)}" if notes else "")]
    for item, mark in zip(mentions, marks, strict=True):
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
    lines = f"lines {line_range(response.start_line, response.end_line)} of {response.file_lines}"
    return f"{place}  {page.muted(f'{response.boundary}{inside}, {lines}')}"


def _neighbours(neighbours: Sequence[Neighbour], page: Page, ask: str) -> list[str]:
    """Return lines with the chunks before and after, and the commands that show them."""
    spans = [line_range(item.start_line, item.end_line) for item in neighbours]
    named = [f"{item.chunk_type} {item.name or item.signature}".rstrip() for item in neighbours]
    width, widest = max(map(len, spans)), min(max(map(len, named)), _NAME_COLUMNS)
    lines = []
    for item, lines_of, name in zip(neighbours, spans, named, strict=True):
        head = f"{item.side:<6}  {lines_of:<{width}}  {cut(sanitise_line(name), widest):<{widest}}"
        lines.append(page.muted(f"{head}  {ask}{item.row_id[:_ID_DIGITS]}"))
    return lines


class Labelled(Struct, frozen=True):
    """A mention with its repository.

    Attributes:
        repo: name of the repository in locations.
        mark: word for its tie to a definition in another repository; empty for none.
    """

    repo: str
    mention: Reference
    mark: str = ""

    @property
    def key(self) -> str:
        """Return the path with the repository's name."""
        return f"{self.repo}:{self.mention.path}"


def labelled_definitions(definitions: Sequence[tuple[str, Definition]], page: Page) -> str:
    """Return definitions with the names of their repositories as text; empty if there are none."""
    return definitions_text([(f"{repo}:{item.path}", item) for repo, item in definitions], page)


def labelled_mentions(mentions: Sequence[Labelled], page: Page) -> str:
    """Return mentions with the names of their repositories as text.

    Empty if there are none.
    """
    return placed_mentions([Placed(item.key, item.mention, item.mark) for item in mentions], page)

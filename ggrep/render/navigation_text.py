"""Definitions, usages and surrounding code for people, of one repository or of several."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from ggrep.model.files import TEST, traits_of
from ggrep.model.line_numbers import line_range, longest_fold
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
"""Beginning of a line that only makes a name known to its file."""

_NAME_COLUMNS: Final = 40
_ID_DIGITS: Final = 7
"""So many of a row id are a target of `expand`."""


def symbol_text(response: SymbolResponse, page: Page) -> str:
    """Return the definitions; empty without any."""
    return definitions_text([(item.path, item) for item in response.definitions], page)


def definitions_text(definitions: Sequence[tuple[str, Definition]], page: Page) -> str:
    """Return definitions with their paths; empty without any."""
    blocks = [_definition(key, item, page) for key, item in definitions]
    roomy = any(len(block) > 1 for block in blocks)
    return ("\n" if roomy else "").join("\n".join(block) + "\n" for block in blocks)


def symbol_notes(response: SymbolResponse) -> str:
    """Return a line with similar names if nothing was found."""
    if response.definitions:
        return ""
    return nothing_defines(response.request.name, response.suggestions)


def nothing_defines(name: str, suggestions: Sequence[str]) -> str:
    """Return the message that nothing defines a name, with similar names."""
    near = f"; similar names: {', '.join(suggestions)}" if suggestions else ""
    return sanitise_line(f"nothing defines {name}{near}") + "\n"


def references_text(response: ReferencesResponse, page: Page) -> str:
    """Return the mentions by file: usages, files with calls first, those in tests, then imports."""
    return placed_mentions([Placed(item.path, item) for item in response.references], page)


class Placed(Struct, frozen=True):
    """A mention, its file as it is shown, and how it belongs to another repository."""

    key: str
    found: Reference
    tie: str = ""


def placed_mentions(mentions: Sequence[Placed], page: Page) -> str:
    """Return mentions as `references_text` does."""
    used = [item for item in mentions if not _is_listed(item.found)]
    calling = {item.key for item in used if item.found.role == "call"}
    used.sort(key=lambda item: (*_group(item)[:3], item.key not in calling, item.found.path))
    blocks = [
        _mentions(key, [item.found for item in group], page, tie)
        for (*_, key, tie), group in groupby(used, key=_group)
    ]
    for title, role in (("imported", "import"), ("receiver or implemented type", "receiver")):
        listed = [item for item in mentions if _is_listed(item.found) and _role(item.found) == role]
        places = ", ".join(dict.fromkeys(_listed_place(item, page) for item in listed))
        blocks += [f"{title} at {places}\n"] if places else []
    return "\n".join(blocks)


def _listed_place(item: Placed, page: Page) -> str:
    """Return the place of an import; a guess is marked, as it may be of another name."""
    place = page.path(item.key, item.found.line)
    return f"{place} {page.muted(item.tie)}" if item.tie == "guess" else place


def _is_listed(item: Reference) -> bool:
    """Return whether a mention is shown by its place alone."""
    return _role(item) in {"import", "receiver"}


def _role(item: Reference) -> str:
    """Return the role of a mention; without syntax, the line tells an import."""
    is_import = not item.container and bool(IMPORT.match(item.content))
    return "import" if is_import and item.role != "receiver" else item.role


def _group(mention: Placed) -> tuple[str, bool, bool, str, str]:
    """Return the sort key that mentions below one head share; words in texts come last."""
    mentions = "" if mention.found.kind == "usage" else "mentioned"
    return mentions, _in_test(mention.found), mention.found.guess, mention.key, mention.tie


def _in_test(item: Reference) -> bool:
    return item.test or bool(traits_of(item.path) & TEST)


def references_notes(response: ReferencesResponse) -> str:
    """Return a line on the shown mentions, and on those of kinds that were left out."""
    mentions = response.mentions, response.mention_files
    return mentions_told(
        response.request, response.references, dict(response.totals), response.files, mentions
    )


def mentions_told(
    request: ReferencesRequest,
    references: Sequence[Reference],
    totals: Mapping[str, int],
    files: int,
    mentions: tuple[int, int],
) -> str:
    """Return a line on the shown mentions, on those of kinds that were left out, and on the rest.

    `mentions`: occurrences in files behind the page, and the number of such files.
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
        most = f"--max {len(references) + mentions[0]} shows them"
        left.append(f"about {plural(mentions[0], 'mention')} in {in_files}, {most}")
    return sanitise_line("; ".join([head, *left])) + "\n"


def expansion_text(response: ExpandResponse, page: Page, ask: str = "ggrep expand ") -> str:
    """Return the lines around a place and its neighbours; `ask` is typed in front of a row id."""
    blocks = [[_heading(response, page)]]
    fold = longest_fold(response.content.split("\n"), response.start_line)
    if response.content:
        hidden = 0 if fold else response.hidden_lines
        lines = SourceLines(response.content, response.start_line, hidden, response.path)
        blocks.append(page.source(lines))
    if fold:
        place = response.path if ask.endswith(":") else page.place(response.path)
        longest = f"{ask}{place}:{line_range(*fold)}"
        count = plural(response.hidden_lines, "line")
        blocks.append([page.muted(f"folded: {count}; {longest} shows the longest")])
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
    """Return a file and its mentions, their lines aligned."""
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
    """Return the chunks before and after, and how to see them."""
    spans = [line_range(item.start_line, item.end_line) for item in neighbours]
    named = [f"{item.chunk_type} {item.name or item.signature}".rstrip() for item in neighbours]
    width, widest = max(map(len, spans)), min(max(map(len, named)), _NAME_COLUMNS)
    lines = []
    for item, lines_of, name in zip(neighbours, spans, named, strict=True):
        head = f"{item.side:<6}  {lines_of:<{width}}  {cut(sanitise_line(name), widest):<{widest}}"
        lines.append(page.muted(f"{head}  {ask}{item.row_id[:_ID_DIGITS]}"))
    return lines


class Labelled(Struct, frozen=True):
    """A mention in one of several repositories.

    Attributes:
        repo: name of the repository in places.
        mark: one word on how it is tied to a definition elsewhere; empty for none.
    """

    repo: str
    found: Reference
    mark: str = ""

    @property
    def key(self) -> str:
        """Return its file as it is written."""
        return f"{self.repo}:{self.found.path}"


def labelled_definitions(definitions: Sequence[tuple[str, Definition]], page: Page) -> str:
    """Return definitions, each with the label of its repository; empty without any."""
    return definitions_text([(f"{repo}:{item.path}", item) for repo, item in definitions], page)


def labelled_mentions(mentions: Sequence[Labelled], page: Page) -> str:
    """Return mentions as those of one repository, each with the label of its own.

    Empty without any.
    """
    return placed_mentions([Placed(item.key, item.found, item.mark) for item in mentions], page)

"""Text of definitions, usages and surrounding code, for one or several repositories."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from ggrep.model.containers import OTHER_CONTAINER
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.line_numbers import line_range, longest_fold
from ggrep.model.name_pools import MAX_REFERENCES
from ggrep.model.navigation import (
    MENTION_KINDS,
    DefinedAt,
    Definition,
    ExpandResponse,
    Neighbour,
    OutsideName,
    Reference,
    ReferencesRequest,
    ReferencesResponse,
    SymbolResponse,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.render.limits_text import typed
from ggrep.render.page import Page, SourceLines, plural
from ggrep.render.style import cut

IMPLEMENTED: Final = "implemented or extended by"
FOLDED: Final = {"import": "imported", "receiver": "receiver or implemented type"}
"""Roles of usages that are only counted."""
NAMED_ROLES: Final = frozenset({"handles", "implements"})
"""Roles that are named before the lines of usages."""
_RANKED: Final = ("handles", "implements", "call")
_NAME_COLUMNS: Final = 40
_ID_DIGITS: Final = 7
"""Number of shown digits of a row id; `expand` accepts such a prefix."""


def symbol_text(response: SymbolResponse, page: Page) -> str:
    """Return the text of definitions and their implementations; empty without definitions."""
    definitions = definitions_text([(item.path, item) for item in response.definitions], page)
    listed = [(item.path, item) for item in response.implementations]
    return definitions + implementations_text(listed, page)


def implementations_text(items: Sequence[tuple[str, DefinedAt]], page: Page) -> str:
    """Return the text of implementations with paths, below a head; empty without any."""
    rows = [
        f"  {page.path(key, item.start_line, item.end_line)}  "
        + page.fitting(f"{item.kind} {item.qualified_name}{'?' if item.guess else ''}", 4)
        for key, item in items
    ]
    return "".join(f"{row}\n" for row in [IMPLEMENTED, *rows]) if rows else ""


def definitions_text(definitions: Sequence[tuple[str, Definition]], page: Page) -> str:
    """Return definitions with their paths as text; empty if there are none."""
    blocks = [_definition(key, item, page) for key, item in definitions]
    roomy = any(len(block) > 1 for block in blocks)
    return ("\n" if roomy else "").join("\n".join(block) + "\n" for block in blocks)


def symbol_notes(response: SymbolResponse) -> str:
    """Return a line about an undefined name: its package, or similar names."""
    if response.definitions:
        return ""
    outside = [(item.path, item) for item in response.outside]
    return undefined(response.request.name, response.suggestions, outside) + "\n"


def undefined(
    name: str, suggestions: Sequence[str], outside: Sequence[tuple[str, OutsideName]]
) -> str:
    """Return a line about a name without a definition: its package, or similar names.

    Args:
        name: the requested name.
        suggestions: similar names.
        outside: imports of the name, with the displayed paths.
    """
    near = f"; similar names: {', '.join(suggestions)}" if suggestions else ""
    if not outside:
        return sanitise_line(f"no definition of {name}{near}")
    packages = " or ".join(item.package for _, item in outside)
    maybe = "probably " if outside[0][1].guess else ""
    key, first = outside[0]
    return sanitise_line(
        f"{name} is {maybe}defined outside this repository (package {packages}):"
        f" {key}:{first.line}: {first.content}"
    )


def references_text(response: ReferencesResponse, page: Page) -> str:
    """Return the text of mentions by file: usages in files with calls, then tests, then imports."""
    return placed_mentions([Placed(item.path, item) for item in response.references], page)


class Placed(Struct, frozen=True):
    """A mention with its displayed path, and its relation to a definition in another repository."""

    key: str
    mention: Reference
    tie: str = ""


def placed_mentions(mentions: Sequence[Placed], page: Page) -> str:
    """Return mentions in the format of `references_text`."""
    used = [item for item in mentions if item.mention.role not in FOLDED]
    ranks = file_ranks((item.key, item.mention.role) for item in used)
    used.sort(key=lambda item: (*_group(item)[:3], ranks[item.key], item.mention.path))
    blocks = [
        _mentions(key, [item.mention for item in group], page, tie)
        for (*_, key, tie), group in groupby(used, key=_group)
    ]
    for role in FOLDED:
        listed = [item for item in mentions if item.mention.role == role]
        line = folded_line(role, [page.path(item.key, item.mention.line) for item in listed])
        blocks += [f"{line}\n"] if line else []
    return "\n".join(blocks)


def folded_line(role: str, places: Sequence[str]) -> str:
    """Return a line with the number of a role's usages and their first location; or ""."""
    times = "once" if len(places) == 1 else f"{len(places):,} times, first"
    return f"{FOLDED[role]} {times} at {places[0]}" if places else ""


def file_ranks(mentions: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return the order of files by the roles of their mentions; handlers and callers come first."""
    ranks: dict[str, int] = {}
    for key, role in mentions:
        rank = _RANKED.index(role) if role in _RANKED else len(_RANKED)
        ranks[key] = min(rank, ranks.get(key, rank))
    return ranks


def _group(placed: Placed) -> tuple[str, bool, bool, str, str]:
    """Return the sort key of a mention, equal within a group; strings and comments come last."""
    kind, mention = "" if placed.mention.kind == "usage" else "mentioned", placed.mention
    return kind, mention.test, mention.guess, placed.key, placed.tie


def references_notes(response: ReferencesResponse) -> str:
    """Return a line with counts, and a line about the package of an undefined name."""
    counts = MentionCounts(
        *([item.kind for item in response.references], dict(response.totals)),
        *(response.files, response.mentions, response.mention_files),
        *(response.limits_hit, response.warnings),
    )
    counted = count_line(response.request, counts)
    outside = [(item.path, item) for item in response.outside]
    origin = undefined(response.request.name, (), outside) + "\n" if outside else ""
    return f"{counted}\n{origin}"


class MentionCounts(Struct, frozen=True):
    """The counts of an answer about usages.

    Attributes:
        shown: kind of each shown mention.
        totals: mentions of each kind in the files that were parsed.
        files: number of files with shown mentions.
        mentions: number of mentions in `mention_files` files that were not parsed.
        limits: limits that cut the answer; `count_line` shows only `max_references`.
        warnings: warnings of the answer; `count_line` shows only `OTHER_CONTAINER`.
    """

    shown: Sequence[str]
    totals: Mapping[str, int]
    files: int
    mentions: int
    mention_files: int
    limits: Sequence[LimitHit]
    warnings: Sequence[Notice]


def count_line(
    request: ReferencesRequest, answer: MentionCounts, *, arguments: bool = False
) -> str:
    """Return a line with the numbers of shown and hidden mentions, and how to see hidden ones.

    With `arguments` the line names arguments of tools instead of flags.
    """
    totals = answer.totals
    counts = Counter(answer.shown)
    cut = next((limit for limit in answer.limits if limit.code == "max_references"), None)
    kinds = [plural(counts[kind], kind) for kind in MENTION_KINDS if counts[kind]]
    parts = [f"{', '.join(kinds)} in {plural(answer.files, 'file')}"]
    if not kinds:
        parts = [f"no usage of {request.name}"]
    if cut is not None:
        every = cut.observed or sum(totals.get(kind, 0) for kind in request.kinds) + answer.mentions
        about, more = ("" if cut.observed else "about "), ("limit", str(every))
        if cut.limit >= MAX_REFERENCES:
            more = ("filter", "path:DIRECTORY")
        parts.append(f"{about}{every:,} in all; more: {typed(*more, arguments=arguments)}")
    elif answer.mentions:
        in_files = plural(answer.mention_files, "more file")
        parts.append(f"about {plural(answer.mentions, 'mention')} in {in_files}")
    hidden = [kind for kind in MENTION_KINDS if kind not in request.kinds and totals.get(kind)]
    if hidden:
        flags = (typed(f"{kind}s", "true", arguments=arguments) for kind in hidden)
        pairs = zip(hidden, flags, strict=True)
        left = [f"{plural(totals[kind], kind)} ({flag})" for kind, flag in pairs]
        parts.append(f"not shown: {', '.join(left)}")
    parts += [notice.message for notice in answer.warnings if notice.code == OTHER_CONTAINER]
    return sanitise_line("; ".join(parts))


def expansion_text(response: ExpandResponse, page: Page, ask: str = "ggrep expand ") -> str:
    """Return the code around a location, and its neighbours; `ask` is the command for a row id."""
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
    """Return the text of a file's mentions, aligned."""
    marks = [f"{item.line}:{item.column}" for item in mentions]
    width = max(len(mark) for mark in marks)
    doubt = "may belong to another class or module" if mentions[0].guess else ""
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
        role = page.muted(f"{item.role}: ") if item.role in NAMED_ROLES else ""
        lines.append(f"{where}{' ' * (width - len(mark))}  {role}{page.lit(text)}{tail}".rstrip())
    return "".join(line + "\n" for line in lines)


def _heading(response: ExpandResponse, page: Page) -> str:
    place = page.path(response.path, response.start_line)
    inside = f", in {' > '.join(response.breadcrumb)}" if response.breadcrumb else ""
    lines = f"lines {line_range(response.start_line, response.end_line)} of {response.file_lines}"
    return f"{place}  {page.muted(f'{response.boundary}{inside}, {lines}')}"


def _neighbours(neighbours: Sequence[Neighbour], page: Page, ask: str) -> list[str]:
    """Return lines about the chunks before and after, with the commands that show these."""
    spans = [line_range(item.start_line, item.end_line) for item in neighbours]
    named = [f"{item.chunk_type} {item.name or item.signature}".rstrip() for item in neighbours]
    width, widest = max(map(len, spans)), min(max(map(len, named)), _NAME_COLUMNS)
    lines = []
    for item, lines_of, name in zip(neighbours, spans, named, strict=True):
        head = f"{item.side:<6}  {lines_of:<{width}}  {cut(sanitise_line(name), widest):<{widest}}"
        lines.append(page.muted(f"{head}  {ask}{item.row_id[:_ID_DIGITS]}"))
    return lines

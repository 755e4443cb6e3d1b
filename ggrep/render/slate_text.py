"""Renders a slate as text for people, and its graph in a diagram language."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.confidence import Confidence
from ggrep.model.line_numbers import line_range
from ggrep.model.sanitise import sanitise_line
from ggrep.model.slate import (
    SECTIONS,
    ContextGraph,
    Evidence,
    GraphEdge,
    GraphNode,
    NextAction,
    Overview,
    Pack,
    Reason,
    Role,
    Section,
    SessionState,
    Slate,
    SlateResponse,
)
from ggrep.render.page import Page, SourceLines, plural
from ggrep.search.slate.document import slate_json
from ggrep.search.slate.slate_lines import folded_place

_TITLES: Final = {
    Section.CODE: "Code",
    Section.DOCS: "Documents",
    Section.DIAGRAMS: "Diagrams",
    Section.CONFIG: "Configuration",
    Section.TESTS: "Tests",
}
_REASONS: Final[dict[Reason, str]] = {
    "semantic_match": "",
    "entrypoint_rule": "entry point",
    "policy_rule": "policy",
    "config_rule": "configuration",
    "test_rule": "test",
    "docs_quota": "document",
    "diagram_quota": "diagram",
    "anchor_for_context": "opening lines",
    "neighbour_context": "nearby",
    "expand_target": "requested target",
}
"""Names of reasons; a plain match has none."""

_SAID_BY: Final = {
    Section.CODE: {"anchor", "code"},
    Section.DOCS: {"anchor", "doc", "document"},
    Section.DIAGRAMS: {"anchor", "diagram", "graph"},
    Section.CONFIG: {"anchor", "config", "configuration"},
    Section.TESTS: {"anchor", "test"},
}
"""Words that are omitted after files because the section's title implies them."""

_ROLE_NAMES: Final = {Role.ENTRYPOINT: "entry point"}
_EDGES: Final = 24
_SNAPSHOT_DIGITS: Final = 10
_PATH_COLUMNS: Final = 60
_QUERY_CHARACTERS: Final = 120
"""Maximum length of a question that hints repeat, for copying."""

_SIGNATURE_CHARACTERS: Final = 40
_SPACE: Final = re.compile(r"\s+")


class ShownSlate(Struct, frozen=True):
    """A slate with the context that its text shows.

    Attributes:
        source: the repository or workspace of the slate, in a few words.
        session: state of the session; None without a session.
        roots: directories by alias, as the user would type these; repositories of a team server
            have none.
        workspace: workspace file, as the user would type it; empty for a single repository.
    """

    query: str
    confidence: Confidence
    slate: Slate
    source: str
    session: SessionState | None = None
    roots: tuple[tuple[str, str], ...] = ()
    workspace: str = ""


def shown_slate(response: SlateResponse) -> ShownSlate:
    """Return the slate of one repository with its context."""
    return ShownSlate(
        query=response.request.search.query,
        confidence=response.confidence,
        slate=response.slate,
        source=f"snapshot {response.provenance.snapshot_id[:_SNAPSHOT_DIGITS]}",
        session=response.session,
    )


def slate_text(view: ShownSlate, page: Page) -> str:
    """Return the slate's text, with a final newline."""
    slate = view.slate
    lines = _head(view, page)
    for section, packs in slate.sections:
        lines += ["", page.rule(_TITLES[section], plural(len(packs), "file"))]
        if slate.level == 0:
            lines += _paths(packs, page)
        for number, pack in enumerate(packs if slate.level else ()):
            lines += ["", *_pack(pack, page)] if number else _pack(pack, page)
    if place := folded_place(slate_json(slate)):
        command = _command(NextAction("expand", place, ""), view, page)
        lines += ["", page.muted(f"folded: {command} shows the longest range")]
    if slate.graph is not None:
        lines += _graph(slate.graph, page)
    lines += _next(view, page)
    if view.session is not None:
        head = plural(view.session.seen_files, "file")
        minutes = view.session.expires_in_secs // 60
        lines += ["", page.rule("Session", f"{head} shown so far, session valid for {minutes} min")]
        # The token is not cut, as users copy it.
        lines.append(sanitise_line(view.session.token))
    return "\n".join(lines) + "\n"


def _head(view: ShownSlate, page: Page) -> list[str]:
    slate = view.slate
    confidence = f"  ({view.confidence.value})"
    query = page.fitting(view.query, len(confidence))
    figures = [
        plural(sum(len(packs) for _, packs in slate.sections), "file"),
        f"{slate.total_bytes / 1000:.1f} kB",
        f"about {slate.estimated_tokens:,} tokens",
        f"level {slate.level}",
        view.source,
    ]
    lines = [page.style.paint("name", query) + page.muted(confidence)]
    return lines + page.wrapped(", ".join(figures)) + _overview(slate.overview, page)


def _overview(overview: Overview, page: Page) -> list[str]:
    lines = []
    terms = [  # omits stems of other terms
        term
        for term in overview.terms
        if not any(other != term and other.startswith(term) for other in overview.terms)
    ]
    if terms:
        lines += page.wrapped("looked for " + ", ".join(terms))
    if overview.names:
        lines += page.wrapped("defines " + ", ".join(overview.names))
    if overview.files and overview.missing:
        titles = [_TITLES[section].lower() for section in overview.missing]
        lines += page.wrapped("nothing found in: " + ", ".join(titles))
    return lines


def _paths(packs: Sequence[Pack], page: Page) -> list[str]:
    """Return a line for each file, with aligned reasons."""
    widths = [len(page.place(pack.path)) + len(str(pack.line)) + 1 for pack in packs]
    widest = max((width for width in widths if width <= _PATH_COLUMNS), default=0)
    return [
        _place(pack, page) + page.muted(_tail(_why(pack), widest - width))
        for pack, width in zip(packs, widths, strict=True)
    ]


def _pack(pack: Pack, page: Page) -> list[str]:
    lines = [_place(pack, page) + page.muted(_tail(_why(pack)))]
    # Omits opening lines that a budget cut away or that evidence shows.
    anchor = (pack.anchor,) if pack.anchor is not None and pack.anchor.snippet else ()
    shown = (*anchor, *pack.evidence)
    digits = max((len(str(item.end_line)) for item in shown), default=0)
    for item in shown:
        lines += _evidence(item, pack.path, digits, page)
    if pack.more_evidence:
        lines.append(page.muted(f"  (+{plural(pack.more_evidence, 'more place')} in this file)"))
    return lines


def _place(pack: Pack, page: Page) -> str:
    alias = page.style.paint("repo", f"[{sanitise_line(pack.repo)}]") + " " if pack.repo else ""
    return alias + page.path(pack.path, pack.line)


def _why(pack: Pack) -> str:
    """Return the name of the definition at a file's best evidence, and the file's reason and roles.

    Each word appears once; words that the section implies are omitted.
    """
    roles = (_ROLE_NAMES.get(role, role.value) for role in pack.roles)
    reasons = [_REASONS[pack.reason], *roles, *pack.tags]
    words = dict.fromkeys(word.lower() for word in reasons if word)
    left = [word for word in words if word not in {*_SAID_BY[pack.section], "definition"}]
    return ", ".join([*([pack.name] if pack.name else []), *left])


def _evidence(item: Evidence, path: str, digits: int, page: Page) -> list[str]:
    lines = [_title(item, page)]
    if item.snippet:
        first = item.snippet_start_line or item.start_line
        source = SourceLines(item.snippet, first, item.hidden_lines, path)
        lines += page.source(source, indent="    ", digits=digits, shift=True)
    if item.also:
        places = ", ".join(_moved(place, page) for place in item.also)
        lines += page.wrapped(f"also {places}", "    ")
    return lines


def _title(item: Evidence, page: Page) -> str:
    """Return the title line of a piece of evidence: its lines, kind, name and container."""
    lines = line_range(item.start_line, item.end_line)
    if item.reason == "anchor_for_context":
        return f"  {page.style.paint('line', lines)}  {page.muted(_REASONS[item.reason])}"
    taken = 2 + len(lines) + 2
    if item.signature and not _holds(item.snippet, item.signature):
        kind, name = "", page.fitting(item.signature, taken)
    else:
        kind = sanitise_line(item.chunk_type)
        name = page.fitting(item.name, taken + len(kind) + 1)
    taken += len(kind) + 1 + len(name) + 2
    beside = _REASONS[item.reason] if item.reason == "neighbour_context" else ""
    inside = f"in {' > '.join(item.breadcrumb)}" if item.breadcrumb else ""
    tail = "; ".join(part for part in (inside, beside) if part)
    parts = [
        page.style.paint("line", lines),
        f"{page.style.paint('kind', kind)} {page.style.paint('name', name)}".strip(),
        page.muted(page.fitting(tail, taken)) if page.has_room(taken) else "",
    ]
    return "  " + "  ".join(part for part in parts if part)


def _graph(graph: ContextGraph, page: Page) -> list[str]:
    """Return lines about the edges between files of the slate."""
    if not graph.edges:
        return []
    nodes = {node.id: node for node in graph.nodes}
    lines = ["", page.rule("Graph", plural(len(graph.edges), "edge"))]
    for edge in graph.edges[:_EDGES]:
        ends = f"{_node(edge.source, nodes, page)} -> {_node(edge.target, nodes, page)}"
        named = f"  ({edge.kind} {edge.via})"
        fits = edge.via and (not page.columns or len(ends) + len(named) <= page.columns)
        lines.append(ends + page.muted(named if fits else f"  ({edge.kind})"))
    if len(graph.edges) > _EDGES:
        more = len(graph.edges) - _EDGES
        lines.append(page.muted(f"(+{more:,} more; --graph dot prints them all)"))
    return lines


def _node(name: str, nodes: Mapping[str, GraphNode], page: Page) -> str:
    node = nodes.get(name)
    if node is None:
        return sanitise_line(name)
    shown = page.place(node.path)
    return sanitise_line(f"{node.repo}:{shown}" if node.repo else shown)


def _next(view: ShownSlate, page: Page) -> list[str]:
    """Return the slate's hints as lines with commands."""
    actions = view.slate.next_actions
    if not actions:
        return []
    typed = [sanitise_line(_command(action, view, page)) for action in actions]
    widest = max((len(line) for line in typed if len(line) <= _PATH_COLUMNS), default=0)
    lines = ["", page.rule("Next")]
    for command, action in zip(typed, actions, strict=True):
        tail = _tail(action.why, widest - len(command))
        if not page.columns or len(command) + len(tail) <= page.columns:
            lines.append(command + page.muted(tail))
        else:
            lines += [command, *page.wrapped(action.why, "    ")]
    return lines


def _command(action: NextAction, view: ShownSlate, page: Page) -> str:
    query = shlex.quote(view.query)
    again = query if len(query) <= _QUERY_CHARACTERS else "..."
    again += _in_workspace(view)
    match action.action:
        case "level":
            return f"ggrep slate {again} --level {shlex.quote(action.target)}"
        case "refine" if view.session is not None:
            return f"ggrep slate {again} --session TOKEN --delta-only"
        case "refine":
            begin = action.target == "session"
            return f"ggrep slate {again} --session new" if begin else "ggrep slate ..."
        case _:
            return f"ggrep {action.action} {_argument(action, view, page)}"


def _in_workspace(view: ShownSlate) -> str:
    return f" --workspace {shlex.quote(view.workspace)}" if view.workspace else ""


def _argument(action: NextAction, view: ShownSlate, page: Page) -> str:
    """Return the argument of a suggested command: a name, or a location with its repository."""
    if view.workspace:
        alias, _, target = action.target.partition(":")
        if action.action != "expand":  # other repositories may define or use the name
            return f"{shlex.quote(target)}{_in_workspace(view)}"
        if (root := dict(view.roots).get(alias)) is None:
            return f"{shlex.quote(action.target)}{_in_workspace(view)}"
        return f"{shlex.quote(target)} --repo {shlex.quote(root)}"
    target = _moved(action.target, page) if action.action == "expand" else action.target
    return shlex.quote(target)


def _moved(place: str, page: Page) -> str:
    """Return `path` or `path:line` with the path as the user would type it; ids are unchanged."""
    path, colon, lines = place.rpartition(":")
    if colon and lines.replace("-", "").isdigit():
        return f"{page.place(path)}:{lines}"
    return page.place(place) if "/" in place or "." in place else place


def _holds(snippet: str, signature: str) -> bool:
    """Return whether the snippet contains the signature's beginning, ignoring whitespace."""
    return _SPACE.sub("", signature)[:_SIGNATURE_CHARACTERS] in _SPACE.sub("", snippet)


def _tail(text: str, padding: int = 0) -> str:
    return f"{' ' * max(padding, 0)}  {text}" if text else ""


GraphForm: TypeAlias = Literal["dot", "mermaid"]

_DOT_MARKS = str.maketrans({"\\": "\\\\", '"': '\\"'})
_MERMAID_MARKS = str.maketrans({mark: f"#{ord(mark)};" for mark in "\"#&'<>`|%\\[]{}()"})


def graph_text(graph: ContextGraph, form: GraphForm) -> str:
    """Return the graph in a diagram language, with a cluster of files for each section.

    DOT escapes quotes and backslashes; Mermaid replaces special characters by its own entities.
    """
    numbers = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    edges = [edge for edge in graph.edges if edge.source in numbers and edge.target in numbers]
    write = _dot if form == "dot" else _mermaid
    lines = write(graph, edges, numbers)
    return "".join(f"{line}\n" for line in lines)


def _dot(graph: ContextGraph, edges: list[GraphEdge], numbers: dict[str, str]) -> Iterator[str]:
    yield "digraph context {"
    yield "  rankdir=LR;"
    yield "  node [shape=box];"
    for number, (title, nodes) in enumerate(_clusters(graph)):
        yield f"  subgraph cluster_{number} {{"
        yield f"    label={_quoted(title)};"
        yield from (
            f"    {numbers[node.id]} [label={_quoted(_node_place(node))}];" for node in nodes
        )
        yield "  }"
    for edge in edges:
        ends = f"{numbers[edge.source]} -> {numbers[edge.target]}"
        yield f"  {ends} [label={_quoted(_joined_by(edge))}];"
    yield "}"


def _mermaid(graph: ContextGraph, edges: list[GraphEdge], numbers: dict[str, str]) -> Iterator[str]:
    yield "flowchart LR"
    for number, (title, nodes) in enumerate(_clusters(graph)):
        yield f"  subgraph s{number}[{_entities(title)}]"
        yield from (f"    {numbers[node.id]}[{_entities(_node_place(node))}]" for node in nodes)
        yield "  end"
    for edge in edges:
        arrow = f"-->|{_entities(_joined_by(edge))}|"
        yield f"  {numbers[edge.source]} {arrow} {numbers[edge.target]}"


def _clusters(graph: ContextGraph) -> Iterator[tuple[str, list[GraphNode]]]:
    """Yield the title and nodes of each repository's sections, in the order of sections."""
    for repo in sorted({node.repo for node in graph.nodes}):
        for section in SECTIONS:
            nodes = [node for node in graph.nodes if (node.repo, node.section) == (repo, section)]
            if nodes:
                yield f"{repo}: {section.value}" if repo else section.value, nodes


def _node_place(node: GraphNode) -> str:
    return f"{node.path}:{node.line}" if node.line else node.path


def _joined_by(edge: GraphEdge) -> str:
    return f"{edge.kind}: {edge.via}" if edge.via else edge.kind


def _quoted(text: str) -> str:
    return f'"{sanitise_line(text).translate(_DOT_MARKS)}"'


def _entities(text: str) -> str:
    return f'"{sanitise_line(text).translate(_MERMAID_MARKS)}"'

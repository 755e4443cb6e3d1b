"""A slate as a JSON object, shown by every surface."""

from typing import TYPE_CHECKING, Final

from ggrep.model.slate import (
    DEFINITIONS,
    ContextGraph,
    Evidence,
    NextAction,
    Overview,
    Pack,
    Section,
    Slate,
)

if TYPE_CHECKING:
    from ggrep.model.schemas.slate import (
        ContextGraphJson,
        EvidenceJson,
        GraphEdgeJson,
        GraphNodeJson,
        NextActionJson,
        OverviewJson,
        PackJson,
        SlateJson,
        SlateLimitsJson,
    )


SECTION_TAGS: Final = {
    Section.CODE: "Code",
    Section.DOCS: "Doc",
    Section.DIAGRAMS: "Graph",
    Section.CONFIG: "Config",
    Section.TESTS: "Test",
}
"""What a file is good for in its section; entries say it no second time."""

_DECIMALS: Final = 4
"""Of scores: more digits are bytes that nobody reads."""

MOST_NAME: Final = 80
"""Characters of a pack's name, and of that of a piece whose lines are not shown."""


def file_id(repo: str, path: str) -> str:
    """Return how a file is named beside those of other repositories; its path in a slate of one."""
    return f"{repo}:{path}" if repo else path


def slate_json(slate: Slate) -> "SlateJson":
    """Return the slate as the field `slate` of `slate_success`; keys that say nothing are absent.

    At level 0 a pack names its file and where to begin, and no evidence.
    """
    document: SlateJson = {
        "level": slate.level,
        "overview": overview_json(slate.overview),
        "sections": [
            {
                "kind": section.value,
                "files": [pack_json(pack, slate.level) for pack in packs],
            }
            for section, packs in slate.sections
        ],
        "next_actions": [action_json(action) for action in slate.next_actions],
        "limits": limits_json(slate),
        "total_bytes": slate.total_bytes,
        "estimated_tokens": slate.estimated_tokens,
    }
    if slate.graph is not None:
        document["graph"] = graph_json(slate.graph)
    return document


def pack_json(pack: Pack, level: int) -> "PackJson":
    """Return one file of a section."""
    document: PackJson = {
        "path": pack.path,
        "line": pack.line,
        "score": round(pack.score, _DECIMALS),
        "reason": pack.reason,
    }
    told = {SECTION_TAGS[pack.section], "Definition"}
    if tags := [tag for tag in pack.tags if tag not in told]:
        document["tags"] = tags
    if pack.repo:
        document["repo"] = pack.repo
    if level == 0:
        if pack.name:
            document["name"] = pack.name
        return document
    if pack.roles:
        document["roles"] = [role.value for role in pack.roles]
    _add_text(document, pack)
    return document


def _add_text(document: "PackJson", pack: Pack) -> None:
    """Add what a file's entry shows and names of its text; keys that say nothing are absent."""
    if pack.anchor is not None and pack.anchor.snippet:
        document["anchor"] = evidence_json(pack.anchor)
    if shown := [evidence_json(item) for item in pack.evidence if item.snippet]:
        document["evidence"] = shown
    if named := [outlined(item) for item in pack.evidence if not item.snippet]:
        document["outline"] = named
    if pack.more_evidence:
        document["more_evidence"] = pack.more_evidence


def evidence_json(item: Evidence) -> "EvidenceJson":
    """Return one piece whose lines are shown."""
    document: EvidenceJson = {
        "start_line": item.start_line,
        "end_line": item.end_line,
        "chunk_type": item.chunk_type,
        "snippet": item.snippet,
    }
    if item.snippet_start_line != item.start_line:
        document["snippet_start_line"] = item.snippet_start_line
    if item.hidden_lines:
        document["hidden_lines"] = item.hidden_lines
    if item.name:
        document["name"] = item.name
    if item.breadcrumb:
        document["breadcrumb"] = list(item.breadcrumb)
    if item.reason == "neighbour_context":
        document["reason"] = item.reason
    if item.also:
        document["also"] = list(item.also)
    return document


def outlined(item: Evidence) -> str:
    """Return one line for a piece whose lines are not shown: `40-62 method Queue.retry`."""
    within = item.breadcrumb[-1:] if item.name and item.chunk_type in DEFINITIONS else ()
    name = ".".join((*within, item.name))[:MOST_NAME]
    return f"{item.start_line}-{item.end_line} {item.chunk_type} {name}".rstrip()


def overview_json(overview: Overview) -> "OverviewJson":
    """Return what the question was taken for and where its answer lies."""
    return {
        "terms": list(overview.terms),
        "kind": overview.kind,
        "files": {section.value: number for section, number in overview.files},
        "top_paths": list(overview.top_paths),
        "names": list(overview.names),
        "missing": [section.value for section in overview.missing],
    }


def action_json(action: NextAction) -> "NextActionJson":
    """Return one hint."""
    return {"action": action.action, "target": action.target, "why": action.why}


def limits_json(slate: Slate) -> "SlateLimitsJson":
    """Return the bounds in force under the names that `limits_hit` uses."""
    budgets = slate.limits
    document: SlateLimitsJson = {
        "max_slate_bytes": budgets.total_bytes,
        "max_slate_file_bytes": budgets.file_bytes,
        "max_slate_files": budgets.files,
        "max_evidence_per_file": budgets.evidence_per_file,
    }
    if budgets.of_text:
        document["of_text"] = True
    if slate.graph is not None:
        bounds = slate.graph.bounds
        document["max_graph_nodes"] = bounds.nodes
        document["max_graph_edges"] = bounds.edges
        document["max_graph_bytes"] = bounds.bytes
    return document


def graph_json(graph: ContextGraph) -> "ContextGraphJson":
    """Return the graph: names and places, no text."""
    nodes: list[GraphNodeJson] = []
    for node in graph.nodes:
        entry: GraphNodeJson = {
            "id": node.id,
            "path": node.path,
            "line": node.line,
            "section": node.section.value,
        }
        if node.repo:
            entry["repo"] = node.repo
        nodes.append(entry)
    edges: list[GraphEdgeJson] = [
        {"kind": edge.kind, "from": edge.source, "to": edge.target, "via": edge.via}
        for edge in graph.edges
    ]
    return {"nodes": nodes, "edges": edges}

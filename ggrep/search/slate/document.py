"""A slate as a JSON object: the form that budgets are measured on, shown by every surface."""

from typing import TYPE_CHECKING

from ggrep.model.slate import (
    Budgets,
    ContextGraph,
    Evidence,
    NextAction,
    Overview,
    Pack,
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
        "limits": budgets_json(slate.limits),
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
        "score": pack.score,
        "reason": pack.reason,
        "tags": list(pack.tags),
    }
    if pack.name:
        document["name"] = pack.name
    if pack.repo:
        document["repo"] = pack.repo
    if level == 0:
        return document
    document["language"] = pack.language
    document["roles"] = [role.value for role in pack.roles]
    if pack.anchor is not None:
        document["anchor"] = evidence_json(pack.anchor)
    document["evidence"] = [evidence_json(item) for item in pack.evidence]
    document["more_evidence"] = pack.more_evidence
    return document


def evidence_json(item: Evidence) -> "EvidenceJson":
    """Return one piece of evidence."""
    document: EvidenceJson = {
        "row_id": item.row_id,
        "chunk_id": item.chunk_id,
        "start_line": item.start_line,
        "end_line": item.end_line,
        "score": item.score,
        "chunk_type": item.chunk_type,
        "reason": item.reason,
        "tags": list(item.tags),
        "hidden_lines": item.hidden_lines,
    }
    if item.name:
        document["name"] = item.name
    if item.breadcrumb:
        document["breadcrumb"] = list(item.breadcrumb)
    if item.signature:
        document["signature"] = item.signature
    if item.snippet:
        document["snippet"] = item.snippet
        document["snippet_start_line"] = item.snippet_start_line
    if item.also:
        document["also"] = list(item.also)
    return document


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


def budgets_json(budgets: Budgets) -> "SlateLimitsJson":
    """Return the budgets under the names that `limits_hit` uses."""
    return {
        "max_slate_bytes": budgets.total_bytes,
        "max_slate_file_bytes": budgets.file_bytes,
        "max_slate_files": budgets.files,
        "max_evidence_per_file": budgets.evidence_per_file,
    }


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

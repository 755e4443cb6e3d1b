"""Converts a slate to JSON."""

from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import json

from ggrep.model.slate import (
    BUDGET_CODES,
    DEFINITIONS,
    ContextGraph,
    Evidence,
    Overview,
    Pack,
    Section,
    Slate,
)

if TYPE_CHECKING:
    from ggrep.model.schemas.slate import ContextGraphJson, EvidenceJson, PackJson, SlateJson


SECTION_TAGS: Final = {
    Section.CODE: "Code",
    Section.DOCS: "Doc",
    Section.DIAGRAMS: "Graph",
    Section.CONFIG: "Config",
    Section.TESTS: "Test",
}
"""The tag of all files of a section; the entries of files do not repeat it."""

_DECIMALS: Final = 4
"""Decimals of scores; more digits would only use bytes."""

MOST_NAME: Final = 80
"""Maximum length of a name that is listed with a file, or with lines that are not shown."""


def file_id(repo: str, path: str) -> str:
    """Return a file's id in a slate: its path; in a workspace `repo:path`."""
    return f"{repo}:{path}" if repo else path


def slate_json(slate: Slate) -> "SlateJson":
    """Return the field `slate` of the document `slate_success`; empty keys are absent.

    At level 0, files have no evidence; `name` is the definition at a file's `line`.
    """
    budgets, graph = slate.limits, slate.graph
    limits = {code: getattr(budgets, name) for name, code in BUDGET_CODES.items()}
    if budgets.of_text:
        limits["of_text"] = True
    if graph is not None:
        limits |= {f"max_graph_{name}": most for name, most in _plain(graph.bounds).items()}
    document = {
        "level": slate.level,
        "overview": overview_json(slate.overview),
        "sections": [
            {"kind": section.value, "files": [pack_json(pack, slate.level) for pack in packs]}
            for section, packs in slate.sections
        ],
        "next_actions": _plain(slate.next_actions),
        "limits": limits,
        "total_bytes": slate.total_bytes,
        "estimated_tokens": slate.estimated_tokens,
    }
    if graph is not None:
        document["graph"] = graph_json(graph)
    return cast("SlateJson", document)


def pack_json(pack: Pack, level: int) -> "PackJson":
    """Return one file of a section."""
    document = {
        "path": pack.path,
        "line": pack.line,
        "score": round(pack.score, _DECIMALS),
        "reason": pack.reason,
    }
    section = {SECTION_TAGS[pack.section], "Definition"}
    more: dict[str, object] = {
        "tags": [tag for tag in pack.tags if tag not in section],
        "repo": pack.repo,
    }
    if level == 0:
        more["name"] = pack.name
    else:
        more |= {
            "roles": [role.value for role in pack.roles],
            "evidence": [evidence_json(item) for item in pack.evidence if item.snippet],
            "outline": [outlined(item) for item in pack.evidence if not item.snippet],
            "more_evidence": pack.more_evidence,
        }
        if pack.anchor is not None and pack.anchor.snippet:
            more["anchor"] = evidence_json(pack.anchor)
    return cast("PackJson", document | _without_empty(more))


def evidence_json(item: Evidence) -> "EvidenceJson":
    """Return one piece of evidence whose lines are shown."""
    document = {
        "start_line": item.start_line,
        "end_line": item.end_line,
        "chunk_type": item.chunk_type,
        "snippet": item.snippet,
    }
    more: dict[str, object] = {
        "hidden_lines": item.hidden_lines,
        "name": item.name,
        "breadcrumb": list(item.breadcrumb),
        "reason": item.reason if item.reason == "neighbour_context" else "",
        "also": list(item.also),
    }
    if item.snippet_start_line != item.start_line:
        document["snippet_start_line"] = item.snippet_start_line
    return cast("EvidenceJson", document | _without_empty(more))


def _without_empty(fields: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in fields.items() if value}


def outlined(item: Evidence) -> str:
    """Return one line for a piece whose lines are not shown: `40-62 method Queue.retry`."""
    within = item.breadcrumb[-1:] if item.name and item.chunk_type in DEFINITIONS else ()
    name = ".".join((*within, item.name))[:MOST_NAME]
    return f"{item.start_line}-{item.end_line} {item.chunk_type} {name}".rstrip()


def overview_json(overview: Overview) -> dict[str, object]:
    """Return the overview: the kind of query, and the files and names of its answer."""
    return {**_plain(overview), "files": {part.value: n for part, n in overview.files}}


def graph_json(graph: ContextGraph) -> "ContextGraphJson":
    """Return the graph: files and the names that relate them."""
    edges = [
        {"kind": edge.kind, "from": edge.source, "to": edge.target, "via": edge.via}
        for edge in graph.edges
    ]
    return cast("ContextGraphJson", {"nodes": _plain(graph.nodes), "edges": edges})


def _plain(value: object) -> Any:  # noqa: ANN401 - JSON of any shape
    """Return a value as plain JSON: objects instead of Structs, lists instead of tuples."""
    return json.decode(json.encode(value))

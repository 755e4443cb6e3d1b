"""The JSON of one repository's answer: schema `query_success`, version 1."""

from typing import TYPE_CHECKING, cast

from ggrep.base.formats import QUERY_SCHEMA
from ggrep.model.hit import Hit
from ggrep.model.response import Admitted, Explanation, MatchTotals, QueryResponse
from ggrep.render.metadata_json import metadata_json, scan_json

if TYPE_CHECKING:
    from ggrep.model.schemas.search import (
        AdmissionJson,
        ExplainJson,
        HitJson,
        HitLineJson,
        MatchesJson,
        SearchJson,
        SearchMoreJson,
        SearchTimingsJson,
    )


def query_success(response: QueryResponse) -> "SearchJson":
    """Return the answer as its JSON object."""
    request = response.request
    return {
        **metadata_json(response, QUERY_SCHEMA),
        **_more(response),
        "mode": request.mode.value,
        "confidence": response.confidence.value,
        "limits": {
            "max_results": request.limit,
            "per_file": request.per_file,
            "snippet": request.snippet.value,
        },
        "results": [hit_json(hit) for hit in response.hits],
    }


def _more(response: QueryResponse) -> "SearchMoreJson":
    """Return what is said only where it is due."""
    document: SearchMoreJson = {}
    if response.matched is not None:
        document["matches"] = matches_json(response.matched)
    if response.provenance.scan is not None:
        document["partial"] = "scan"
        document["scan"] = scan_json(response.provenance.scan)
    if response.timings_ms:
        # The engine's stages, one and all.
        document["timings_ms"] = cast("SearchTimingsJson", dict(response.timings_ms))
    if response.explanation is not None:
        document["explain"] = explain_json(response.explanation)
        if response.admitted is not None:
            document["explain"]["admission"] = _admission(response.admitted)
    return document


def _admission(admitted: Admitted) -> "AdmissionJson":
    return {
        "queued": admitted.was_queued,
        "waited_ms": round(admitted.waited_ms),
        "in_flight": admitted.in_flight,
        "queue_depth": admitted.queue_depth,
    }


def hit_json(hit: Hit) -> "HitJson":
    """Return one hit as it stands in `results`."""
    document: HitJson = {
        "row_id": hit.row_id,
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": hit.score,
        "lexical_score": hit.lexical,
        "corpus": hit.corpus.value,
        "chunk_type": hit.chunk_type,
        "name": hit.name,
        "qualified_name": hit.qualified_name,
        "signature": hit.signature,
        "breadcrumb": list(hit.breadcrumb),
        "language": hit.language,
        "is_anchor": hit.is_anchor,
        "content": hit.content,
        "content_start_line": hit.content_start_line,
        "hidden_lines": hit.hidden_lines,
    }
    if hit.lines:
        document["lines"] = lines_json(hit)
        document["matching_lines"] = hit.matching_lines
    if hit.definition is not None:
        start_line, end_line = hit.definition
        document["definition"] = {"start_line": start_line, "end_line": end_line}
    if hit.encoding:
        document["encoding"] = hit.encoding
    if hit.components:
        document["explain"] = {**dict(hit.components), "rule": hit.rule}
    return document


def lines_json(hit: Hit) -> "list[HitLineJson]":
    """Return the lines of a hit that match, with their context."""
    lines: list[HitLineJson] = []
    for line in hit.lines:
        columns = [list(pair) for pair in line.columns]
        lines.append({"line": line.line, "text": line.text, "columns": columns})
        if line.is_cut:
            lines[-1]["cut"] = True
    return lines


def matches_json(totals: MatchTotals) -> "MatchesJson":
    """Return how much matches."""
    document: MatchesJson = {"lines": totals.lines, "files": totals.files}
    if totals.by_file:
        document["by_file"] = [{"path": one.path, "lines": one.lines} for one in totals.by_file]
    return document


def explain_json(explanation: Explanation) -> "ExplainJson":
    """Return how the answer came about."""
    return {
        "kind": explanation.kind,
        "rules": list(explanation.rules),
        "terms": [{"term": term, "chunks": number} for term, number in explanation.terms],
        "quotas": dict(explanation.quotas),
        "candidate_mix": dict(explanation.candidates),
        "returned_mix": dict(explanation.returned),
        "cuts": dict(explanation.cuts),
        "confidence": dict(explanation.confidence),
        "weights": dict(explanation.weights),
        "segments": explanation.segments,
    }

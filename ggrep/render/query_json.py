"""The JSON of one repository's answer: schema `query_success`, version 1."""

from ggrep.domain.hit import Hit
from ggrep.domain.response import Admitted, Explanation, QueryResponse
from ggrep.formats import QUERY_SCHEMA
from ggrep.render.metadata_json import metadata_json
from ggrep.stable_json import Json


def query_success(response: QueryResponse) -> dict[str, Json]:
    """Return the answer as its JSON object."""
    request = response.request
    document: dict[str, Json] = {
        **metadata_json(response, QUERY_SCHEMA),
        "mode": request.mode.value,
        "confidence": response.confidence.value,
        "limits": {
            "max_results": request.limit,
            "per_file": request.per_file,
            "snippet": request.snippet.value,
        },
        "results": [hit_json(hit) for hit in response.hits],
    }
    if response.explanation is not None:
        explained = explain_json(response.explanation)
        if response.admitted is not None:
            explained["admission"] = _admission(response.admitted)
        document["explain"] = explained
    return document


def _admission(admitted: Admitted) -> Json:
    return {
        "queued": admitted.was_queued,
        "waited_ms": round(admitted.waited_ms),
        "in_flight": admitted.in_flight,
        "queue_depth": admitted.queue_depth,
    }


def hit_json(hit: Hit) -> dict[str, Json]:
    """Return one hit as it stands in `results`."""
    document: dict[str, Json] = {
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
    if hit.encoding:
        document["encoding"] = hit.encoding
    if hit.components:
        document["explain"] = {**dict(hit.components), "rule": hit.rule}
    return document


def explain_json(explanation: Explanation) -> dict[str, Json]:
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

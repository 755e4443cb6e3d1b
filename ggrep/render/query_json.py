"""The JSON of one repository's answer: schema `query_success`, version 1."""

from ggrep.domain.hit import Hit
from ggrep.domain.limits import LimitHit, Notice
from ggrep.domain.response import Admitted, Explanation, GitState, QueryResponse
from ggrep.formats import QUERY_SCHEMA
from ggrep.stable_json import Json


def query_success(response: QueryResponse) -> dict[str, Json]:
    """Return the answer as its JSON object."""
    origin, request = response.provenance, response.request
    document: dict[str, Json] = {
        "schema_version": QUERY_SCHEMA,
        "request_id": response.request_id,
        "store_id": origin.store_id,
        "config_fingerprint": origin.config_fingerprint,
        "ignore_fingerprint": origin.ignore_fingerprint,
        "query_fingerprint": response.query_fingerprint,
        "embed_config_fingerprint": origin.embed_config_fingerprint,
        "snapshot_id": origin.snapshot_id,
        "degraded": origin.degraded,
        "indexed": {"files": origin.indexed_files, "eligible": origin.eligible_files},
        "git": git_json(origin.git),
        "mode": request.mode.value,
        "confidence": response.confidence.value,
        "limits": {
            "max_results": request.limit,
            "per_file": request.per_file,
            "snippet": request.snippet.value,
        },
        "limits_hit": [limit_json(limit) for limit in response.limits_hit],
        "warnings": [notice_json(notice) for notice in response.warnings],
        "results": [hit_json(hit) for hit in response.hits],
    }
    if response.timings_ms:
        document["timings_ms"] = dict(response.timings_ms)
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
    if hit.components:
        document["explain"] = {**dict(hit.components), "rule": hit.rule}
    return document


def git_json(git: GitState | None) -> Json:
    """Return the work tree's state, or null outside git."""
    if git is None:
        return None
    return {
        "head_sha": git.head_sha,
        "dirty": git.dirty,
        "untracked_included": git.untracked_included,
    }


def limit_json(limit: LimitHit) -> dict[str, Json]:
    """Return one entry of `limits_hit`; keys that say nothing are left out."""
    document: dict[str, Json] = {"code": limit.code, "limit": limit.limit}
    if limit.observed is not None:
        document["observed"] = limit.observed
    if limit.path_key is not None:
        document["path_key"] = limit.path_key
    return document


def notice_json(notice: Notice) -> dict[str, Json]:
    """Return one entry of `warnings`."""
    document: dict[str, Json] = {"code": notice.code, "message": notice.message}
    if notice.path_key is not None:
        document["path_key"] = notice.path_key
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

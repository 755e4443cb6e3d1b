"""The JSON of a repository's answers."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

from ggrep.base.errors import GgrepError
from ggrep.base.formats import (
    ANSWERS_SCHEMA,
    EXPAND_SCHEMA,
    OUTLINE_SCHEMA,
    QUERY_SCHEMA,
    REFERENCES_SCHEMA,
    SLATE_SCHEMA,
    SYMBOL_SCHEMA,
    TOUR_SCHEMA,
)
from ggrep.base.stable_json import plain
from ggrep.model.constraints import HIDDEN
from ggrep.model.navigation import (
    ExpandRequest,
    ExpandResponse,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.outline import OutlineRequest, OutlineResponse, TourRequest, TourResponse
from ggrep.model.request import SearchRequest
from ggrep.model.response import Answer, Hit, QueryResponse, own_field
from ggrep.model.slate import SessionState, SlateRequest, SlateResponse
from ggrep.render.failures import query_error
from ggrep.search.slate.document import slate_json

if TYPE_CHECKING:
    from ggrep.model.schemas.answers import HitJson, PagedJson
    from ggrep.model.schemas.slate import ContinuedJson


NameAnswer: TypeAlias = SymbolResponse | ReferencesResponse | ExpandResponse


def answer_json(answer: Answer | GgrepError) -> dict[str, Any]:
    """Return an answer of a repository, or its failure, as a JSON object."""
    if isinstance(answer, GgrepError):
        return dict(query_error(answer))
    origin = answer.provenance
    asked: Any = answer
    return {
        "request_id": answer.request_id,
        "store_id": origin.store_id,
        "config_fingerprint": origin.config_fingerprint,
        "ignore_fingerprint": origin.ignore_fingerprint,
        "query_fingerprint": answer.query_fingerprint,
        "embed_config_fingerprint": origin.embed_config_fingerprint,
        "snapshot_id": origin.snapshot_id or None,
        "degraded": origin.degraded,
        "indexed": {"files": origin.indexed_files, "eligible": origin.eligible_files},
        "git": plain(origin.git),
        "limits_hit": plain(answer.limits_hit),
        "warnings": plain(answer.warnings),
        **({"timings_ms": dict(answer.timings_ms)} if answer.timings_ms else {}),
        **_OF_REQUEST[type(asked.request)](answer),
    }


def answers_json(answers: Iterable[NameAnswer | GgrepError]) -> dict[str, Any]:
    """Return several answers as a JSON object, in the order of the queries."""
    return {"schema_version": ANSWERS_SCHEMA, "answers": list(map(answer_json, answers))}


def _search(answer: QueryResponse) -> dict[str, Any]:
    request, scan = answer.request, answer.provenance.scan
    document = {
        "schema_version": QUERY_SCHEMA,
        "mode": request.mode.value,
        "confidence": answer.confidence.value,
        "limits": {
            "max_results": request.limit,
            "per_file": request.per_file,
            "snippet": request.snippet.value,
        },
        "results": [_hit_json(hit) for hit in answer.hits],
    }
    if answer.matched is not None:
        document["matches"] = plain(answer.matched)
    if scan is not None:
        document |= {"partial": "scan", "scan": document_of(scan)}
    if answer.explanation is not None:
        admission = {} if answer.admitted is None else {"admission": plain(answer.admitted)}
        document["explain"] = plain(answer.explanation) | admission
    return document


def _hit_json(hit: Hit) -> "HitJson":
    document: HitJson = document_of(hit)
    if hit.components:
        document["explain"] = {**dict(hit.components), "rule": hit.rule}
    return document


def _slate(answer: SlateResponse) -> dict[str, Any]:
    return {
        "schema_version": SLATE_SCHEMA,
        **continued_json(answer.session),
        "mode": answer.request.search.mode.value,
        "confidence": answer.confidence.value,
        "slate": slate_json(answer.slate),
    }


def _symbol(answer: SymbolResponse) -> dict[str, Any]:
    asked = answer.request
    limits = {"max_symbols": asked.limit}
    return {**_specific(answer, SYMBOL_SCHEMA), "name": asked.name, "limits": limits}


def _references(answer: ReferencesResponse) -> dict[str, Any]:
    asked = answer.request
    limits = {
        "max_references": asked.limit,
        "strings": asked.strings,
        "comments": asked.comments,
    }
    totals = {"totals": dict(answer.totals)}
    return {**_specific(answer, REFERENCES_SCHEMA), **totals, "name": asked.name, "limits": limits}


def expansion_json(answer: ExpandResponse) -> dict[str, Any]:
    """Return the JSON keys that only expansions have."""
    asked = answer.request
    limits = {"boundary": asked.boundary, "max_expand_bytes": asked.max_bytes}
    return {**_specific(answer, EXPAND_SCHEMA), "target": asked.target, "limits": limits}


def _outline(answer: OutlineResponse) -> dict[str, Any]:
    asked = answer.request
    limits = {"depth": asked.depth, "max_outline_bytes": asked.max_bytes}
    return {**_specific(answer, OUTLINE_SCHEMA), "targets": list(asked.targets), "limits": limits}


def _tour(answer: TourResponse) -> dict[str, Any]:
    return {
        **_specific(answer, TOUR_SCHEMA),
        "limits": {"max_tour_bytes": answer.request.max_bytes},
    }


_OF_REQUEST: Final[Mapping[type, Callable[[Any], dict[str, Any]]]] = {
    SearchRequest: _search,
    SlateRequest: _slate,
    SymbolRequest: _symbol,
    ReferencesRequest: _references,
    ExpandRequest: expansion_json,
    OutlineRequest: _outline,
    TourRequest: _tour,
}


def _specific(answer: Answer, schema_version: int) -> dict[str, Any]:
    """Return the fields specific to this kind of answer, and the cursor of the next page."""
    names = filter(own_field, answer.__struct_fields__)
    cursor = paged_json(getattr(answer, "next_cursor", ""))
    values = {name: plain(getattr(answer, name)) for name in names}
    return {"schema_version": schema_version, **values, **cursor}


def paged_json(next_cursor: str) -> "PagedJson":
    """Return an object with the cursor of the next page; an empty object for the last page."""
    return {"next_cursor": next_cursor} if next_cursor else {}


def continued_json(session: SessionState | None) -> "ContinuedJson":
    """Return an object with the state of a session; an empty object without a session."""
    return {} if session is None else {"session": plain(session)}


def document_of(value: Struct) -> Any:  # noqa: ANN401 - an object with the Struct's fields
    """Return a Struct as a JSON document, without hidden fields at any depth."""
    document = plain(value)
    for name in value.__struct_fields__:
        each = getattr(value, name)
        if name in HIDDEN.get(type(value), ()):
            document.pop(name, None)
        elif isinstance(each, tuple) and each and type(each[0]) in HIDDEN:
            document[name] = [document_of(item) for item in each]
    return document

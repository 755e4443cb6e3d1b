"""The JSON of one repository's answers."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

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
from ggrep.base.stable_json import Document, plain
from ggrep.model.constraints import HIDDEN
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.outline import OutlineResponse, TourResponse
from ggrep.model.response import Answer, Hit, QueryResponse, own_field
from ggrep.model.slate import SessionState, SlateResponse
from ggrep.render.failures import query_error
from ggrep.search.slate.document import slate_json

if TYPE_CHECKING:
    from ggrep.model.schemas.answers import HitJson, PagedJson, SearchJson
    from ggrep.model.schemas.slate import ContinuedJson


def _common(answer: Answer, schema_version: Literal[1]) -> dict[str, Any]:
    """Return the keys of every answer; without timings in deterministic mode."""
    origin = answer.provenance
    return {
        "schema_version": schema_version,
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
    }


def _with_own(answer: Answer, schema_version: Literal[1]) -> dict[str, Any]:
    """Return the keys of every answer, those of this kind, and the next page if there is one."""
    cursor = getattr(answer, "next_cursor", "")
    return {**_common(answer, schema_version), **_own(answer), **paged_json(cursor)}


def _own(answer: Answer) -> dict[str, Any]:
    names = filter(own_field, answer.__struct_fields__)
    return {name: plain(getattr(answer, name)) for name in names}


def paged_json(next_cursor: str) -> "PagedJson":
    """Return where the next page begins; nothing on the last."""
    return {"next_cursor": next_cursor} if next_cursor else {}


def document_of(value: Struct) -> Any:  # noqa: ANN401 - an object of whatever fields it has
    """Return a Struct as a document shows it: without its hidden fields, at every depth."""
    document = plain(value)
    for name in value.__struct_fields__:
        each = getattr(value, name)
        if name in HIDDEN.get(type(value), ()):
            document.pop(name, None)
        elif isinstance(each, tuple) and each and type(each[0]) in HIDDEN:
            document[name] = [document_of(item) for item in each]
    return document


def query_success(response: QueryResponse) -> "SearchJson":
    """Return the answer as its JSON object."""
    request, scan = response.request, response.provenance.scan
    document = {
        **_common(response, QUERY_SCHEMA),
        "mode": request.mode.value,
        "confidence": response.confidence.value,
        "limits": {
            "max_results": request.limit,
            "per_file": request.per_file,
            "snippet": request.snippet.value,
        },
        "results": [hit_json(hit) for hit in response.hits],
    }
    if response.matched is not None:
        document["matches"] = plain(response.matched)
    if scan is not None:
        document |= {"partial": "scan", "scan": document_of(scan)}
    if response.explanation is not None:
        document["explain"] = plain(response.explanation)
        if response.admitted is not None:
            document["explain"]["admission"] = plain(response.admitted)
    return cast("SearchJson", document)


def hit_json(hit: Hit) -> "HitJson":
    """Return one hit as it stands in `results`."""
    document: HitJson = document_of(hit)
    if hit.components:
        document["explain"] = {**dict(hit.components), "rule": hit.rule}
    return document


NameAnswer: TypeAlias = SymbolResponse | ReferencesResponse | ExpandResponse


def name_answer_json(answer: NameAnswer | GgrepError) -> Document:
    """Return definitions, mentions, surrounding code or a failure as its JSON object."""
    match answer:
        case SymbolResponse(request=request):
            limits = {"max_symbols": request.limit}
            return {**_with_own(answer, SYMBOL_SCHEMA), "name": request.name, "limits": limits}
        case ReferencesResponse(request=request):
            limits = {
                "max_references": request.limit,
                "strings": request.strings,
                "comments": request.comments,
            }
            totals = dict(answer.totals)
            document = _with_own(answer, REFERENCES_SCHEMA)
            return {**document, "name": request.name, "limits": limits, "totals": totals}
        case ExpandResponse():
            return {**_with_own(answer, EXPAND_SCHEMA), **expansion_json(answer)}
        case GgrepError():
            return query_error(answer)


def expansion_json(response: ExpandResponse) -> dict[str, Any]:
    """Return what stands around a place, without what is told of the index."""
    request = response.request
    limits = {"boundary": request.boundary, "max_expand_bytes": request.max_bytes}
    return {**_own(response), "target": request.target, "limits": limits}


def answers_success(answers: Iterable[NameAnswer | GgrepError]) -> Document:
    """Return several answers as one JSON object, in the order of the questions."""
    return {"schema_version": ANSWERS_SCHEMA, "answers": list(map(name_answer_json, answers))}


def outline_success(response: OutlineResponse) -> Document:
    """Return what files and folders define as its JSON object."""
    request = response.request
    limits = {"depth": request.depth, "max_outline_bytes": request.max_bytes}
    targets = list(request.targets)
    return {**_with_own(response, OUTLINE_SCHEMA), "targets": targets, "limits": limits}


def tour_success(response: TourResponse) -> Document:
    """Return what a repository is as its JSON object."""
    limits = {"max_tour_bytes": response.request.max_bytes}
    return {**_with_own(response, TOUR_SCHEMA), "limits": limits}


def slate_success(response: SlateResponse) -> Document:
    """Return the answer as its JSON object; without a session there is no `session`."""
    return {
        **_common(response, SLATE_SCHEMA),
        **continued_json(response.session),
        "mode": response.request.search.mode.value,
        "confidence": response.confidence.value,
        "slate": slate_json(response.slate),
    }


def continued_json(session: SessionState | None) -> "ContinuedJson":
    """Return what goes on with a session, under its key; nothing without one."""
    return {} if session is None else {"session": plain(session)}

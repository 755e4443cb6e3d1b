"""The JSON of one repository's answers."""

from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from msgspec import Struct, to_builtins

from ggrep.base.formats import (
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
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.outline import OutlineResponse, TourResponse
from ggrep.model.response import Hit, Provenance, QueryResponse
from ggrep.model.slate import SessionState, SlateResponse
from ggrep.search.slate.document import slate_json

if TYPE_CHECKING:
    from ggrep.model.schemas.answers import (
        AnswerJson,
        ExpandJson,
        ExpansionJson,
        HitJson,
        OutlineJson,
        PagedJson,
        ReferencesJson,
        SearchJson,
        SearchMoreJson,
        SearchTimingsJson,
        SymbolJson,
        TimedJson,
        TourJson,
    )
    from ggrep.model.schemas.slate import ContinuedJson, SlateAnswerJson


class Answer(Protocol):
    """What answers to all questions have in common."""

    @property
    def request_id(self) -> str:
        """Return the answer's name."""
        ...

    @property
    def query_fingerprint(self) -> str:
        """Return the identity of the question."""
        ...

    @property
    def provenance(self) -> Provenance:
        """Return the store and snapshot that were asked."""
        ...

    @property
    def limits_hit(self) -> tuple[LimitHit, ...]:
        """Return the cuts."""
        ...

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Return what the reader should know."""
        ...

    @property
    def timings_ms(self) -> tuple[tuple[str, int], ...]:
        """Return stages and milliseconds."""
        ...


def metadata_json(answer: Answer, schema_version: Literal[1]) -> "AnswerJson":
    """Return the keys of every answer."""
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
    }


def timed_json(answer: Answer) -> "TimedJson":
    """Return how long each stage took, where that may be said."""
    return {"timings_ms": dict(answer.timings_ms)} if answer.timings_ms else {}


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
        document["matches"] = plain(response.matched)
    if response.provenance.scan is not None:
        document["partial"] = "scan"
        document["scan"] = document_of(response.provenance.scan)
    if response.timings_ms:
        # The engine's stages, one and all.
        document["timings_ms"] = cast("SearchTimingsJson", dict(response.timings_ms))
    if response.explanation is not None:
        document["explain"] = plain(response.explanation)
        if response.admitted is not None:
            document["explain"]["admission"] = plain(response.admitted)
    return document


def hit_json(hit: Hit) -> "HitJson":
    """Return one hit as it stands in `results`."""
    document: HitJson = document_of(hit)
    if hit.components:
        document["explain"] = {**dict(hit.components), "rule": hit.rule}
    return document


def symbol_success(response: SymbolResponse) -> "SymbolJson":
    """Return the definitions of a name as their JSON object."""
    return {
        **metadata_json(response, SYMBOL_SCHEMA),
        **timed_json(response),
        "name": response.request.name,
        "limits": {"max_symbols": response.request.limit},
        "definitions": plain(response.definitions),
        "total": response.total,
        "suggestions": list(response.suggestions),
        **paged_json(response.next_cursor),
    }


def references_success(response: ReferencesResponse) -> "ReferencesJson":
    """Return the usages of a name as their JSON object."""
    request = response.request
    return {
        **metadata_json(response, REFERENCES_SCHEMA),
        **timed_json(response),
        "name": request.name,
        "limits": {
            "max_references": request.limit,
            "strings": request.strings,
            "comments": request.comments,
        },
        "references": plain(response.references),
        "totals": dict(response.totals),
        "files": response.files,
        "defined": plain(response.defined),
        **paged_json(response.next_cursor),
    }


def expand_success(response: ExpandResponse) -> "ExpandJson":
    """Return what stands around a place as its JSON object."""
    return {
        **metadata_json(response, EXPAND_SCHEMA),
        **timed_json(response),
        **expansion_json(response),
    }


def expansion_json(response: ExpandResponse) -> "ExpansionJson":
    """Return what stands around a place, without what is told of the index."""
    request = response.request
    return {
        "target": request.target,
        "limits": {"boundary": request.boundary, "max_expand_bytes": request.max_bytes},
        "path": response.path,
        "language": response.language,
        "boundary": response.boundary,
        "start_line": response.start_line,
        "end_line": response.end_line,
        "breadcrumb": list(response.breadcrumb),
        "content": response.content,
        "hidden_lines": response.hidden_lines,
        "file_lines": response.file_lines,
        "neighbours": plain(response.neighbours),
    }


def outline_success(response: OutlineResponse) -> "OutlineJson":
    """Return what files and folders define as its JSON object."""
    request = response.request
    return {
        **metadata_json(response, OUTLINE_SCHEMA),
        **timed_json(response),
        "targets": list(request.targets),
        "limits": {"depth": request.depth, "max_outline_bytes": request.max_bytes},
        "outlines": to_builtins(response.outlines),
    }


def tour_success(response: TourResponse) -> "TourJson":
    """Return what a repository is as its JSON object."""
    return {
        **metadata_json(response, TOUR_SCHEMA),
        **timed_json(response),
        "limits": {"max_tour_bytes": response.request.max_bytes},
        "sections": to_builtins(response.sections),
    }


def slate_success(response: SlateResponse) -> "SlateAnswerJson":
    """Return the answer as its JSON object; without a session there is no `session`."""
    return {
        **metadata_json(response, SLATE_SCHEMA),
        **timed_json(response),
        **continued_json(response.session),
        "mode": response.request.search.mode.value,
        "confidence": response.confidence.value,
        "slate": slate_json(response.slate),
    }


def continued_json(session: SessionState | None) -> "ContinuedJson":
    """Return what goes on with a session, under its key; nothing without one."""
    return {} if session is None else {"session": plain(session)}

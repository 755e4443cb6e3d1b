"""The JSON of one repository's answer: schema `query_success`, version 1."""

from typing import TYPE_CHECKING, cast

from ggrep.base.formats import QUERY_SCHEMA
from ggrep.base.stable_json import plain
from ggrep.model.hit import Hit
from ggrep.model.response import QueryResponse
from ggrep.render.metadata_json import document_of, metadata_json

if TYPE_CHECKING:
    from ggrep.model.schemas.search import (
        HitJson,
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

"""The JSON of definitions, usages and surrounding code.

Schemas `symbol_success`, `references_success` and `expand_success`, version 1 each.
"""

from typing import TYPE_CHECKING

from ggrep.base.formats import EXPAND_SCHEMA, REFERENCES_SCHEMA, SYMBOL_SCHEMA
from ggrep.base.stable_json import plain
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.render.metadata_json import metadata_json, paged_json, timed_json

if TYPE_CHECKING:
    from ggrep.model.schemas.navigation import ExpandJson, ExpansionJson, ReferencesJson, SymbolJson


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

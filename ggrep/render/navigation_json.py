"""The JSON of definitions, usages and surrounding code.

Schemas `symbol_success`, `references_success` and `expand_success`, version 1 each.
"""

from typing import TYPE_CHECKING

from ggrep.base.formats import EXPAND_SCHEMA, REFERENCES_SCHEMA, SYMBOL_SCHEMA
from ggrep.model.navigation import (
    Definition,
    ExpandResponse,
    Neighbour,
    Reference,
    ReferencesResponse,
    SymbolResponse,
)
from ggrep.render.metadata_json import metadata_json, timed_json

if TYPE_CHECKING:
    from ggrep.model.schemas.navigation import (
        DefinitionJson,
        ExpandJson,
        NeighbourJson,
        ReferenceJson,
        ReferencesJson,
        SymbolJson,
    )


def symbol_success(response: SymbolResponse) -> "SymbolJson":
    """Return the definitions of a name as their JSON object."""
    return {
        **metadata_json(response, SYMBOL_SCHEMA),
        **timed_json(response),
        "name": response.request.name,
        "limits": {"max_symbols": response.request.limit},
        "definitions": [definition_json(found) for found in response.definitions],
        "total": response.total,
        "suggestions": list(response.suggestions),
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
        "references": [reference_json(found) for found in response.references],
        "totals": dict(response.totals),
        "files": response.files,
    }


def expand_success(response: ExpandResponse) -> "ExpandJson":
    """Return what stands around a place as its JSON object."""
    request = response.request
    return {
        **metadata_json(response, EXPAND_SCHEMA),
        **timed_json(response),
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
        "neighbours": [neighbour_json(found) for found in response.neighbours],
    }


def definition_json(found: Definition) -> "DefinitionJson":
    """Return one entry of `definitions`."""
    return {
        "row_id": found.row_id,
        "path": found.path,
        "line": found.line,
        "start_line": found.start_line,
        "end_line": found.end_line,
        "name": found.name,
        "qualified_name": found.qualified_name,
        "container": found.container,
        "kind": found.kind,
        "language": found.language,
        "signature": found.signature,
        "doc": found.doc,
    }


def reference_json(found: Reference) -> "ReferenceJson":
    """Return one entry of `references`."""
    return {
        "row_id": found.row_id,
        "path": found.path,
        "line": found.line,
        "column": found.column,
        "kind": found.kind,
        "container": found.container,
        "language": found.language,
        "content": found.content,
    }


def neighbour_json(found: Neighbour) -> "NeighbourJson":
    """Return one entry of `neighbours`."""
    return {
        "side": found.side,
        "row_id": found.row_id,
        "start_line": found.start_line,
        "end_line": found.end_line,
        "chunk_type": found.chunk_type,
        "name": found.name,
        "signature": found.signature,
    }

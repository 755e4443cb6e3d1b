"""Documents as HTTP responses, with the same bytes as on other surfaces."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from starlette.responses import Response

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.base.stable_json import Document
from ggrep.federation.federated_response import failure_json
from ggrep.interfaces.api.refusal import http_failure

ALWAYS: Final[Mapping[str, str]] = MappingProxyType(
    {"cache-control": "no-store", "x-content-type-options": "nosniff"}
)
"""Headers of every response: answers hold source code, which no cache should keep."""


def document_bytes(document: Document) -> bytes:
    """Return a document as all surfaces write it."""
    return stable_json.dumps(document) + b"\n"


def document_response(
    document: Document, *, status: int = 200, headers: Mapping[str, str] = ALWAYS
) -> Response:
    """Return a response that holds a document."""
    return Response(
        document_bytes(document),
        status_code=status,
        headers={**ALWAYS, **headers},
        media_type="application/json",
    )


def failure_response(error: GgrepError) -> Response:
    """Return the response to a request that failed; no absolute path stands in it."""
    how = http_failure(error)
    document = failure_json(error, include_paths=False)
    return document_response(document, status=how.status, headers=how.headers)

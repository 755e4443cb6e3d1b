"""Reads a request's body: the right content type, bounded in size and time."""

from collections.abc import Mapping
from typing import Final

import anyio
from anyio import to_thread
from starlette.datastructures import Headers
from starlette.requests import Request

from ggrep.base.errors import InvalidRequest
from ggrep.federation.validation import kind_of
from ggrep.interfaces.api.refusal import ClientGone, Refusal
from ggrep.interfaces.api.strict_json import parse_json

MAX_BODY_BYTES: Final = 1_000_000
BODY_TIMEOUT_S: Final = 20.0
"""How long a client may take to send what it asks."""

_CLOSE: Final = {"connection": "close"}
_PARSED_AT_ONCE: Final = 16_384
"""Larger bodies are parsed in a thread, so that others need not wait."""


async def read_body(request: Request, max_bytes: int) -> Mapping[str, object]:
    """Return the object that the body of a request spells.

    Raises:
        Refusal: it is no JSON by its headers, or too large, or does not come.
        InvalidRequest: it is no JSON object.
        ClientGone: the client left before it had said all.
    """
    _check_headers(request.headers, max_bytes)
    try:
        with anyio.fail_after(BODY_TIMEOUT_S):
            data = await _received(request, max_bytes)
    except TimeoutError as error:
        message = f"the body did not arrive within {BODY_TIMEOUT_S:g} s"
        raise Refusal(408, "timeout", message, headers=_CLOSE) from error
    if len(data) <= _PARSED_AT_ONCE:
        value = parse_json(data)
    else:
        value = await to_thread.run_sync(parse_json, data, abandon_on_cancel=True)
    if not isinstance(value, dict):
        raise InvalidRequest(f"$: the body must be an object, is {kind_of(value)}")
    return value


def _check_headers(headers: Headers, max_bytes: int) -> None:
    kind, _, parameter = headers.get("content-type", "").partition(";")
    charset = parameter.strip().lower().replace('"', "")
    if kind.strip().lower() != "application/json" or charset not in {"", "charset=utf-8"}:
        raise _unsupported("the body must be application/json")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise _unsupported("the body must not be compressed")
    length = headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and int(length[:20]) > max_bytes:
        raise _too_large(max_bytes)


async def _received(request: Request, max_bytes: int) -> bytes:
    received = bytearray()
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientGone("the client left")
        received += message.get("body", b"")
        if len(received) > max_bytes:
            raise _too_large(max_bytes)
        if not message.get("more_body", False):
            return bytes(received)


def _unsupported(message: str) -> Refusal:
    return Refusal(415, "unsupported_media_type", message, headers=_CLOSE)


def _too_large(max_bytes: int) -> Refusal:
    # What is left of the body would be read as the next request, or for ever.
    message = f"the body is larger than {max_bytes} bytes"
    return Refusal(413, "payload_too_large", message, headers=_CLOSE)

"""The bearer token that HTTP clients must send, where one is required."""

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


def bearing(application: Application, token: str) -> Application:
    """Return the application behind a door that opens to those who bring the token."""
    wanted = token.encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _brings(scope, wanted):
            await application(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return guarded


def _brings(scope: Scope, wanted: bytes) -> bool:
    brought = [value for name, value in scope["headers"] if name == b"authorization"]
    scheme, _, presented = brought[0].partition(b" ") if len(brought) == 1 else (b"", b"", b"")
    # Compared in constant time, so that the time it takes tells nothing of the token.
    equal = hmac.compare_digest(presented, wanted)
    # A scheme means the same in any case.
    return equal and scheme.lower() == b"bearer"

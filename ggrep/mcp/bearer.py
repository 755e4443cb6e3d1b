"""The token that an HTTP client has to bring, where one is wanted."""

import hmac
import os
import stat
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from ggrep.errors import InvalidRequest

LEAST_CHARACTERS: Final = 16
"""A shorter token could be guessed."""

_MOST_BYTES: Final = 4096

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


def read_token(file: Path) -> str:
    """Return the token that a file holds.

    Raises:
        InvalidRequest: the file cannot be read, others may read it, or it holds no fit token.
    """
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            data = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InvalidRequest(f"{file}: {error.strerror}") from error
    if not stat.S_ISREG(mode) or stat.S_IMODE(mode) & 0o077:
        raise InvalidRequest(f"{file}: others may read it; make it a file of mode 0600")
    token = data.decode("ascii", errors="replace").strip()
    if len(data) > _MOST_BYTES or len(token) < LEAST_CHARACTERS or not token.isprintable():
        raise InvalidRequest(f"{file}: holds no token of {LEAST_CHARACTERS} characters or more")
    return token


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

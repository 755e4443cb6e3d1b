"""Reads a request's whole body first, with limits on time and size."""

from typing import Any, Final

import anyio

from ggrep.interfaces.mcp.bearer import Application, Receive, Scope, Send

BODY_S: Final = 20.0
"""How long a body may take to arrive."""

MAX_BODY_BYTES: Final = 4 << 20


def taken_in(application: Application) -> Application:
    """Return the application behind a door at which bodies are waited for.

    Whoever sends half a body would otherwise hold one of the connections for as long as he likes.
    """

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        parts: list[bytes] = []
        size, more = 0, True
        with anyio.move_on_after(BODY_S) as waited:
            while more and size <= MAX_BODY_BYTES:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                parts.append(message.get("body", b""))
                size, more = size + len(parts[-1]), message.get("more_body", False)
        if waited.cancelled_caught:
            await _refuse(send, 408)
        elif size > MAX_BODY_BYTES:
            await _refuse(send, 413)
        else:
            body = [{"type": "http.request", "body": b"".join(parts), "more_body": False}]

            async def again() -> Any:  # noqa: ANN401 - as ASGI has it
                return body.pop() if body else await receive()

            await application(scope, again, send)

    return guarded


async def _refuse(send: Send, status: int) -> None:
    """Answer, and close: what comes after is the rest of a body."""
    headers = [(b"content-length", b"0"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})

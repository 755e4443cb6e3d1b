"""Middleware that turns every failure into an error envelope."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from ggrep.base.errors import GgrepError
from ggrep.interfaces.api.http_messages import failure_response
from ggrep.interfaces.api.refusal import ClientGone

Handler: TypeAlias = Callable[[Request], Awaitable[ASGIApp]]
Told: TypeAlias = Callable[[BaseException], None]


def as_ours(error: Exception, told: Told) -> GgrepError:
    """Return an error as one of ours; a bug is told of, and its text stays here."""
    if isinstance(error, GgrepError):
        if error.code == "internal":
            told(error)
        return error
    told(error)
    return GgrepError(f"a bug in ggrep: {type(error).__name__}")


def answering(handler: Handler, told: Told) -> Callable[[Request], Awaitable[ASGIApp]]:
    """Return the handler with every failure made a response.

    Args:
        handler: returns a response or raises.
        told: called with what an operator should see.
    """

    async def answer(request: Request) -> ASGIApp:
        try:
            return await handler(request)
        except ClientGone:
            # Nobody reads it.
            return Response(status_code=503)
        except Exception as error:  # noqa: BLE001 - the boundary: what is not ours is a bug
            return failure_response(as_ours(error, told))

    return answer

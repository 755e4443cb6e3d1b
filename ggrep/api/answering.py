"""What stands between a request and its handler: room for it, and an envelope for its failure."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeAlias

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from ggrep.api.messages import failure_response
from ggrep.api.refusal import ClientGone
from ggrep.errors import Busy, GgrepError

MAX_SEARCHES: Final = 32
"""Most searches at work at once; more are told to come again."""
RETRY_AFTER_MS: Final = 1000

Handler: TypeAlias = Callable[[Request], Awaitable[ASGIApp]]
Told: TypeAlias = Callable[[BaseException], None]


@asynccontextmanager
async def a_place(limiter: CapacityLimiter) -> AsyncIterator[None]:
    """Hold one of the places for searches.

    Raises:
        Busy: there is none.
    """
    if limiter.available_tokens < 1:
        raise Busy("too many searches at once", retry_after_ms=RETRY_AFTER_MS)
    # Each search stands for itself, whatever task it is made in.
    borrower = object()
    limiter.acquire_on_behalf_of_nowait(borrower)
    try:
        yield
    finally:
        limiter.release_on_behalf_of(borrower)


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

"""The HTTP application: its routes, middleware and shutdown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ggrep.base.clock import Clock
from ggrep.interfaces.api.auth import Auth, AuthRules
from ggrep.interfaces.api.http_messages import Handler, Refusal, Told, answering, failure_response
from ggrep.interfaces.api.http_metrics import ApiMetrics, Measured
from ggrep.interfaces.api.http_places import Places
from ggrep.interfaces.api.http_requests import MAX_BODY_BYTES
from ggrep.interfaces.api.routes import Routes
from ggrep.interfaces.surfaces.callers import Callers
from ggrep.interfaces.surfaces.search_service import SearchService
from ggrep.service.allowlist import Allowlist

MAX_SEARCHES: Final = 32
"""Most searches at work at once; more are told to come again."""

_CODES: Final = {404: "not_found", 405: "method_not_allowed"}


class ApiRules(Struct, frozen=True):
    """What a server lets callers do.

    Attributes:
        allowlist: where all that is searched must lie.
        default_root: canonical; searched where a request names no root.
        max_body_bytes: a larger body is not read.
        max_searches: most searches at work at once.
    """

    auth: AuthRules
    allowlist: Allowlist
    default_root: Path | None = None
    max_body_bytes: int = MAX_BODY_BYTES
    max_searches: int = MAX_SEARCHES


def make_app(
    service: SearchService, rules: ApiRules, clock: Clock, *, told: Told = lambda _: None
) -> Starlette:
    """Return the application that answers through `service`, which is closed when it ends.

    Args:
        service: who answers.
        rules: what callers may do.
        clock: of the figures.
        told: called with errors that an operator should see.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await service.aclose()

    metrics = ApiMetrics()
    places = Places(rules.allowlist, rules.default_root)
    callers = Callers(rules.max_searches)
    routes = Routes(service, places, metrics, callers, rules.max_body_bytes, told)
    table = routes.table()
    app = Starlette(
        routes=[
            Route(path, _Endpoint(handler, told), methods=[method])
            for (method, path), handler in table.items()
        ],
        middleware=[
            Middleware(Measured, metrics=metrics, clock=clock, routes=[path for _, path in table]),
            Middleware(Auth, rules=rules.auth),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: _http_failure},
    )
    app.router.redirect_slashes = False
    return app


class _Endpoint:
    """One route as an application of its own: nothing stands between it and the connection."""

    def __init__(self, handler: Handler, told: Told) -> None:
        self._answer = answering(handler, told)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)


async def _http_failure(_: Request, error: Exception) -> Response:
    """Return the envelope of what no route was found for."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    code = _CODES.get(status, "invalid_request")
    message = {404: "there is no such route", 405: "the route has no such method"}
    refusal = Refusal(status, code, message.get(status, "refused"), headers=headers)
    return failure_response(refusal)

"""The application of `ggrep api`: its routes, metrics and rules."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ggrep.base.clock import Clock
from ggrep.interfaces.api.http_messages import (
    MAX_BODY_BYTES,
    Handler,
    ReportError,
    answering,
    failure_response,
)
from ggrep.interfaces.api.http_metrics import ApiMetrics, Measured
from ggrep.interfaces.api.page import PageRoutes, load_assets
from ggrep.interfaces.api.routes import AllowedRoots, Routes
from ggrep.interfaces.surfaces.callers import Callers
from ggrep.interfaces.surfaces.http_server import AccessRules, http_app
from ggrep.interfaces.surfaces.page_keys import PageKeys
from ggrep.service.workspace_access import Allowlist

if TYPE_CHECKING:
    from ggrep.service.federator import Federator

MAX_SEARCHES: Final = 32
"""Maximum number of concurrent searches; further searches get 429 with `Retry-After`."""


class ApiRules(Struct, frozen=True):
    """Limits on callers.

    Attributes:
        allowlist: directories and workspaces that callers may search.
        default_root: canonical root for requests without one.
        max_body_bytes: maximum size of a request's body.
        max_searches: maximum number of concurrent searches.
        workspaces: workspace files that the page offers.
    """

    access: AccessRules
    allowlist: Allowlist
    default_root: Path | None = None
    max_body_bytes: int = MAX_BODY_BYTES
    max_searches: int = MAX_SEARCHES
    workspaces: tuple[Path, ...] = ()


def make_app(
    service: "Federator",
    rules: ApiRules,
    clock: Clock,
    *,
    report_error: ReportError = lambda _: None,
    keys: PageKeys | None = None,
) -> Starlette:
    """Return the application; it answers through `service`, and closes `service` on shutdown.

    `keys` are the credentials of pages; by default they are created if a token is required.
    """

    @asynccontextmanager
    async def lifetime() -> AsyncIterator[None]:
        try:
            yield
        finally:
            await service.aclose()

    metrics = ApiMetrics()
    places = AllowedRoots(rules.allowlist, rules.default_root)
    callers = Callers(rules.max_searches)
    routes = Routes(service, places, metrics, callers, rules.max_body_bytes, report_error)
    access = rules.access
    if keys is None and access.token is not None:
        keys = PageKeys(access.token, clock)
    page = PageRoutes(
        keys, rules.default_root, rules.workspaces, places.repositories, load_assets()
    )
    access = replace(access, public=page.public)
    if keys is not None:
        access = replace(access, admits=keys.accepts)
    table = {**routes.table(), **page.table()}
    measured = Middleware(
        Measured, metrics=metrics, clock=clock, routes=[path for _, path in table]
    )
    app = http_app(
        [
            Route(path, _Endpoint(handler, report_error), methods=[method])
            for (method, path), handler in table.items()
        ],
        access,
        failure_response,
        lifetime,
        [measured],
    )
    app.router.redirect_slashes = False
    return app


class _Endpoint:
    """A route as an ASGI application: Starlette calls it directly, but would wrap a function."""

    def __init__(self, handler: Handler, report_error: ReportError) -> None:
        self._answer = answering(handler, report_error)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)

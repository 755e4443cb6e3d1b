"""The application of a team server: the API's routes and MCP, behind the tokens of users.

Requests use the handlers of `ggrep api` and the tools of `ggrep mcp`, restricted to the workspace
of the request's user.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import anyio
from anyio import to_thread
from msgspec import Struct, to_builtins
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

import ggrep
from ggrep.base.errors import Forbidden, GgrepError, InvalidRequest
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import DecodeError, Document, decode
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.server_connection import ROUTE, ServerMessage
from ggrep.federation.workspace import Workspace
from ggrep.interfaces.api.http_messages import (
    ALWAYS,
    MAX_BODY_BYTES,
    ReportError,
    answering,
    document_response,
    failure_response,
    read_body,
    while_present,
)
from ggrep.interfaces.api.http_metrics import ApiMetrics, Measured
from ggrep.interfaces.api.routes import HEALTH_SCHEMA, Routes
from ggrep.interfaces.mcp.access import LEAST_ID, AllowedRepo
from ggrep.interfaces.mcp.http import PATH, McpEndpoint
from ggrep.interfaces.mcp.progress import Tell
from ggrep.interfaces.mcp.server import build_server
from ggrep.interfaces.mcp.tool_calls import Calls
from ggrep.interfaces.mcp.tools import ToolResult
from ggrep.interfaces.surfaces.body import FederatedCall, NamedCall
from ggrep.interfaces.surfaces.callers import Callers
from ggrep.interfaces.surfaces.http_server import AccessRules, Refusal, bearer_of, http_app
from ggrep.protocol.wire.replies import error_json
from ggrep.server.access import Identity
from ggrep.server.audit import AuditEntry, AuditLog
from ggrep.server.member_messages import answered
from ggrep.server.team import Team, TeamState, UserService
from ggrep.server.tokens import Tokens, Unauthorised
from ggrep.service.workspace_access import OpenedWorkspace, require_workspace

Q = TypeVar("Q")

_MAX_SEARCHES: Final = 64
_MAX_MESSAGE_BYTES: Final = 32 * 1024 * 1024
"""Maximum size of a message about members, which can name each member and its tree."""
_OF_ONE_MACHINE: Final = frozenset({"/status", "/health", "/metrics", "/openapi.json"})
"""Routes of `ggrep api` about a single machine, which a team server lacks."""
_TOOLS_OF_ONE_MACHINE: Final = frozenset({"ggrep_status", "ggrep_health"})
_BACKEND: Final = "ggrep.backend"
"""Key of the scope: the calls of tools on behalf of the request's user."""
_ENTRY: Final = "ggrep.entry"
"""Key of the scope: the request's entry of the audit log."""


class UserPlaces(Struct, frozen=True):
    """The workspace and the roots that a user may search."""

    seen: Workspace

    async def workspace(
        self, call: FederatedCall | NamedCall[Q], *, authorised: bool
    ) -> OpenedWorkspace:
        """Return the user's workspace.

        Raises:
            Forbidden: the request names another workspace.
            WorkspaceError: the workspace has another id.
        """
        del authorised
        if call.workspace_path != str(self.seen.workspace_path):
            path = self.seen.workspace_path
            raise Forbidden(f"$.workspacePath: the workspace of this server is {path}")
        require_workspace(self.seen, call.workspace_id)
        return OpenedWorkspace(self.seen, frozenset[RepoId]())

    async def root(self, named: str | None) -> Path:
        """Return the root of a repository: its key as an absolute path."""
        if named is None:
            raise InvalidRequest("root: must be / followed by the key of a repository")
        return Path(named)


class UserAccess(Struct, frozen=True):
    """The workspace and the repositories that a user's calls of tools may search."""

    seen: Workspace

    @property
    def file(self) -> Path:
        """Return the path of the workspace in requests."""
        return self.seen.workspace_path

    @property
    def has_workspaces(self) -> bool:
        """Return True: the user's repositories form a workspace."""
        return True

    async def repository(self, named: str | None) -> AllowedRepo:
        """Return the repository that contains a path; else the path, which the search refuses."""
        path = await UserPlaces(self.seen).root(named)
        roots = {repo.root_canonical for repo in self.seen.repos}
        root = next((each for each in (path, *path.parents) if each in roots), path)
        return AllowedRepo(root, "" if root == path else path.relative_to(root).as_posix())

    async def workspace(self, named: str | None) -> Self:
        """Return the user's workspace; a given path or id must be that of the workspace.

        Raises:
            Forbidden: the call names another workspace.
        """
        is_id = named is not None and len(named) >= LEAST_ID
        if named in {None, str(self.file)} or (is_id and self.seen.repo_set_id.startswith(named)):
            return self
        raise Forbidden("workspace: this server has one workspace; omit the argument")

    async def open(
        self, request: FederatedRequest, workspace_id: str | None = None
    ) -> OpenedWorkspace:
        """Return the content of the workspace.

        Raises:
            WorkspaceError: the workspace has another id.
        """
        del request
        require_workspace(self.seen, workspace_id)
        return OpenedWorkspace(self.seen, frozenset[RepoId]())

    async def registered(self) -> tuple[Workspace, ...]:
        """Return the workspace."""
        return (self.seen,)


class UserCalls(Calls):
    """The calls of tools by a user, which are recorded in an entry of the audit log."""

    def __init__(self, service: UserService, callers: Callers) -> None:
        federator: Any = service
        places: Any = UserAccess(service.seen.workspace)
        super().__init__(federator, places, shows_paths=False, callers=callers)
        self._entry = service.entry

    async def call(
        self, name: str, given: Mapping[str, object], tell: Tell | None = None, caller: str = ""
    ) -> ToolResult:
        """Return the result of a call."""
        self._entry.operation = name
        result = await super().call(name, given, tell, caller)
        if result.failed:
            self._entry.error = str(result.document.get("code", ""))
        return result


class TeamApp(Struct, frozen=True):
    """The routes of a server and their shared objects."""

    team: Team
    tokens: Tokens
    operators: frozenset[str]
    report_error: ReportError
    metrics: ApiMetrics
    callers: Callers
    mcp: McpEndpoint

    async def identity(self, request: Request) -> Identity:
        """Return the user of a request.

        Raises:
            Refusal: the request has no valid token.
        """
        token = bearer_of(Headers(scope=request.scope).getlist("authorization"))
        try:
            identity = await to_thread.run_sync(self.tokens.identity, token)
        except Unauthorised as error:
            challenge = {"www-authenticate": 'Bearer realm="ggrep"'}
            raise Refusal(401, error.code, str(error), headers=challenge) from error
        _entry(request.scope).subject = identity.user
        # Users take turns, also behind a proxy that hides their addresses.
        request.scope["client"] = (identity.user, 0)
        return identity

    async def routes(self, request: Request) -> Routes:
        """Return the routes that search the workspace of a request's user."""
        service: Any = self.team.service(await self.identity(request), _entry(request.scope))
        places: Any = UserPlaces(service.seen.workspace)
        return Routes(
            service, places, self.metrics, self.callers, MAX_BODY_BYTES, self.report_error
        )

    async def tools(self, request: Request) -> ASGIApp:
        """Answer a message of MCP; its tools search the repositories of the request's user."""
        service = self.team.service(await self.identity(request), _entry(request.scope))
        request.scope[_BACKEND] = UserCalls(service, self.callers)
        return self.mcp

    async def members(self, request: Request) -> ASGIApp:
        """Answer a message about the user's repositories; errors are returned as replies."""
        routes = await self.routes(request)
        body = await read_body(request, _MAX_MESSAGE_BYTES)
        with routes.service_for(request) as service:
            user: Any = service

            async def work() -> Document:
                try:
                    return await answered(user, decode(ServerMessage, body))
                except DecodeError as error:
                    raise InvalidRequest(
                        f"the body is not a message to a server: {error}"
                    ) from error
                except GgrepError as error:
                    return error_json("", error)

            return document_response(await while_present(request.receive, work))

    async def health(self, request: Request) -> ASGIApp:
        """Report that the server answers; needs no token."""
        del request
        health = {"schema_version": HEALTH_SCHEMA, "ok": True, "version": ggrep.__version__}
        return document_response(health)

    async def state(self, request: Request) -> ASGIApp:
        """Return the state of the server, for operators."""
        await self._operator(request)
        return document_response(to_builtins(self.team.state()))

    async def refresh(self, request: Request) -> ASGIApp:
        """Read the refs and the access rules now, for operators and their webhooks."""
        await self._operator(request)
        await self.team.sweep()
        return document_response(to_builtins(self.team.state()))

    async def figures(self, request: Request) -> ASGIApp:
        """Return the metrics of the server and its nodes, for operators."""
        await self._operator(request)
        kind = "text/plain; version=0.0.4; charset=utf-8"
        text = self.metrics.text() + node_metrics(self.team).encode()
        return Response(text, headers={**ALWAYS, "content-type": kind})

    async def _operator(self, request: Request) -> None:
        identity = await self.identity(request)
        if identity.user not in self.operators:
            raise Forbidden("only operators of this server may use this route")


def _entry(scope: Scope) -> AuditEntry:
    entry: AuditEntry = scope.setdefault(_ENTRY, AuditEntry())
    return entry


def node_metrics(team: Team) -> str:
    """Return gauges of the epoch and of all nodes in Prometheus' text format."""
    state = team.state()
    lines = [
        "# TYPE ggrep_server_repositories gauge",
        f"ggrep_server_repositories {state.repos}",
        "# TYPE ggrep_server_problems gauge",
        f"ggrep_server_problems {len(state.problems)}",
        "# TYPE ggrep_server_refs_read_seconds gauge",
        f"ggrep_server_refs_read_seconds {team.read_at.timestamp() if team.read_at else 0}",
    ]
    names = sorted({name for figures in state.nodes.values() for name in figures})
    for name in names:
        lines.append(f"# TYPE ggrep_server_node_{name} gauge")
        lines += [
            f'ggrep_server_node_{name}{{node="{node}"}} {figures[name]}'
            for node, figures in state.nodes.items()
            if name in figures
        ]
    return "".join(f"{line}\n" for line in lines)


class _Endpoint:
    """A route as an ASGI application; search routes are created for the request's user."""

    def __init__(self, app: TeamApp, method: str, path: str) -> None:
        self._app, self._key = app, (method, path)
        self._answer = answering(self._handle, app.report_error)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)

    async def _handle(self, request: Request) -> ASGIApp:
        if (handler := _own_routes(self._app).get(self._key)) is not None:
            result: ASGIApp = await handler(request)
            return result
        routes = await self._app.routes(request)
        return await routes.table()[self._key](request)


def _own_routes(app: TeamApp) -> Mapping[tuple[str, str], Any]:
    return {
        ("GET", "/health"): app.health,
        ("GET", "/status"): app.state,
        ("GET", "/metrics"): app.figures,
        ("POST", "/refresh"): app.refresh,
        ("POST", PATH): app.tools,
        ("POST", ROUTE): app.members,
    }


def make_team_app(  # noqa: PLR0913 - all but the first two are named
    team: Team,
    tokens: Tokens,
    *,
    hosts: frozenset[str],
    operators: frozenset[str],
    report_error: ReportError = lambda _: None,
    sweep_s: float = 15.0,
    upkeep: Callable[[TeamState], None] = lambda _: None,
    audit: AuditLog | None = None,
) -> Starlette:
    """Return the application of a coordinator.

    While the application runs, the nodes are checked and the refs are read. `upkeep` is called
    after each check, in a worker thread.
    """
    tools = build_server(lambda request: request.scope[_BACKEND], without=_TOOLS_OF_ONE_MACHINE)
    mcp = McpEndpoint(tools, stateless=True)

    @asynccontextmanager
    async def lifetime() -> AsyncIterator[None]:
        async with mcp.run(), anyio.create_task_group() as group:
            group.start_soon(team.watch, sweep_s, upkeep)
            yield
            group.cancel_scope.cancel()

    def ended(scope: Scope, route: str, status: int, seconds: float) -> None:
        if audit is not None:
            try:
                audit.write(_entry(scope), f"{scope['method']} {route}", status, seconds)
            except Exception as error:  # noqa: BLE001 - the answer was sent
                report_error(error)

    app = TeamApp(team, tokens, operators, report_error, ApiMetrics(), Callers(_MAX_SEARCHES), mcp)
    searches = [key for key in _search_routes(app) if key[1] not in _OF_ONE_MACHINE]
    table = [*_own_routes(app), *searches]
    measured = Middleware(
        Measured,
        metrics=app.metrics,
        clock=team.clock,
        routes=[path for _, path in table],
        ended=ended,
    )
    routes = [Route(path, _Endpoint(app, method, path), methods=[method]) for method, path in table]
    made = http_app(routes, AccessRules(hosts=hosts), failure_response, lifetime, [measured])
    made.router.redirect_slashes = False
    return made


def _search_routes(app: TeamApp) -> Mapping[tuple[str, str], Any]:
    nothing: Any = None
    return Routes(
        nothing, nothing, app.metrics, app.callers, MAX_BODY_BYTES, app.report_error
    ).table()

"""The handlers of all routes, the roots that can be searched, and answers as events."""

import math
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio
from anyio import (
    create_memory_object_stream,
    create_task_group,
    fail_after,
    move_on_after,
    to_thread,
)
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

import ggrep
from ggrep.base import stable_json
from ggrep.base.errors import Forbidden, GgrepError, InvalidRequest
from ggrep.base.stable_json import Document, Json
from ggrep.config.root import canonical_root
from ggrep.federation.diagnostics import redact
from ggrep.federation.fanout_session import Arrived, RepoDone
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse, failure_json
from ggrep.federation.roots import RootCache
from ggrep.federation.workspace_slates import FederatedSlate
from ggrep.interfaces.api.http_messages import (
    ALWAYS,
    Handler,
    ReportError,
    as_ours,
    cancel_when_gone,
    document_response,
    http_failure,
    read_body,
    read_flag,
    read_parameters,
    while_present,
)
from ggrep.interfaces.api.http_metrics import ApiMetrics
from ggrep.interfaces.api.openapi import openapi_document
from ggrep.interfaces.surfaces.body import (
    FederatedCall,
    NamedCall,
    parse_federated_body,
    parse_repo_body,
    parse_workspace_body,
)
from ggrep.interfaces.surfaces.callers import Callers, caller_of
from ggrep.interfaces.surfaces.http_server import AUTHORISED
from ggrep.model.operations import PUBLIC
from ggrep.model.page import PageRepository
from ggrep.model.request import SearchRequest
from ggrep.service.workspace_access import Allowlist, OpenedWorkspace, canonical, open_workspace

if TYPE_CHECKING:
    from ggrep.service.federator import Federator

Q = TypeVar("Q")


class AllowedRoots:
    """The roots that this server may search."""

    def __init__(self, allowlist: Allowlist, default_root: Path | None) -> None:
        self.allowlist = allowlist
        self._default_root = default_root
        self._roots = RootCache(canonical_root)

    async def workspace(
        self, call: FederatedCall | NamedCall[Q], *, authorised: bool
    ) -> OpenedWorkspace:
        """Return the workspace of a request.

        Raises:
            Forbidden: the workspace or a requested path is outside of the allowlist, or absolute
                paths are requested without a token.
            WorkspaceError: the workspace's file is not valid.
            InvalidRequest: the path of the workspace is relative.
        """
        if call.request.include_paths and not authorised:
            raise Forbidden("$.debug.includePaths: allowed only for callers with the token")
        path = _absolute(call.workspace_path, "$.workspacePath")
        return await open_workspace(
            path,
            self.allowlist,
            call.request,
            workspace_id=call.workspace_id,
            resolve_root=self._roots,
        )

    async def repositories(self, file: Path) -> tuple[PageRepository, ...]:
        """Return the enabled repositories of a workspace file that callers may search."""
        request = FederatedRequest(search=SearchRequest(""))
        try:
            opened = await open_workspace(file, self.allowlist, request, resolve_root=self._roots)
        except GgrepError:
            return ()
        return tuple(
            PageRepository(repo.alias or repo.repo_id, str(repo.root_canonical))
            for repo in opened.workspace.repos
            if repo.enabled and repo.repo_id not in opened.forbidden
        )

    async def root(self, named: str | None) -> Path:
        """Return the canonical root of the repository around a directory, or the default root.

        Raises:
            Forbidden: the root is outside of the allowlist.
            InvalidRequest: the directory does not exist, or none is given and there is no default.
        """
        if named is not None:
            path = _absolute(named, "root")
            return await to_thread.run_sync(self._root, path, abandon_on_cancel=True)
        if self._default_root is None:
            raise InvalidRequest("root: must be the directory of a repository")
        if canonical(self._default_root) != self._default_root:
            raise Forbidden("the default root was replaced by a symbolic link")
        return self._default_root

    def _root(self, path: Path) -> Path:
        real = self.allowlist.check(path)
        # The method of a path raises for names that are too long.
        if not os.path.isdir(real):  # noqa: PTH112 - see above
            raise InvalidRequest(f"root: {path} is not a directory")
        return self.allowlist.check(self._roots(real))


def _absolute(text: str, field: str) -> Path:
    path = Path(text)
    if not path.is_absolute():
        raise InvalidRequest(f"{field}: {text!a} is not an absolute path")
    return path


BEAT_S: Final = 15.0
SEND_TIMEOUT_S: Final = 30.0
"""Timeout of one write to a client that does not read."""

Ending = tuple[str, Document]
"""Name and document of the last event."""


def event_bytes(name: str, document: Document) -> bytes:
    """Return one event; its document has no line breaks and is a single `data:` line."""
    return b"event: " + name.encode() + b"\ndata: " + stable_json.dumps(document) + b"\n\n"


def arrival_json(arrival: RepoDone) -> dict[str, Json]:
    """Return the data of the event that reports a finished repository."""
    return {
        "repoId": arrival.repo_id,
        "alias": arrival.alias,
        "status": arrival.status,
        "count": arrival.count,
        "done": arrival.done,
        "total": arrival.total,
    }


class EventStream:
    """The streamed response of a search; the search runs while the response is sent.

    Requires: the request's body was read to its end.
    """

    def __init__(self, work: Callable[[Arrived], Awaitable[Ending]]) -> None:
        self._work = work

    async def __call__(
        self,
        scope: Scope,  # noqa: ARG002 - the signature of every ASGI application
        receive: Receive,
        send: Send,
    ) -> None:
        """Send the events; stop the search when the client disconnects or no longer reads."""
        # There is at most one entry for each repository, so no bound is needed.
        sender, events = create_memory_object_stream[bytes](math.inf)
        async with create_task_group() as group, sender, events:
            group.start_soon(cancel_when_gone, receive, group.cancel_scope)
            group.start_soon(self._search, sender.clone())
            sender.close()
            # A client that does not read counts as disconnected.
            with suppress(TimeoutError, OSError):
                await _send_all(events, send)
            group.cancel_scope.cancel()

    async def _search(self, events: MemoryObjectSendStream[bytes]) -> None:
        with events:
            name, document = await self._work(
                lambda arrival: events.send_nowait(event_bytes("repo", arrival_json(arrival)))
            )
            events.send_nowait(event_bytes(name, document))


async def _send_all(events: MemoryObjectReceiveStream[bytes], send: Send) -> None:
    headers = {**ALWAYS, "content-type": "text/event-stream; charset=utf-8"}
    start = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 200, "headers": start})
    while (data := await _next(events)) is not None:
        with fail_after(SEND_TIMEOUT_S):
            await send({"type": "http.response.body", "body": data, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _next(events: MemoryObjectReceiveStream[bytes]) -> bytes | None:
    """Return the next event; after a pause without events a comment; None at the end."""
    with move_on_after(BEAT_S):
        try:
            return await events.receive()
        except anyio.EndOfStream:
            return None
    return b": wait\n\n"


def without_paths(document: Document) -> Document:
    """Return a document without the absolute paths in its texts."""
    return {key: _redacted(value) for key, value in document.items()}


def _redacted(document: object) -> object:
    if isinstance(document, str):
        return redact(document)
    if isinstance(document, Mapping):
        return {key: _redacted(value) for key, value in document.items()}
    if isinstance(document, Sequence):
        return [_redacted(value) for value in document]
    return document


HEALTH_SCHEMA = 1
"""Version of the JSON of the server's own health. 1. First shape.
"""


class Routes(Struct, frozen=True):
    """The handlers of one server's routes, and the objects that they share."""

    service: "Federator"
    places: AllowedRoots
    metrics: ApiMetrics
    callers: Callers
    max_body_bytes: int
    report_error: ReportError

    def table(self) -> Mapping[tuple[str, str], Handler]:
        """Return the handlers by method and path."""
        return {
            ("POST", "/search/federated"): self.federated,
            ("POST", "/search/federated/stream"): self.federated_stream,
            **{("POST", each.path): _of_one(self, each.name) for each in PUBLIC},
            **{
                ("POST", f"{each.path}/federated"): _of_several(self, each.name)
                for each in PUBLIC
                if each.workspace
            },
            ("GET", "/status"): self.status,
            ("GET", "/health"): self.health,
            ("GET", "/metrics"): self.figures,
            ("GET", "/openapi.json"): self.openapi,
        }

    async def federated(self, request: Request) -> ASGIApp:
        """Answer a search of a workspace with hits or a slate."""
        call = parse_federated_body(await read_body(request, self.max_body_bytes))
        with self.service_for(request) as service:

            async def work() -> FederatedResponse | FederatedSlate:
                return await _ask(service, await self._opened(request, call), call, None)

            answer = await while_present(request.receive, work)
        return _workspace_response(answer.to_json(), answer.error)

    async def federated_stream(self, request: Request) -> ASGIApp:
        """Answer a search of a workspace with events; an invalid request fails at once."""
        call = parse_federated_body(await read_body(request, self.max_body_bytes))
        with self.service_for(request):
            opened = await while_present(request.receive, partial(self._opened, request, call))

        async def work(arrived: Arrived) -> Ending:
            try:
                with self.service_for(request) as service:
                    answer = await _ask(service, opened, call, arrived)
            except Exception as error:  # noqa: BLE001 - the boundary: other exceptions are bugs
                return "error", failure_json(as_ours(error, self.report_error), include_paths=False)
            return "answer" if answer.ok else "error", answer.to_json()

        return EventStream(work)

    async def status(self, request: Request) -> ASGIApp:
        """Show the index of a repository."""
        parameters = read_parameters(request.query_params, {"root", "includePaths"})
        show = _shown(request, parameters)
        root = await self.places.root(parameters.get("root"))
        work = partial(self.service.status, root)
        return document_response(show(await while_present(request.receive, work)))

    async def health(self, request: Request) -> ASGIApp:
        """Check a repository's store; without a root, only report that the server answers."""
        parameters = read_parameters(request.query_params, {"root", "deep", "includePaths"})
        deep, show = read_flag(parameters, "deep"), _shown(request, parameters)
        if "root" not in parameters:
            health = {"schema_version": HEALTH_SCHEMA, "ok": True, "version": ggrep.__version__}
            return document_response(health)
        root = await self.places.root(parameters["root"])
        with self.service_for(request) as service:
            work = partial(service.health, root, deep=deep)
            return document_response(show(await while_present(request.receive, work)))

    async def figures(self, request: Request) -> ASGIApp:
        """Return the metrics of this server, and of daemons whose roots the server may search."""
        read_parameters(request.query_params, ())
        with self.service_for(request) as service:
            work = partial(service.figures, self.places.allowlist.allows)
            of_daemons = await while_present(request.receive, work)
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return Response(
            self.metrics.text() + of_daemons.encode(), headers={**ALWAYS, "content-type": kind}
        )

    async def openapi(self, request: Request) -> ASGIApp:
        """Return the OpenAPI document."""
        read_parameters(request.query_params, ())
        return document_response(openapi_document())

    async def _opened(self, request: Request, call: FederatedCall) -> OpenedWorkspace:
        authorised = request.scope.get(AUTHORISED, False)
        return await self.places.workspace(call, authorised=authorised)

    @contextmanager
    def service_for(self, request: Request) -> "Iterator[Federator]":
        """Count a request against the caller's limits; yield the service for this caller.

        Raises:
            Busy: the maximum number of requests is running.
        """
        with self.callers.seated(caller_of(request.scope.get("client"))) as seat:
            yield self.service.on_behalf_of(seat)


async def _ask(
    service: "Federator", opened: OpenedWorkspace, call: FederatedCall, arrived: Arrived | None
) -> FederatedResponse | FederatedSlate:
    workspace, forbidden = opened.workspace, opened.forbidden
    if call.shape is None:
        return await service.search(workspace, call.request, arrived, forbidden=forbidden)
    return await service.slate(workspace, call.request, call.shape, arrived, forbidden=forbidden)


def _workspace_response(document: Document, error: GgrepError | None) -> ASGIApp:
    if error is None:
        return document_response(document)
    failure = http_failure(error)
    return document_response(document, status=failure.status, headers=failure.headers)


def _of_one(routes: Routes, operation: str) -> Handler:
    """Return the handler of an operation on one repository."""

    async def answer(request: Request) -> ASGIApp:
        call = parse_repo_body(operation, await read_body(request, routes.max_body_bytes))
        root = await routes.places.root(call.root)
        with routes.service_for(request) as service:
            ask = partial(service.ask_repo, root, call.request)
            document = await while_present(request.receive, ask)
        return document_response(document)

    return answer


def _of_several(routes: Routes, operation: str) -> Handler:
    """Return the handler of a navigation operation (a name or a location) on a workspace."""

    async def answer(request: Request) -> ASGIApp:
        call = parse_workspace_body(operation, await read_body(request, routes.max_body_bytes))
        authorised = request.scope.get(AUTHORISED, False)
        with routes.service_for(request) as service:

            async def work() -> Any:  # noqa: ANN401 - the workspace's answer of that operation
                opened = await routes.places.workspace(call, authorised=authorised)
                return await service.follow(
                    opened.workspace, call.request, call.asked, forbidden=opened.forbidden
                )

            response = await while_present(request.receive, work)
        return _workspace_response(response.to_json(), response.error)

    return answer


def _shown(request: Request, parameters: dict[str, str]) -> Callable[[Document], Document]:
    """Return the function that converts a document before it is sent."""
    if not read_flag(parameters, "includePaths"):
        return without_paths
    if not request.scope.get(AUTHORISED, False):
        raise Forbidden("includePaths: allowed only for callers with the token")
    return lambda document: document

"""The handler of each route."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

import ggrep
from ggrep.base.errors import Forbidden
from ggrep.base.stable_json import Document
from ggrep.federation.diagnostics import redact
from ggrep.federation.federated_response import FederatedResponse, failure_json
from ggrep.federation.repo_requests import Arrived
from ggrep.federation.workspace_slates import FederatedSlate
from ggrep.interfaces.api.event_stream import Ending, EventStream
from ggrep.interfaces.api.http_messages import (
    ALWAYS,
    Handler,
    Told,
    as_ours,
    document_response,
    http_failure,
)
from ggrep.interfaces.api.http_metrics import ApiMetrics
from ggrep.interfaces.api.http_places import Places
from ggrep.interfaces.api.http_requests import read_body, read_flag, read_parameters, while_present
from ggrep.interfaces.api.openapi import openapi_document
from ggrep.interfaces.surfaces.body import (
    FederatedCall,
    parse_federated_body,
    parse_repo_body,
    parse_workspace_body,
)
from ggrep.interfaces.surfaces.callers import Callers, caller_of
from ggrep.interfaces.surfaces.http_app import AUTHORISED
from ggrep.interfaces.surfaces.search_service import SearchService
from ggrep.model.operations import PUBLIC
from ggrep.service.opening import OpenedWorkspace


def without_paths(document: Document) -> Document:
    """Return a document whose texts name no absolute path; the rest of each text stays."""
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
"""JSON of the server's own health.

1. First shape.
"""


class Routes(Struct, frozen=True):
    """The routes of one server, and what they share.

    Attributes:
        callers: places for searches at work.
        max_body_bytes: a larger body is not read.
        told: called with what an operator should see.
    """

    service: SearchService
    places: Places
    metrics: ApiMetrics
    callers: Callers
    max_body_bytes: int
    told: Told

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
        """Answer a search of a workspace, by hits or by a slate."""
        call = parse_federated_body(await read_body(request, self.max_body_bytes))

        with self.desk_for(request) as service:

            async def work() -> FederatedResponse | FederatedSlate:
                return await _ask(service, await self._opened(request, call), call, None)

            answer = await while_present(request.receive, work)
        status = 200 if answer.error is None else http_failure(answer.error).status
        headers = ALWAYS if answer.error is None else http_failure(answer.error).headers
        return document_response(answer.to_json(), status=status, headers=headers)

    async def federated_stream(self, request: Request) -> ASGIApp:
        """Answer a search of a workspace as events; what is wrong with it is said at once."""
        call = parse_federated_body(await read_body(request, self.max_body_bytes))
        with self.desk_for(request):
            opened = await while_present(request.receive, partial(self._opened, request, call))

        async def work(arrived: Arrived) -> Ending:
            try:
                with self.desk_for(request) as service:
                    answer = await _ask(service, opened, call, arrived)
            except Exception as error:  # noqa: BLE001 - the boundary: what is not ours is a bug
                return "error", failure_json(as_ours(error, self.told), include_paths=False)
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
        """Say whether a repository's store is sound; without a root, that the server answers."""
        parameters = read_parameters(request.query_params, {"root", "deep", "includePaths"})
        deep, show = read_flag(parameters, "deep"), _shown(request, parameters)
        if "root" not in parameters:
            own = {"schema_version": HEALTH_SCHEMA, "ok": True, "version": ggrep.__version__}
            return document_response(own)
        root = await self.places.root(parameters["root"])
        with self.desk_for(request) as service:
            work = partial(service.health, root, deep=deep)
            return document_response(show(await while_present(request.receive, work)))

    async def figures(self, request: Request) -> ASGIApp:
        """Return the server's figures, and those of all daemons of the home."""
        read_parameters(request.query_params, ())
        with self.desk_for(request) as service:
            of_daemons = await while_present(request.receive, service.figures)
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return Response(
            self.metrics.text() + of_daemons.encode(), headers={**ALWAYS, "content-type": kind}
        )

    async def openapi(self, request: Request) -> ASGIApp:
        """Return what this surface understands and says."""
        read_parameters(request.query_params, ())
        return document_response(openapi_document())

    async def _opened(self, request: Request, call: FederatedCall) -> OpenedWorkspace:
        authorised = request.scope.get(AUTHORISED, False)
        return await self.places.workspace(call, authorised=authorised)

    @contextmanager
    def desk_for(self, request: Request) -> Iterator[SearchService]:
        """Hold a place for a request; give the service that asks for its caller.

        Raises:
            Busy: there is no place.
        """
        with self.callers.seated(caller_of(request.scope.get("client"))) as seat:
            yield self.service.on_behalf_of(seat)


async def _ask(
    service: SearchService, opened: OpenedWorkspace, call: FederatedCall, arrived: Arrived | None
) -> FederatedResponse | FederatedSlate:
    workspace, forbidden = opened.workspace, opened.forbidden
    if call.shape is None:
        return await service.search(workspace, call.request, arrived, forbidden=forbidden)
    return await service.slate(workspace, call.request, call.shape, arrived, forbidden=forbidden)


def _of_one(routes: Routes, operation: str) -> Handler:
    """Return what answers a question to one repository."""

    async def answer(request: Request) -> ASGIApp:
        call = parse_repo_body(operation, await read_body(request, routes.max_body_bytes))
        root = await routes.places.root(call.root)
        with routes.desk_for(request) as service:
            ask = partial(service.ask_repo, root, call.request)
            document = await while_present(request.receive, ask)
        return document_response(document)

    return answer


def _of_several(routes: Routes, operation: str) -> Handler:
    """Return what answers a question to a workspace about a name or a place."""

    async def answer(request: Request) -> ASGIApp:
        call = parse_workspace_body(operation, await read_body(request, routes.max_body_bytes))
        authorised = request.scope.get(AUTHORISED, False)
        with routes.desk_for(request) as service:

            async def work() -> Any:  # noqa: ANN401 - the workspace's answer of that operation
                opened = await routes.places.workspace(call, authorised=authorised)
                return await service.follow(
                    opened.workspace, call.request, call.asked, forbidden=opened.forbidden
                )

            found = await while_present(request.receive, work)
        error = found.attendance.error
        status = 200 if error is None else http_failure(error).status
        headers = ALWAYS if error is None else http_failure(error).headers
        return document_response(found.to_json(), status=status, headers=headers)

    return answer


def _shown(request: Request, parameters: dict[str, str]) -> Callable[[Document], Document]:
    """Return what becomes of a document before it is sent.

    Raises:
        Forbidden: absolute paths are asked for by someone who has not presented a token.
    """
    if not read_flag(parameters, "includePaths"):
        return without_paths
    if not request.scope.get(AUTHORISED, False):
        raise Forbidden("includePaths: only for callers with the token")
    return lambda document: document

"""Executes tool calls: arguments become a request, its answer or failure a document."""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

import anyio

from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest
from ggrep.base.stable_json import Document, Json
from ggrep.federation.federated_names import FederatedReferences, FederatedSymbol
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_requests import Arrival, Arrived
from ggrep.federation.workspace_expand import FederatedExpansion
from ggrep.federation.workspace_slates import FederatedSlate
from ggrep.interfaces.mcp.arguments import Argument, body_of, read_arguments
from ggrep.interfaces.mcp.mcp_places import Places, RepoPlace
from ggrep.interfaces.mcp.resources import workspaces_json
from ggrep.interfaces.mcp.tool_failures import failure, federated_failure, in_arguments, with_hint
from ggrep.interfaces.mcp.tools import BY_NAME, Outcome, Tool
from ggrep.interfaces.surfaces.body import (
    parse_expand_body,
    parse_federated_body,
    parse_references_body,
    parse_search_body,
    parse_slate_body,
    parse_symbol_body,
    parse_workspace_expand,
    parse_workspace_references,
    parse_workspace_symbol,
)
from ggrep.interfaces.surfaces.callers import Callers
from ggrep.interfaces.surfaces.search_service import SearchService
from ggrep.model.slate import SlateRequest
from ggrep.service.opening import open_workspace

Tell: TypeAlias = Callable[[float, float, str], Awaitable[None]]
"""Sends one notification: done, total, message."""

T = TypeVar("T")


async def telling(ask: Callable[[Arrived], Awaitable[T]], tell: Tell) -> T:
    """Return what `ask` returns; every arrival that it reports was told by then.

    Raises:
        Exception: whatever `ask` raises.
    """
    send, receive = anyio.create_memory_object_stream[Arrival](math.inf)

    async def relay() -> None:
        async with receive:
            async for arrival in receive:
                await tell(arrival.done, arrival.total, line_of(arrival))

    failed: Exception | None = None
    answers: list[T] = []
    async with anyio.create_task_group() as group:
        group.start_soon(relay)
        with send:
            try:
                answers.append(await ask(send.send_nowait))
            except Exception as error:  # noqa: BLE001 - raised again below, out of the group
                failed = error
    if failed is not None:
        raise failed
    return answers[0]


def line_of(arrival: Arrival) -> str:
    """Return what a person reads of one repository that is done."""
    hits = "1 hit" if arrival.count == 1 else f"{arrival.count} hits"
    return f"{arrival.alias or arrival.repo_id}: {arrival.status}, {hits}"


_OF_SLATES: Final = frozenset(
    {"level", "max_bytes", "max_file_bytes", "max_files", "evidence", "graph"}
)
_OF_HITS: Final = frozenset({"top", "per_file"})


def placed_for(arguments: Sequence[Argument], values: Mapping[str, object]) -> tuple[Argument, ...]:
    """Return the arguments of a workspace search with their places in the body of its format.

    A slate has anchors of its own; for a list of hits nothing changes.

    Raises:
        InvalidRequest: a value is given that the other format alone heeds.
    """
    slate = values.get("format") == "slate"
    idle = sorted(values.keys() & (_OF_HITS if slate else _OF_SLATES))
    if idle:
        raise InvalidRequest(f"{', '.join(idle)}: {'not' if slate else 'only'} with format slate")
    return tuple(
        replace(argument, place=("slate", "anchors"))
        if slate and argument.name == "anchors"
        else argument
        for argument in arguments
    )


def narrowed(request: SlateRequest, place: RepoPlace) -> SlateRequest:
    """Return the request narrowed to a place, its targets as the repository writes them."""
    search, session = replace(request.search, scope=place.scope), request.session
    if session is not None:
        session = replace(session, targets=tuple(map(place.key, session.targets)))
    return replace(request, search=search, session=session)


OF_WORKSPACES: Final = frozenset(
    {
        *("workspace", "select", "only", "tags", "repo_filter"),
        *("include_disabled", "concurrency", "strict", "stats"),
    }
)
"""Arguments of a question about a name that mean a workspace, the server's own where none is
named."""

Named: TypeAlias = FederatedSymbol | FederatedReferences | FederatedExpansion

MAX_IN_FLIGHT = 64
"""Calls carried out at once; a client that asks for more is told to wait."""

LOOK_S = 60.0
"""How long a look at a repository's state may take; searches bring a limit of their own."""


class Calls:
    """Carries out calls, any number of them at a time."""

    def __init__(self, asked: SearchService, places: Places, *, shows_paths: bool) -> None:
        """Take who is asked and what may be asked about.

        Args:
            asked: stays the caller's to close.
            places: finds repositories and workspaces.
            shows_paths: leave absolute paths in messages.
        """
        self._asked = asked
        self._places = places
        self._shows_paths = shows_paths
        self._callers = Callers(MAX_IN_FLIGHT)

    async def call(
        self,
        name: str,
        given: Mapping[str, object],
        tell: Tell | None = None,
        caller: str = "",
    ) -> Outcome:
        """Return what a tool returns; a failure is an outcome too.

        Args:
            name: of a tool that there is.
            given: its arguments, unchecked.
            tell: sends progress; None when the client does not want any.
            caller: who asks, where there are several.
        """
        tool = BY_NAME[name]
        try:
            with self._callers.seated(caller) as seat:
                asked = self._asked.on_behalf_of(seat)
                return await self._carried_out(asked, tool, given, tell)
        except GgrepError as error:
            return self._failed(tool, in_arguments(error, tool.every))
        except Exception as error:  # noqa: BLE001 - the boundary: what is not ours is a bug
            bug = GgrepError(f"a bug in ggrep: {type(error).__name__}: {error}")
            return self._failed(tool, bug)

    async def workspaces(self) -> dict[str, Json]:
        """Return the workspaces that may be named by their ids.

        Raises:
            WorkspaceError: a file is wrong.
        """
        return workspaces_json(await self._places.registered())

    def _failed(self, tool: Tool, error: GgrepError) -> Outcome:
        envelope = federated_failure if tool.name == "search_workspace" else failure
        return Outcome(envelope(error, shows_paths=self._shows_paths), failed=True)

    async def _carried_out(
        self, asked: SearchService, tool: Tool, given: Mapping[str, object], tell: Tell | None
    ) -> Outcome:
        values = read_arguments(tool.name, tool.arguments, given, tool.rare)
        match tool.name:
            case "search_workspace":
                return await self._search_workspace(asked, tool, values, tell)
            case "ggrep_status" | "ggrep_health":
                return Outcome(await self._look(asked, tool.name, values))
            case "search" | "good_search":
                return Outcome(await self._search(asked, tool, values))
            case "symbol" | "references" | "expand" if values.keys() & OF_WORKSPACES:
                return await self._in_workspace(asked, tool, values)
            case _:
                return Outcome(await self._navigate(asked, tool, values))

    async def _search(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Document:
        call = parse_search_body(body_of(tool.every, values))
        place = await self._places.repository(call.root)
        return await asked.search_repo(place.root, replace(call.request, scope=place.scope))

    async def _navigate(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Document:
        """Return a slate, or where a name or a place leads; a root below the top narrows it."""
        body = body_of(tool.every, values)
        match tool.name:
            case "context":
                slate = parse_slate_body(body)
                place = await self._places.repository(slate.root)
                return await asked.slate_repo(place.root, narrowed(slate.request, place))
            case "symbol":
                symbol = parse_symbol_body(body)
                place = await self._places.repository(symbol.root)
                return await asked.symbol_repo(
                    place.root, replace(symbol.request, scope=place.scope)
                )
            case "references":
                names = parse_references_body(body)
                place = await self._places.repository(names.root)
                return await asked.references_repo(
                    place.root, replace(names.request, scope=place.scope)
                )
            case _:
                around = parse_expand_body(body)
                place = await self._places.repository(around.root)
                target = place.key(around.request.target)
                return await asked.expand_repo(place.root, replace(around.request, target=target))

    async def _in_workspace(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Outcome:
        """Return where a name or a place of a workspace leads.

        Raises:
            InvalidRequest: a root is given beside the workspace.
        """
        if "root" in values:
            raise InvalidRequest("root: not with a workspace; choose with only")
        named = values.get("workspace")
        place = await self._places.workspace(None if named is None else str(named))
        body = body_of(tool.every, {**values, "workspace": str(place.file)})
        match tool.name:
            case "symbol":
                symbol = parse_workspace_symbol(body)
                opened = await open_workspace(place.file, place.allowlist, symbol.request)
                found: Named = await asked.symbol(
                    opened.workspace, symbol.request, symbol.asked, forbidden=opened.forbidden
                )
            case "references":
                names = parse_workspace_references(body)
                opened = await open_workspace(place.file, place.allowlist, names.request)
                found = await asked.references(
                    opened.workspace, names.request, names.asked, forbidden=opened.forbidden
                )
            case _:
                around = parse_workspace_expand(body)
                opened = await open_workspace(place.file, place.allowlist, around.request)
                found = await asked.expand(
                    opened.workspace, around.request, around.asked, forbidden=opened.forbidden
                )
        document = found.to_json()
        return Outcome(document if found.ok else with_hint(document), failed=not found.ok)

    async def _look(
        self, asked: SearchService, name: str, values: Mapping[str, object]
    ) -> Document:
        root = values.get("root")
        place = await self._places.repository(None if root is None else str(root))
        try:
            with anyio.fail_after(LOOK_S):
                if name == "ggrep_status":
                    return await asked.status(place.root)
                return await asked.health(place.root, deep=values.get("deep") is True)
        except TimeoutError as error:
            raise DeadlineExceeded(f"{place.root}: no answer in {LOOK_S:.0f} s") from error

    async def _search_workspace(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object], tell: Tell | None
    ) -> Outcome:
        named = values.get("workspace")
        place = await self._places.workspace(None if named is None else str(named))
        arguments = placed_for(tool.every, values)
        body = body_of(arguments, {**values, "workspace": str(place.file)})
        call = parse_federated_body(body)
        request, shape = replace(call.request, include_paths=False), call.shape
        opened = await open_workspace(place.file, place.allowlist, request)

        async def ask(arrived: Arrived | None) -> FederatedResponse | FederatedSlate:
            if shape is not None:
                return await asked.slate(
                    opened.workspace, request, shape, arrived, forbidden=opened.forbidden
                )
            return await asked.search(
                opened.workspace, request, arrived, forbidden=opened.forbidden
            )

        response = await (ask(None) if tell is None else telling(ask, tell))
        document = response.to_json()
        return Outcome(document if response.ok else with_hint(document), failed=not response.ok)

"""Executes tool calls: arguments become a request, its answer or failure a document."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

import anyio
from msgspec.structs import replace

from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest
from ggrep.base.stable_json import Document, Json
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_requests import Arrived
from ggrep.federation.workspace_slates import FederatedSlate
from ggrep.interfaces.mcp.arguments import Argument, body_of, read_arguments
from ggrep.interfaces.mcp.following import Following
from ggrep.interfaces.mcp.mcp_places import Places, RepoPlace
from ggrep.interfaces.mcp.progress import Rising, Tell, read_arrival, telling
from ggrep.interfaces.mcp.resources import workspaces_json
from ggrep.interfaces.mcp.spellings import in_our_words
from ggrep.interfaces.mcp.text_budgets import MORE, text_bytes_of
from ggrep.interfaces.mcp.tool_failures import failure, federated_failure, in_arguments, with_hint
from ggrep.interfaces.mcp.tools import BY_NAME, ELSEWHERE, Outcome, Tool
from ggrep.interfaces.surfaces.agent_search import Wish, hits_to_open, search_text
from ggrep.interfaces.surfaces.body import (
    parse_federated_body,
    parse_repo_body,
)
from ggrep.interfaces.surfaces.callers import Callers
from ggrep.interfaces.surfaces.search_service import SearchService
from ggrep.model.says import MOST_MS
from ggrep.model.slate import SlateRequest
from ggrep.render.agent_text import MERGED_BY_RANK
from ggrep.service.opening import open_workspace
from ggrep.service.syncing import Hear

_OF_SLATES: Final = frozenset(
    {
        *("level", "max_bytes", "max_file_bytes", "max_files", "evidence", "graph"),
        *("session", "op", "targets", "delta_only"),
    }
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
    """Return the request for an agent, narrowed to a place, its targets as that writes them."""
    search, session = replace(request.search, scope=place.scope), request.session
    budgets = request.budgets.for_agents()
    if session is not None:
        session = replace(session, targets=tuple(map(place.key, session.targets)))
    return replace(request, search=search, session=session, budgets=budgets)


MAX_IN_FLIGHT = 64
"""Calls carried out at once; a client that asks for more is told to wait."""

SYNC_MS: Final = 45_000
"""How long a status waits for a sync unless told: many clients give up a call after a minute."""

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
        ours = in_our_words(tool.name, tool.every, given, ELSEWHERE)
        values = read_arguments(tool.name, tool.arguments, ours, tool.rare)
        match tool.name:
            case "search_workspace":
                return await self._search_workspace(asked, tool, values, tell)
            case "ggrep_status" | "ggrep_health":
                return Outcome(await self._look(asked, tool.name, values, tell))
            case "search" | "good_search":
                return await self._search(asked, tool, values)
            case "context":
                return Outcome(await self._slate(asked, tool, values))
            case _:
                following = Following(asked, self._places, shows_paths=self._shows_paths)
                return await following.outcome(tool, values)

    async def _search(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Outcome:
        call = parse_repo_body("search", body_of(tool.every, values))
        place = await self._places.repository(call.root)
        request = replace(call.request, scope=place.scope)
        document = await asked.ask_repo(place.root, request)
        if values.get("structured") is True:
            return Outcome(document)
        bodies = values.get("body")
        wanted_bodies = bodies if isinstance(bodies, int) else None
        wish = Wish(wanted_bodies, text_bytes_of(values), arguments=True)
        opened: list[tuple[int, Document]] = []
        for number, wanted in hits_to_open(document, wish, request.timeout_ms):
            try:
                opened.append((number, await asked.ask_repo(place.root, wanted)))
            except GgrepError as error:  # the snapshot may have changed meanwhile
                opened.append((number, failure(error, shows_paths=self._shows_paths)))
        return Outcome(document, text=search_text(document, opened, wish, MORE))

    async def _slate(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Document:
        """Return a slate; a root below the top narrows it."""
        slate = parse_repo_body("slate", body_of(tool.every, values))
        place = await self._places.repository(slate.root)
        return await asked.ask_repo(place.root, narrowed(slate.request, place))

    async def _look(
        self,
        asked: SearchService,
        name: str,
        values: Mapping[str, object],
        tell: Tell | None,
    ) -> Document:
        root = values.get("root")
        place = await self._places.repository(None if root is None else str(root))
        if values.get("sync") is True:
            await self._freshen(asked, place, values.get("timeout_ms"), tell)
        try:
            with anyio.fail_after(LOOK_S):
                if name == "ggrep_status":
                    return await asked.status(place.root)
                return await asked.health(place.root, deep=values.get("deep") is True)
        except TimeoutError as error:
            raise DeadlineExceeded(f"{place.root}: no answer in {LOOK_S:.0f} s") from error

    async def _freshen(
        self, asked: SearchService, place: RepoPlace, timeout_ms: object, tell: Tell | None
    ) -> None:
        """Wait until the index has all changes, or time is up: the status tells how far it is.

        Raises:
            InvalidRequest: there is no time to wait.
        """
        most_ms = SYNC_MS if timeout_ms is None else timeout_ms
        if not isinstance(most_ms, int) or not 1 <= most_ms <= MOST_MS:
            raise InvalidRequest(f"timeout_ms: must be from 1 to {MOST_MS}, is {most_ms!a:.80}")

        async def ask(hear: Hear) -> None:
            with suppress(DeadlineExceeded):
                await asked.sync_repo(place.root, hear, most_ms)

        await (ask(lambda _: None) if tell is None else telling(ask, tell, Rising()))

    async def _search_workspace(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object], tell: Tell | None
    ) -> Outcome:
        if "workspace" not in values:  # the id, or its beginning, names it
            values = {
                ("workspace" if key == "workspace_id" else key): value
                for key, value in values.items()
            }
        named = values.get("workspace")
        place = await self._places.workspace(None if named is None else str(named))
        arguments = placed_for(tool.every, values)
        body = body_of(arguments, {**values, "workspace": str(place.file)})
        call = parse_federated_body(body)
        request, shape = replace(call.request, include_paths=False), call.shape
        if shape is not None:
            shape = replace(shape, budgets=shape.budgets.for_agents())
        opened = await open_workspace(
            place.file, place.allowlist, request, workspace_id=call.workspace_id
        )

        async def ask(arrived: Arrived | None) -> FederatedResponse | FederatedSlate:
            if shape is not None:
                return await asked.slate(
                    opened.workspace, request, shape, arrived, forbidden=opened.forbidden
                )
            return await asked.search(
                opened.workspace, request, arrived, forbidden=opened.forbidden
            )

        response = await (ask(None) if tell is None else telling(ask, tell, read_arrival))
        document = response.to_json()
        if not response.ok:
            return Outcome(with_hint(document), failed=True)
        return Outcome(document, notes=(MERGED_BY_RANK,) if response.merge_unsaid else ())

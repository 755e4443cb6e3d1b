"""Executes tool calls: arguments become a request, its answer or failure a document."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypeAlias

import anyio

from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.base.stable_json import Document, Json
from ggrep.federation.federated_names import FederatedReferences, FederatedSymbol
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_requests import Arrived
from ggrep.federation.workspace_expand import FederatedExpansion
from ggrep.federation.workspace_slates import FederatedSlate
from ggrep.interfaces.mcp.arguments import Argument, body_of, read_arguments
from ggrep.interfaces.mcp.file_places import FilePlace, FileText, text_of
from ggrep.interfaces.mcp.kept_slates import KeptSlates
from ggrep.interfaces.mcp.mcp_places import Places, RepoPlace
from ggrep.interfaces.mcp.progress import Rising, Tell, read_arrival, telling
from ggrep.interfaces.mcp.resources import ResourceFailed, workspaces_json
from ggrep.interfaces.mcp.spellings import in_our_words
from ggrep.interfaces.mcp.tool_failures import failure, federated_failure, in_arguments, with_hint
from ggrep.interfaces.mcp.tools import BY_NAME, ELSEWHERE, SEVERAL, Outcome, Tool
from ggrep.interfaces.surfaces.agent_search import Wish, hits_to_open, pattern_of, search_text
from ggrep.interfaces.surfaces.body import (
    parse_expand_body,
    parse_federated_body,
    parse_outline_body,
    parse_references_body,
    parse_search_body,
    parse_slate_body,
    parse_symbol_body,
    parse_tour_body,
    parse_workspace_expand,
    parse_workspace_references,
    parse_workspace_symbol,
)
from ggrep.interfaces.surfaces.callers import Callers
from ggrep.interfaces.surfaces.search_service import SearchService
from ggrep.model.navigation import ExpandRequest
from ggrep.model.request import DEFAULT_TIMEOUT_MS
from ggrep.model.says import MOST_MS
from ggrep.model.slate import SlateRequest
from ggrep.render.agent_text import MERGED_BY_RANK, agent_text
from ggrep.service.opening import open_workspace
from ggrep.service.syncing import Hear

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


MORE: Final = "options text_bytes={}"
"""What to give for lines of a text that were cut."""


def text_bytes_of(values: Mapping[str, object]) -> int:
    """Return most bytes of the text of an answer; 0 for what is usual.

    Raises:
        InvalidRequest: that is less than nothing.
    """
    given = values.get("text_bytes", 0)
    if not isinstance(given, int) or given < 0:
        raise InvalidRequest(f"text_bytes: must be 0 or more, is {given!a:.80}")
    return given


MAX_SEVERAL: Final = 50
"""Names or places of one call."""


def wanted_of(tool: str, values: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names or places of a call, each once, in the order they were given in.

    Raises:
        InvalidRequest: there is none, or too many.
    """
    one, several = SEVERAL[tool]
    listed = values.get(several)
    alone = [] if values.get(one) is None else [values[one]]
    wanted = dict.fromkeys(map(str, [*alone, *(listed if isinstance(listed, list) else [])]))
    if not wanted:
        raise InvalidRequest(f"{tool}: the argument {one!a} is missing; {several} takes several")
    if len(wanted) > MAX_SEVERAL:
        raise InvalidRequest(f"{tool}: {len(wanted)} {several}; ask for at most {MAX_SEVERAL}")
    return tuple(wanted)


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

MAX_FILE_BYTES: Final = 1 << 20
"""Most of a file that is read at once."""

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
        self._slates = KeptSlates()

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

    async def file(self, wanted: FilePlace, caller: str = "") -> FileText:
        """Return lines of an indexed file, as they were indexed.

        Raises:
            ResourceFailed: there is no such file or line, or it cannot be had.
        """
        try:
            with self._callers.seated(caller) as seat:
                asked = self._asked.on_behalf_of(seat)
                place = await self._places.repository(wanted.root)
                found = replace(wanted, path=place.key(wanted.path))
                request = ExpandRequest(
                    found.target, "file", MAX_FILE_BYTES, timeout_ms=DEFAULT_TIMEOUT_MS
                )
                return text_of(found, await asked.expand_repo(place.root, request))
        except GgrepError as error:
            document = failure(error, shows_paths=self._shows_paths)
            raise ResourceFailed(str(document["message"]), error.code) from error

    def slate(self, uri: str) -> str:
        """Return the text of an earlier slate.

        Raises:
            InvalidRequest: there is none, or it was let go.
        """
        text = self._slates.text(uri)
        if text is None:
            raise InvalidRequest(f"{uri!a:.80} is not kept here; ask `context` again")
        return text

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
                slate = await self._slate(asked, tool, values)
                return Outcome(slate, note=f"slate {self._slates.keep(slate)}")
            case _:
                return await self._named(asked, tool, values)

    async def _named(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Outcome:
        """Return where names or places lead, of a repository or a workspace; or an outline."""
        if tool.name == "outline":
            return Outcome(await self._outline(asked, tool, values))
        if values.keys() & OF_WORKSPACES:
            return await self._in_workspace(asked, tool, values)
        document = await self._each(asked, tool, values)
        return Outcome(document, text=agent_text(document, text_bytes_of(values), MORE))

    async def _search(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Outcome:
        call = parse_search_body(body_of(tool.every, values))
        place = await self._places.repository(call.root)
        request = replace(call.request, scope=place.scope)
        document = await asked.search_repo(place.root, request)
        bodies = values.get("body")
        wanted_bodies = bodies if isinstance(bodies, int) else None
        wish = Wish(wanted_bodies, text_bytes_of(values), pattern_of(request))
        opened: list[tuple[int, Document]] = []
        for number, wanted in hits_to_open(document, wish, request.timeout_ms):
            try:
                opened.append((number, await asked.expand_repo(place.root, wanted)))
            except GgrepError as error:  # the snapshot may have changed meanwhile
                opened.append((number, failure(error, shows_paths=self._shows_paths)))
        return Outcome(document, text=search_text(document, opened, wish, MORE))

    async def _slate(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Document:
        """Return a slate; a root below the top narrows it."""
        slate = parse_slate_body(body_of(tool.every, values))
        place = await self._places.repository(slate.root)
        return await asked.slate_repo(place.root, narrowed(slate.request, place))

    async def _each(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Document:
        """Return where one name or place leads, or an answer or a failure for each of several.

        The time that is given is for all of them.

        Raises:
            InvalidRequest: none is named, or too many.
        """
        one, several = SEVERAL[tool.name]
        wanted = wanted_of(tool.name, values)
        if len(wanted) == 1:
            return await self._follow(asked, tool, {**values, one: wanted[0]})
        given = values.get("timeout_ms")
        timeout_ms = given if isinstance(given, int) and given > 0 else DEFAULT_TIMEOUT_MS
        ends_s = anyio.current_time() + timeout_ms / 1000
        answers: list[Document] = []
        for each in wanted:
            left_ms = int((ends_s - anyio.current_time()) * 1000)
            try:
                if left_ms < 1:
                    raise DeadlineExceeded(f"{several}: those before took all the time")  # noqa: TRY301 - as if it were asked
                asking = {**values, one: each, "timeout_ms": left_ms}
                answers.append(await self._follow(asked, tool, asking))
            except (InvalidRequest, DeadlineExceeded) as error:
                shown = in_arguments(error, tool.every)
                answers.append(failure(shown, shows_paths=self._shows_paths))
        return {"schema_version": ANSWERS_SCHEMA, "answers": answers}

    async def _follow(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Document:
        """Return where a name or a place leads; a root below the top narrows it."""
        body = body_of(tool.every, values)
        match tool.name:
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

    async def _outline(
        self, asked: SearchService, tool: Tool, values: Mapping[str, object]
    ) -> Document:
        """Return outlines; where no path is given, and the root is a repository, its tour."""
        body = body_of(tool.every, values)
        root = values.get("root")
        place = await self._places.repository(None if root is None else str(root))
        if not values.get("path") and not place.scope:
            if "depth" in values:
                raise InvalidRequest("depth: only with path")
            tour = parse_tour_body({key: body[key] for key in body.keys() - {"path"}})
            return await asked.tour_repo(place.root, tour.request)
        outline = parse_outline_body({**body, "path": values.get("path") or [place.scope]})
        own = str(place.root)
        targets = tuple(
            "" if target == own else place.key(target) for target in outline.request.targets
        )
        return await asked.outline_repo(place.root, replace(outline.request, targets=targets))

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

        response = await (ask(None) if tell is None else telling(ask, tell, read_arrival))
        document = response.to_json()
        if not response.ok:
            return Outcome(with_hint(document), failed=True)
        return Outcome(document, notes=(MERGED_BY_RANK,) if response.merge_unsaid else ())

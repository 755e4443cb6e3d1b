"""Carries out tool calls: converts arguments to a request, and the answer to a document."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

import anyio
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import (
    DeadlineExceeded,
    GgrepError,
    InvalidRequest,
    Issue,
    Unasked,
    WorkspaceError,
)
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.base.stable_json import Document
from ggrep.federation.diagnostics import redact
from ggrep.federation.fanout_session import Arrived
from ggrep.federation.federated_response import FederatedResponse, failure_json
from ggrep.federation.workspace_slates import FederatedSlate
from ggrep.interfaces.mcp.access import Access, AllowedRepo
from ggrep.interfaces.mcp.arguments import (
    Argument,
    body_of,
    in_flat_words,
    in_our_words,
    read_arguments,
)
from ggrep.interfaces.mcp.progress import RisingProgress, Tell, read_arrival, telling
from ggrep.interfaces.mcp.resources import ResourceFailed, workspaces_json
from ggrep.interfaces.mcp.tools import (
    BY_NAME,
    ELSEWHERE,
    MORE,
    SEVERAL,
    Tool,
    ToolResult,
    text_bytes_of,
)
from ggrep.interfaces.surfaces.agent_search import AgentTextOptions, hits_to_open, search_text
from ggrep.interfaces.surfaces.body import (
    REPOSITORY,
    WORKSPACE,
    parse_federated_body,
    parse_repo_body,
    parse_workspace_body,
)
from ggrep.interfaces.surfaces.callers import Callers
from ggrep.interfaces.surfaces.in_turn import in_turn
from ggrep.model.field_meta import MOST_MS
from ggrep.model.operations import bounded, has_scope
from ggrep.model.request import DEFAULT_TIMEOUT_MS
from ggrep.model.slate import SlateRequest
from ggrep.render.agent_text import MERGED_BY_RANK, AgentView, agent_text
from ggrep.render.failures import query_error
from ggrep.service.syncing import Hear

if TYPE_CHECKING:
    from ggrep.service.federator import Federator

_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "forbidden": "start `ggrep mcp` with --workspace FILE or --allowed-root DIRECTORY;"
        " ask the operator of a team server",
        "no_index": "run `ggrep index` in the repository, or try again later",
        "busy": "repeat the call after retry_after_ms",
        "timeout": "use a larger timeout_ms; `ggrep stop` ends a daemon that hangs",
        "session_expired": "start a new session with session: new",
        "session_full": "start a new session with session: new",
        "incompatible": "restart the server: ggrep was upgraded while it ran",
    }
)
_WORKSPACE_HINT: Final = (
    "to search the workspace, call search_workspace (with format: slate instead of context),"
    " or pass `workspace` to symbol, references and expand"
)


def failure(error: GgrepError, *, shows_paths: bool) -> Document:
    """Return the document of a failed call of one repository."""
    body = query_error(error)["error"]
    if not shows_paths:
        body["message"] = redact(body["message"])
    return with_hint({"error": body, "code": body["code"], "message": body["message"]})


def federated_failure(error: GgrepError, *, shows_paths: bool) -> Document:
    """Return the document of a failed workspace search."""
    return with_hint(failure_json(error, include_paths=shows_paths))


def with_hint(document: Document) -> Document:
    """Return a failure's document; add the hint on what to do, if there is a hint."""
    # Some codes of the federated contract are in capitals.
    hint = _HINTS.get(str(document.get("code")).lower())
    return document if hint is None else {**document, "hint": hint}


def in_arguments(error: GgrepError, arguments: Sequence[Argument]) -> GgrepError:
    """Return the error with a message that names arguments instead of places in the body."""
    if isinstance(error, WorkspaceError):
        return WorkspaceError(tuple(_issue(issue, arguments) for issue in error.issues))
    if type(error) is InvalidRequest:
        renamed = InvalidRequest(in_flat_words(str(error), arguments))
        renamed.request_id, renamed.snapshot_id = error.request_id, error.snapshot_id
        return renamed
    return error


def _issue(issue: Issue, arguments: Sequence[Argument]) -> Issue:
    return Issue(
        issue.code,
        in_flat_words(issue.message, arguments),
        path=issue.path,
        field=in_flat_words(issue.field, arguments),
        reason=issue.reason,
        hint=issue.hint,
    )


MAX_SEVERAL: Final = 50
"""Maximum number of names or locations of one call."""

OF_WORKSPACES: Final = frozenset(
    each.name
    for each in BY_NAME["symbol"].every
    if ".".join(each.place) in WORKSPACE["symbol"].leaves.keys() - REPOSITORY["symbol"].leaves
)
"""Arguments that send a navigation call to a workspace, by default the server's."""

_Values: TypeAlias = Mapping[str, object]


def wanted_of(tool: str, values: _Values) -> tuple[str, ...]:
    """Return the distinct names or locations that a call is about, in the given order."""
    singular, plural = SEVERAL[tool]
    listed = values.get(plural)
    alone = [] if values.get(singular) is None else [values[singular]]
    wanted = dict.fromkeys(map(str, [*alone, *(listed if isinstance(listed, list) else [])]))
    if not wanted:
        raise InvalidRequest(
            f"{tool}: the argument {singular!a} is missing; for several values use {plural}"
        )
    if len(wanted) > MAX_SEVERAL:
        raise InvalidRequest(f"{tool}: {len(wanted)} {plural}; the maximum is {MAX_SEVERAL}")
    return tuple(wanted)


def _text(values: _Values, name: str) -> str | None:
    value = values.get(name)
    return None if value is None else str(value)


class NavigationCalls(Struct, frozen=True):
    """Carries out the navigation tools, whose arguments are names or locations."""

    asked: "Federator"
    places: Access
    failure: Callable[[GgrepError], Document]

    async def outcome(self, tool: Tool, values: _Values) -> ToolResult:
        """Return the result of a navigation tool."""
        if tool.name == "outline":
            return ToolResult(await self._outline(tool, values))
        wanted = wanted_of(tool.name, values)
        follow = self._in_workspace if values.keys() & OF_WORKSPACES else self._in_repository
        singular, _ = SEVERAL[tool.name]
        if len(wanted) == 1:
            document = await follow(tool, {**values, singular: wanted[0]})
        else:
            document = await self._each(tool, values, wanted, follow)
        view = AgentView(
            text_bytes_of(values), MORE, values.get("comments") is True, arguments=True
        )
        text = agent_text(document, view, asked=wanted)
        return ToolResult(document, failed=document.get("ok") is False, text=text)

    async def _each(
        self,
        tool: Tool,
        values: _Values,
        wanted: tuple[str, ...],
        follow: Callable[[Tool, _Values], Awaitable[Document]],
    ) -> Document:
        """Return an answer or a failure for each name or location, within one shared timeout."""
        singular, _ = SEVERAL[tool.name]
        given = values.get("timeout_ms")
        timeout_ms = given if isinstance(given, int) and given > 0 else DEFAULT_TIMEOUT_MS
        answers = await in_turn(
            wanted,
            lambda name, left_ms: follow(tool, {**values, singular: name, "timeout_ms": left_ms}),
            timeout_ms,
        )
        documents = [
            self.failure(in_arguments(each, tool.every)) if isinstance(each, GgrepError) else each
            for each in answers
        ]
        return {"schema_version": ANSWERS_SCHEMA, "answers": documents}

    async def _in_repository(self, tool: Tool, values: _Values) -> Document:
        """Return the answer of one repository; a `root` inside the repository narrows the scope."""
        call = parse_repo_body(tool.name, body_of(tool.every, values))
        place = await self.places.repository(call.root)
        if has_scope(call.request):
            request = bounded(call.request, scope=place.scope)
        else:
            request = replace(call.request, target=place.key(call.request.target))
        return await self.asked.ask_repo(place.root, request)

    async def _in_workspace(self, tool: Tool, values: _Values) -> Document:
        """Return the answer of a workspace."""
        if "root" in values:
            raise InvalidRequest(
                "root: not allowed with a workspace; select repositories with `only`"
            )
        place = await self.places.workspace(_text(values, "workspace"))
        body = body_of(tool.every, {**values, "workspace": str(place.file)})
        call = parse_workspace_body(tool.name, body)
        opened = await place.open(call.request)
        answers = await self.asked.follow(
            opened.workspace, call.request, call.asked, forbidden=opened.forbidden
        )
        document: Document = answers.to_json()
        return document if answers.ok else with_hint(document)

    async def _outline(self, tool: Tool, values: _Values) -> Document:
        """Return the document of outlines, or of the repository's tour if no path is given."""
        body = body_of(tool.every, values)
        place = await self.places.repository(_text(values, "root"))
        if not values.get("path") and not place.scope:
            if "depth" in values:
                raise InvalidRequest("depth: allowed only with path")
            tour = parse_repo_body("tour", {key: body[key] for key in body.keys() - {"path"}})
            return await self.asked.ask_repo(place.root, tour.request)
        outline = parse_repo_body("outline", {**body, "path": values.get("path") or [place.scope]})
        root = str(place.root)
        targets = tuple(
            "" if target == root else place.key(target) for target in outline.request.targets
        )
        return await self.asked.ask_repo(place.root, replace(outline.request, targets=targets))


_OF_HITS: Final = frozenset({"top", "per_file"})


def placed_for(arguments: Sequence[Argument], values: Mapping[str, object]) -> tuple[Argument, ...]:
    """Return the arguments of a workspace search, with their places in the request's body.

    In the request of a slate, `anchors` has another place.

    Raises:
        InvalidRequest: an argument is not allowed with the requested format.
    """
    slate = values.get("format") == "slate"
    of_slates = {each.name for each in arguments if each.place[:1] in {("slate",), ("session",)}}
    idle = sorted(values.keys() & (_OF_HITS if slate else of_slates))
    if idle:
        raise InvalidRequest(
            f"{', '.join(idle)}: {'not allowed' if slate else 'allowed only'} with format slate"
        )
    return tuple(
        replace(argument, place=("slate", "anchors"))
        if slate and argument.name == "anchors"
        else argument
        for argument in arguments
    )


def narrowed(request: SlateRequest, place: AllowedRepo) -> SlateRequest:
    """Return a slate request with budgets for agents, narrowed to a repository's scope."""
    search, session = replace(request.search, scope=place.scope), request.session
    budgets = request.budgets.for_agents()
    if session is not None:
        session = replace(session, targets=tuple(map(place.key, session.targets)))
    return replace(request, search=search, session=session, budgets=budgets)


MAX_IN_FLIGHT = 64
"""Maximum number of concurrent calls; further calls fail with `busy`."""

SYNC_MS: Final = 45_000
"""Default time that a status waits for a sync; many clients give up after a minute."""

LOOK_S = 60.0
"""Timeout of status and health; searches have another timeout."""


class Calls:
    """Carries out tool calls, which may be concurrent."""

    def __init__(
        self,
        asked: "Federator",
        places: Access,
        *,
        shows_paths: bool,
        callers: Callers | None = None,
    ) -> None:
        """Serve calls; `callers` is shared with other routes of the server."""
        self._asked = asked
        self._places = places
        self._shows_paths = shows_paths
        self._callers = callers or Callers(MAX_IN_FLIGHT)

    async def call(
        self, name: str, given: Mapping[str, object], tell: Tell | None = None, caller: str = ""
    ) -> ToolResult:
        """Return the result of a tool call; for a failure, a result that reports the failure."""
        tool = BY_NAME[name]
        try:
            with self._callers.seated(caller) as seat:
                asked = self._asked.on_behalf_of(seat)
                return await self._carried_out(asked, tool, given, tell)
        except GgrepError as error:
            return self._failed(tool, in_arguments(error, tool.every))
        except Exception as error:  # noqa: BLE001 - the boundary: other exceptions are bugs
            detail = f": {error}" if self._shows_paths else ""
            return self._failed(tool, GgrepError(f"a bug in ggrep: {type(error).__name__}{detail}"))

    async def read(self, name: str) -> Document:
        """Return the document of a known resource.

        Raises:
            ResourceFailed: the resource cannot be read.
        """
        if name == "workspace":
            try:
                return workspaces_json(await self._places.registered())
            except GgrepError as error:
                raise ResourceFailed(str(error), error.code) from error
        outcome = await self.call(f"ggrep_{name}", {})
        if outcome.failed:
            raise ResourceFailed(str(outcome.document["message"]), str(outcome.document["code"]))
        return outcome.document

    def _failed(self, tool: Tool, error: GgrepError) -> ToolResult:
        if tool.name == "search_workspace":
            document = federated_failure(error, shows_paths=self._shows_paths)
        else:
            document = self._failure(error)
        return ToolResult(document, failed=True)

    def _failure(self, error: GgrepError) -> Document:
        document = failure(error, shows_paths=self._shows_paths)
        if isinstance(error, Unasked) and self._places.has_workspaces:
            return {**document, "hint": _WORKSPACE_HINT}
        return document

    async def _carried_out(
        self, asked: "Federator", tool: Tool, given: Mapping[str, object], tell: Tell | None
    ) -> ToolResult:
        ours = in_our_words(tool.name, tool.every, given, ELSEWHERE)
        values = read_arguments(tool.name, tool.arguments, ours, tool.rare)
        match tool.name:
            case "search_workspace":
                return await self._search_workspace(asked, tool, values, tell)
            case "ggrep_status" | "ggrep_health":
                return ToolResult(await self._look(asked, tool.name, values, tell))
            case "search" | "good_search":
                return await self._search(asked, tool, values)
            case "context":
                call = parse_repo_body("slate", body_of(tool.every, values))
                place = await self._places.repository(call.root)
                return ToolResult(await asked.ask_repo(place.root, narrowed(call.request, place)))
            case _:
                following = NavigationCalls(asked, self._places, self._failure)
                return await following.outcome(tool, values)

    async def _search(self, asked: "Federator", tool: Tool, values: _Values) -> ToolResult:
        call = parse_repo_body("search", body_of(tool.every, values))
        place = await self._places.repository(call.root)
        request = replace(call.request, scope=place.scope)
        document = await asked.ask_repo(place.root, request)
        if values.get("structured") is True:
            return ToolResult(document)
        bodies = values.get("body")
        wanted_bodies = bodies if isinstance(bodies, int) else None
        wish = AgentTextOptions(wanted_bodies, text_bytes_of(values), arguments=True)
        opened: list[tuple[int, Document]] = []
        for number, wanted in hits_to_open(document, wish, request.timeout_ms):
            try:
                opened.append((number, await asked.ask_repo(place.root, wanted)))
            except GgrepError as error:  # the snapshot may have changed since the search
                opened.append((number, self._failure(error)))
        return ToolResult(document, text=search_text(document, opened, wish, MORE))

    async def _look(
        self, asked: "Federator", name: str, values: _Values, tell: Tell | None
    ) -> Document:
        place = await self._places.repository(_text(values, "root"))
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
        self, asked: "Federator", place: AllowedRepo, timeout_ms: object, tell: Tell | None
    ) -> None:
        """Wait until the index contains all changes of files, at most for the timeout."""
        most_ms = SYNC_MS if timeout_ms is None else timeout_ms
        if not isinstance(most_ms, int) or not 1 <= most_ms <= MOST_MS:
            raise InvalidRequest(f"timeout_ms: must be from 1 to {MOST_MS}, is {most_ms!a:.80}")

        async def ask(hear: Hear) -> None:
            with suppress(DeadlineExceeded):
                await asked.sync_repo(place.root, hear, most_ms)

        await (ask(lambda _: None) if tell is None else telling(ask, tell, RisingProgress()))

    async def _search_workspace(
        self, asked: "Federator", tool: Tool, values: Mapping[str, object], tell: Tell | None
    ) -> ToolResult:
        if "workspace" not in values:  # `workspace_id` is the id or its beginning
            values = {
                ("workspace" if key == "workspace_id" else key): value
                for key, value in values.items()
            }
        place = await self._places.workspace(_text(values, "workspace"))
        arguments = placed_for(tool.every, values)
        body = body_of(arguments, {**values, "workspace": str(place.file)})
        call = parse_federated_body(body)
        request, shape = replace(call.request, include_paths=False), call.shape
        if shape is not None:
            shape = replace(shape, budgets=shape.budgets.for_agents())
        opened = await place.open(request, call.workspace_id)

        async def ask(arrived: Arrived | None) -> FederatedResponse | FederatedSlate:
            workspace, forbidden = opened.workspace, opened.forbidden
            if shape is not None:
                return await asked.slate(workspace, request, shape, arrived, forbidden=forbidden)
            return await asked.search(workspace, request, arrived, forbidden=forbidden)

        response = await (ask(None) if tell is None else telling(ask, tell, read_arrival))
        document = response.to_json()
        if not response.ok:
            return ToolResult(with_hint(document), failed=True)
        return ToolResult(document, notes=(MERGED_BY_RANK,) if response.merge_unsaid else ())

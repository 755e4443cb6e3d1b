"""Where names and places lead, one or several a call; or outlines of what there is."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.base.stable_json import Document
from ggrep.interfaces.mcp.arguments import body_of
from ggrep.interfaces.mcp.mcp_places import Places
from ggrep.interfaces.mcp.text_budgets import MORE, text_bytes_of
from ggrep.interfaces.mcp.tool_failures import failure, in_arguments, with_hint
from ggrep.interfaces.mcp.tools import SEVERAL, Outcome, Tool
from ggrep.interfaces.surfaces.body import parse_repo_body, parse_workspace_body
from ggrep.interfaces.surfaces.in_turn import in_turn
from ggrep.interfaces.surfaces.search_service import SearchService
from ggrep.model.operations import bounded, has_scope
from ggrep.model.request import DEFAULT_TIMEOUT_MS
from ggrep.render.agent_text import AgentView, agent_text
from ggrep.service.opening import open_workspace

MAX_SEVERAL: Final = 50
"""Names or places of one call."""

OF_WORKSPACES: Final = frozenset(
    {
        *("workspace", "select", "only", "tags", "repo_filter"),
        *("include_disabled", "concurrency", "strict", "stats"),
    }
)
"""Arguments of a question about a name that mean a workspace, the server's own where none is
named."""

_Values: TypeAlias = Mapping[str, object]


def wanted_of(tool: str, values: _Values) -> tuple[str, ...]:
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


class Following(Struct, frozen=True):
    """Carries out the tools that take a name or a place.

    Attributes:
        asked: answers.
        places: finds repositories and workspaces.
        shows_paths: leave absolute paths in messages.
    """

    asked: SearchService
    places: Places
    shows_paths: bool

    async def outcome(self, tool: Tool, values: _Values) -> Outcome:
        """Return where names or places lead, of a repository or a workspace; or an outline.

        Raises:
            GgrepError: there is no answer.
        """
        if tool.name == "outline":
            return Outcome(await self._outline(tool, values))
        wanted = wanted_of(tool.name, values)
        follow = self._in_workspace if values.keys() & OF_WORKSPACES else self._in_repository
        one, _ = SEVERAL[tool.name]
        if len(wanted) == 1:
            document = await follow(tool, {**values, one: wanted[0]})
        else:
            document = await self._each(tool, values, wanted, follow)
        view = AgentView(
            text_bytes_of(values), MORE, values.get("comments") is True, arguments=True
        )
        text = agent_text(document, view, asked=wanted)
        return Outcome(document, failed=document.get("ok") is False, text=text)

    async def _each(
        self,
        tool: Tool,
        values: _Values,
        wanted: tuple[str, ...],
        follow: Callable[[Tool, _Values], Awaitable[Document]],
    ) -> Document:
        """Return an answer or a failure for each of several; the time given is for all of them."""
        one, _ = SEVERAL[tool.name]
        given = values.get("timeout_ms")
        timeout_ms = given if isinstance(given, int) and given > 0 else DEFAULT_TIMEOUT_MS
        answers = await in_turn(
            wanted,
            lambda name, left_ms: follow(tool, {**values, one: name, "timeout_ms": left_ms}),
            timeout_ms,
        )
        shown = [
            failure(in_arguments(each, tool.every), shows_paths=self.shows_paths)
            if isinstance(each, GgrepError)
            else each
            for each in answers
        ]
        return {"schema_version": ANSWERS_SCHEMA, "answers": shown}

    async def _in_repository(self, tool: Tool, values: _Values) -> Document:
        """Return where a name or a place leads; a root below the top narrows it."""
        call = parse_repo_body(tool.name, body_of(tool.every, values))
        place = await self.places.repository(call.root)
        if has_scope(call.request):
            request = bounded(call.request, scope=place.scope)
        else:
            request = replace(call.request, target=place.key(call.request.target))
        return await self.asked.ask_repo(place.root, request)

    async def _in_workspace(self, tool: Tool, values: _Values) -> Document:
        """Return where a name or a place of a workspace leads.

        Raises:
            InvalidRequest: a root is given beside the workspace.
        """
        if "root" in values:
            raise InvalidRequest("root: not with a workspace; choose with only")
        named = values.get("workspace")
        place = await self.places.workspace(None if named is None else str(named))
        body = body_of(tool.every, {**values, "workspace": str(place.file)})
        call = parse_workspace_body(tool.name, body)
        opened = await open_workspace(place.file, place.allowlist, call.request)
        found = await self.asked.follow(
            opened.workspace, call.request, call.asked, forbidden=opened.forbidden
        )
        document: Document = found.to_json()
        return document if found.ok else with_hint(document)

    async def _outline(self, tool: Tool, values: _Values) -> Document:
        """Return outlines; where no path is given, and the root is a repository, its tour."""
        body = body_of(tool.every, values)
        root = values.get("root")
        place = await self.places.repository(None if root is None else str(root))
        if not values.get("path") and not place.scope:
            if "depth" in values:
                raise InvalidRequest("depth: only with path")
            tour = parse_repo_body("tour", {key: body[key] for key in body.keys() - {"path"}})
            return await self.asked.ask_repo(place.root, tour.request)
        outline = parse_repo_body("outline", {**body, "path": values.get("path") or [place.scope]})
        own = str(place.root)
        targets = tuple(
            "" if target == own else place.key(target) for target in outline.request.targets
        )
        return await self.asked.ask_repo(place.root, replace(outline.request, targets=targets))

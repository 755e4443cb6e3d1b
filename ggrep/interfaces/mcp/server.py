"""The MCP server, built on the SDK: lists tools and resources, dispatches calls, replies."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from msgspec import Struct

from ggrep import __version__
from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.backend import LazyBackend
from ggrep.interfaces.mcp.resources import BY_URI, Resource, ResourceFailed
from ggrep.interfaces.mcp.start_options import StartOptions
from ggrep.interfaces.mcp.tools import (
    BY_NAME,
    INSTRUCTIONS,
    STRUCTURED,
    Tool,
    ToolResult,
    listed,
    within_budget,
)
from ggrep.interfaces.surfaces.callers import caller_of
from ggrep.render.agent_text import AgentView, agent_text

if TYPE_CHECKING:
    from ggrep.base.stable_json import Document
    from ggrep.interfaces.mcp.progress import Tell
    from ggrep.interfaces.mcp.tool_calls import Calls
    from ggrep.service.federator import Federator

Context: TypeAlias = ServerRequestContext[Any, Any]

OUTPUT_SCHEMA: Final = "outputSchema"
"""Key of `_meta` for the schema of a structured result, if `tools/list` does not contain it."""

_READ_ONLY = types.ToolAnnotations(read_only_hint=True)
_VIEW: Final = AgentView(arguments=True)
_NOTHING_FITS = "even the first line exceeds max_bytes"
_RESOURCE_NOT_FOUND: Final = -32002
_JSON: Final = "application/json"


class Backend(Protocol):
    """Carries out the requests of a client."""

    async def call(
        self, name: str, given: Mapping[str, object], tell: "Tell | None", caller: str = ""
    ) -> ToolResult:
        """Carry out a call of a known tool."""
        ...

    async def read(self, name: str) -> "Document":
        """Return the document of a known resource."""
        ...


def build_server(
    backend_of: Callable[[Any], Backend],
    *,
    structured: bool = False,
    legacy: bool = False,
    without: frozenset[str] = frozenset(),
) -> Server[Any]:
    """Return a server.

    Args:
        backend_of: returns the backend for an HTTP request; None means standard input.
        structured: make every result structured.
        legacy: list old names of tools.
        without: names of tools and resources that the server does not have.
    """
    tools = {name: tool for name, tool in BY_NAME.items() if name not in without}
    resources = {uri: each for uri, each in BY_URI.items() if f"ggrep_{each.name}" not in without}

    async def list_tools(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del context, params
        shown = [
            _listed(tool, structured=structured)
            for tool in listed(legacy=legacy)
            if tool.name in tools
        ]
        return types.ListToolsResult(tools=shown)

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            known = ", ".join(each.name for each in listed() if each.name in tools)
            raise MCPError(
                types.INVALID_PARAMS, f"unknown tool {params.name!a}; known tools: {known}"
            )
        arguments = dict(params.arguments or {})
        if structured:
            arguments[STRUCTURED.name] = True
        # Does nothing if the client did not request progress.
        tell = context.session.report_progress
        backend = backend_of(context.request)
        outcome = await backend.call(tool.name, arguments, tell, _caller(context.request))
        if arguments.get(STRUCTURED.name) is True:
            return _structured(tool, outcome, with_schema=not structured)
        return _text_result(outcome, _text_of(tool, outcome))

    async def list_resources(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        del context, params
        return types.ListResourcesResult(resources=[*map(_listed_resource, resources.values())])

    async def read(
        context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await _read(backend_of(context.request), resources, str(params.uri))

    return Server(
        "ggrep",
        version=__version__,
        title="ggrep",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read,
    )


def _listed_resource(each: Resource) -> types.Resource:
    return types.Resource(
        uri=each.uri, name=each.name, title=each.title, description=each.says, mime_type=_JSON
    )


async def _read(
    backend: Backend, resources: Mapping[str, Resource], uri: str
) -> types.ReadResourceResult:
    resource = resources.get(uri.rstrip("/"))
    if resource is None:
        known = ", ".join(resources)
        raise MCPError(
            _RESOURCE_NOT_FOUND, f"unknown resource {uri:.200}; known resources: {known}"
        )
    try:
        text = stable_json.dumps(await backend.read(resource.name)).decode()
    except ResourceFailed as error:
        unknown = error.code == InvalidRequest.code
        code = _RESOURCE_NOT_FOUND if unknown else types.INTERNAL_ERROR
        raise MCPError(code, str(error), {"code": error.code}) from error
    contents = types.TextResourceContents(uri=resource.uri, mime_type=_JSON, text=text)
    return types.ReadResourceResult(contents=[contents])


def _caller(request: object) -> str:
    """Return the name of the caller; empty for the only client of standard input."""
    scope = getattr(request, "scope", None)
    return "" if scope is None else caller_of(scope.get("client"))


def _listed(tool: Tool, *, structured: bool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.says,
        input_schema=tool.takes,
        output_schema=tool.returns if structured else None,
        annotations=_READ_ONLY,
    )


def _text_of(tool: Tool, outcome: ToolResult) -> str:
    text = outcome.text or agent_text(outcome.document, _VIEW, outcome.notes) or _NOTHING_FITS
    return within_budget(tool.name, outcome.document, text)


def _text_result(outcome: ToolResult, text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=outcome.failed)


def _structured(tool: Tool, outcome: ToolResult, *, with_schema: bool) -> types.CallToolResult:
    """Return a structured result: the document, and the first line of its text."""
    line = _text_of(tool, outcome).partition("\n")[0]
    result = _text_result(outcome, line)
    result.structured_content = stable_json.loads(stable_json.dumps(outcome.document))
    if with_schema:
        result.meta = {OUTPUT_SCHEMA: tool.returns}
    return result


class Process(Struct, frozen=True):
    """The server, and its backend, which is closed with the server."""

    server: Server[Any]
    backend: LazyBackend


def make_process(
    start: StartOptions, connect: "Callable[[], Federator]", *, shows_paths: bool
) -> Process:
    """Return the server with its backend; opens neither files nor connections."""

    def prepare() -> None:
        import ggrep.interfaces.mcp.tool_calls
        import ggrep.service.federator  # noqa: F401 - here because it takes time

    def load() -> "tuple[Calls, Federator]":
        from ggrep.interfaces.mcp.access import Access
        from ggrep.interfaces.mcp.tool_calls import Calls

        service = connect()
        return Calls(service, Access(start), shows_paths=shows_paths), service

    backend = LazyBackend(prepare, load)
    server = build_server(lambda _: backend, structured=start.structured, legacy=start.legacy)
    return Process(server, backend)

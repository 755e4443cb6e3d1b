"""The server on the SDK: lists tools and resources, dispatches calls, shapes replies."""

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from ggrep import __version__
from ggrep.base import stable_json
from ggrep.interfaces.mcp.backend import Backend, ResourceFailed
from ggrep.interfaces.mcp.resources import BY_URI, RESOURCES, Resource
from ggrep.interfaces.mcp.text_budgets import within_budget
from ggrep.interfaces.mcp.tools import BY_NAME, INSTRUCTIONS, TOOLS, Tool
from ggrep.interfaces.surfaces.callers import caller_of
from ggrep.render.agent_text import agent_text

_Context = ServerRequestContext[Any, Any]
_READ_ONLY = types.ToolAnnotations(read_only_hint=True)
_RESOURCE_NOT_FOUND = -32002


def build_server(backend: Backend) -> Server[Any]:
    """Return a server that has its tools carried out by `backend`, which stays the caller's."""

    async def list_tools(
        context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del context, params
        return types.ListToolsResult(tools=[_listed(tool) for tool in TOOLS])

    async def call_tool(
        context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in BY_NAME:
            known = ", ".join(BY_NAME)
            raise MCPError(types.INVALID_PARAMS, f"no tool {params.name!a}; there are {known}")
        # It sends nothing to a client that did not ask for progress.
        tell = context.session.report_progress
        caller = _caller(context.request)
        outcome = await backend.call(params.name, params.arguments or {}, tell, caller)
        document = stable_json.loads(stable_json.dumps(outcome.document))
        return types.CallToolResult(
            content=[
                types.TextContent(
                    text=within_budget(
                        params.name,
                        document,
                        outcome.text or agent_text(document, notes=outcome.notes),
                    )
                )
            ],
            structured_content=document,
            is_error=outcome.failed,
        )

    async def list_resources(
        context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        del context, params
        return types.ListResourcesResult(resources=[_attachable(one) for one in RESOURCES])

    async def read_resource(
        context: _Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        del context
        resource = BY_URI.get(str(params.uri).rstrip("/"))
        if resource is None:
            known = ", ".join(BY_URI)
            raise MCPError(_RESOURCE_NOT_FOUND, f"no resource {params.uri!s}; there are {known}")
        try:
            document = await backend.read(resource.name)
        except ResourceFailed as error:
            raise MCPError(types.INTERNAL_ERROR, str(error), {"code": error.code}) from error
        text = stable_json.dumps(document).decode()
        contents = types.TextResourceContents(
            uri=resource.uri, mime_type="application/json", text=text
        )
        return types.ReadResourceResult(contents=[contents])

    return Server(
        "ggrep",
        version=__version__,
        title="ggrep",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def _caller(request: object) -> str:
    """Return who asks; empty for the one client of standard input."""
    scope = getattr(request, "scope", None)
    return "" if scope is None else caller_of(scope.get("client"))


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.says,
        input_schema=tool.takes,
        output_schema=tool.returns,
        annotations=_READ_ONLY,
    )


def _attachable(resource: Resource) -> types.Resource:
    return types.Resource(
        uri=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.says,
        mime_type="application/json",
    )

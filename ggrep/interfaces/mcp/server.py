"""The server on the SDK: lists tools and resources, dispatches calls, shapes replies."""

from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from ggrep import __version__
from ggrep.base import stable_json
from ggrep.interfaces.mcp import attachments
from ggrep.interfaces.mcp.backend import Backend
from ggrep.interfaces.mcp.text_budgets import within_budget
from ggrep.interfaces.mcp.tools import BY_NAME, INSTRUCTIONS, TOOLS, Tool
from ggrep.interfaces.surfaces.callers import caller_of
from ggrep.render.agent_text import agent_text

_READ_ONLY = types.ToolAnnotations(read_only_hint=True)


_NOTHING_FITS = "nothing of it fits max_bytes"


def build_server(backend: Backend) -> Server[Any]:
    """Return a server that has its tools carried out by `backend`, which stays the caller's."""

    async def list_tools(
        context: attachments.Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del context, params
        return types.ListToolsResult(tools=[_listed(tool) for tool in TOOLS])

    async def call_tool(
        context: attachments.Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in BY_NAME:
            known = ", ".join(BY_NAME)
            raise MCPError(types.INVALID_PARAMS, f"no tool {params.name!a}; there are {known}")
        # It sends nothing to a client that did not ask for progress.
        tell = context.session.report_progress
        caller = _caller(context.request)
        outcome = await backend.call(params.name, params.arguments or {}, tell, caller)
        document = stable_json.loads(stable_json.dumps(outcome.document))
        told = outcome.text or agent_text(document, notes=outcome.notes) or _NOTHING_FITS
        text = within_budget(params.name, document, told, outcome.note)
        return types.CallToolResult(
            content=[types.TextContent(text=text)],
            structured_content=document,
            is_error=outcome.failed,
        )

    async def read_resource(
        context: attachments.Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        caller = _caller(context.request)
        return await attachments.read_resource(backend, str(params.uri), caller)

    return Server(
        "ggrep",
        version=__version__,
        title="ggrep",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=attachments.list_resources,
        on_list_resource_templates=attachments.list_templates,
        on_read_resource=read_resource,
        on_list_prompts=attachments.list_prompts,
        on_get_prompt=attachments.get_prompt,
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

"""What people attach or pick, over the SDK: resources and prompts."""

from typing import Any, Final, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.backend import Backend
from ggrep.interfaces.mcp.file_places import FILE_TEMPLATE, file_place, is_file
from ggrep.interfaces.mcp.prompts import PROMPT_OF, PROMPTS, Prompt
from ggrep.interfaces.mcp.resources import (
    BY_URI,
    RESOURCES,
    SLATE_TEMPLATE,
    Resource,
    ResourceFailed,
    is_slate,
)

Context: TypeAlias = ServerRequestContext[Any, Any]

_RESOURCE_NOT_FOUND: Final = -32002
_PLAIN: Final = "text/plain"
_TEMPLATES: Final = (
    types.ResourceTemplate(
        name="file",
        title="Indexed file",
        uri_template=FILE_TEMPLATE,
        description="A file as it was indexed, or lines of it: lines=10-40.",
        mime_type=_PLAIN,
    ),
    types.ResourceTemplate(
        name="slate",
        title="Slate",
        uri_template=SLATE_TEMPLATE,
        description="An earlier answer of context, by the handle at its end.",
        mime_type=_PLAIN,
    ),
)


async def list_resources(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    """Return the resources that need no argument."""
    del context, params
    return types.ListResourcesResult(resources=[_attachable(one) for one in RESOURCES])


async def list_templates(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """Return the kinds of resources that need one."""
    del context, params
    return types.ListResourceTemplatesResult(resource_templates=list(_TEMPLATES))


async def read_resource(backend: Backend, uri: str, caller: str) -> types.ReadResourceResult:
    """Return what stands at an address.

    Raises:
        MCPError: nothing does, or it cannot be had.
    """
    resource = BY_URI.get(uri.rstrip("/"))
    try:
        if resource is not None:
            document = await backend.read(resource.name)
            text = stable_json.dumps(document).decode()
            return _contents(_text(resource.uri, text, "application/json"))
        if is_file(uri):
            return await _file(backend, uri, caller)
        if is_slate(uri):
            return _contents(_text(uri, await backend.slate(uri)))
    except ResourceFailed as error:
        unknown = error.code == InvalidRequest.code
        code = _RESOURCE_NOT_FOUND if unknown else types.INTERNAL_ERROR
        raise MCPError(code, str(error), {"code": error.code}) from error
    known = ", ".join((*BY_URI, FILE_TEMPLATE, SLATE_TEMPLATE))
    raise MCPError(_RESOURCE_NOT_FOUND, f"no resource {uri!s:.200}; there are {known}")


async def _file(backend: Backend, uri: str, caller: str) -> types.ReadResourceResult:
    try:
        place = file_place(uri)
    except InvalidRequest as error:
        raise ResourceFailed(str(error), error.code) from error
    found = await backend.file(place, caller)
    shown = _text(uri, found.text)
    if not found.rest:
        return _contents(shown)
    told = f"cut: lines {found.first}-{found.last} of {found.file_lines}; the rest: {found.rest}"
    return _contents(shown, _text(found.rest, told))


async def list_prompts(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    """Return the prompts."""
    del context, params
    return types.ListPromptsResult(prompts=[_picked(one) for one in PROMPTS])


async def get_prompt(
    context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    """Return what is put to the model.

    Raises:
        MCPError: there is no such prompt, or it cannot be filled in.
    """
    del context
    prompt = PROMPT_OF.get(params.name)
    if prompt is None:
        known = ", ".join(PROMPT_OF)
        raise MCPError(types.INVALID_PARAMS, f"no prompt {params.name!a:.80}; there are {known}")
    try:
        text = prompt.text(params.arguments or {})
    except InvalidRequest as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from error
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=prompt.title, messages=[message])


def _picked(prompt: Prompt) -> types.Prompt:
    argument = types.PromptArgument(
        name=prompt.argument, description=prompt.says, required=not prompt.usual
    )
    return types.Prompt(name=prompt.name, title=prompt.title, arguments=[argument])


def _attachable(resource: Resource) -> types.Resource:
    return types.Resource(
        uri=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.says,
        mime_type="application/json",
    )


def _text(uri: str, text: str, mime_type: str = _PLAIN) -> types.TextResourceContents:
    return types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)


def _contents(*found: types.TextResourceContents) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=list(found))

"""Answers an editor's requests with the operations that all surfaces share.

The server offers no completion or renaming, so that it does not conflict with other language
servers.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from ggrep.base.errors import GgrepError
from ggrep.interfaces.lsp.folders import rows_of
from ggrep.interfaces.lsp.server import LONGEST_NAME, GgrepServer, in_thread, path_of
from ggrep.interfaces.lsp.texts import real_path
from ggrep.interfaces.lsp.views import document_symbols, hover_text, is_subsequence
from ggrep.model.evaluation import CHECK_FILE
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.service.federator import Federator

SEARCH: Final = "ggrep.search"
SLATE: Final = "ggrep.slate"
CHECK: Final = "ggrep.check"
_MOST_REFERENCES: Final = 2_000
_MOST_SYMBOLS: Final = 100
_MOST_HOVERED: Final = 3
_OUTLINE_BYTES: Final = 1 << 20


async def _begin(ls: GgrepServer, params: object) -> None:
    del params
    ls.begin()


async def _shutdown(ls: GgrepServer, params: object) -> None:
    del params
    await ls.folders.aclose()


async def _saved(ls: GgrepServer, params: types.DidSaveTextDocumentParams) -> None:
    if (path := path_of(params.text_document.uri)) is not None:
        await ls.check(path, params.text_document.uri)


async def _definition(
    ls: GgrepServer, params: types.DefinitionParams
) -> list[types.Location] | None:
    named = await ls.defined(params.text_document.uri, params.position)
    return await ls.locations(named.definitions) if named else None


async def _references(
    ls: GgrepServer, params: types.ReferenceParams
) -> list[types.Location] | None:
    named = await ls.defined(params.text_document.uri, params.position)
    if named is None or not named.name:
        return None
    request = ReferencesRequest(named.asked, limit=_MOST_REFERENCES)
    answers = await ls.folders.ask_all(request, named.root)
    rows = rows_of(answers, "references")
    if params.context.include_declaration:
        rows = [*named.definitions, *rows]
    if any(each.document.get("next_cursor") for each in answers):
        ls.tell(f"{named.asked}: the first {_MOST_REFERENCES} usages are shown")
    return await ls.locations(rows, named.spelled)


async def _hover(ls: GgrepServer, params: types.HoverParams) -> types.Hover | None:
    named = await ls.defined(params.text_document.uri, params.position)
    if named is None or not named.definitions:
        return None
    client = ls.client_capabilities.text_document
    formats = (client and client.hover and client.hover.content_format) or ()
    markdown = types.MarkupKind.Markdown in formats
    shown = [row.fields for row in named.definitions[:_MOST_HOVERED]]
    text = hover_text(shown, len(named.definitions), markdown=markdown)
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text))


async def _document_symbols(
    ls: GgrepServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    path = path_of(params.text_document.uri)
    root = None if path is None else await ls.folders.root_of(path)
    if path is None or root is None:
        return None
    real = real_path(path)
    request = OutlineRequest((str(real.relative_to(root)),), max_bytes=_OUTLINE_BYTES)
    outline = (await ls.folders.ask(root, request))["outlines"][0]
    left_out = sum(outline["left_out"].values())
    if left_out:
        ls.tell(f"{path.name}: {left_out} symbols left out")

    def tree() -> list[types.DocumentSymbol]:
        places = ls.texts.places(real, params.text_document.uri, outline["language"])
        return document_symbols(outline["entries"], places)

    return await in_thread(tree)


async def _workspace_symbols(
    ls: GgrepServer, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation] | None:
    """Return definitions of a name or of similar names, and hits of a search for the name."""
    query = sanitise_line(params.query).strip()[:LONGEST_NAME]
    if not query:
        return []
    exact = await ls.folders.ask_all(SymbolRequest(query, limit=_MOST_SYMBOLS))
    rows = rows_of(exact, "definitions")
    for name in dict.fromkeys(name for each in exact for name in each.document["suggestions"]):
        similar = await ls.folders.ask_all(SymbolRequest(name))
        rows += rows_of(similar, "definitions")
    body = {"query": query, "search": {"top": _MOST_SYMBOLS, "snippet": "none"}}
    hits = rows_of(await ls.folders.search(body), "results")
    rows += [hit for hit in hits if is_subsequence(query, hit.fields["name"])]
    return await ls.symbols(rows)


async def _search(ls: GgrepServer, arguments: Sequence[Any]) -> list[dict[str, Any]] | None:
    """Return the hits of a search, in the format of `docs/impl/editors.md`."""
    hits = rows_of(await ls.folders.search(_body(arguments, "/search")), "results")
    return await in_thread(lambda: ls.hits(hits))


async def _slate(ls: GgrepServer, arguments: Sequence[Any]) -> list[dict[str, Any]] | None:
    """Return the slates for a question, in the format of `docs/impl/editors.md`."""
    slates = await ls.folders.search(_body(arguments, "/context"), "slate")
    return await in_thread(lambda: ls.slates(slates))


def _body(arguments: Sequence[Any], route: str) -> Mapping[str, Any]:
    match arguments:
        case [str(query)]:
            return {"query": query}
        case [Mapping() as body] if not body.keys() & {"root", "workspacePath", "format"}:
            return body
        case _:
            raise JsonRpcInvalidParams(f"the argument must be a query or the body of POST {route}")


async def _check(ls: GgrepServer, arguments: Sequence[Any]) -> None:
    del arguments
    for folder in ls.folders.open:
        file = folder / CHECK_FILE
        if await in_thread(file.is_file):
            await ls.check(file, file.as_uri())


_Handler: TypeAlias = Callable[..., Awaitable[object]]

_FEATURES: Final[Mapping[str, _Handler]] = {
    types.INITIALIZED: _begin,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: _begin,
    types.SHUTDOWN: _shutdown,
    types.TEXT_DOCUMENT_DID_SAVE: _saved,
    types.TEXT_DOCUMENT_DEFINITION: _definition,
    types.TEXT_DOCUMENT_REFERENCES: _references,
    types.TEXT_DOCUMENT_HOVER: _hover,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: _document_symbols,
    types.WORKSPACE_SYMBOL: _workspace_symbols,
}
_COMMANDS: Final[Mapping[str, _Handler]] = {SEARCH: _search, SLATE: _slate, CHECK: _check}
_QUIET: Final = frozenset({types.TEXT_DOCUMENT_HOVER, types.TEXT_DOCUMENT_DOCUMENT_SYMBOL})
"""Requests that editors send without a user's action; their failures are only logged."""


def build_server(
    connect: "Callable[[], Federator]", workspaces: Sequence[Path], environ: Mapping[str, str]
) -> GgrepServer:
    """Return a server with all features; for the arguments see `GgrepServer`."""
    server = GgrepServer(connect, workspaces, environ)
    for name, handler in _FEATURES.items():
        server.feature(name)(_reported(handler, quiet=name in _QUIET))
    for name, command in _COMMANDS.items():
        server.command(name)(_reported(command, quiet=False))
    return server


def _reported(handler: _Handler, *, quiet: bool) -> _Handler:
    """Return a handler that reports each `GgrepError`; pygls passes the server as `ls`."""

    async def answer(ls: GgrepServer, params: object) -> object:
        try:
            return await handler(ls, params)
        except GgrepError as error:
            ls.report(error, quiet=quiet)
            return None

    return answer

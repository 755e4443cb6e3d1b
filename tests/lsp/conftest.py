"""An editor's client, and `ggrep lsp` as a process of its own over real daemons."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

from tests.lsp.marked import BOXES, LISP, OTHER, TREE, WIDE, Marks, unmarked
from tests.mcp.processes import Settled, settled

Editing: TypeAlias = Callable[..., AbstractAsyncContextManager["Editor"]]


class Editor:
    """A client that has folders open."""

    def __init__(self, client: LanguageClient, capabilities: types.ServerCapabilities) -> None:
        self.client = client
        self.capabilities = capabilities

    def open(self, path: Path, text: str | None = None) -> types.TextDocumentIdentifier:
        """Open a file, as it is on disk or with other text."""
        shown = path.read_text() if text is None else text
        item = types.TextDocumentItem(path.as_uri(), "", 1, shown)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return types.TextDocumentIdentifier(path.as_uri())

    def edit(self, path: Path, span: types.Range, text: str) -> None:
        """Replace a range of an open file."""
        change = types.TextDocumentContentChangePartial(span, text)
        file = types.VersionedTextDocumentIdentifier(2, path.as_uri())
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(file, [change]))

    async def definition(self, path: Path, line: int, character: int) -> list[types.Location]:
        """Return where the name at a place is defined."""
        file, position = (
            types.TextDocumentIdentifier(path.as_uri()),
            types.Position(line, character),
        )
        params = types.DefinitionParams(file, position)
        return await self.client.text_document_definition_async(params) or []

    async def references(self, path: Path, line: int, character: int) -> list[types.Location]:
        """Return where the name at a place is used, without its definitions."""
        file, position = (
            types.TextDocumentIdentifier(path.as_uri()),
            types.Position(line, character),
        )
        params = types.ReferenceParams(types.ReferenceContext(False), file, position)
        return await self.client.text_document_references_async(params) or []

    async def hover(self, path: Path, line: int, character: int) -> str:
        """Return what is shown of the name at a place."""
        file, position = (
            types.TextDocumentIdentifier(path.as_uri()),
            types.Position(line, character),
        )
        hover = await self.client.text_document_hover_async(types.HoverParams(file, position))
        return hover.contents.value if hover else ""

    async def command(self, name: str, *arguments: object) -> object:
        params = types.ExecuteCommandParams(name, list(arguments))
        return await self.client.workspace_execute_command_async(params)

    @property
    def log(self) -> str:
        """Return the lines of the server's log."""
        return "\n".join(each.message for each in self.client.log_messages)


@asynccontextmanager
async def editing(
    place: Settled,
    folders: Sequence[Path],
    *arguments: str,
    encodings: Sequence[str] = (),
    like: str = "neovim",
) -> AsyncIterator[Editor]:
    """Give a client of a server that was started for some folders."""
    client = make_test_lsp_client()
    command = [sys.executable, "-m", "ggrep", "lsp", *arguments]
    await client.start_io(*command, cwd=place.base, env=place.environ)
    capabilities = client_capabilities(like)
    capabilities.general = types.GeneralClientCapabilities(position_encodings=encodings or None)
    opened = [types.WorkspaceFolder(each.as_uri(), each.name) for each in folders]
    params = types.InitializeParams(capabilities, workspace_folders=opened)
    result = await client.initialize_session(params)
    try:
        yield Editor(client, result.capabilities)
    finally:
        await client.shutdown_session()
        await client.stop()


@pytest.fixture(scope="session")
def place() -> Iterator[Settled]:
    """Return an indexed repository of five languages, and one beside it."""
    with settled(unmarked(TREE) | WIDE | BOXES | LISP, unmarked(OTHER)) as result:
        yield result


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(place: Settled) -> AsyncIterator[Editor]:
    """Return an editor in which the first repository is open."""
    async with editing(place, [place.root]) as opened:
        yield opened


@pytest.fixture(scope="session")
def marks() -> Marks:
    """Return where names of the repository are defined and used."""
    return Marks(TREE)

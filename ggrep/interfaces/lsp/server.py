"""The language server, built on pygls: its protocol, the client's state, locations in texts."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import anyio
from anyio import from_thread, to_thread
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from ggrep import __version__
from ggrep.base.errors import GgrepError, Unasked
from ggrep.interfaces.lsp.checks import check_diagnostics
from ggrep.interfaces.lsp.folders import Answer, Folders, Row, rows_of
from ggrep.interfaces.lsp.texts import Places, Texts, column_of, read_lines, real_path
from ggrep.interfaces.lsp.views import symbol_kind
from ggrep.model.evaluation import CHECK_FILE
from ggrep.model.navigation import SymbolRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.model.written_names import is_same_name, names_at
from ggrep.parse.languages.registry import language_of

if TYPE_CHECKING:
    from ggrep.service.federator import Federator

LONGEST_NAME: Final = 400
"""Maximum number of characters of a name to search for."""
_MOST_DEFINITIONS: Final = 100

T = TypeVar("T")


class _Protocol(LanguageServerProtocol):
    """The protocol of pygls, with ggrep's own store of open documents and cancellable commands.

    The store of pygls would also break lines at form feeds and other characters.
    """

    _server: "GgrepServer"

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: types.DidOpenTextDocumentParams
    ) -> Iterator[object]:
        """Store the text of an opened document; run its checks if it is a check file."""
        document = params.text_document
        if (path := path_of(document.uri)) is not None:
            self._server.texts.open(path, document.uri, document.text)
            yield self._server.check, (path, document.uri), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply changes to the text of an open document."""
        path = path_of(params.text_document.uri)
        document = None if path is None else self._server.texts.get(path)
        if document is not None:
            for change in params.content_changes:
                document.edit(change, self._server.texts.encoding)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget the text of a closed document."""
        if (path := path_of(params.text_document.uri)) is not None:
            self._server.texts.close(path)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> object:
        """Run a command in a task that ends when the request is cancelled."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(f"no command {params.command!r}")
        return await handler(params.arguments or [])


def path_of(uri: str) -> Path | None:
    """Return the path of a `file:` URI; None for other URIs."""
    path = to_fs_path(uri)
    return Path(path) if path and "\0" not in path else None


class Named(NamedTuple):
    """A name in a file, the root of its repository, and its definitions.

    If the request's position is in the name of a definition, only this definition is included.
    """

    root: Path
    name: str
    definitions: list[Row]

    @property
    def asked(self) -> str:
        """Return the name for a search of its usages, with its container if known."""
        rows = self.definitions
        if len(rows) == 1 and rows[0].fields["container"]:
            return str(rows[0].fields["qualified_name"])
        return self.spelled

    @property
    def spelled(self) -> str:
        """Return the name without its container."""
        return str(self.definitions[0].fields["name"]) if self.definitions else self.name


async def in_thread(work: Callable[[], T]) -> T:
    """Run blocking work in a thread; return its result."""
    return await to_thread.run_sync(work, abandon_on_cancel=True)


class GgrepServer(LanguageServer):
    """The language server of one client."""

    def __init__(
        self,
        connect: Callable[[], "Federator"],
        workspaces: Sequence[Path],
        environ: Mapping[str, str],
    ) -> None:
        """Create the server without connecting to daemons.

        Args:
            connect: returns the client that queries daemons.
            workspaces: workspace files whose repositories are queried too.
            environ: environment of checks.
        """
        super().__init__("ggrep", __version__, protocol_cls=_Protocol)
        self.texts = Texts()
        self.folders = Folders(connect, workspaces, self.tell)
        self._environ = environ
        self._logged: set[str] = set()
        self._checking = anyio.Lock()

    def begin(self) -> None:
        """Set the negotiated encoding and the open folders, after the client's handshake."""
        if encoding := self.workspace.position_encoding:
            self.texts.encoding = types.PositionEncodingKind(encoding).value
        folders = [path_of(each.uri) for each in self.workspace.folders.values()]
        if not folders and self.workspace.root_uri:
            folders = [path_of(self.workspace.root_uri)]
        self.folders.open = tuple(path for path in folders if path is not None)

    def tell(self, message: str) -> None:
        """Write a message to the client's log, each message once."""
        if message not in self._logged:
            self._logged.add(message)
            kind = types.MessageType.Warning
            self.window_log_message(types.LogMessageParams(kind, sanitise_line(message)))

    def report(self, error: GgrepError, *, quiet: bool) -> None:
        """Log an error once; unless `quiet`, also fail the request.

        A folder that ggrep does not index without consent (`Unasked`) does not fail a request, as
        another language server may know its files.
        """
        message = sanitise_line(str(error))
        self.tell(message)
        if not quiet and not isinstance(error, Unasked):
            raise JsonRpcException(message, types.LSPErrorCodes.RequestFailed) from error

    def uri_of(self, path: Path) -> str:
        """Return the URI of a file, which begins with the client's spelling of the folder."""
        for folder in self.folders.open:
            real = os.path.realpath(folder)
            if path.is_relative_to(real):
                return (folder / path.relative_to(real)).as_uri()
        return path.as_uri()

    async def names(self, path: Path, position: types.Position) -> tuple[str, ...]:
        """Return the names at a position of a file, the most specific first."""
        document = self.texts.get(path)
        lines = document.lines if document else await in_thread(lambda: read_lines(path))
        line = lines[position.line] if position.line < len(lines) else ""
        column = column_of(line, position.character, self.texts.encoding)
        names = names_at(line, column, language_of(path.name, line.encode(errors="replace")))
        return tuple(name for name in names if len(name) <= LONGEST_NAME)

    async def defined(self, uri: str, position: types.Position) -> Named | None:
        """Return the definitions of the name at a position; None outside all repositories."""
        path = path_of(uri)
        root = None if path is None else await self.folders.root_of(path)
        if path is None or root is None:
            return None
        names = await self.names(path, position)
        for name in names:
            request = SymbolRequest(name, limit=_MOST_DEFINITIONS)
            answers = await self.folders.ask_all(request, root)
            rows = [row for row in rows_of(answers, "definitions") if _is_named(row, names)]
            if rows:
                here = await in_thread(partial(self._at, path, position, rows))
                return Named(root, name, here or rows)
        return Named(root, names[-1] if names else "", [])

    def _at(self, path: Path, position: types.Position, rows: list[Row]) -> list[Row]:
        """Return the definition whose name is at the position, else an empty list."""
        real = real_path(path)
        for row in rows:
            if row.path == real:
                places = self.texts.places(real, "", row.fields["language"])
                span = places.name(row.fields["name"], row.fields["line"])
                if span and span.start <= position <= span.end:
                    return [row]
        return []

    async def locations(self, rows: Sequence[Row], name: str = "") -> list[types.Location]:
        """Return the locations of rows in the client's texts.

        A usage whose line no longer has the name is omitted and logged; a definition's name is
        searched nearby.
        """
        return await in_thread(lambda: self._locations(rows, name))

    def _locations(self, rows: Sequence[Row], name: str) -> list[types.Location]:
        located: list[types.Location] = []
        by_path: dict[Path, Places] = {}
        lost = 0
        for row in rows:
            fields = row.fields
            places = by_path.get(row.path)
            if places is None:
                places = self.texts.places(row.path, self.uri_of(row.path), fields["language"])
                by_path[row.path] = places
            spelled = fields.get("name") or name
            line = row.line
            span = places.name(spelled, line, fields.get("column", 1))
            if span is None and "column" in fields:
                lost += 1
                continue
            located.append(types.Location(places.uri, span or places.nearest(spelled, line)))
        if lost:
            message = (
                f"{name}: {lost} usages left out: their lines have changed since they were indexed"
            )
            from_thread.run_sync(self.tell, message)
        return located

    async def symbols(self, rows: Sequence[Row]) -> list[types.SymbolInformation]:
        """Return the definitions as symbols, each location once."""
        located = await self.locations(rows)
        symbols: dict[object, types.SymbolInformation] = {}
        for row, location in zip(rows, located, strict=True):
            fields = row.fields
            kind = symbol_kind(fields.get("chunk_type") or fields["kind"])
            owner = ".".join(fields.get("breadcrumb", ())) or fields.get("container")
            shown = " ".join(filter(None, (fields.get("repoAlias"), owner))) or None
            name = fields["name"]
            place = location.uri, location.range.start.line, name
            symbols.setdefault(
                place, types.SymbolInformation(location, name, kind, container_name=shown)
            )
        return list(symbols.values())

    def hits(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """Return hits with their ranges in the client's texts."""
        hits = []
        for row in rows:
            fields = row.fields
            places = self.texts.places(row.path, self.uri_of(row.path), fields["language"])
            last = fields.get("end_line") or fields["end"]
            hit = {
                "uri": places.uri,
                "range": places.span(row.line, last),
                "path": fields.get("path") or fields["file"],
                "name": fields.get("qualified_name") or fields.get("qualifiedName") or "",
                "kind": fields.get("chunk_type") or fields["kind"],
                "score": fields["score"],
                "content": fields["content"],
            }
            alias = fields.get("repoAlias") or fields.get("repoId")
            hits.append({**hit, "repository": alias} if alias else hit)
        return hits

    def slates(self, answers: Sequence[Answer]) -> list[dict[str, Any]]:
        """Return slates with the ranges of their pieces in the client's texts."""
        for answer in answers:
            for section in answer.document["slate"]["sections"]:
                for file in section["files"]:
                    path = answer.roots[file.get("repo")] / file["path"]
                    places = self.texts.places(path, self.uri_of(path), "")
                    file |= {"uri": places.uri, "range": places.span(file["line"], file["line"])}
                    for piece in (*filter(None, [file.get("anchor")]), *file.get("evidence", ())):
                        piece["range"] = places.span(piece["start_line"], piece["end_line"])
                    lines = [each.partition(" ")[0].split("-") for each in file.get("outline", ())]
                    file["outline_ranges"] = [places.span(*map(int, each)) for each in lines]
        return [answer.document for answer in answers]

    async def check(self, path: Path, uri: str) -> None:
        """Publish the diagnostics of a check file; do nothing for other files."""
        if path.name == CHECK_FILE:
            async with self._checking:
                diagnostics = await check_diagnostics(path, self._environ)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))


def _is_named(row: Row, names: Sequence[str]) -> bool:
    return any(is_same_name(row.fields["name"], name) for name in names)


def serve(server: GgrepServer) -> None:
    """Serve the client on standard input and output until it disconnects.

    Only protocol messages go to standard output; other output goes to standard error. Child
    processes read an empty standard input.
    """
    received, sent = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    server.start_io(received, sent)

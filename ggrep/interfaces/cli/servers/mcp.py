"""`ggrep mcp`: a server of the Model Context Protocol, for agents."""

import gc
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, ClassVar

from msgspec import Struct

from ggrep.base.clock import SystemClock
from ggrep.base.errors import GgrepError, UsageError
from ggrep.config.settings import home_from, without_token
from ggrep.interfaces.cli.parsing.flags import Flag, typed_flags
from ggrep.interfaces.cli.servers.http_token import HttpToken, TokenOptions, http_token
from ggrep.interfaces.cli.terminal import Terminal, open_terminal

if TYPE_CHECKING:
    from ggrep.interfaces.mcp.server import Process
    from ggrep.service.federator import Federator


_HOST = "127.0.0.1"
_PORT = 7346


class PlaceOptions(Struct, frozen=True):
    """The repositories and directories that calls may search."""

    title: ClassVar = "Places"

    path: Annotated[
        Path | None,
        Flag("--path -p", "Default repository, for calls without the argument `root`."),
    ] = None
    workspaces: Annotated[
        tuple[Path, ...],
        Flag("--workspace", "Let calls search the workspace of this file; repeatable."),
    ] = ()
    roots: Annotated[
        tuple[Path, ...], Flag("--allowed-root", "Let calls search this directory; repeatable.")
    ] = ()
    anywhere: Annotated[bool, Flag("--allow-any-root", "Let calls search any directory.")] = False


class HttpOptions(Struct, frozen=True):
    """Options of the HTTP transport."""

    title: ClassVar = "HTTP"

    http: Annotated[bool, Flag("--http", "Serve over streamable HTTP.")] = False
    host: Annotated[str | None, Flag("--host", f"Listen on this address. [default: {_HOST}]")] = (
        None
    )
    port: Annotated[
        int | None,
        Flag("--port", f"Listen on this port; 0 for any free one. [default: {_PORT}]", most=65535),
    ] = None
    hosts: Annotated[
        tuple[str, ...],
        Flag("--allowed-host", "Also accept this name in the Host header; repeatable."),
    ] = ()


class AnswerOptions(Struct, frozen=True):
    """The format of answers, and the tools to list."""

    title: ClassVar = "Answers"

    structured: Annotated[
        bool, Flag("--structured", "Answer every call with JSON, and list the output schemas.")
    ] = False
    legacy: Annotated[bool, Flag("--legacy", "Also list the deprecated tool good_search.")] = False


def mcp(
    places: PlaceOptions,
    answers: AnswerOptions,
    listening: HttpOptions,
    wanted: TokenOptions,
    log: Annotated[bool, Flag("--log", "Log to standard error.")] = False,
) -> int:
    """Serve agents over MCP, on standard input and output or with --http."""
    terminal = open_terminal()
    named = [*typed_flags(listening), *typed_flags(wanted)]
    if named and not listening.http:
        raise UsageError(f"{', '.join(named)}: allowed only with --http")
    import logging

    if log:
        logging.basicConfig(level=logging.INFO)
    else:
        # Without any handler, logging would print warnings of libraries.
        logging.getLogger().addHandler(logging.NullHandler())
    modules = _loaded()
    from ggrep.interfaces.mcp.start_options import StartOptions

    try:
        directory = Path.cwd()
    except FileNotFoundError:
        directory = None
    start = StartOptions(
        directory=directory,
        path=places.path,
        workspaces=tuple(file.absolute() for file in places.workspaces),
        allowed=places.roots,
        anywhere=places.anywhere,
        structured=answers.structured,
        legacy=answers.legacy,
    )
    # A disk that does not answer must not delay the server.
    Thread(target=_warn_of, args=(start.workspaces, terminal), daemon=True).start()
    home = home_from(terminal.environ)
    environ = without_token(terminal.environ)
    noted = terminal.tell if log else lambda _: None

    def connect() -> "Federator":
        from ggrep.service.federator import Federator
        from ggrep.service.searchers import IndexFallback

        return Federator(
            home,
            environ,
            SystemClock(),
            client_name=f"mcp-{os.getpid()}",
            notify=noted,
            fallback=IndexFallback(environ, {}, noted),
        )

    process = modules.make_process(start, connect, shows_paths=not listening.http)
    if listening.http:
        token = http_token(home, terminal.environ, wanted)
        _serve_http(terminal, process, listening, token)
    else:
        _serve_stdio(terminal, process)
    return 0


def _loaded() -> ModuleType:
    """Import and return the server's modules as fast as possible, because a client is waiting.

    The SDK creates some thousand classes that are never freed; garbage collection would take a
    fifth of the import time.
    """
    gc.disable()
    try:
        from ggrep.interfaces.mcp import server
    finally:
        gc.freeze()
        gc.enable()
    return server


def _warn_of(files: Sequence[Path], terminal: Terminal) -> None:
    """Warn of workspace files that cannot be loaded; the user may correct them before a call."""
    from ggrep.config.root import canonical_root
    from ggrep.federation.workspace import load_workspace

    for file in files:
        try:
            load_workspace(file, resolve_root=canonical_root)
        except GgrepError as error:
            terminal.tell(f"warning: {error}")


def _serve_stdio(terminal: Terminal, process: "Process") -> None:
    import anyio

    from ggrep.interfaces.mcp.stdio import serve_stdio

    async def run() -> None:
        try:
            await serve_stdio(process.server, terminal.tell)
        finally:
            await process.backend.aclose()

    anyio.run(run)


def _serve_http(
    terminal: Terminal, process: "Process", listening: HttpOptions, token: HttpToken
) -> None:
    import anyio

    from ggrep.interfaces.mcp.http import MAX_CONNECTIONS, PATH, access_rules, mcp_app
    from ggrep.interfaces.surfaces.http_server import base_url, bind, run

    host = _HOST if listening.host is None else listening.host
    rules = access_rules(host, listening.hosts, token.value)
    app = mcp_app(process.server, rules, process.backend.aclose)
    listener = bind(host, _PORT if listening.port is None else listening.port)

    def ready() -> None:
        terminal.tell(f"serving MCP at {base_url(listener)}{PATH}")
        terminal.tell(token.description)

    anyio.run(partial(run, most_connections=MAX_CONNECTIONS), app, listener, ready)

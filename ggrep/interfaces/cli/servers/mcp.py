"""`ggrep mcp`: a server of the Model Context Protocol, for agents."""

import gc
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

from msgspec import Struct

from ggrep.base.clock import SystemClock
from ggrep.base.errors import UsageError
from ggrep.config.settings import home_from, without_token
from ggrep.interfaces.cli.parsing.flags import Flag, typed_flags
from ggrep.interfaces.cli.servers.http_token import HttpToken, TokenOptions, http_token
from ggrep.interfaces.cli.terminal import Terminal, open_terminal

if TYPE_CHECKING:
    from ggrep.interfaces.mcp.http import Listening
    from ggrep.interfaces.mcp.start import Start
    from ggrep.interfaces.surfaces.search_service import SearchService


Serve: TypeAlias = Callable[..., Awaitable[None]]

_HOST = "127.0.0.1"
_PORT = 7346


class Places(Struct, frozen=True):
    """Which repositories and directories calls may search."""

    title: ClassVar = "Places"

    path: Annotated[
        Path | None, Flag("--path -p", "Default repository of calls that name none.")
    ] = None
    workspaces: Annotated[
        tuple[Path, ...], Flag("--workspace", "Let calls name this workspace file; repeatable.")
    ] = ()
    roots: Annotated[
        tuple[Path, ...], Flag("--allowed-root", "Let calls search this directory; repeatable.")
    ] = ()
    anywhere: Annotated[bool, Flag("--allow-any-root", "Let calls search any directory.")] = False


class Http(Struct, frozen=True):
    """Options of the HTTP transport."""

    title: ClassVar = "HTTP"

    http: Annotated[bool, Flag("--http", "Serve streamable HTTP.")] = False
    host: Annotated[str | None, Flag("--host", f"Listen on this address. [default: {_HOST}]")] = (
        None
    )
    port: Annotated[
        int | None,
        Flag("--port", f"Listen on this port; 0 for any. [default: {_PORT}]", most=65535),
    ] = None
    hosts: Annotated[
        tuple[str, ...], Flag("--allowed-host", "Accept requests for this host name; repeatable.")
    ] = ()


class Answers(Struct, frozen=True):
    """The form of answers, and the tools that are listed."""

    title: ClassVar = "Answers"

    structured: Annotated[
        bool, Flag("--structured", "Answer every call with JSON, and list its schemas.")
    ] = False
    legacy: Annotated[bool, Flag("--legacy", "List deprecated tools, too: good_search.")] = False


def mcp(
    places: Places,
    answers: Answers,
    listening: Http,
    wanted: TokenOptions,
    log: Annotated[bool, Flag("--log", "Log to standard error.")] = False,
) -> int:
    """Serve agents over MCP, on standard input and output or with --http."""
    terminal = open_terminal()
    named = [*typed_flags(listening), *typed_flags(wanted)]
    if named and not listening.http:
        raise UsageError(f"{', '.join(named)}: only with --http")
    from ggrep.interfaces.mcp.start import Start

    start = Start(
        directory=_here(),
        path=places.path,
        workspaces=tuple(file.absolute() for file in places.workspaces),
        allowed=places.roots,
        anywhere=places.anywhere,
        structured=answers.structured,
        legacy=answers.legacy,
    )
    if not listening.http:
        _serve(terminal, start, None, terminal.tell, log=log)
        return 0
    home = home_from(terminal.environ)
    token = http_token(home, terminal.environ, wanted)

    def told(line: str) -> None:
        terminal.tell(line)
        terminal.tell(token.said)

    _serve(terminal, start, _listening(listening, token), told, log=log)
    return 0


def _serve(
    terminal: Terminal,
    start: "Start",
    listening: "Listening | None",
    told: Callable[[str], None],
    *,
    log: bool,
) -> None:
    import logging

    import anyio

    if log:
        logging.basicConfig(level=logging.INFO)
    else:
        # With no handler at all, warnings of libraries would be printed.
        logging.getLogger().addHandler(logging.NullHandler())
    serve = _loaded()

    async def run() -> None:
        noted = terminal.tell if log else _unheard
        home = home_from(terminal.environ)
        environ = without_token(terminal.environ)

        def connect() -> "SearchService":
            from ggrep.service.federator import Federator
            from ggrep.service.searchers import OwnIndexes

            return Federator(
                home,
                environ,
                SystemClock(),
                client_name=f"mcp-{os.getpid()}",
                told=noted,
                fallback=OwnIndexes(environ, {}, noted),
            )

        await serve(start, connect, told, listening)

    anyio.run(run)


def _loaded() -> "Serve":
    """Return the server's modules, imported at once, as a client is waiting.

    The SDK makes some thousand classes that all stay; looking for garbage among them would take
    a fifth of the time.
    """
    gc.disable()
    try:
        from ggrep.interfaces.mcp.mcp_process import serve
    finally:
        gc.freeze()
        gc.enable()
    return serve


def _unheard(line: str) -> None:
    del line


def _listening(options: Http, token: HttpToken) -> "Listening":
    from ggrep.interfaces.mcp.http import Listening

    return Listening(
        host=_HOST if options.host is None else options.host,
        port=_PORT if options.port is None else options.port,
        names=options.hosts,
        token=token.value,
    )


def _here() -> Path | None:
    """Return the current directory; None if it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None

"""`ggrep mcp`: a server of the Model Context Protocol, for agents."""

import gc
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ggrep.cli.http_token import (
    HttpToken,
    NewTokenOption,
    NoTokenOption,
    TokenFileOption,
    http_token,
)
from ggrep.cli.terminal import Terminal, open_terminal
from ggrep.config.settings import home_from, without_token
from ggrep.errors import UsageError

if TYPE_CHECKING:
    from ggrep.mcp.http import Listening
    from ggrep.mcp.start import Start

Serve: TypeAlias = Callable[..., Awaitable[None]]

_HOST = "127.0.0.1"
_PORT = 7346


def mcp(
    path: Annotated[
        Path | None,
        typer.Option("--path", "-p", help="Repository of calls that name none. [default: here]"),
    ] = None,
    workspace: Annotated[
        list[Path] | None,
        typer.Option("--workspace", help="Workspace file that calls may name; repeatable."),
    ] = None,
    allowed_root: Annotated[
        list[Path] | None,
        typer.Option("--allowed-root", help="Directory that calls may search; repeatable."),
    ] = None,
    allow_any_root: Annotated[
        bool, typer.Option("--allow-any-root", help="Let calls search any directory.")
    ] = False,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP.")] = False,
    host: Annotated[
        str | None, typer.Option("--host", help=f"Address for --http. [default: {_HOST}]")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", help=f"Port for --http; 0: any. [default: {_PORT}]", max=65535),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option("--allowed-host", help="Name that HTTP clients may use; repeatable."),
    ] = None,
    token_file: TokenFileOption = None,
    new_token: NewTokenOption = False,
    no_token: NoTokenOption = False,
    log: Annotated[bool, typer.Option("--log", help="Say on standard error what goes on.")] = False,
) -> int:
    """Serve agents over MCP: on standard input and output, or with --http."""
    terminal = open_terminal()
    given = {
        "--host": host,
        "--port": port,
        "--allowed-host": allowed_host,
        "--auth-token-file": token_file,
        "--new-token": new_token or None,
        "--no-token": no_token or None,
    }
    named = [flag for flag, value in given.items() if value is not None]
    if named and not http:
        raise UsageError(f"{', '.join(named)}: only with --http")
    from ggrep.mcp.start import Start

    start = Start(
        directory=_here(),
        path=path,
        workspaces=tuple(file.absolute() for file in workspace or ()),
        allowed=tuple(allowed_root or ()),
        anywhere=allow_any_root,
    )
    if not http:
        _serve(terminal, start, None, terminal.tell, log=log)
        return 0
    home = home_from(terminal.environ)
    token = http_token(home, terminal.environ, file=token_file, new=new_token, none=no_token)

    def told(line: str) -> None:
        terminal.tell(line)
        terminal.tell(token.said)

    _serve(terminal, start, _listening(host, port, allowed_host, token), told, log=log)
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
        await serve(start, home, environ, told, noted, listening)

    anyio.run(run)


def _loaded() -> "Serve":
    """Return what serves, imported in one go: a client waits meanwhile.

    The SDK makes some thousand classes that all stay; looking for garbage among them would take
    a fifth of the time.
    """
    gc.disable()
    try:
        from ggrep.mcp.serving import serve
    finally:
        gc.freeze()
        gc.enable()
    return serve


def _unheard(line: str) -> None:
    del line


def _listening(
    host: str | None, port: int | None, names: list[str] | None, token: HttpToken
) -> "Listening":
    from ggrep.mcp.http import Listening

    return Listening(
        host=_HOST if host is None else host,
        port=_PORT if port is None else port,
        names=tuple(names or ()),
        token=token.value,
    )


def _here() -> Path | None:
    """Return the current directory; None when it is gone."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None

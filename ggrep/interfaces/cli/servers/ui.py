"""`ggrep ui`: serves the page for browsers until stopped."""

from pathlib import Path
from typing import Annotated

from ggrep.base.clock import SystemClock
from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.parsing.flags import Argument, Flag
from ggrep.interfaces.cli.servers.api import DEFAULT_HOST, ApiFlags, rules_of, serve_http
from ggrep.interfaces.cli.servers.http_token import TokenOptions, http_token
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.service.location import location_of

DEFAULT_PORT = 7347


def ui(
    directory: Annotated[
        Path | None,
        Argument("A directory in the repository; default: the current one.", metavar="DIR"),
    ] = None,
    workspace: Annotated[
        Path | None, Flag("--workspace", "Search the repositories of this workspace file.")
    ] = None,
    port: Annotated[
        int | None,
        Flag(
            "--port",
            f"Listen on this port; 0 for any free one. [default: {DEFAULT_PORT} if it is free]",
            least=0,
            most=65535,
        ),
    ] = None,
    browser: Annotated[
        bool, Flag("--open/--no-open", "Open the page in a browser, if there is a display.")
    ] = True,
) -> int:
    """Serve a search page for browsers on this machine until stopped; print the page's address."""
    terminal = open_terminal()
    if workspace is not None and directory is not None:
        raise UsageError("DIR and --workspace cannot go together")
    home = home_from(terminal.environ)
    token = http_token(home, terminal.environ, TokenOptions())
    if token.value is None:
        raise InvalidRequest("the page requires a token")
    from ggrep.interfaces.surfaces.http_server import base_url, bind
    from ggrep.interfaces.surfaces.page_keys import PageKeys

    root = None if workspace is not None else location_of(directory, directory=True).root
    flags = ApiFlags(workspaces=() if workspace is None else (workspace,))
    try:
        listener = bind(DEFAULT_HOST, DEFAULT_PORT if port is None else port)
    except InvalidRequest:
        if port is not None:
            raise
        listener = bind(DEFAULT_HOST, 0)
    keys = PageKeys(token.value, SystemClock())
    address = f"{base_url(listener)}/#{keys.new_code()}"

    def ready() -> None:
        terminal.write(f"{address}\n")
        terminal.tell("the address works once; to stop the server: Ctrl-C")
        if browser and {"DISPLAY", "WAYLAND_DISPLAY"} & terminal.environ.keys():
            import webbrowser

            webbrowser.open(address)

    serve_http(terminal, home, rules_of(flags, token.value, root), listener, ready, keys)
    return 0

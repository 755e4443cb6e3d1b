"""`ggrep lsp`: a server of the Language Server Protocol, for editors."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ggrep.base.clock import SystemClock
from ggrep.config.settings import home_from, without_token
from ggrep.interfaces.cli.parsing.flags import Flag
from ggrep.interfaces.cli.terminal import open_terminal

if TYPE_CHECKING:
    from ggrep.service.federator import Federator


def lsp(
    workspaces: Annotated[
        list[Path] | None,
        Flag("--workspace", "Also serve the repositories of this workspace file; repeatable."),
    ] = None,
    log: Annotated[bool, Flag("--log", "Log to standard error.")] = False,
) -> int:
    """Serve an editor over the Language Server Protocol, on standard input and output.

    An editor starts this command for its open folders.
    """
    import logging

    terminal = open_terminal()
    if log:
        logging.basicConfig(level=logging.INFO)
    else:
        # Without any handler, logging would print warnings of libraries.
        logging.getLogger().addHandler(logging.NullHandler())
    from ggrep.interfaces.lsp.features import build_server
    from ggrep.interfaces.lsp.server import serve

    environ = without_token(terminal.environ)
    noted = terminal.tell if log else lambda _: None

    def connect() -> "Federator":
        from ggrep.service.federator import Federator
        from ggrep.service.searchers import IndexFallback

        return Federator(
            home_from(environ),
            environ,
            SystemClock(),
            client_name=f"lsp-{os.getpid()}",
            notify=noted,
            fallback=IndexFallback(environ, {}, noted),
        )

    serve(build_server(connect, [file.absolute() for file in workspaces or ()], environ))
    return 0

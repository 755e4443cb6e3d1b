"""`ggrep api`: serves searches over HTTP until stopped."""

import os
import re
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from msgspec import Struct

from ggrep.base.clock import SystemClock
from ggrep.base.errors import GgrepError, UsageError
from ggrep.base.stable_json import Json
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.config.settings import home_from, without_token
from ggrep.federation.containment import is_canonical
from ggrep.interfaces.cli.parsing.flags import Flag
from ggrep.interfaces.cli.servers.http_token import TokenOptions, http_token
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.interfaces.cli.workspaces.workspace_file import load
from ggrep.model.sanitise import sanitise

if TYPE_CHECKING:
    import socket

    from ggrep.federation.workspace import Workspace
    from ggrep.interfaces.api.http_app import ApiRules
    from ggrep.interfaces.surfaces.page_keys import PageKeys


DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 7345
DEFAULT_MAX_BODY_BYTES = 1_000_000
STARTUP_SCHEMA = 1
"""Version of the JSON line of a started server. 1. First shape; `tokenFile` was added.
"""

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s?#]+", re.ASCII)


class ApiFlags(Struct, frozen=True):
    """Address of the server, and limits on its callers."""

    title: ClassVar = "Callers"

    host: Annotated[str, Flag("--host", "Listen on this address.")] = DEFAULT_HOST
    port: Annotated[
        int, Flag("--port", "Listen on this port; 0 for any free one.", least=0, most=65535)
    ] = DEFAULT_PORT
    workspaces: Annotated[
        tuple[Path, ...],
        Flag("--workspace", "Let callers search the workspace of this file; repeatable."),
    ] = ()
    roots: Annotated[
        tuple[Path, ...],
        Flag(
            "--allowed-root",
            "Let callers search this directory; repeatable. [default: this repository]",
        ),
    ] = ()
    hosts: Annotated[
        tuple[str, ...],
        Flag("--allowed-host", "Also accept this name in the Host header; repeatable."),
    ] = ()
    origins: Annotated[
        tuple[str, ...],
        Flag("--cors-allowed-origin", "Allow requests from web pages of this origin; repeatable."),
    ] = ()
    max_body_bytes: Annotated[
        int, Flag("--max-body-bytes", "Maximum bytes of a request body.", least=1)
    ] = DEFAULT_MAX_BODY_BYTES


def api(
    flags: ApiFlags,
    wanted: TokenOptions,
    json: Annotated[bool, Flag("--json", "Print one JSON line once the server is ready.")] = False,
) -> int:
    """Serve searches over HTTP until stopped."""
    terminal = open_terminal()
    home = home_from(terminal.environ)
    token = http_token(home, terminal.environ, wanted)
    from ggrep.interfaces.surfaces.http_server import base_url, bind

    listener = bind(flags.host, flags.port)
    url = base_url(listener)
    host, port = listener.getsockname()[:2]

    def ready() -> None:
        if json:
            line: dict[str, Json] = {
                "schema_version": STARTUP_SCHEMA,
                "host": host,
                "port": port,
                "baseUrl": url,
                "tokenFile": None if token.file is None else str(token.file),
            }
            terminal.write_json(line, pretty=False)
        else:
            terminal.tell(f"serving HTTP at {url}")
        if token.value is None or not json:
            terminal.tell(token.description)

    serve_http(terminal, home, rules_of(flags, token.value, Path()), listener, ready)
    return 0


def rules_of(flags: ApiFlags, token: str | None, directory: Path | None) -> "ApiRules":
    """Return the access rules of the server; no token means no authentication.

    Requests without a root search the repository around `directory`.
    """
    from ggrep.interfaces.api.http_app import ApiRules
    from ggrep.interfaces.surfaces.http_server import LOOPBACK_NAMES, AccessRules, host_names
    from ggrep.service.workspace_access import Allowlist

    for origin in flags.origins:
        if not _ORIGIN.fullmatch(origin):
            raise UsageError(
                f"--cors-allowed-origin: {origin!r} must have the form scheme://host[:port]"
            )
    try:
        here = None if directory is None else canonical_root(Path.cwd() / directory)
    except (GgrepError, OSError):
        here = None
    files = [load(file) for file in flags.workspaces]
    remotes = [each for file in files for each in file.remotes]
    allowlist = Allowlist(_allowed(flags, files, here), remotes)
    names = LOOPBACK_NAMES | host_names((flags.host, *flags.hosts))
    return ApiRules(
        access=AccessRules(token, names, frozenset(flags.origins)),
        allowlist=allowlist,
        default_root=here if here is not None and allowlist.allows(here) else None,
        max_body_bytes=flags.max_body_bytes,
        workspaces=tuple(file.absolute() for file in flags.workspaces),
    )


def _allowed(flags: ApiFlags, files: "Sequence[Workspace]", here: Path | None) -> Sequence[Path]:
    roots = list(flags.roots)
    if not roots and here is not None:
        roots.append(here)
    for result in files:
        roots.append(result.workspace_path)
        roots += [each.root_canonical for each in result.repos if is_canonical(each.root_canonical)]
        roots += [result.cache_root] if result.cache_root is not None else []
    return roots


def serve_http(
    terminal: Terminal,
    home: Home,
    rules: "ApiRules",
    listener: "socket.socket",
    ready: Callable[[], None],
    keys: "PageKeys | None" = None,
) -> None:
    """Serve until a signal; call `ready` when the server accepts requests."""
    import anyio

    from ggrep.interfaces.api.http_app import make_app
    from ggrep.interfaces.surfaces.http_server import run
    from ggrep.service.federator import Federator
    from ggrep.service.searchers import IndexFallback

    clock = SystemClock()
    environ = without_token(terminal.environ)
    federator = Federator(
        home,
        environ,
        clock,
        client_name=f"api-{os.getpid()}",
        notify=terminal.tell,
        fallback=IndexFallback(environ, {}, terminal.tell),
    )

    def report_error(error: BaseException) -> None:
        terminal.note(sanitise("".join(traceback.format_exception(error))))

    app = make_app(federator, rules, clock, report_error=report_error, keys=keys)
    anyio.run(run, app, listener, ready)

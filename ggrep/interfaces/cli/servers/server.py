"""`ggrep server start|status|stop`: a team server of one configuration file."""

import os
import signal
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from ggrep.base import durable, stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.base.locks import is_held, take
from ggrep.base.stable_json import Document, Json
from ggrep.config.settings import Settings, home_from
from ggrep.interfaces.cli.parsing.flags import Argument, JsonFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.interfaces.cli.text_tables import plural
from ggrep.model.sanitise import sanitise, sanitise_line

if TYPE_CHECKING:
    from ggrep.server.server_file import NodeHandle, ServerFile
    from ggrep.server.team import TeamState

SERVER_SCHEMA: Final = 1
"""JSON of `ggrep server`.

1. First shape.
"""
_STOP_MS: Final = 20_000.0
_LOOK_S: Final = 0.1

_FileArgument: TypeAlias = Annotated[
    Path, Argument("Configuration of the server, such as server.jsonc.")
]


def start(file: _FileArgument, json: JsonFlag = False) -> int:
    """Run a team server until it is stopped.

    The server searches repositories that were pushed to a remote. Each snapshot is on two nodes.
    Users present a token of an identity provider. Access rules state
    which repositories a user can search.
    """
    server, terminal = _read(file), open_terminal()
    from ggrep.interfaces.surfaces.http_server import base_url, bind, run
    from ggrep.server.server_file import settings_of, start_nodes

    durable.make_directory(Path(server.cache))
    lock = take(lock_of(server))
    if lock is None:
        raise InvalidRequest(f"{file}: a server that uses this `cache` is already running")
    nodes: dict[str, NodeHandle] = {}
    try:
        _record_file(server).unlink(missing_ok=True)
        listener = bind(server.host, server.port)
        settings = settings_of(server, home_from(terminal.environ), terminal.environ)
        nodes = start_nodes(server, settings, SystemClock())
        url = base_url(listener)

        def ready() -> None:
            line: dict[str, Json] = {"schema_version": SERVER_SCHEMA, "baseUrl": url}
            if json:
                terminal.write_json(line, pretty=False)
            else:
                terminal.tell(f"serving HTTP at {url}")

        import anyio

        anyio.run(run, _app(server, nodes, settings, terminal, url), listener, ready)
    finally:
        for node in nodes.values():
            node.close()
        lock.release()
    return 0


def _app(
    server: "ServerFile",
    nodes: "dict[str, NodeHandle]",
    settings: Settings,
    terminal: Terminal,
    url: str,
) -> Any:  # noqa: ANN401 - an ASGI application
    from ggrep.interfaces.surfaces.http_server import LOOPBACK_NAMES, host_names
    from ggrep.interfaces.team.app import make_team_app
    from ggrep.server.server_file import audit_of, team_of, tokens_of

    clock = SystemClock()
    written = b""

    def report_error(error: BaseException) -> None:
        terminal.note(sanitise("".join(traceback.format_exception(error))))

    def upkeep(state: "TeamState") -> None:
        """Start ended nodes again, and write the state for `ggrep server status`."""
        nonlocal written
        for node in nodes.values():
            node.keep()
        data = stable_json.dumps(_record(url, state))
        if data != written:
            with suppress(OSError):
                durable.replace_file(_record_file(server), data, lasting=False)
                written = data

    return make_team_app(
        team_of(server, nodes, settings, clock, time.sleep),
        tokens_of(server, clock),
        hosts=LOOPBACK_NAMES | host_names((server.host, *server.hosts)),
        operators=frozenset(server.operators),
        report_error=report_error,
        sweep_s=server.sweep_seconds,
        upkeep=upkeep,
        audit=audit_of(server, clock),
    )


def status(file: _FileArgument, json: JsonFlag = False) -> int:
    """Show whether a server runs, and its repositories, nodes and problems.

    The exit status is 1 if no server runs.
    """
    server, terminal = _read(file), open_terminal()
    running = is_held(lock_of(server))
    record = read_record(server) if running else {}
    if json:
        terminal.write_json(
            {"schema_version": SERVER_SCHEMA, **record, "running": running}, pretty=True
        )
    elif not running:
        terminal.write(f"no server is running for {file}\n")
    else:
        for line in _lines(record):
            terminal.write(f"{sanitise_line(line)}\n")
    return 0 if running else 1


def stop(file: _FileArgument, json: JsonFlag = False) -> int:
    """Stop a server and its nodes; wait a few seconds for running requests."""
    server, terminal = _read(file), open_terminal()
    stopped = False
    if is_held(lock_of(server)):
        pid = read_record(server).get("pid")
        if not isinstance(pid, int):
            raise GgrepError(f"{file}: the server is starting; try again in a moment")
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        deadline = Deadline.after(SystemClock(), _STOP_MS)
        while is_held(lock_of(server)):
            if not deadline.remaining_ms():
                raise GgrepError(f"{file}: the server process {pid} did not end in time")
            time.sleep(_LOOK_S)
        stopped = True
    if json:
        terminal.write_json({"schema_version": SERVER_SCHEMA, "stopped": stopped}, pretty=True)
    else:
        line = "the server has stopped" if stopped else f"no server is running for {file}"
        terminal.write(f"{line}\n")
    return 0


def _read(file: Path) -> "ServerFile":
    from ggrep.server.server_file import read_server_file, require_extra

    server = read_server_file(file)
    require_extra(server)
    return server


def lock_of(server: "ServerFile") -> Path:
    """Return the file that a running server locks."""
    return Path(server.cache) / "server.lock"


def _record_file(server: "ServerFile") -> Path:
    return Path(server.cache) / "server.json"


def _record(url: str, state: "TeamState") -> Document:
    from msgspec import to_builtins

    return {"pid": os.getpid(), "baseUrl": url, **to_builtins(state)}


def read_record(server: "ServerFile") -> dict[str, Any]:
    """Return the state that the server wrote last; empty if there is none yet."""
    with suppress(OSError, ValueError):
        record = stable_json.loads(_record_file(server).read_bytes())
        if isinstance(record, dict):
            return record
    return {}


def _lines(record: dict[str, Any]) -> list[str]:
    if not record:
        return ["the server is starting"]
    lines = [
        f"serving HTTP at {record['baseUrl']}, process {record['pid']}",
        plural(record["repos"], "repository", "repositories")
        + f", refs read at {record['read_at'] or 'no time yet'}",
    ]
    for name, figures in sorted(record["nodes"].items()):
        answers = "answers" if figures["answering"] else "does not answer"
        lines.append(f"{name} {answers}, {plural(figures.get('trees', 0), 'tree')}")
    return [*lines, *(f"problem: {line}" for line in record["problems"])]

"""`ggrep status`: one repository's index and daemon, and all daemons of this home."""

import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggrep.cli.asking import meeting_of, running_link
from ggrep.cli.daemon_row import DaemonRow, DaemonState
from ggrep.cli.daemons_json import daemons_json
from ggrep.cli.profiles import ProfileOption
from ggrep.cli.roots import open_engine, place_of
from ggrep.cli.status_document import read_document, row_of
from ggrep.cli.status_text import render_live, status_block, status_rows
from ggrep.cli.terminal import Terminal, open_terminal
from ggrep.clock import SystemClock
from ggrep.config.settings import home_from
from ggrep.domain.deadline import Deadline
from ggrep.domain.hints import with_path
from ggrep.errors import GgrepError, Incompatible, LoadError, UsageError

if TYPE_CHECKING:
    from ggrep.client.meeting import Meeting
    from ggrep.stable_json import Json
    from ggrep.wire.endpoint import DaemonRecord

_REPLY_MS: Final = 2_000
_REFRESH_S: Final = 1.0
_ASKED_AT_ONCE: Final = 16


def register(app: typer.Typer) -> None:
    """Add the command to the tree."""
    app.command("status")(status)


def status(
    path: Annotated[
        Path | None, typer.Option("--path", "-p", help="A directory in the repository.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every daemon of this home, and nothing else.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="All daemons, live, until Ctrl-C.")
    ] = False,
    profile: ProfileOption = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="No colour.")] = False,
) -> int:
    """Show what is indexed of a repository, and which daemons run."""
    terminal = open_terminal(plain=plain)
    if watch and json:
        raise UsageError("--watch and --json cannot go together")
    if watch:
        return _watch(terminal)
    rows = [] if json and not everything else _rows(terminal)
    if everything:
        if json:
            terminal.write_json(daemons_json(rows), pretty=True)
        else:
            terminal.write(status_rows(rows, terminal.style, terminal.columns))
        return 0
    meeting = meeting_of(place_of(path), terminal, {"profile": profile})
    document = _of_daemon(meeting, terminal) or _of_disk(meeting, terminal)
    if json:
        terminal.write_json(document, pretty=True)
        return 0
    terminal.write(with_path(status_block(read_document(document), terminal.style), path))
    others = [row for row in rows if row.store_id != meeting.identity.store_id]
    if others:
        terminal.write("\n" + status_rows(others, terminal.style, terminal.columns))
    _warn_of_fan_out(meeting, rows, terminal)
    return 0


def _of_daemon(meeting: "Meeting", terminal: Terminal) -> "dict[str, Json] | None":
    """Return what the daemon says of itself; None when there is none that can be asked."""
    from ggrep.client.link import Unreachable
    from ggrep.wire.message_types import Status

    try:
        link = running_link(meeting, terminal)
        if link is None:
            return None
        with link:
            reply = link.ask(Status(), Deadline.after(SystemClock(), _REPLY_MS))
    except (LoadError, Unreachable) as error:
        terminal.tell(f"{error}; what follows is read from the disk")
        return None
    found = reply.body.get("status")
    return found if isinstance(found, dict) else None


def _of_disk(meeting: "Meeting", terminal: Terminal) -> "dict[str, Json]":
    from ggrep.maintenance.status import read_status
    from ggrep.maintenance.status_json import status_json

    identity = meeting.identity
    engine = open_engine(identity.root, terminal, flags=meeting.flags)
    report = read_status(
        engine.settings,
        engine.glance,
        engine.home,
        root=identity.root,
        store_id=identity.store_id,
        config_fingerprint=identity.config_fingerprint,
    )
    return status_json(report)


def _warn_of_fan_out(meeting: "Meeting", rows: Iterable[DaemonRow], terminal: Terminal) -> None:
    """Say that a root is watched more than once, which costs as often."""
    root = str(meeting.identity.root)
    same = sum(row.root == root for row in rows)
    if same > 1:
        terminal.note(f"{same} daemons watch this root, one for each configuration in use\n")


def _rows(terminal: Terminal) -> list[DaemonRow]:
    """Return every daemon of this home; all are asked at once."""
    from ggrep.client.listing import running

    records = running(home_from(terminal.environ))
    with ThreadPoolExecutor(_ASKED_AT_ONCE) as pool:
        return list(pool.map(_row, records))


def _row(record: "DaemonRecord") -> DaemonRow:
    from ggrep.client.link import Link, Unreachable
    from ggrep.client.stopping import hello_to
    from ggrep.wire.message_types import Status

    clock = SystemClock()
    unknown = DaemonRow(record.root, record.store_id, DaemonState.SILENT, pid=record.pid)
    try:
        with Link.connect(Path(record.socket), hello_to(record), clock) as link:
            reply = link.ask(Status(), Deadline.after(clock, _REPLY_MS))
        return row_of(read_document(reply.body["status"]))  # type: ignore[arg-type] # it is read
    except (Unreachable, KeyError):
        return unknown
    except Incompatible as error:
        return DaemonRow(
            record.root, record.store_id, DaemonState.OTHER, pid=record.pid, problem=str(error)
        )
    except GgrepError as error:
        return DaemonRow(
            record.root, record.store_id, DaemonState.SILENT, pid=record.pid, problem=str(error)
        )


def _watch(terminal: Terminal) -> int:
    """Draw all daemons every second until the person has seen enough."""
    if not sys.stdout.isatty():
        raise UsageError("--watch needs a terminal; for one look: ggrep status --all")
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(no_color=not terminal.style.colour)
    previous: list[DaemonRow] = []
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while True:
                now = _rows(terminal)
                text = render_live(now, previous, terminal.style, console.width)
                live.update(Text.from_ansi(text), refresh=True)
                previous = now
                time.sleep(_REFRESH_S)
    except KeyboardInterrupt:
        return 0

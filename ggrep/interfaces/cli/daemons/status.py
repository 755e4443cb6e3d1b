"""`ggrep status`: one repository's index and daemon, or all daemons of this home."""

import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError, Incompatible, UsageError
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.daemon_contact import address_of
from ggrep.interfaces.cli.daemons.daemon_rows import DaemonRow, DaemonState, daemons_json, row_of
from ggrep.interfaces.cli.daemons.status_text import render_live, status_block, status_rows
from ggrep.interfaces.cli.parsing.flags import Flag, JsonFlag, PathFlag, PlainFlag, ProfileFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.hints import with_path
from ggrep.service.places import open_engine, place_of
from ggrep.service.status_reading import REPLY_MS, read_document, status_document

if TYPE_CHECKING:
    from ggrep.protocol.client.daemon_address import DaemonAddress
    from ggrep.protocol.wire.endpoint import DaemonRecord


_REFRESH_S: Final = 1.0
_ASKED_AT_ONCE: Final = 16


def status(
    path: PathFlag = None,
    everything: Annotated[
        bool, Flag("--all", "Show only the daemons of this home, all of them.")
    ] = False,
    watch: Annotated[bool, Flag("--watch", "Show all daemons, live, until Ctrl-C.")] = False,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Show a repository's index and the daemons that run."""
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
    address = address_of(place_of(path), terminal, {"profile": profile})
    document = status_document(
        address,
        terminal.environ,
        lambda: open_engine(address.identity.root, terminal.environ, flags=address.flags),
        terminal.tell,
    )
    if json:
        terminal.write_json(document, pretty=True)
        return 0
    terminal.write(with_path(status_block(read_document(document), terminal.style), path))
    others = [row for row in rows if row.store_id != address.identity.store_id]
    if others:
        terminal.write("\n" + status_rows(others, terminal.style, terminal.columns))
    _warn_of_fan_out(address, rows, terminal)
    return 0


def _warn_of_fan_out(
    address: "DaemonAddress", rows: Iterable[DaemonRow], terminal: Terminal
) -> None:
    """Warn that several daemons watch one root, each at full cost."""
    root = str(address.identity.root)
    same = sum(row.root == root for row in rows)
    if same > 1:
        terminal.note(f"{same} daemons watch this root, one for each configuration in use\n")


def _rows(terminal: Terminal) -> list[DaemonRow]:
    """Return a row for every daemon of this home; all are queried concurrently."""
    from ggrep.protocol.client.daemon_listing import running

    records = running(home_from(terminal.environ))
    with ThreadPoolExecutor(_ASKED_AT_ONCE) as pool:
        return list(pool.map(_row, records))


def _row(record: "DaemonRecord") -> DaemonRow:
    from ggrep.protocol.client.link import Link, Unreachable
    from ggrep.protocol.client.stopping import hello_to
    from ggrep.protocol.wire.message_types import Status

    clock = SystemClock()
    unknown = DaemonRow(record.root, record.store_id, DaemonState.SILENT, pid=record.pid)
    try:
        with Link.connect(Path(record.socket), hello_to(record), clock) as link:
            reply = link.ask(Status(), Deadline.after(clock, REPLY_MS))
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
    """Redraw all daemons every second until interrupted."""
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

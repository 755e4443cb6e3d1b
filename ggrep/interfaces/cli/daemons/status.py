"""`ggrep status`: one repository's index and daemon, or all daemons of this home."""

from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import GgrepError, Incompatible, UsageError
from ggrep.base.stable_json import Document
from ggrep.config.home import Home
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.daemon_contact import address_of
from ggrep.interfaces.cli.daemons.status_text import (
    READINGS,
    daemons_json,
    render_live,
    row_of,
    status_block,
    status_rows,
)
from ggrep.interfaces.cli.parsing.flags import Flag, JsonFlag, PathFlag, PlainFlag, ProfileFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal, with_warnings
from ggrep.model.daemons import Daemon, DaemonState
from ggrep.model.limits import Notice
from ggrep.model.suggested_commands import with_path
from ggrep.render.style import Style
from ggrep.service.location import location_of, open_engine
from ggrep.service.status_reading import REPLY_MS, read_document, status_document

if TYPE_CHECKING:
    from ggrep.daemon.plan import Plan
    from ggrep.interfaces.cli.queries.query import PlanContext, Query
    from ggrep.protocol.wire.endpoint import DaemonRecord


_REFRESH_S: Final = 1.0
_ASKED_AT_ONCE: Final = 16


def status(
    path: PathFlag = None,
    everything: Annotated[
        bool, Flag("--all", "Show all daemons of the ggrep home instead of one repository.")
    ] = False,
    watch: Annotated[bool, Flag("--watch", "Show all daemons, live, until Ctrl-C.")] = False,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> "Query":
    """Show a repository's index and the daemons that run."""
    if watch and json:
        raise UsageError("--watch and --json cannot go together")
    return _StatusQuery(path, everything, watch, profile, json, plain)


class _StatusQuery(Struct, frozen=True):
    """The options of a status command."""

    path: Path | None
    everything: bool
    watch: bool
    profile: str | None
    json: bool
    plain: bool

    def answer(self) -> int:
        """Show the status; a repository's status comes from its daemon, else from its store."""
        terminal = open_terminal(plain=self.plain)
        if self.watch:
            return _watch(terminal)
        if self.everything:
            rows = rows_of(home_from(terminal.environ))
            text = status_rows(rows, terminal.style, terminal.columns)
            terminal.show(daemons_json(rows), text, json=self.json)
            return 0
        address = address_of(location_of(self.path), terminal, {"profile": self.profile})
        document = status_document(
            address,
            terminal.environ,
            lambda: open_engine(address.identity.root, terminal.environ, flags=address.flags),
            terminal.tell,
        )
        if self.json:
            terminal.write_json(_with_fan_out(document, address.home), pretty=True)
            return 0
        text, note = self._text(document, address.home, terminal.style, terminal.columns)
        terminal.write(text)
        terminal.note(note)
        return 0

    def plan(self, site: "PlanContext") -> "Plan | None":
        """Return the plan for the daemon of one repository; None with `--all`."""
        from ggrep.daemon.plan import Answers, Plan
        from ggrep.protocol.wire.messages import Status
        from ggrep.render.printed import Rendered

        if self.everything or self.watch or self.profile is not None:
            return None
        site.finder.place(None, None if self.path is None else str(self.path))

        def printed(answers: Answers) -> Rendered:
            (document,), view = answers, site.view
            if self.json:
                shown = _with_fan_out(document, site.home)
                return Rendered(stable_json.dumps_pretty(shown).decode(), "")
            return Rendered(*self._text(document, site.home, Style(view.colour), view.columns))

        return Plan((Status(),), printed)

    def _text(self, document: Document, home: Home, style: Style, columns: int) -> tuple[str, str]:
        """Return the text about a repository and all other daemons, and the text of warnings."""
        shown, rows = read_document(document), rows_of(home)
        text = with_path(status_block(shown, style), self.path)
        others = [row for row in rows if row.store_id != shown.store_id]
        if others:
            text += "\n" + status_rows(others, style, columns)
        return text, "".join(f"{each.message}\n" for each in _fan_out(shown.canonical_root, home))


def _with_fan_out(document: Document, home: Home) -> Document:
    """Return the status with a warning about further daemons of the same root."""
    return with_warnings(document, _fan_out(str(document.get("canonical_root", "")), home))


def _fan_out(root: str, home: Home) -> list[Notice]:
    """Return a warning if several daemons watch the same root, which costs memory and time."""
    from ggrep.protocol.client.daemon_files import running

    same = sum(record.root == root for record in running(home))
    message = f"{same} daemons watch this root, one for each configuration in use"
    return [Notice("several_daemons", message)] if same > 1 else []


def rows_of(home: Home) -> list[Daemon]:
    """Return a row for every daemon of this home; the daemons are queried concurrently."""
    from ggrep.protocol.client.daemon_files import running

    records = running(home)
    with ThreadPoolExecutor(_ASKED_AT_ONCE) as pool:
        return list(pool.map(_row, records))


def _row(record: "DaemonRecord") -> Daemon:
    from ggrep.protocol.client.daemon_control import hello_to
    from ggrep.protocol.client.link import Link, Unreachable
    from ggrep.protocol.wire.messages import Status

    clock, silent = SystemClock(), DaemonState.SILENT
    row = Daemon(record.root, record.store_id, silent, pid=record.pid)
    try:
        with Link.connect(Path(record.socket), hello_to(record), clock) as link:
            reply = link.ask(Status(), Deadline.after(clock, REPLY_MS))
        return row_of(read_document(reply.body["status"]))  # type: ignore[arg-type] # it is read
    except (Unreachable, KeyError):
        return row
    except GgrepError as error:
        state = DaemonState.OTHER if isinstance(error, Incompatible) else silent
        return replace(row, state=state, problem=str(error))


def _watch(terminal: Terminal) -> int:
    """Show all daemons; refresh every second."""
    from ggrep.interfaces.cli.screen import require_screen, show_live

    require_screen("--watch requires a terminal; to print the status once: ggrep status --all")
    home, style = home_from(terminal.environ), terminal.style
    readings: deque[list[Daemon]] = deque(maxlen=READINGS)

    def read() -> Sequence[Sequence[Daemon]]:
        readings.append(rows_of(home))
        return tuple(readings)

    show_live(style, read, lambda rows, columns: render_live(rows, style, columns), _REFRESH_S)
    return 0

"""The terminal: results go to standard output, all else to standard error.

Progress and questions need a terminal at standard error.
"""

import io
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from msgspec import Struct

from ggrep.base import alarm, stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.command_time import OVER, TimeIsUp
from ggrep.base.commands import nearest, spelled
from ggrep.base.errors import Cancelled, DeadlineExceeded, Unasked, UsageError
from ggrep.base.stable_json import plain
from ggrep.base.terminal import DEFAULT_COLUMNS, columns_of, link_form, paged, wants_colour
from ggrep.config.home import Home
from ggrep.config.settings import KNOWN_VARIABLES, environment, unknown_variables
from ggrep.model.limits import Notice
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import ProgressColumn

    from ggrep.index.sync.sync_report import Progress, SyncProgress
    from ggrep.protocol.client.daemon_client import Printed
    from ggrep.render.printed import Rendered


class ReaderGone(Exception):
    """The reader of standard output has closed it.

    This is not an OSError, because typer exits with status 1 after an OSError.
    """


class Terminal(Struct, frozen=True):
    """Standard output and standard error, and whether they are terminals.

    Attributes:
        columns: maximum width of a line of results.
        links: URL template of links to files; empty if links are not shown.
        warnings: warnings about the command as a whole, also included in JSON.
        began_ms: start of the command by `SystemClock`; None if unknown.
    """

    environ: Mapping[str, str]
    style: Style
    notes_style: Style
    progress: bool
    columns: int = DEFAULT_COLUMNS
    links: str = ""
    warnings: tuple[Notice, ...] = ()
    began_ms: float | None = None

    def deadline(self, timeout_ms: float) -> Deadline:
        """Return the deadline of a timeout that starts with the command."""
        if self.began_ms is None:
            return Deadline.after(SystemClock(), timeout_ms)
        return Deadline(SystemClock(), self.began_ms + timeout_ms)

    def write(self, text: str) -> None:
        """Write text to standard output. Requires: text from files is already sanitised."""
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ReaderGone from error

    def write_json(self, document: stable_json.Document, *, pretty: bool) -> None:
        """Write one JSON document and a newline to standard output."""
        document = with_warnings(document, self.warnings)
        data = stable_json.dumps_pretty(document) if pretty else stable_json.dumps(document) + b"\n"
        self._write_bytes(data)

    def show(self, document: stable_json.Document, text: str, *, json: bool) -> None:
        """Write a report to standard output: the document as JSON, or the text."""
        if json:
            self.write_json(document, pretty=True)
        else:
            self.write(text)

    def write_rendered(self, text: str) -> None:
        """Write a rendered JSON document, always in UTF-8."""
        if self.warnings:
            self.write_json(stable_json.loads(text.encode()), pretty=False)
        else:
            self._write_bytes(text.encode())

    def write_answer(self, rendered: "Rendered | Printed", *, json: bool) -> None:
        """Write an answer to standard output, and the notes about it to standard error."""
        self.note(rendered.before)
        if json:
            self.write_rendered(rendered.out)
        else:
            self.write_long(rendered.out)
        self.note(rendered.err)

    def write_long(self, text: str) -> None:
        """Write text to standard output; text higher than the terminal goes through a pager."""
        if sys.stdout is not sys.__stdout__ or not paged(text, dict(self.environ)):
            self.write(text)

    def _write_bytes(self, data: bytes) -> None:
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ReaderGone from error

    def note(self, text: str) -> None:
        """Write text to standard error. Requires: text from files is already sanitised."""
        sys.stderr.write(text)

    def tell(self, line: str) -> None:
        """Write one line to standard error, sanitised."""
        self.note(sanitise_line(line) + "\n")

    def tell_error(self, line: str) -> None:
        """Write one line of an error to standard error, sanitised."""
        self.note(self.notes_style.paint("bad", "error: ") + sanitise_line(line) + "\n")


_BEGAN_MS: ContextVar[float | None] = ContextVar("_BEGAN_MS", default=None)


@contextmanager
def begun_at(began_ms: float | None) -> Iterator[None]:
    """Set the command's start time for terminals that are opened in the block."""
    token = _BEGAN_MS.set(began_ms)
    try:
        yield
    finally:
        _BEGAN_MS.reset(token)


@contextmanager
def ended_at(deadline: Deadline) -> Iterator[None]:
    """Interrupt the block shortly after a deadline, even during an import; see `alarm.arm`.

    This only works in the main thread of a process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if math.isinf(deadline.at_ms):
        alarm.disarm()
    else:
        alarm.arm(deadline.at_ms)
    try:
        yield
    except TimeIsUp as error:
        raise DeadlineExceeded(OVER) from error
    finally:
        alarm.disarm()


def open_terminal(*, plain: bool = False) -> Terminal:
    """Return the process's streams, converted so that they can write any text."""
    environ = dict(environment())
    sys.stdout, sys.stderr = _usable(sys.stdout), _usable(sys.stderr)
    out, err = sys.stdout.isatty(), sys.stderr.isatty()
    try:
        descriptor = sys.stdout.fileno()
    except OSError:
        descriptor = 1
    return Terminal(
        environ=environ,
        style=Style(wants_colour(environ, plain=plain, terminal=out)),
        notes_style=Style(wants_colour(environ, plain=plain, terminal=err)),
        progress=err and not plain and environ.get("TERM") != "dumb",
        columns=columns_of(environ, descriptor),
        links=link_form(environ) if out else "",
        warnings=variable_warnings(environ),
        began_ms=_BEGAN_MS.get(),
    )


def variable_warnings(environ: Mapping[str, str]) -> tuple[Notice, ...]:
    """Return a warning for each unknown variable that begins with `GGREP_`, probably a typo."""
    warnings = []
    for name in unknown_variables(environ):
        meant = nearest(name, sorted(KNOWN_VARIABLES))
        message = f"{sanitise_line(name)} is not a variable of ggrep"
        message += "" if meant is None else f"; did you mean {meant}?"
        warnings.append(Notice("unknown_variable", message))
    return tuple(warnings)


def with_warnings(
    document: stable_json.Document, warnings: Sequence[Notice]
) -> stable_json.Document:
    """Return a document with these warnings added, if it has a field for warnings."""
    if not warnings:
        return document
    inner = document.get("diagnostics")
    if isinstance(inner, Mapping):
        return {**document, "diagnostics": with_warnings(inner, warnings)}
    stored = document.get("warnings")
    if not isinstance(stored, Sequence):
        return document
    return {**document, "warnings": [*stored, *plain(warnings)]}


def close_quietly() -> None:
    """Redirect standard output to the null device, after its reader has closed it."""
    descriptor = os.open(os.devnull, os.O_WRONLY)
    os.dup2(descriptor, sys.stdout.fileno())
    os.close(descriptor)


def _usable(stream: TextIO | None) -> TextIO:
    """Return a stream that can write every character; a null stream for a closed stream."""
    if stream is None:
        return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper) and stream.errors != "replace":
        stream.reconfigure(errors="replace")
    return stream


def ask_before_indexing(
    require: Callable[[Path, Home], None], root: Path, home: Home, *, yes: bool
) -> bool:
    """Return whether the user had to consent to indexing; raise if the user does not consent."""
    if yes:
        return False
    try:
        require(root, home)
    except Unasked:
        if not _is_interactive():
            raise
        if not confirmed(f"{sanitise_line(str(root))} is not a repository; index it?"):
            raise
        return True
    return False


def confirmed(question: str, *, default: bool = False) -> bool:
    """Ask the user to confirm; return True without asking if the terminal is not interactive."""
    if not _is_interactive():
        return True
    alarm.disarm()  # the user may take any time
    # Imported late: few commands ask for confirmation.
    import typer

    try:
        return typer.confirm(question, default=default, err=True)
    except typer.Abort as error:
        raise Cancelled("interrupted") from error


def require_interactive(command: str, *, yes: bool) -> None:
    """Raise unless `--yes` was typed or the user can confirm at a terminal."""
    if not (yes or _is_interactive()):
        raise UsageError(
            f"confirmation requires a terminal; to continue: {spelled(*command.split())} --yes"
        )


def end_as(number: int) -> None:
    """End this process by the signal that ended a worker, so that its parent sees the signal."""
    sys.stdout.flush()
    sys.stderr.flush()
    if number != signal.SIGKILL:  # SIGKILL has no handler
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _is_interactive() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


@contextmanager
def show_progress(terminal: Terminal, label: str) -> Iterator["Progress"]:
    """Yield a callback that displays the progress of a sync if there is a terminal."""
    if not terminal.progress:
        yield lambda _: None
        return
    with show_counts(terminal, label) as draw:

        def update(progress: "SyncProgress") -> None:
            draw(progress.stage, progress.done_files, progress.total_files)

        yield update


@contextmanager
def show_done(
    terminal: Terminal, label: str, of: str, total: int
) -> Iterator[Callable[[int], None]]:
    """Yield a function that displays how many of `total` items are done if there is a terminal."""
    if not terminal.progress:
        yield lambda _: None
        return
    from rich.progress import TimeRemainingColumn

    counts = f"{{task.completed:>6.0f}}/{{task.total:.0f}} {of}"
    with _bar(terminal, counts, TimeRemainingColumn()) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def show_counts(terminal: Terminal, label: str) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that displays a stage, its number of done files, and that of all files."""
    counts = "{task.completed:>6.0f}/{task.total:.0f} files  {task.fields[stage]}"
    with _bar(terminal, counts) as bar:
        task = bar.add_task(sanitise_line(label), total=0, stage="scan")

        def draw(stage: str, done: int, total: int) -> None:
            if stage in {"index", "compare"}:
                bar.update(task, completed=done, total=total)
            bar.update(task, stage=stage)

        yield draw


def _bar(terminal: Terminal, counts: str, *more: "ProgressColumn") -> "Bar":
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TextColumn(counts),
        TimeElapsedColumn(),
        *more,
    )
    console = Console(stderr=True, no_color=not terminal.notes_style.colour)
    return Bar(*columns, console=console, transient=True)

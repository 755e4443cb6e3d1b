"""The whole terminal as one view: draws frames, reports keys, and restores the terminal.

The library `curses` sends only changed cells. A key, Ctrl-C or a terminating signal closes the
view; the terminal is always restored.
"""

import curses
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from signal import SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH
from typing import Final, Protocol, TypeVar

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup
from rich.cells import cell_len, set_cell_size

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.terminal import end_as
from ggrep.render.style import Style

T = TypeVar("T")

_ESCAPE_MS: Final = 25
"""How long to wait for the rest of a key's escape sequence, which may come over a network."""
_IDLE_S: Final = 0.05
_PASTES: Final = "\x1b[?2004h", "\x1b[?2004l"
"""Escape sequences that switch the marks around pasted text on and off."""
_USUAL_TERM: Final = "xterm-256color"
"""Terminal description to use if the system has none for `TERM`."""
_GREY: Final = 8
_COLOUR: Final = re.compile(r"\x1b\[([\d;]*)m")
_LEAVING: Final = frozenset({"q", "escape", "ctrl-d"})

_KEYS: Final[dict[str | int, str]] = {
    **dict.fromkeys(("\n", "\r", curses.KEY_ENTER), "enter"),
    **dict.fromkeys(("\x7f", "\b", curses.KEY_BACKSPACE), "backspace"),
    **dict.fromkeys(("\x1b", "\x07"), "escape"),
    **dict.fromkeys(("\x10", curses.KEY_UP), "up"),
    **dict.fromkeys(("\x0e", curses.KEY_DOWN), "down"),
    **dict.fromkeys(("\x02", curses.KEY_LEFT), "left"),
    **dict.fromkeys(("\x06", curses.KEY_RIGHT), "right"),
    **dict.fromkeys(("\x01", curses.KEY_HOME), "home"),
    **dict.fromkeys(("\x05", curses.KEY_END), "end"),
    curses.KEY_PPAGE: "page-up",
    curses.KEY_NPAGE: "page-down",
    curses.KEY_DC: "delete",
    "\x04": "ctrl-d",
    "\x0b": "ctrl-k",
    "\x15": "ctrl-u",
    "\x17": "ctrl-w",
}

_SEQUENCES: Final = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "[H": "home",
    "[F": "end",
}
"""Names of keys by escape sequence, for terminals that deviate from their description."""


class View(Protocol):
    """The interface of a view that a screen shows."""

    def draw(self, screen: "Screen") -> None:
        """Draw the current frame; called at the start, after each key and after a resize."""

    def press(self, screen: "Screen", key: str) -> None:
        """Handle a printable character, or a key given by name, such as `page-up`."""

    async def work(self, screen: "Screen") -> None:
        """Run the view's background work; it is cancelled when the screen closes."""


def require_screen(refusal: str, *, prints: bool = False) -> None:
    """Raise a UsageError with the text `refusal` unless a view can be shown.

    With `prints`, standard output need not be a terminal.
    """
    is_there = _terminal_stream() is not None if prints else os.isatty(1)
    if not is_there or os.environ.get("TERM", "dumb") == "dumb":  # noqa: TID251 - as curses does
        raise UsageError(refusal)


def run_view(view: View, style: Style) -> None:
    """Show a view until it closes its screen. Requires: `require_screen` did not raise.

    A terminating signal closes the view, then ends the process.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
        UsageError: the terminal cannot be controlled.
    """
    try:
        number = anyio.run(_shown, view, style.colour)
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    if number == SIGINT:
        raise KeyboardInterrupt
    if number:
        end_as(number)


def show_live(
    style: Style, read: Callable[[], T], text: Callable[[T, int], str], pause_s: float
) -> None:
    """Show text and refresh it after each pause, until q, Escape or Ctrl-C.

    `read` returns a reading and runs in a thread; `text` renders readings for a width in columns.
    """
    with suppress(KeyboardInterrupt):
        run_view(_Live(read, text, pause_s), style)


class Screen:
    """The terminal while a view is shown.

    Attributes:
        rows: height in cells; `columns` is the width.
        tasks: task group of the view; cancelled when the screen closes.
        ended_by: the signal that closed the screen; 0 for none.
    """

    tasks: TaskGroup

    def __init__(self, window: "curses.window", *, colour: bool) -> None:
        self.ended_by = 0
        self._window = window
        self._colour = colour
        self._pasting = False
        self.resize()

    def resize(self) -> None:
        """Adopt the terminal's current size."""
        size = os.get_terminal_size(1)
        self.rows, self.columns = max(size.lines, 1), max(size.columns, 1)
        curses.resizeterm(self.rows, self.columns)

    def draw(self, lines: Sequence[str], cursor: int | None = None) -> None:
        """Show lines from the top; their only control characters are those of `Style.paint`.

        Longer lines are cut. `cursor` is a cell of the first line; None hides the cursor.
        """
        self._window.erase()
        for row, line in enumerate(lines[: self.rows]):
            self._write(row, line)
        with suppress(curses.error):  # the terminal cannot hide the cursor
            curses.curs_set(int(cursor is not None))
        self._window.move(0, min(cursor or 0, self.columns - 1))
        self._window.refresh()

    def close(self, ended_by: int = 0) -> None:
        """End the view."""
        self.ended_by = ended_by
        self.tasks.cancel_scope.cancel()

    def _write(self, row: int, line: str) -> None:
        left, attribute = self.columns, curses.A_NORMAL
        self._window.move(row, 0)
        for at, piece in enumerate(_COLOUR.split(line)):
            if at % 2:
                attribute = _attribute(piece) if self._colour else curses.A_NORMAL
                continue
            text = piece if cell_len(piece) <= left else set_cell_size(piece, left)
            left -= cell_len(text)
            known = text.encode(self._window.encoding, "replace").decode(self._window.encoding)
            with suppress(curses.error):  # curses fails after it wrote the last cell of the screen
                self._window.addstr(known, attribute)

    def keys(self) -> Iterator[str]:
        """Yield the keys that were pressed since the last call."""
        pressed = list(self._pressed())
        while pressed:
            key = pressed.pop(0)
            if key == "\x1b" and pressed:
                if name := self._sequence(pressed):
                    yield name
            elif self._pasting:
                yield key if isinstance(key, str) and key.isprintable() else " "
            else:
                named = _KEYS.get(key, key)
                if isinstance(named, str) and named.isprintable():
                    yield named

    def _pressed(self) -> Iterator[str | int]:
        with suppress(curses.error):  # no more input
            while True:
                yield self._window.get_wch()

    def _sequence(self, pressed: list[str | int]) -> str:
        """Parse an escape sequence that curses does not know; return its key, or an empty text.

        The sequences before and after pasted text set `_pasting`, and have no key.
        """
        sequence = str(pressed.pop(0))
        while sequence[:1] == "[" and pressed and not "@" <= sequence[1:][-1:] <= "~":
            sequence += str(pressed.pop(0))
        if sequence in {"[200~", "[201~"}:
            self._pasting = sequence == "[200~"
        return _SEQUENCES.get(sequence, "")


def _attribute(codes: str) -> int:
    """Return the curses attribute for the codes of a colour sequence."""
    result = curses.A_NORMAL
    for code in codes.split(";"):
        number = int(code or 0)
        if number == 1:
            result |= curses.A_BOLD
        elif number == 2 or (number == 90 and curses.COLORS <= _GREY):
            result |= curses.A_DIM
        elif number:
            result |= curses.color_pair(_GREY if number == 90 else number - 30)
    return result


async def _shown(view: View, colour: bool) -> int:
    """Run a view; return the number of the signal that closed it, or 0."""
    numbers = (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH)
    with anyio.open_signal_receiver(*numbers) as signals, _opened(colour=colour) as screen:
        async with anyio.create_task_group() as screen.tasks:
            view.draw(screen)
            screen.tasks.start_soon(_hear_signals, signals, screen, view)
            screen.tasks.start_soon(_hear_keys, screen, view)
            screen.tasks.start_soon(view.work, screen)
    return screen.ended_by


async def _hear_signals(signals: AsyncIterator[int], screen: Screen, view: View) -> None:
    async for number in signals:
        if number != SIGWINCH:
            screen.close(number)
        screen.resize()
        view.draw(screen)


async def _hear_keys(screen: Screen, view: View) -> None:
    while True:
        await anyio.wait_readable(0)
        pressed = list(screen.keys())
        for key in pressed:
            view.press(screen, key)
        view.draw(screen)
        if not pressed:
            await anyio.sleep(_IDLE_S)  # an incomplete character, or the terminal is gone
            if not os.isatty(0):
                screen.close(SIGHUP)


@contextmanager
def _opened(*, colour: bool) -> Iterator[Screen]:
    """Yield the terminal's screen; in the block, standard input and output are the terminal."""
    sys.stdout.flush()
    with _terminal_streams(), _known_term():
        window = curses.initscr()
        try:
            curses.noecho()
            curses.cbreak()
            window.keypad(True)
            window.nodelay(True)
            curses.set_escdelay(_ESCAPE_MS)
            if colour := colour and curses.has_colors():
                _start_colour()
            os.write(1, _PASTES[0].encode())
            yield Screen(window, colour=colour)
        finally:
            with suppress(OSError):  # the terminal is gone
                os.write(1, _PASTES[1].encode())
            curses.endwin()


def _terminal_stream() -> int | None:
    return next((stream for stream in (1, 0, 2) if os.isatty(stream)), None)


@contextmanager
def _terminal_streams() -> Iterator[None]:
    """Redirect standard input and output to the terminal in the block."""
    before = [os.dup(0), os.dup(1)]
    try:
        try:
            device = os.open(os.ttyname(_terminal_stream() or 0), os.O_RDWR | os.O_NOCTTY)
        except OSError:  # the terminal's device is not visible in this container
            device = os.open("/dev/tty", os.O_RDWR)
        os.dup2(device, 0)
        os.dup2(device, 1)
        os.close(device)
        yield
    finally:
        for number, former in enumerate(before):
            os.dup2(former, number)
            os.close(former)


@contextmanager
def _known_term() -> Iterator[None]:
    """Set `TERM` in the block to a terminal description that curses can read.

    Over a network, `TERM` may name a terminal without a description on this machine.
    """
    environ = os.environ  # noqa: TID251 - curses reads this variable
    term = environ["TERM"]
    try:
        for environ["TERM"] in (term, _USUAL_TERM, "xterm"):
            with suppress(curses.error):
                curses.setupterm(fd=1)
                break
        else:
            raise UsageError(f"TERM: {term!r} has no terminfo entry on this machine")
        yield
    finally:
        environ["TERM"] = term


def _start_colour() -> None:
    curses.start_color()
    with suppress(curses.error):  # the terminal has fewer colours, or no default
        curses.use_default_colors()
        for number in range(1, min(_GREY + 1, curses.COLORS)):
            curses.init_pair(number, number, -1)


class _Live(View):
    """A view of text that is refreshed after each pause."""

    def __init__(
        self, read: Callable[[], T], text: Callable[[T, int], str], pause_s: float
    ) -> None:
        self._read = read
        self._text = text
        self._pause_s = pause_s
        self._values: list[T] = []

    def draw(self, screen: Screen) -> None:
        lines = [
            line for each in self._values for line in self._text(each, screen.columns).splitlines()
        ]
        if (hidden := len(lines) - screen.rows) > 0:
            lines[screen.rows - 1 :] = [f"({hidden + 1} more lines)"]
        screen.draw(lines)

    def press(self, screen: Screen, key: str) -> None:
        if key in _LEAVING:
            screen.close()

    async def work(self, screen: Screen) -> None:
        while True:
            self._values = [await to_thread.run_sync(self._read, abandon_on_cancel=True)]
            self.draw(screen)
            await anyio.sleep(self._pause_s)

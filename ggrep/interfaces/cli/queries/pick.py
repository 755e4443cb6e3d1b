"""`ggrep pick`: hits while a query is typed, with a preview; Enter opens a hit in an editor."""

import os
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Final

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from ggrep.base.clock import Deadline, Stop, SystemClock
from ggrep.base.commands import spelled
from ggrep.base.errors import GgrepError, UsageError
from ggrep.base.terminal import wants_colour
from ggrep.config.profiles import apply_to_request
from ggrep.index.repo_identity import require_asked
from ggrep.interfaces.cli.parsing.flags import Argument, Flag
from ggrep.interfaces.cli.queries.query import QueriedRepo, reach, view_of
from ggrep.interfaces.cli.queries.search_options import MOST_MATCHING, TypedSearch, request_of
from ggrep.interfaces.cli.screen import Screen, View, require_screen, run_view
from ggrep.interfaces.cli.terminal import ask_before_indexing, open_terminal
from ggrep.interfaces.cli.text_tables import plural, shorten
from ggrep.model.request import SearchRequest, SnippetMode, ViewOptions
from ggrep.model.response import Hit, QueryResponse
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.client.channels import Channels
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import NoReply
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire.messages import Search, within
from ggrep.render.hits import best_line, definition_text, highlighted_words, render_confidence
from ggrep.render.page import Page, SourceLines
from ggrep.render.printed import answer_notes, place
from ggrep.render.style import Style
from ggrep.service.daemon_choice import uses_daemon
from ggrep.service.location import location_of, open_engine

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

_DEBOUNCE_S: Final = 0.08
_HELP: Final = "type to search; Enter opens, Escape quits"
_AROUND: Final = 3
"""The chosen line is at this fraction of the preview's height, 1 / _AROUND."""
_GOTO: Final = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
_JOINED: Final = frozenset({"hx", "helix", "subl", "zed"})


def pick(
    query: Annotated[str | None, Argument("Initial query: words, a name or code.")] = None,
    prints: Annotated[
        bool, Flag("--print", "Print PATH:LINE of the picked hit instead of opening it.")
    ] = False,
) -> int:
    """Search while typing, preview the hits, and open a hit in $EDITOR.

    Up and Down choose, Enter opens, Escape quits. With --print, quitting exits with status 1.
    """
    terminal = open_terminal()
    searched = spelled("search", query or "WORDS")
    require_screen(f"pick requires a terminal; without a terminal: {searched}", prints=prints)
    repo = reach(location_of(None), terminal, {})
    asks = uses_daemon(repo.address, terminal.environ, offline=False)
    if asks:
        ask_before_indexing(require_asked, repo.root, repo.address.home, yes=False)
    # The view is drawn on the terminal even if standard output is redirected.
    style = Style(wants_colour(dict(terminal.environ), plain=False, terminal=True))
    view = view_of(terminal, json=False)
    picker = Picker(Searcher(repo, terminal.environ, asks=asks), view, style, query or "")
    run_view(picker, style)
    if picker.picked is None:
        return int(prints)
    path, line = place(repo.root, str(Path.cwd()), picker.picked.hit.path), picker.picked.line
    if prints:
        terminal.write(f"{sanitise_line(path)}:{line}\n")
        return 0
    return _edit(editor_line(terminal.environ, path, line))


def editor_line(environ: Mapping[str, str], path: str, line: int) -> list[str]:
    """Return the command line that opens a line of a file in `$EDITOR`, by default vi.

    Raises:
        UsageError: the variable has an unclosed quote.
    """
    typed = environ.get("EDITOR") or "vi"
    try:
        words = shlex.split(typed) or ["vi"]
    except ValueError as error:
        raise UsageError(f"EDITOR: {typed!r}: {error}") from error
    file = os.path.join(os.curdir, path) if path.startswith(("-", "+")) else path  # noqa: PTH118
    name = os.path.basename(words[0])  # noqa: PTH119 - a word
    if name in _GOTO:
        return [*words, "--goto", f"{file}:{line}"]
    return [*words, f"{file}:{line}"] if name in _JOINED else [*words, f"+{line}", file]


def _edit(words: Sequence[str]) -> int:
    before = signal.signal(signal.SIGINT, lambda *_: None)  # the editor handles Ctrl-C
    try:
        status = subprocess.run(words, check=False).returncode  # noqa: S603 - the user's
    except OSError as error:
        failed = f"{words[0]}: {error.strerror}"
        raise UsageError(f"EDITOR: {failed}; to print the place: ggrep pick --print") from error
    finally:
        signal.signal(signal.SIGINT, before)
    if status:
        raise GgrepError(f"the editor {words[0]} ended with status {status}")
    return 0


class _Row(Struct, frozen=True):
    """A row of the list: a hit or one of its matching lines; `text` is coloured."""

    hit: Hit
    line: int
    text: str


class Searcher:
    """Answers queries to one repository: by the daemon, or else from the index in this process."""

    def __init__(self, repo: QueriedRepo, environ: Mapping[str, str], *, asks: bool) -> None:
        self.repo = repo
        self.root = repo.root
        self._asks = asks
        self._environ = environ
        self._engine: Engine | None = None
        self._opening = Lock()
        starts = repo.address.settings.start_daemon
        self._channels = Channels(SystemClock(), environ, starts=starts)

    def request(self, query: str) -> SearchRequest:
        """Return the request of `ggrep "words"`, but with more hits and whole chunks."""
        request = request_of(TypedSearch(query), scope=self.repo.scope)
        request = replace(request, limit=MOST_MATCHING, snippet=SnippetMode.FULL, keep_weak=True)
        given = frozenset({"limit", "snippet", "keep_weak"})
        return apply_to_request(request, given, self.repo.address.profile)

    async def search(self, request: SearchRequest) -> QueryResponse:
        """Return the answer to a request; cancelling this call cancels the query."""
        address, stop = self.repo.address, Stop()
        timeout_ms = request.timeout_ms or address.settings.query_timeout_ms
        deadline = Deadline.after(SystemClock(), timeout_ms, stop)
        if self._asks:
            message = Search(request, address.budgets, address.hello.client_kind, values=True)
            try:
                reply = await self._channels.ask_within(
                    address, partial(within, message), deadline, start="always"
                )
                return value_of(QueryResponse, reply, "value")
            except (NotStarted, NoReply):
                self._asks = False
        try:
            return await to_thread.run_sync(
                self._search_here, request, deadline, abandon_on_cancel=True
            )
        except anyio.get_cancelled_exc_class():
            stop.set("cancelled")
            raise

    def _search_here(self, request: SearchRequest, deadline: Deadline) -> QueryResponse:
        with self._opening:
            self._engine = self._engine or open_engine(self.root, self._environ)
        return self._engine.search_or_scan(request, deadline)

    async def aclose(self) -> None:
        """Close the connection to the daemon, or the index."""
        with anyio.CancelScope(shield=True):
            await self._channels.aclose()
        if self._engine is not None:
            self._engine.close()


class Picker(View):
    """The query, its hits, and the chosen hit."""

    def __init__(self, searcher: Searcher, view: ViewOptions, style: Style, query: str) -> None:
        self.picked: _Row | None = None
        self._searcher = searcher
        self._view = view
        self._style = style
        self._query = sanitise_line(query)
        self._at = len(self._query)
        self._rows: Sequence[_Row] = ()
        self._chosen = 0
        self._note = _HELP
        self._words: tuple[str, ...] = ()
        self._running: anyio.CancelScope | None = None
        self._opens = False

    def draw(self, screen: Screen) -> None:
        """Draw the query, a note, the list, and the preview of the chosen hit."""
        prompt, style = "> ", self._style
        height = max((screen.rows - 3) * 2 // 5, 1)
        first = min(max(self._chosen - height // 2, 0), max(len(self._rows) - height, 0))
        numbered = list(enumerate(self._rows))[first : first + height]
        rows = [self._row(row, at == self._chosen, screen.columns) for at, row in numbered]
        rows += [""] * (height - len(rows))
        hidden = max(self._at - screen.columns + len(prompt) + 1, 0)
        lines = [style.paint("name", prompt) + self._query[hidden:], self._note, *rows]
        if self._rows:
            lines += self._preview(self._rows[self._chosen], screen, screen.rows - height - 2)
        screen.draw(lines, len(prompt) + cell_len(self._query[hidden : self._at]))

    def press(self, screen: Screen, key: str) -> None:
        """Handle a key; search if it changes the query."""
        self._opens = key == "enter"
        steps = {"up": -1, "down": 1, "page-up": -10, "page-down": 10}
        if key in {"escape", "ctrl-d"}:
            screen.close()
        elif key in steps:
            self._chosen = max(min(self._chosen + steps[key], len(self._rows) - 1), 0)
        elif key == "enter":
            self._open(screen)
        elif (edited := typed_key(self._query, self._at, key)) is not None:
            changed = edited[0] != self._query
            self._query, self._at = edited
            if changed:
                self._search_again(screen)

    async def work(self, screen: Screen) -> None:
        """Search for the query of the command line; close the searcher at the end."""
        self._search_again(screen)
        try:
            await anyio.sleep_forever()
        finally:
            await self._searcher.aclose()

    def _search_again(self, screen: Screen) -> None:
        """Cancel the running search and search for the current query."""
        if self._running is not None:
            self._running.cancel()
        self._running = anyio.CancelScope()
        screen.tasks.start_soon(self._search, screen, self._running, self._query)

    async def _search(self, screen: Screen, scope: anyio.CancelScope, query: str) -> None:
        with scope:
            await anyio.sleep(_DEBOUNCE_S)
            try:
                rows, note = await self._answer(screen, query)
            except GgrepError as error:
                rows, note = (), self._style.paint("bad", f"error: {sanitise_line(str(error))}")
            if scope.cancel_called:
                return  # the answer arrived while the query changed
            self._rows, self._note, self._chosen = rows, note, 0
            self._words, self._running = highlighted_words(query), None
            if self._opens:
                self._open(screen)
            self.draw(screen)

    async def _answer(self, screen: Screen, query: str) -> tuple[Sequence[_Row], str]:
        """Return the rows of a query's answer, and the note above the rows."""
        if not query.strip():
            return (), _HELP
        request = self._searcher.request(query)
        if not self._rows:
            self._note = "searching"
            self.draw(screen)
        response = await self._searcher.search(request)
        rows = [row for hit in response.hits for row in self._rows_of(hit, query)]
        root = self._searcher.root
        notes = "".join(answer_notes(response.limits_hit, response.warnings, root, self._view))
        notes += render_confidence(response.confidence, len(rows), response.limits_hit, self._style)
        return rows, (notes or plural(len(rows), "hit")).partition("\n")[0]

    def _rows_of(self, hit: Hit, query: str) -> list[_Row]:
        matches = [each for each in hit.lines if each.columns]
        if matches:
            return [_Row(hit, each.line, sanitise_line(each.text.strip())) for each in matches]
        at, _ = best_line(hit.content.split("\n"), query, hit.qualified_name.rpartition(".")[2])
        return [_Row(hit, hit.content_start_line + at, definition_text(hit, self._style))]

    def _open(self, screen: Screen) -> None:
        """Close the view to open the chosen hit; does nothing during a search."""
        if self._running is None and self._rows:
            self.picked = self._rows[self._chosen]
            screen.close()

    def _row(self, row: _Row, is_chosen: bool, columns: int) -> str:
        path = shorten(self._place(row.hit), columns * 3 // 5)
        where = self._style.paint("path", path) + self._style.paint("line", f":{row.line}")
        return f"{self._style.paint('match', '> ') if is_chosen else '  '}{where}  {row.text}"

    def _preview(self, row: _Row, screen: Screen, height: int) -> list[str]:
        stems = tuple(word.lower() for word in self._words)
        page = Page(screen.columns, self._style, str, stems=stems)
        title = page.rule(shorten(self._place(row.hit), screen.columns - 4))
        lines = row.hit.content.split("\n")
        shown = max(height - 1, 1)
        start = max(
            min(row.line - row.hit.content_start_line - shown // _AROUND, len(lines) - shown), 0
        )
        text = "\n".join(lines[start : start + shown])
        source = SourceLines(text, row.hit.content_start_line + start, path=row.hit.path)
        return [title, *page.source(source)]

    def _place(self, hit: Hit) -> str:
        return sanitise_line(place(self._searcher.root, self._view.cwd, hit.path))


def typed_key(text: str, at: int, key: str) -> tuple[str, int] | None:
    """Return a line and its cursor position after an editing key; None for other keys."""
    before, behind = text[:at], text[at:]
    word = before.rstrip().rpartition(" ")
    moved = {"left": max(at - 1, 0), "right": min(at + 1, len(text)), "home": 0, "end": len(text)}
    edited = {
        "backspace": (before[:-1], behind),
        "delete": (before, behind[1:]),
        "ctrl-u": ("", behind),
        "ctrl-k": (before, ""),
        "ctrl-w": (word[0] + word[1], behind),
    }
    if key in moved:
        return text, moved[key]
    if len(key) > 1 and key not in edited:
        return None
    before, behind = edited.get(key, (before + key, behind))
    return before + behind, len(before)

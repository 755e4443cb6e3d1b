"""Finds the repository of a query, and executes its plan with a daemon or with the index here."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.commands import spelled
from ggrep.base.deadline import Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError, UsageError
from ggrep.daemon.plan import Plan, execute
from ggrep.index.repo_identity import require_asked
from ggrep.interfaces.cli.daemon_contact import address_of, is_indexed, watching
from ggrep.interfaces.cli.parsing.several_words import SeveralWords
from ggrep.interfaces.cli.queries.search_options import Asking, Typed
from ggrep.interfaces.cli.terminal import Terminal, ask_before_indexing, ended_at, show_progress
from ggrep.model.answer_view import ViewOptions
from ggrep.model.sanitise import is_text, sanitise_line
from ggrep.protocol.wire.message_types import Ask, Search, Status
from ggrep.protocol.wire.message_types import Question as Message
from ggrep.service.daemon_choice import asking_of, asks_daemon
from ggrep.service.places import (
    Place,
    enclosing_index,
    on_disk,
    open_engine,
    place_of,
    together,
)

if TYPE_CHECKING:
    from ggrep.model.request import SearchRequest
    from ggrep.model.response import QueryResponse
    from ggrep.protocol.client.daemon_address import DaemonAddress
    from ggrep.protocol.client.exchange import Exchange as Daemon
    from ggrep.protocol.client.exchange import Watcher
    from ggrep.protocol.client.headstart import HeadStart
    from ggrep.render.printed import Rendered
    from ggrep.search.engine.engine import Engine

T = TypeVar("T")

Kept: TypeAlias = "Callable[[Engine, SearchRequest], QueryResponse]"
"""Answers a search from the index, and writes a receipt of the answer."""

_QUIET_MS = 2_000.0
"""No bar is drawn before a scan's answer is late: drawing takes a tenth of a second to load."""


class Reached(Struct, frozen=True):
    """A repository to query, and the scope within it.

    Attributes:
        scope: path key of a directory or file; empty for the whole root.
    """

    address: "DaemonAddress"
    scope: str

    @property
    def root(self) -> Path:
        """Return the repository's root."""
        return self.address.identity.root


def place_asked(command: str, typed: Typed) -> Place:
    """Return what is meant by `--repo` or the positional PATHs, else by the current directory.

    Raises:
        UsageError: both were given, there is no such place, or they are of two repositories.
    """
    repo, paths = typed.asking.repo, typed.paths
    if repo is None:
        _require_paths(command, typed.query, paths)
    return joined([chosen_place(repo, path) for path in paths or (None,)], paths)


def joined(places: Sequence[Place], paths: Sequence[str]) -> Place:
    """Return several places as one.

    Raises:
        UsageError: they belong to different repositories.
    """
    for path, place in zip(paths, places, strict=False):
        if not is_text(place.scope):
            raise UsageError(f"{sanitise_line(path)}: paths that are not UTF-8 are not indexed")
    one = together(places)
    if one is not None:
        return one
    other = next(at for at, place in enumerate(places) if place.root != places[0].root)
    made = spelled("workspace", "init", "FILE", *(str(places[at].root) for at in (0, other)))
    told = f"{paths[0]} and {paths[other]} belong to different repositories"
    raise UsageError(f"{told}; to search both: {made}, then --workspace FILE")


def chosen_place(repo: Path | None, path: str | None) -> Place:
    """Return what `--repo` or the positional PATH means, else what the current directory does.

    Raises:
        UsageError: both were given.
        InvalidRequest: there is no such place.
    """
    if repo is None:
        return place_of(None if path is None else Path(path))
    if path is not None:
        raise UsageError("--repo and a PATH cannot go together")
    return Place(place_of(repo).root, "")


def reach(place: Place, terminal: Terminal, flags: Mapping[str, object]) -> Reached:
    """Return the repository of a place: the nearest one above it that has an index, if any."""
    address = address_of(place, terminal, flags)
    if not address.identity.store.is_dir():
        place = enclosing_index(place, terminal.environ, flags)
        address = address_of(place, terminal, flags)
    return Reached(address, place.scope)


def answered(
    plan: Plan,
    reached: Reached,
    terminal: Terminal,
    asking: Asking,
    kept: "Kept | None" = None,
    head: "HeadStart | None" = None,
) -> "Rendered":
    """Return the output of a plan, from the index in this process if no daemon is available.

    The time limit counts from the start of the command, and leaves out a sync that is waited for.

    Args:
        plan: to execute.
        reached: the repository.
        terminal: of the command.
        asking: how it is asked.
        kept: answers a search from the index in this process, and keeps a receipt; None for none.
        head: a process that has begun to become a daemon; None for none.

    Raises:
        Unasked: nothing says that an index is wanted, and there is none.
        DeadlineExceeded: the time ran out, whatever took it.
        GgrepError: as the daemon or the engine says.
    """
    fresh, scans = not is_indexed(reached.address), isinstance(plan.messages[0], Search)
    waits = asking.sync or (fresh and not scans and not _is_slate(plan))
    offline = asking.offline or kept is not None
    asks = asks_daemon(reached.address, terminal.environ, offline=offline)
    if (asks or asking.sync) and ask_before_indexing(
        require_asked, reached.root, reached.address.home, yes=asking.yes
    ):
        terminal = replace(terminal, began_ms=None)  # a person took their time
    timeout_ms = asking.timeout_ms or reached.address.settings.query_timeout_ms
    until = Deadline.never(SystemClock()) if waits else terminal.deadline(timeout_ms)
    if not asks:
        return _by_engine(plan, reached, terminal, asking, until, kept)
    from ggrep.protocol.client.link import Silent
    from ggrep.protocol.client.starting import NotStarted

    daemon = asking_of(
        reached.address,
        terminal.environ,
        terminal.tell,
        began_ms=terminal.began_ms,
        until=until,
        head=head,
    )
    label = reached.root.name
    quiet_ms = _QUIET_MS if scans and not asking.sync else 0.0
    try:
        with ended_at(until):
            if fresh and not scans and not terminal.progress:
                terminal.tell(f"{label} has no index yet; indexing it first")
            with watching(terminal, label, quiet_ms) if fresh or waits else nullcontext() as watch:
                if waits:
                    daemon.sync(watch, strict=asking.strict_sync)
                with daemon.one_connection():
                    return _executed(plan, partial(_ask, daemon, watch), timeout_ms)
    except (NotStarted, Silent) as error:
        terminal.tell(f"{error}; reading the index without a daemon")
        try:
            return _by_engine(plan, reached, terminal, asking, until, kept)
        except DeadlineExceeded as late:
            late.args = (f"{error}; {late}",)
            raise


def _is_slate(plan: Plan) -> bool:
    from ggrep.model.slate import SlateRequest

    (first, *_) = plan.messages
    return isinstance(first, Ask) and isinstance(first.request, SlateRequest)


def _by_engine(
    plan: Plan,
    reached: Reached,
    terminal: Terminal,
    asking: Asking,
    until: Deadline,
    kept: "Kept | None",
) -> "Rendered":
    with ended_at(until):
        engine = open_engine(
            reached.root, terminal.environ, flags=reached.address.flags, until=until
        )
        if asking.sync:
            with show_progress(terminal, reached.root.name) as progress:
                engine.sync(strict=asking.strict_sync, progress=progress)

        def read(message: Message) -> object:
            if not isinstance(message, Search):
                return engine.ask(message.request)
            from ggrep.render.printed import render_answer

            assert message.render is not None  # noqa: S101 - clients print
            if kept is None:
                response = engine.search_or_scan(message.request, tell=terminal.tell)
            else:
                response = kept(engine, message.request)
            return render_answer(response, reached.root, message.render)

        timeout_ms = asking.timeout_ms or reached.address.settings.query_timeout_ms
        return _executed(plan, read, timeout_ms)


def _ask(daemon: "Daemon", watch: "Watcher | None", message: Message) -> object:
    if isinstance(message, Search):
        assert message.render is not None  # noqa: S101 - clients print
        return daemon.search(message.request, message.render, watch)
    return daemon.ask(message.request, watch)


def _executed(plan: Plan, ask: Callable[[Any], object], timeout_ms: float) -> "Rendered":
    """Return the output of a plan whose host answers at once."""
    try:
        execute(plan, _Host(ask, timeout_ms)).send(None)
    except StopIteration as end:
        rendered: Rendered = end.value
        return rendered
    raise AssertionError("the host waits")


class _Host(Struct, frozen=True):
    """A host without an event loop."""

    ask: Callable[[Any], object]
    timeout_ms: float

    async def answer(self, message: Message | Status) -> object:
        """Return the answer."""
        return self.ask(message)

    async def compute(self, work: Callable[[], T]) -> T:
        """Return the result of a function."""
        return work()

    def deadline(self, message: Message) -> Deadline:
        """Return the end of the command's time, which is for all messages."""
        del message
        return Deadline.after(SystemClock(), self.timeout_ms)


def _require_paths(command: str, query: str, paths: Sequence[str]) -> None:
    """Raise if a positional PATH does not exist; most likely it is a word of the query.

    Raises:
        UsageError: says what was meant.
    """
    if "" in paths:
        raise UsageError("PATH is empty; use . for the current directory")
    missing = next((path for path in paths if not on_disk(Path(path)).exists()), None)
    if missing is None:
        return
    said = f"{missing}: no such file or directory"
    if missing.startswith("-"):
        meant = f"did you mean, without -- before it: {spelled(command, query, *paths)}"
    elif set(missing) & set("*?["):
        meant = f"to narrow by a pattern: {spelled(command, query, '-g', missing)}"
    elif (file := missing.partition(":")[0]) and Path(file).exists():
        meant = f"without the line: {spelled(command, query, file)}"
    elif len(paths) == 1 and Path(query).exists():
        meant = f"did you mean: {spelled(command, missing, query)}"
    else:
        raise SeveralWords(said, (query, *(path for path in paths if not Path(path).exists())))
    raise UsageError(f"{said}; {meant}")


def view_of(terminal: Terminal, *, json: bool, whole: bool = False) -> ViewOptions:
    """Return how an answer is shown in this terminal."""
    try:
        here = str(Path.cwd())
    except FileNotFoundError:
        here = ""
    return ViewOptions(
        json=json,
        columns=terminal.columns,
        colour=terminal.style.colour,
        notes_colour=terminal.notes_style.colour,
        cwd=here,
        whole=whole,
        links=terminal.links,
    )


_PATIENCE_MS: Final = 20_000
"""How long a first portion is waited for; it is read for some five seconds."""


def follow_index(address: "DaemonAddress", terminal: Terminal) -> None:
    """Show the first index's progress until it answers; an interrupt only ends the display.

    Requires: a terminal that shows progress.
    """
    label, there = address.identity.root.name, False
    with suppress(GgrepError, KeyboardInterrupt), watching(terminal, label) as watch:
        if watch is not None:
            asking = asking_of(address, terminal.environ, terminal.tell)
            there = asking.follow(lambda: is_indexed(address), watch, _PATIENCE_MS)
    if there:
        terminal.tell(f"the index of {label} is ready: repeat the command to use it")
    else:
        terminal.tell(f"{label} has no index yet; progress: ggrep status")

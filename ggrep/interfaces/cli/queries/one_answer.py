"""Answers any query to one repository: from its daemon, or from the index in this process."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.commands import spelled
from ggrep.base.deadline import Deadline
from ggrep.base.errors import DeadlineExceeded, UsageError
from ggrep.index.repo_identity import require_asked
from ggrep.interfaces.cli.daemon_contact import address_of, is_indexed, watching
from ggrep.interfaces.cli.parsing.several_words import SeveralWords
from ggrep.interfaces.cli.queries.search_options import Asking, Typed
from ggrep.interfaces.cli.terminal import Terminal, ask_before_indexing, ended_at, show_progress
from ggrep.model.answer_view import ViewOptions
from ggrep.model.sanitise import is_text, sanitise_line
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
    from ggrep.protocol.client.daemon_address import DaemonAddress
    from ggrep.protocol.client.exchange import Exchange as Daemon
    from ggrep.protocol.client.exchange import Watcher
    from ggrep.protocol.client.headstart import HeadStart
    from ggrep.search.engine.engine import Engine


T = TypeVar("T")


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


class Question(Struct, Generic[T], frozen=True):
    """One question in its two forms.

    Attributes:
        ask: has a daemon answer; it may be told who watches it index.
        read: answers from the index here.
        early: a first part of the index will do, which says that it is one.
        scans: where there is no index, a scan answers at once.
    """

    ask: "Callable[[Daemon, Watcher | None], T]"
    read: "Callable[[Engine], T]"
    early: bool = False
    scans: bool = False


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
    question: Question[T],
    reached: Reached,
    terminal: Terminal,
    asking: Asking,
    head: "HeadStart | None" = None,
) -> T:
    """Return the answer, from the index in this process if no daemon is available.

    The time limit counts from the start of the command, and leaves out a sync that is waited for.

    Args:
        question: to answer.
        reached: the repository.
        terminal: of the command.
        asking: how it is asked.
        head: a process that has begun to become a daemon; None for none.

    Raises:
        Unasked: nothing says that an index is wanted, and there is none.
        DeadlineExceeded: the time ran out, whatever took it.
        GgrepError: as the daemon or the engine says.
    """
    fresh = not is_indexed(reached.address)
    syncs = asking.sync or (fresh and not question.early and not question.scans)
    asks = asks_daemon(reached.address, terminal.environ, offline=asking.offline)
    if (asks or asking.sync) and ask_before_indexing(
        require_asked, reached.root, reached.address.home, yes=asking.yes
    ):
        terminal = replace(terminal, began_ms=None)  # a person took their time
    timeout_ms = asking.timeout_ms or reached.address.settings.query_timeout_ms
    until = Deadline.never(SystemClock()) if syncs else terminal.deadline(timeout_ms)
    if not asks:
        return _read(question, reached, terminal, asking, until)
    return _asked(question, reached, terminal, asking, until, head)


def _asked(
    question: Question[T],
    reached: Reached,
    terminal: Terminal,
    asking: Asking,
    until: Deadline,
    head: "HeadStart | None",
) -> T:
    """Return the daemon's answer, or that of the index where the daemon gives none."""
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
    try:
        with ended_at(until):
            return _ask(question, reached, terminal, asking, daemon)
    except (NotStarted, Silent) as error:
        terminal.tell(f"{error}; reading the index without a daemon")
        try:
            return _read(question, reached, terminal, asking, until)
        except DeadlineExceeded as late:
            late.args = (f"{error}; {late}",)
            raise


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


def _ask(
    question: Question[T], reached: Reached, terminal: Terminal, asking: Asking, daemon: "Daemon"
) -> T:
    label, fresh = reached.root.name, not is_indexed(reached.address)
    if fresh and not question.scans and not terminal.progress:
        terminal.tell(f"{label} has no index yet; indexing it first")
    waits = asking.sync or (fresh and not question.early and not question.scans)
    quiet_ms = _QUIET_MS if question.scans and not asking.sync else 0.0
    with watching(terminal, label, quiet_ms) if fresh or waits else nullcontext() as watch:
        if waits:
            daemon.sync(watch, strict=asking.strict_sync)
        return question.ask(daemon, watch)


def _read(
    question: Question[T], reached: Reached, terminal: Terminal, asking: Asking, until: Deadline
) -> T:
    with ended_at(until):
        engine = open_engine(
            reached.root, terminal.environ, flags=reached.address.flags, until=until
        )
        if asking.sync:
            with show_progress(terminal, reached.root.name) as progress:
                engine.sync(strict=asking.strict_sync, progress=progress)
        return question.read(engine)

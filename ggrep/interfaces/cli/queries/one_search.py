"""A search of one repository, from its flags to its output; without typer.

A plain search that no daemon answered comes straight here, any other by `search`.
"""

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from ggrep.base.clock import Clock, SystemClock
from ggrep.base.errors import GgrepError, NoIndex
from ggrep.base.processes import own_age_ms, require_descriptors
from ggrep.config.profiles import apply_to_request
from ggrep.index.repo_identity import require_asked
from ggrep.interfaces.cli.boundary import bounded
from ggrep.interfaces.cli.daemon_contact import address_of, is_indexed, watching
from ggrep.interfaces.cli.parsing.flags import options_of
from ggrep.interfaces.cli.queries.search_options import (
    Asking,
    Hits,
    Kept,
    Question,
    Typed,
    given_fields,
    request_of,
)
from ggrep.interfaces.cli.terminal import Terminal, ask_before_indexing, open_terminal
from ggrep.model.answer_view import ViewOptions
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.headstart import HeadStart
from ggrep.service.daemon_choice import asking_of, asks_daemon
from ggrep.service.places import Place, enclosing_index, open_engine, place_of

if TYPE_CHECKING:
    from ggrep.model.response import QueryResponse
    from ggrep.protocol.client.daemon_address import DaemonAddress
    from ggrep.protocol.client.exchange import Printed
    from ggrep.protocol.client.headstart import HeadStart
    from ggrep.render.printed import Rendered
    from ggrep.search.engine.engine import Engine


_QUIET_MS = 2_000.0
"""No bar is drawn before a first answer is late: drawing takes a tenth of a second to load."""


def _not_waited() -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Start:
    """The circumstances in which the command was started.

    Attributes:
        waited_ms: returns how long somebody has waited for the answer by now.
        head: a process that has begun to become a daemon; None for none.
    """

    waited_ms: Callable[[], float] = _not_waited
    head: "HeadStart | None" = None


def search_one(terminal: Terminal, typed: Typed, place: Place, start: Start = Start()) -> int:
    """Answer a search of the repository around a place; return the exit status.

    Raises:
        GgrepError: as the flags, the daemon or the engine say.
    """
    overrides = typed.asking.overrides
    request = request_of(typed, scope=place.scope)
    address = address_of(place, terminal, overrides)
    if not address.identity.store.is_dir():
        place = enclosing_index(place, terminal.environ, overrides)
        address = address_of(place, terminal, overrides)
        request = replace(request, scope=place.scope)
    request = apply_to_request(request, given_fields(typed), address.profile)
    view = ViewOptions(
        json=typed.output.json,
        columns=terminal.columns,
        colour=terminal.style.colour,
        notes_colour=terminal.notes_style.colour,
        cwd=_here(),
        scores=typed.hits.scores,
        compact=typed.hits.compact,
        explain=typed.hits.explain,
        whole=typed.hits.whole,
    )
    hits = _write_answer(_Question(address, request, view, typed, start), terminal)
    return 1 if typed.output.exit_status and not hits else 0


@dataclass(frozen=True, slots=True)
class _Question:
    """A search of one repository, ready to run."""

    address: "DaemonAddress"
    request: SearchRequest
    view: ViewOptions
    typed: Typed
    start: Start


def _write_answer(question: _Question, terminal: Terminal) -> int:
    """Write the answer; return how many hits it has.

    After a scan whoever watches is shown how the index takes over.
    """
    printed = _answered(question, terminal)
    terminal.write_answer(printed.out, printed.err, json=question.view.json)
    if printed.scan and terminal.progress:
        follow_index(question.address, terminal)
    return printed.hits


def _answered(question: _Question, terminal: Terminal) -> "Rendered | Printed":
    """Return the answer of a daemon, or of the index in this process.

    Raises:
        Unasked: nothing says that an index is wanted, and there is none.
    """
    address, asking = question.address, question.typed.asking
    # A receipt holds more than a daemon tells, so the index is read here.
    offline = asking.offline or question.typed.output.receipt is not None
    asks = asks_daemon(address, terminal.environ, offline=offline)
    if asks or asking.sync:
        ask_before_indexing(require_asked, address.identity.root, address.home, yes=asking.yes)
    return _ask(question, terminal) if asks else _read(question, terminal)


def _ask(question: _Question, terminal: Terminal) -> "Rendered | Printed":
    """Query a daemon; if none is available, read the index here."""
    from ggrep.protocol.client.link import Silent
    from ggrep.protocol.client.starting import NotStarted

    address, asking, start = question.address, question.typed.asking, question.start
    label = address.identity.root.name
    daemon = asking_of(
        address, terminal.environ, terminal.tell, waited_ms=start.waited_ms, head=start.head
    )
    fresh = not is_indexed(address)
    quiet_ms = 0.0 if asking.sync else _QUIET_MS
    try:
        with (
            watching(terminal, label, quiet_ms) if fresh or asking.sync else nullcontext()
        ) as watch:
            if asking.sync:
                daemon.sync(watch, strict=asking.strict_sync)
            return daemon.search(question.request, question.view, watch)
    except (NotStarted, Silent) as error:
        terminal.tell(f"{error}; reading the index without one")
        return _read(question, terminal)


def _read(question: _Question, terminal: Terminal) -> "Rendered":
    """Answer from the index on disk, in this process."""
    address, typed = question.address, question.typed
    root = address.identity.root
    engine = open_engine(root, terminal.environ, flags=address.flags)
    if typed.asking.sync:
        from ggrep.interfaces.cli.terminal import show_progress

        with show_progress(terminal, root.name) as progress:
            engine.sync(strict=typed.asking.strict_sync, progress=progress)
    response = _found(engine, question, terminal)
    if typed.output.receipt is not None:
        from ggrep.interfaces.cli.queries.receipt_file import write_receipt
        from ggrep.interfaces.cli.queries.replay import answer_bytes
        from ggrep.render.receipt_json import receipt_bytes
        from ggrep.search.engine.receipts import make_receipt

        made = make_receipt(engine, question.request, response, answer_bytes(response))
        write_receipt(typed.output.receipt, receipt_bytes(made), force=typed.output.force)
    from ggrep.render.printed import render_answer

    return render_answer(response, root, question.view)


def _found(engine: "Engine", question: _Question, terminal: Terminal) -> "QueryResponse":
    """Return the answer of the index or, without one, of a scan; receipts need an index.

    Nobody makes one meanwhile, so it is said what would.

    Raises:
        NoIndex: there is none, and only an index can answer.
    """
    try:
        return engine.search(question.request)
    except NoIndex as error:
        if question.typed.output.receipt is not None:
            raise
        found = engine.scan(question.request)
        terminal.tell(str(error))
        return found


def _here() -> str:
    """Return the current directory; empty if it was deleted."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return ""


G = TypeVar("G")

_LONGEST_START_MS: Final = 5_000.0


def search_plainly(
    words: list[str],
    switches: set[str],
    values: dict[str, list[str]],
    arguments: list[str],
    *,
    begun_here: bool,
    head: HeadStart | None = None,
) -> int:
    """Search one repository; return the exit status.

    Args:
        words: the query, and the path if one was given.
        switches: options that were given and take no value.
        values: what was given to the others, or words that flags stand for, by option.
        arguments: all that was typed.
        begun_here: this process is the command, from its start.
        head: a process that has begun to become a daemon; None for none.
    """

    def act() -> int:
        require_descriptors()
        terminal = open_terminal(plain="plain" in switches)
        typed = given_of(words, switches, values)
        start = Start(waiting(SystemClock(), own_age_ms()), head) if begun_here else Start()
        place = place_of(Path(words[1]) if len(words) == 2 else None)
        return search_one(terminal, typed, place, start)

    try:
        return bounded(act, arguments)
    finally:
        if head is not None:
            head.close()


def waiting(clock: Clock, age_ms: float) -> Callable[[], float]:
    """Return a function that tells how long the user has waited for this process.

    One that is older than a start can take was something else before, as a script that ends in
    `exec ggrep`: nobody waited for that.
    """
    begun_ms = clock.monotonic_ms() - (age_ms if age_ms < _LONGEST_START_MS else 0.0)
    return lambda: clock.monotonic_ms() - begun_ms


def given_of(words: list[str], switches: set[str], values: dict[str, list[str]]) -> Typed:
    """Return the typed options in the form of `ggrep.interfaces.cli.queries.search`.

    Requires: `ggrep.interfaces.entry.plain` takes it.
    """

    def group(kind: type[G]) -> G:
        given: dict[str, object] = {}
        for option in options_of(kind):
            texts = values.get(option.name)
            if option.name in switches:
                given[option.name] = True
            elif texts and option.kind == tuple[str, ...]:
                given[option.name] = tuple(texts)
            elif texts:
                number = int(texts[0])
                given[option.name] = (number,) if option.kind == tuple[int, ...] else number
        return kind(**given)

    return Typed(
        query=words[0],
        question=group(Question),
        hits=group(Hits),
        asking=group(Asking),
        output=group(Kept),
    )


_PATIENCE_MS: Final = 20_000
"""How long a first portion is waited for; it is read for some five seconds."""


def follow_index(address: "DaemonAddress", terminal: Terminal) -> None:
    """Show the first index's progress until it answers; an interrupt only ends the display.

    Requires: somebody watches the terminal.
    """
    label, there = address.identity.root.name, False
    with suppress(GgrepError, KeyboardInterrupt), watching(terminal, label) as watch:
        if watch is not None:
            asking = asking_of(address, terminal.environ, terminal.tell)
            there = asking.follow(lambda: is_indexed(address), watch, _PATIENCE_MS)
    if there:
        terminal.tell(f"the index of {label} answers from now on: the same command asks it")
    else:
        terminal.tell(f"{label} has no index yet; how far it is: ggrep status")

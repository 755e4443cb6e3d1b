"""A search of one repository, from its flags to its output; without typer.

A plain search comes straight here (`plain_search` beside it), any other by `search`.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ggrep.base.errors import NoIndex
from ggrep.config.profiles import apply_to_request
from ggrep.index.repo_identity import require_asked
from ggrep.interfaces.cli.consent import ask_before_indexing
from ggrep.interfaces.cli.daemon_contact import address_of, is_indexed, watching
from ggrep.interfaces.cli.search_flags import Typed, given_fields, request_of
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.model.answer_view import ViewOptions
from ggrep.model.request import SearchRequest
from ggrep.service.daemon_choice import asking_of, asks_daemon
from ggrep.service.places import Place, enclosing_index, open_engine

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
        from ggrep.interfaces.cli.following import follow_index

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
        from ggrep.interfaces.cli.progress import show_progress

        with show_progress(terminal, root.name) as progress:
            engine.sync(strict=typed.asking.strict_sync, progress=progress)
    response = _found(engine, question, terminal)
    if typed.output.receipt is not None:
        from ggrep.interfaces.cli.receipt_file import write_receipt
        from ggrep.interfaces.cli.replay import answer_bytes
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

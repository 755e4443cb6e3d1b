"""A search of one repository, from its flags to its output; without typer.

A plain search that no daemon answered comes straight here, any other by `search`.
"""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from ggrep.base.errors import GgrepError
from ggrep.base.processes import require_descriptors
from ggrep.config.profiles import apply_to_request
from ggrep.interfaces.cli.boundary import bounded
from ggrep.interfaces.cli.daemon_contact import is_indexed, watching
from ggrep.interfaces.cli.parsing.flags import options_of
from ggrep.interfaces.cli.queries.one_answer import Question as Asked
from ggrep.interfaces.cli.queries.one_answer import answered, reach, view_of
from ggrep.interfaces.cli.queries.search_options import (
    Asking,
    Hits,
    Kept,
    Question,
    Typed,
    given_fields,
    request_of,
)
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.answer_view import ViewOptions
from ggrep.model.request import SearchRequest
from ggrep.service.daemon_choice import asking_of, asks_daemon
from ggrep.service.places import Place, place_of

if TYPE_CHECKING:
    from ggrep.model.response import QueryResponse
    from ggrep.protocol.client.daemon_address import DaemonAddress
    from ggrep.protocol.client.exchange import Printed
    from ggrep.protocol.client.headstart import HeadStart
    from ggrep.render.printed import Rendered
    from ggrep.search.engine.engine import Engine


def search_one(
    terminal: Terminal, typed: Typed, place: Place, head: "HeadStart | None" = None
) -> int:
    """Answer a search of the repository around a place; return the exit status.

    After a scan whoever watches is shown how the index takes over.

    Raises:
        GgrepError: as the flags, the daemon or the engine say.
    """
    request = request_of(typed, scope=place.scope)
    reached = reach(place, terminal, typed.asking.overrides)
    request = replace(request, scope=reached.scope)
    request = apply_to_request(request, given_fields(typed), reached.address.profile)
    view = shown(typed, view_of(terminal, json=typed.output.json))

    def read(engine: "Engine") -> "Rendered":
        response = _found(engine, request, terminal, typed.output)
        from ggrep.render.printed import render_answer

        return render_answer(response, reached.root, view)

    question: Asked[Rendered | Printed] = Asked(
        ask=lambda daemon, watch: daemon.search(request, view, watch), read=read, scans=True
    )
    # A receipt holds more than a daemon tells, so the index is read here.
    offline = typed.asking.offline or typed.output.receipt is not None
    asking = replace(typed.asking, offline=offline)
    printed = answered(question, reached, terminal, asking, head)
    terminal.write_answer(printed, json=typed.output.json)
    asks = asks_daemon(reached.address, terminal.environ, offline=asking.offline)
    if printed.scan and terminal.progress and asks and not typed.output.json:
        follow_index(reached.address, terminal)
    return 1 if typed.output.exit_status and not printed.hits else 0


def shown(typed: Typed, view: ViewOptions) -> ViewOptions:
    """Return how the hits of a typed search are shown."""
    return replace(
        view,
        json=typed.output.json,
        whole=typed.hits.whole,
        scores=typed.hits.scores,
        compact=typed.hits.compact,
        explain=typed.hits.explain,
        chunks=bool(typed.hits.snippet),
        counts=typed.lines.counts,
    )


def _found(
    engine: "Engine", request: SearchRequest, terminal: Terminal, output: Kept
) -> "QueryResponse":
    """Return the answer of the index or, without one, of a scan; write a receipt where wanted.

    A receipt needs an index. Nobody makes one meanwhile, so it is said what would.

    Raises:
        NoIndex: there is none, and only an index can answer.
    """
    if output.receipt is None:
        return engine.search_or_scan(request, tell=terminal.tell)
    response = engine.search(request)
    from ggrep.interfaces.cli.queries.receipt_file import write_receipt
    from ggrep.interfaces.cli.queries.replay import answer_bytes
    from ggrep.render.receipt_json import receipt_bytes
    from ggrep.search.engine.receipts import make_receipt

    made = make_receipt(engine, request, response, answer_bytes(response))
    write_receipt(output.receipt, receipt_bytes(made), force=output.force)
    return response


G = TypeVar("G")


def search_plainly(
    words: list[str],
    switches: set[str],
    values: dict[str, list[str]],
    arguments: list[str],
    *,
    began_ms: float,
    head: "HeadStart | None" = None,
) -> int:
    """Search one repository; return the exit status.

    Args:
        words: the query, and the path if one was given.
        switches: options that were given and take no value.
        values: what was given to the others, or words that flags stand for, by option.
        arguments: all that was typed.
        began_ms: when the command began, on the scale of `SystemClock`.
        head: a process that has begun to become a daemon; None for none.
    """

    def act() -> int:
        require_descriptors()
        terminal = open_terminal(plain="plain" in switches)
        typed = given_of(words, switches, values)
        place = place_of(Path(words[1]) if len(words) == 2 else None)
        return search_one(terminal, typed, place, head)

    try:
        return bounded(act, arguments, began_ms=began_ms)
    finally:
        if head is not None:
            head.close()


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
        terminal.tell(f"the index of {label} is ready: repeat the command to use it")
    else:
        terminal.tell(f"{label} has no index yet; progress: ggrep status")

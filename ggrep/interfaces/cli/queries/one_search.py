"""A search of one repository, from its flags to its output; without typer.

A plain search that no daemon answered comes straight here, any other by `search`.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ggrep.base.processes import require_descriptors
from ggrep.config.profiles import apply_to_request
from ggrep.daemon.plan import Answers, Plan
from ggrep.interfaces.cli.boundary import bounded
from ggrep.interfaces.cli.parsing.flags import options_of
from ggrep.interfaces.cli.queries.query import Finder, RepositoryQuery, Site
from ggrep.interfaces.cli.queries.search_options import (
    Asking,
    Hits,
    Kept,
    Question,
    Typed,
    given_fields,
    request_of,
)
from ggrep.interfaces.cli.queries.typed_targets import Target
from ggrep.model.answer_view import ViewOptions
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.message_types import Search

if TYPE_CHECKING:
    from ggrep.model.response import QueryResponse
    from ggrep.protocol.client.headstart import HeadStart
    from ggrep.render.printed import Rendered
    from ggrep.search.engine.engine import Engine


def search_one(typed: Typed) -> RepositoryQuery:
    """Return a search of one repository; a receipt of it is written by the client."""

    def find(finder: Finder) -> list[Target]:
        return [Target(finder.place_asked("search", typed))]

    def planned(site: Site) -> Plan:
        request = request_of(typed, scope=site.keys[0])
        request = apply_to_request(request, given_fields(typed), site.profile)
        return Plan((Search(request, render=shown(typed, site.view)),), _only)

    kept = None if typed.output.receipt is None else partial(_with_receipt, typed.output)
    return RepositoryQuery(typed.asking, typed.output, find, planned, kept)


def _only(answers: Answers) -> "Rendered":
    """Return the output of a search."""
    rendered: Rendered = answers[0]
    return rendered


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


def _with_receipt(output: Kept, engine: "Engine", request: SearchRequest) -> "QueryResponse":
    """Return the answer of the index, and write a receipt.

    A receipt needs an index. Nobody makes one meanwhile, so it is said what would.

    Raises:
        NoIndex: there is none.
    """
    assert output.receipt is not None  # noqa: S101 - asked for
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
        return search_one(given_of(words, switches, values)).answer(head)

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
        paths=words[1:],
        question=group(Question),
        hits=group(Hits),
        asking=group(Asking),
        output=group(Kept),
    )

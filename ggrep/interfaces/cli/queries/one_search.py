"""A search of one repository, from its options to its plan.

`ggrep.interfaces.entry.fast` calls `search_plainly` without loading typer; the command `search`
calls `search_one`.
"""

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ggrep.base.commands import Line
from ggrep.base.processes import require_descriptors
from ggrep.config.profiles import apply_to_request
from ggrep.daemon.plan import Plan
from ggrep.interfaces.cli.boundary import bounded
from ggrep.interfaces.cli.parsing.parameters import group_of
from ggrep.interfaces.cli.queries.query import PlanContext, RepositoryQuery, search_query
from ggrep.interfaces.cli.queries.search_options import (
    HitOptions,
    IndexOptions,
    LineOptions,
    QueryOptions,
    ReceiptOutput,
    TypedSearch,
    given_fields,
    request_of,
)
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.protocol.wire.messages import Search

if TYPE_CHECKING:
    from ggrep.model.response import QueryResponse
    from ggrep.protocol.client.preload import Preload
    from ggrep.search.engine.engine import Engine


def search_one(typed: TypedSearch) -> RepositoryQuery:
    """Return a search of one repository; the client writes the receipt, if any."""

    def planned(site: PlanContext) -> Plan:
        request = request_of(typed, scope=site.keys[0])
        request = apply_to_request(request, given_fields(typed), site.profile)
        return Plan((Search(request, render=shown(typed, site.view)),), itemgetter(0))

    kept = None if typed.output.receipt is None else partial(_with_receipt, typed.output)
    return search_query("search", typed, planned, kept)


def shown(typed: TypedSearch, view: ViewOptions) -> ViewOptions:
    """Return the view options for the hits of a search."""
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


def _with_receipt(
    output: ReceiptOutput, engine: "Engine", request: SearchRequest
) -> "QueryResponse":
    """Write a receipt of a search in this process, and return the answer."""
    assert output.receipt is not None  # noqa: S101 - asked for
    response = engine.search(request)
    from ggrep.interfaces.cli.queries.replay import answer_bytes, write_receipt
    from ggrep.render.receipts import receipt_bytes
    from ggrep.search.engine.receipts import make_receipt

    made = make_receipt(engine, request, response, answer_bytes(response))
    write_receipt(output.receipt, receipt_bytes(made), force=output.force)
    return response


def search_plainly(
    line: Line, arguments: list[str], began_ms: float, head: "Preload | None"
) -> int:
    """Run a search of one repository without loading other commands; return the exit status.

    Requires: the typed paths exist; the only options are those of `QueryOptions`, `HitOptions`,
    `IndexOptions`, `LineOptions` and `ReceiptOutput`; and no receipt is requested.
    """

    def act() -> int:
        require_descriptors()
        values: dict[str, Any] = line.values
        typed = TypedSearch(
            values["query"],
            values.get("path", ()),
            group_of(QueryOptions, "question", values),
            group_of(HitOptions, "hits", values),
            group_of(IndexOptions, "asking", values),
            group_of(ReceiptOutput, "output", values),
            group_of(LineOptions, "lines", values),
        )
        typed.asking.check()
        return search_one(typed).answer(head)

    return bounded(act, arguments, began_ms=began_ms)

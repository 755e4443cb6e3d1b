"""The table of operations on a repository, with a row for each kind of request.

The engine, daemons, clients, HTTP and MCP use this table.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.name_pools import (
    ImportsRequest,
    ImportsResponse,
    ReferencesPool,
    ReferencesPoolRequest,
    SymbolPool,
    SymbolPoolRequest,
)
from ggrep.model.navigation import (
    ExpandRequest,
    ExpandResponse,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.outline import OutlineRequest, OutlineResponse, TourRequest, TourResponse
from ggrep.model.request import (
    EncodeRequest,
    EncodeResponse,
    PoolRequest,
    RepoStatistics,
    Request,
    SearchRequest,
    StatisticsRequest,
)
from ggrep.model.response import PoolResponse, QueryResponse
from ggrep.model.slate import SlateRequest, SlateResponse

Q = TypeVar("Q")
R = TypeVar("R")


def loaded(place: str) -> Any:  # noqa: ANN401 - any object of a row
    """Import and return the object at `module:name`; the module is in the package `ggrep`."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"ggrep.{module}"), name)


class Operation(Struct, Generic[Q, R], frozen=True):
    """An operation on a repository.

    Attributes:
        name: name of the operation in messages to daemons.
        answerer: `module:name` of its `Answerer`.
        count: returns the number of results in an answer; None if logs do not count results.
        schema: name of the JSON Schema of its document; empty if only coordinators use it.
        inner: field of the request that contains timeout and scope; empty for the request itself.
        workspace: `module:name` of the function that queries a workspace; empty for none.
        summary: OpenAPI summary of the route for a repository; `workspace_summary` is for a
            workspace.
        route: last part of the HTTP route; empty for the name.
    """

    name: str
    request: type[Q]
    response: type[R]
    answerer: str
    count: Callable[[R], int] | None = None
    schema: str = ""
    inner: str = ""
    workspace: str = ""
    summary: str = ""
    workspace_summary: str = ""
    route: str = ""

    @property
    def is_public(self) -> bool:
        """Return whether clients other than coordinators use the operation."""
        return bool(self.schema)

    @property
    def path(self) -> str:
        """Return the HTTP route for a repository."""
        return f"/{self.route or self.name}"

    @property
    def reply_key(self) -> str:
        """Return the key of the answer in a daemon's reply."""
        if self.is_public:
            return "value"
        return "pool" if self.count else self.name


OPERATIONS: Final[tuple[Operation[Any, Any], ...]] = (
    Operation(
        "search",
        SearchRequest,
        QueryResponse,
        "search.engine.query_answers:SEARCH",
        lambda answer: len(answer.hits),
        "query_success",
        summary="Search one repository.",
    ),
    Operation(
        "slate",
        SlateRequest,
        SlateResponse,
        "search.slate.slate_answers:SLATE",
        lambda answer: sum(len(packs) for _, packs in answer.slate.sections),
        "slate_success",
        inner="search",
        summary="Collect the evidence for a question from one repository, by file.",
        route="context",
    ),
    Operation(
        "symbol",
        SymbolRequest,
        SymbolResponse,
        "search.engine.outside_imports:SYMBOL",
        lambda answer: len(answer.definitions),
        "symbol_success",
        workspace="federation.workspace_names:federated_symbol",
        summary="Show where a name is defined.",
        workspace_summary="Show where a workspace defines a name.",
    ),
    Operation(
        "references",
        ReferencesRequest,
        ReferencesResponse,
        "search.engine.outside_imports:REFERENCES",
        lambda answer: len(answer.references),
        "references_success",
        workspace="federation.workspace_names:federated_references",
        summary="Show where a name is used.",
        workspace_summary="Show where a workspace uses a name.",
    ),
    Operation(
        "expand",
        ExpandRequest,
        ExpandResponse,
        "search.navigation.named_places:EXPAND",
        lambda _: 1,
        "expand_success",
        workspace="federation.workspace_expand:federated_expand",
        summary="Show the code around a place.",
        workspace_summary="Show the code around a place of a workspace.",
    ),
    Operation(
        "outline",
        OutlineRequest,
        OutlineResponse,
        "search.navigation.outlining:OUTLINE",
        lambda answer: len(answer.outlines),
        "outline_success",
        summary="Show what files or folders define.",
    ),
    Operation(
        "tour",
        TourRequest,
        TourResponse,
        "search.tour.touring:TOUR",
        lambda answer: len(answer.sections),
        "tour_success",
        summary="Summarise a repository.",
    ),
    Operation(
        "pool",
        PoolRequest,
        PoolResponse,
        "search.engine.query_answers:POOL",
        lambda answer: len(answer.blended),
        inner="search",
    ),
    Operation(
        "term_stats",
        StatisticsRequest,
        RepoStatistics,
        "search.engine.query_answers:STATISTICS",
        inner="search",
    ),
    Operation("encode", EncodeRequest, EncodeResponse, "search.engine.query_answers:ENCODE"),
    Operation(
        "symbol_pool",
        SymbolPoolRequest,
        SymbolPool,
        "search.engine.name_pools:SYMBOL_POOL",
        lambda answer: len(answer.definitions),
        inner="asked",
    ),
    Operation(
        "references_pool",
        ReferencesPoolRequest,
        ReferencesPool,
        "search.engine.name_pools:REFERENCES_POOL",
        lambda answer: len(answer.references),
        inner="asked",
    ),
    Operation(
        "imports",
        ImportsRequest,
        ImportsResponse,
        "search.engine.outside_imports:IMPORTS",
    ),
)


def load_answerers() -> None:
    """Import the modules of all operations."""
    for operation in OPERATIONS:
        loaded(operation.answerer)


PUBLIC: Final = tuple(operation for operation in OPERATIONS if operation.is_public)

BY_NAME: Final = {operation.name: operation for operation in OPERATIONS}
BY_REQUEST: Final = {operation.request: operation for operation in OPERATIONS}


def operation_of(request: Request[R]) -> Operation[Any, R]:
    """Return the operation of a request."""
    return BY_REQUEST[type(request)]


def bounds_of(request: Request[R]) -> Any:  # noqa: ANN401 - a request of any operation
    """Return the part of a request that contains the timeout, and the scope if it exists."""
    inner = operation_of(request).inner
    return getattr(request, inner) if inner else request


def bounded(request: Request[R], **values: object) -> Any:  # noqa: ANN401 - as the request
    """Return a copy of a request with other values in the part that `bounds_of` returns."""
    inner = operation_of(request).inner
    part: Any = replace(bounds_of(request), **values)
    return replace(request, **{inner: part}) if inner else part


def has_scope(request: Request[R]) -> bool:
    """Return whether a path can restrict a request."""
    return hasattr(bounds_of(request), "scope")

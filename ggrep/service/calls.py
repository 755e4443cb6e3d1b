"""Queries to one repository: keyword options, the message to its daemon, the answer in process."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypedDict, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.stable_json import Json
from ggrep.config.profiles import applied
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.navigation import Boundary, ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.operations import BY_REQUEST, bounded, has_scope, operation_of
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import Backend, Find, Request, SearchRequest, SnippetMode
from ggrep.model.slate import SessionRequest, SlateRequest
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.wire.messages import QueryMessage, Search, message_of
from ggrep.service.answers import (
    Answer,
    ExpandAnswer,
    OutlineAnswer,
    ReferencesAnswer,
    SearchAnswer,
    SlateAnswer,
    SymbolAnswer,
    TourAnswer,
    as_answer,
)
from ggrep.service.call_requests import Options, check_names, request_of, scope_of

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

AnyPath: TypeAlias = str | os.PathLike[str]
Filters: TypeAlias = Sequence[Filter | str]
"""Written as on the command line: `lang:python`, `-path:tests/**`."""


class TimedOptions(TypedDict, total=False):
    """Options of every query.

    Attributes:
        deterministic: equal bytes for equal state; only an index answers.
        timeout_ms: end to end; 0, the default, for the configured bound.
    """

    deterministic: bool
    timeout_ms: int


class SymbolOptions(TimedOptions, total=False):
    """Options of `symbol`; see `SymbolRequest`.

    Attributes:
        path: only below this directory, or in this file.
        limit: most definitions, 20 by default; 0 for as many as may be.
        cursor: `next_cursor` of an answer, to go on behind it.
    """

    path: AnyPath
    filters: Filters
    limit: int
    cursor: str


class ReferencesOptions(SymbolOptions, total=False):
    """Options of `references`; see `ReferencesRequest`. `limit` is 100 by default."""

    strings: bool
    comments: bool


class TourOptions(TimedOptions, total=False):
    """Options of `tour`; see `TourRequest`."""

    max_bytes: int


class OutlineOptions(TourOptions, total=False):
    """Options of `outline`; see `OutlineRequest`."""

    depth: int


class ExpandOptions(TourOptions, total=False):
    """Options of `expand`; see `ExpandRequest`."""

    boundary: Boundary


class QueryOptions(TimedOptions, total=False):
    """Options of every search; see `SearchRequest`. Words stand for enum members."""

    mode: Mode | str
    corpora: Sequence[Corpus | str]
    filters: Filters
    find: Find | str
    vectors: bool
    backend: Backend | str
    keep_weak: bool


class HitOptions(QueryOptions, total=False):
    """Further options of a list of hits; `limit` is 10 by default, `per_file` 3."""

    limit: int
    per_file: int
    snippet: SnippetMode | str
    include_anchors: bool
    explain: bool
    ignore_case: bool
    whole_words: bool
    lines_before: int
    lines_after: int
    list_files: bool


class SearchOptions(HitOptions, total=False):
    """Options of `search`."""

    path: AnyPath


class ShapeOptions(TypedDict, total=False):
    """Options for the form of a slate; see `SlateRequest` and `Budgets`."""

    level: int
    anchors: bool
    graph: bool
    total_bytes: int
    file_bytes: int
    files: int
    evidence_per_file: int
    of_text: bool


class SlateOptions(QueryOptions, ShapeOptions, total=False):
    """Options of `slate`; `session` continues from earlier slates, see `SessionRequest`."""

    path: AnyPath
    session: SessionRequest


A = TypeVar("A", bound=Answer)
T = TypeVar("T")


class Method(Struct, Generic[A], frozen=True):
    """A method that queries one repository: its answer, its request and its keywords."""

    answer: type[A]
    request: type[Request[Any]]
    options: type

    def message(self, options: Options, **first: object) -> Callable[[DaemonAddress], QueryMessage]:
        """Return the function that makes the message under a repository's settings and profile.

        `first` are the positional arguments.
        """
        check_names(self.options, options, BY_REQUEST[self.request].name)
        request = request_of(self.request, options, **first)

        def message(address: DaemonAddress) -> QueryMessage:
            placed = _placed(request, options, address.identity.root)
            shaped = applied(placed, address.profile, frozenset(options))
            return message_of(shaped, address.hello.client_kind, address.budgets, values=True)

        return message


SEARCH: Final = Method(SearchAnswer, SearchRequest, SearchOptions)
SLATE: Final = Method(SlateAnswer, SlateRequest, SlateOptions)
SYMBOL: Final = Method(SymbolAnswer, SymbolRequest, SymbolOptions)
REFERENCES: Final = Method(ReferencesAnswer, ReferencesRequest, ReferencesOptions)
EXPAND: Final = Method(ExpandAnswer, ExpandRequest, ExpandOptions)
OUTLINE: Final = Method(OutlineAnswer, OutlineRequest, OutlineOptions)
TOUR: Final = Method(TourAnswer, TourRequest, TourOptions)


def _placed(request: Request[Any], options: Options, root: Path) -> Any:  # noqa: ANN401 - as it
    """Return a request whose places are path keys of a repository."""
    below = f"{root}/"
    if has_scope(request):
        path = options.get("path")
        return bounded(request, scope="" if path is None else scope_of(path, root))
    if isinstance(request, ExpandRequest):
        return replace(request, target=request.target.removeprefix(below))
    if isinstance(request, OutlineRequest):
        keys = ("" if each == str(root) else each.removeprefix(below) for each in request.targets)
        return replace(request, targets=tuple(keys))
    return request


def read_here(kind: type[T], engine: "Engine", message: QueryMessage, deadline: Deadline) -> T:
    """Return the answer of the index in this process; a search without one scans."""
    ask: Any = engine.search_or_scan if isinstance(message, Search) else engine.ask
    return as_answer(kind, ask(message.request, deadline))


def document_here(engine: "Engine", message: QueryMessage, deadline: Deadline) -> dict[str, Json]:
    """Return the same as the document of the answer's schema; errors as `read_here`."""
    from ggrep.render.answer_json import answer_json

    response = operation_of(message.request).response
    return answer_json(read_here(response, engine, message, deadline))

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


class CommonOptions(TypedDict, total=False):
    """Options of every query to one repository.

    Attributes:
        path: only below this directory, or in this file.
        deterministic: equal bytes for equal state; only an index answers.
        timeout_ms: end to end; 0, the default, for the configured bound.
    """

    path: AnyPath
    filters: Filters
    deterministic: bool
    timeout_ms: int


class SymbolOptions(CommonOptions, total=False):
    """Of `symbol`.

    Attributes:
        limit: most definitions, 20 by default; 0 for as many as may be.
        cursor: `next_cursor` of an answer, to go on behind it.
    """

    limit: int
    cursor: str


class ReferencesOptions(CommonOptions, total=False):
    """Of `references`.

    Attributes:
        limit: most places, 100 by default; 0 for as many as may be.
        strings: inside of strings too.
        comments: inside of comments and documents too.
        cursor: as of `symbol`.
    """

    limit: int
    strings: bool
    comments: bool
    cursor: str


class ExpandOptions(TypedDict, total=False):
    """Of `expand`; see `ExpandRequest`."""

    boundary: Boundary
    max_bytes: int
    deterministic: bool
    timeout_ms: int


class OutlineOptions(TypedDict, total=False):
    """Of `outline`; see `OutlineRequest`."""

    depth: int
    max_bytes: int
    deterministic: bool
    timeout_ms: int


class TourOptions(TypedDict, total=False):
    """Of `tour`; see `TourRequest`."""

    max_bytes: int
    deterministic: bool
    timeout_ms: int


class QueryOptions(TypedDict, total=False):
    """Options of every search; see `SearchRequest`. Words stand for enum members."""

    mode: Mode | str
    corpora: Sequence[Corpus | str]
    filters: Filters
    find: Find | str
    vectors: bool
    backend: Backend | str
    keep_weak: bool
    deterministic: bool
    timeout_ms: int


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
    """Of `search`."""

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
    """Of `slate`. `session`: to go on from earlier ones; see `SessionRequest`."""

    path: AnyPath
    session: SessionRequest


A = TypeVar("A", bound=Answer)
T = TypeVar("T")


class Call(Struct, Generic[A], frozen=True):
    """One request, in the forms for a daemon and for an index in this process.

    Attributes:
        kind: of its answer.
        message: returns what is asked, under a repository's settings and profile.
    """

    kind: type[A]
    message: Callable[[DaemonAddress], QueryMessage]


class Method(Struct, Generic[A], frozen=True):
    """A method that asks one repository.

    Attributes:
        answer: kind of its answer.
        options: declares its keywords.
    """

    answer: type[A]
    request: type[Request[Any]]
    options: type

    def call(self, given: Options, **first: object) -> Call[A]:
        """Return the call with these options and positional arguments.

        Raises:
            InvalidRequest: an option has no such value.
            TypeError: there is no such option.
        """
        check_names(self.options, given, BY_REQUEST[self.request].name)
        request = request_of(self.request, given, **first)

        def message(address: DaemonAddress) -> QueryMessage:
            placed = _placed(request, given, address.identity.root)
            asked = applied(placed, address.profile, frozenset(given))
            return message_of(asked, address.hello.client_kind, address.budgets, values=True)

        return Call(self.answer, message)


SEARCH: Final = Method(SearchAnswer, SearchRequest, SearchOptions)
SLATE: Final = Method(SlateAnswer, SlateRequest, SlateOptions)
SYMBOL: Final = Method(SymbolAnswer, SymbolRequest, SymbolOptions)
REFERENCES: Final = Method(ReferencesAnswer, ReferencesRequest, ReferencesOptions)
EXPAND: Final = Method(ExpandAnswer, ExpandRequest, ExpandOptions)
OUTLINE: Final = Method(OutlineAnswer, OutlineRequest, OutlineOptions)
TOUR: Final = Method(TourAnswer, TourRequest, TourOptions)


def _placed(request: Request[Any], given: Options, root: Path) -> Any:  # noqa: ANN401 - as it
    """Return a request whose places are path keys of a repository."""
    below = f"{root}/"
    if has_scope(request):
        path = given.get("path")
        return bounded(request, scope="" if path is None else scope_of(path, root))
    if isinstance(request, ExpandRequest):
        return replace(request, target=request.target.removeprefix(below))
    if isinstance(request, OutlineRequest):
        keys = ("" if each == str(root) else each.removeprefix(below) for each in request.targets)
        return replace(request, targets=tuple(keys))
    return request


def read_here(kind: type[T], engine: "Engine", message: QueryMessage, deadline: Deadline) -> T:
    """Return the answer of the index in this process; a search without one scans.

    Raises:
        NoIndex, IndexDamaged: only an index can answer, and none can.
        GgrepError: as the engine says.
    """
    ask: Any = engine.search_or_scan if isinstance(message, Search) else engine.ask
    return as_answer(kind, ask(message.request, deadline))


def document_here(engine: "Engine", message: QueryMessage, deadline: Deadline) -> dict[str, Json]:
    """Return the same as the document of the answer's schema; errors as `read_here`."""
    from ggrep.render.answer_json import answer_json

    response = operation_of(message.request).response
    return answer_json(read_here(response, engine, message, deadline))

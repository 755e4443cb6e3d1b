"""Queries to one repository: the message to its daemon, and the answer of the index in process."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.deadline import Deadline
from ggrep.base.stable_json import Json
from ggrep.config.profiles import apply_to_request, apply_to_slate
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.wire.message_types import (
    Expand,
    Navigation,
    Outline,
    Question,
    References,
    Search,
    Slate,
    Symbol,
    Tour,
)
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
from ggrep.service.call_options import (
    ExpandOptions,
    OutlineOptions,
    ReferencesOptions,
    SearchOptions,
    SlateOptions,
    SymbolOptions,
    TourOptions,
)
from ggrep.service.call_requests import (
    Options,
    check_names,
    expand_request,
    outline_request,
    references_request,
    scope_of,
    search_request,
    slate_request,
    symbol_request,
    tour_request,
)

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

A = TypeVar("A", bound=Answer)


class Call(Struct, Generic[A], frozen=True):
    """One request, in the forms for a daemon and for an index in this process.

    Attributes:
        kind: of its answer.
        message: returns what is asked, under a repository's settings and profile.
    """

    kind: type[A]
    message: Callable[[DaemonAddress], Question]


def search_call(query: str, given: Options) -> Call[SearchAnswer]:
    """Return the call for a list of hits.

    Raises:
        InvalidRequest: an option has no such value.
        TypeError: there is no such option; so of the functions below.
    """
    check_names(SearchOptions, given, "search")
    request = search_request(query, given)

    def message(address: DaemonAddress) -> Question:
        scoped = _scoped(request, given, address)
        asked = apply_to_request(scoped, frozenset(given), address.profile)
        return Search(asked, address.budgets, address.hello.client_kind, values=True)

    return Call(SearchAnswer, message)


def slate_call(query: str, given: Options) -> Call[SlateAnswer]:
    """Return the call for a slate."""
    check_names(SlateOptions, given, "slate")
    request = slate_request(query, given)

    def message(address: DaemonAddress) -> Question:
        scoped = replace(request, search=_scoped(request.search, given, address))
        asked = apply_to_slate(scoped, frozenset(given), address.profile)
        return Slate(asked, address.hello.client_kind, values=True)

    return Call(SlateAnswer, message)


def symbol_call(name: str, given: Options) -> Call[SymbolAnswer]:
    """Return the call for the definitions of a name."""
    check_names(SymbolOptions, given, "symbol")
    request = symbol_request(name, given)

    def message(address: DaemonAddress) -> Question:
        asked = replace(request, scope=_scope(given, address))
        return Symbol(asked, address.hello.client_kind, values=True)

    return Call(SymbolAnswer, message)


def references_call(name: str, given: Options) -> Call[ReferencesAnswer]:
    """Return the call for the usages of a name."""
    check_names(ReferencesOptions, given, "references")
    request = references_request(name, given)

    def message(address: DaemonAddress) -> Question:
        asked = replace(request, scope=_scope(given, address))
        return References(asked, address.hello.client_kind, values=True)

    return Call(ReferencesAnswer, message)


def expand_call(target: str, given: Options) -> Call[ExpandAnswer]:
    """Return the call for the code around a place."""
    check_names(ExpandOptions, given, "expand")
    request = expand_request(target, given)

    def message(address: DaemonAddress) -> Question:
        below = f"{address.identity.root}/"
        asked = replace(request, target=request.target.removeprefix(below))
        return Expand(asked, address.hello.client_kind, values=True)

    return Call(ExpandAnswer, message)


def outline_call(targets: tuple[str, ...], given: Options) -> Call[OutlineAnswer]:
    """Return the call for what files and folders define."""
    check_names(OutlineOptions, given, "outline")
    request = outline_request(targets or ("",), given)

    def message(address: DaemonAddress) -> Question:
        root = str(address.identity.root)
        keys = tuple(
            "" if target == root else target.removeprefix(f"{root}/") for target in request.targets
        )
        return Outline(replace(request, targets=keys), address.hello.client_kind, values=True)

    return Call(OutlineAnswer, message)


def tour_call(given: Options) -> Call[TourAnswer]:
    """Return the call for what a repository is."""
    check_names(TourOptions, given, "tour")
    request = tour_request(given)
    return Call(TourAnswer, lambda address: Tour(request, address.hello.client_kind, values=True))


def read_here(kind: type[A], engine: "Engine", message: Question, deadline: Deadline) -> A:
    """Return the answer of the index in this process; a search without one scans.

    Raises:
        NoIndex, IndexDamaged: only an index can answer, and none can.
        GgrepError: as the engine says.
    """
    found: Any
    match message:
        case Search(request=request):
            found = engine.search_or_scan(request, deadline)
        case _:
            found = _navigated(engine, message, deadline)
    return as_answer(kind, found)


def document_here(engine: "Engine", message: Question, deadline: Deadline) -> dict[str, Json]:
    """Return the same as the document of the answer's schema; errors as `read_here`."""
    answer: Answer = read_here(_KINDS[type(message)], engine, message, deadline)
    return cast("dict[str, Json]", answer.to_dict())


_KINDS: Final[Mapping[type[Question], type[Answer]]] = {
    Search: SearchAnswer,
    Slate: SlateAnswer,
    Symbol: SymbolAnswer,
    References: ReferencesAnswer,
    Expand: ExpandAnswer,
    Outline: OutlineAnswer,
    Tour: TourAnswer,
}


def _navigated(engine: "Engine", message: Navigation, deadline: Deadline) -> object:
    found: object
    match message:
        case Slate(request=slate):
            found = engine.slate(slate, deadline)
        case Symbol(request=symbol):
            found = engine.symbol(symbol, deadline)
        case References(request=references):
            found = engine.references(references, deadline)
        case Expand(request=expand):
            found = engine.expand(expand, deadline)
        case Outline(request=outline):
            found = engine.outline(outline, deadline)
        case Tour(request=tour):
            found = engine.tour(tour, deadline)
    return found


def _scoped(request: SearchRequest, given: Options, address: DaemonAddress) -> SearchRequest:
    return replace(request, scope=_scope(given, address))


def _scope(given: Options, address: DaemonAddress) -> str:
    path = given.get("path")
    return "" if path is None else scope_of(path, address.identity.root)

"""Queries to one repository: the message to its daemon, and the answer of the index in process."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.deadline import Deadline
from ggrep.base.stable_json import Json
from ggrep.config.profiles import applied
from ggrep.model.answerable import Request
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.operations import BY_REQUEST, bounded, has_scope, loaded, operation_of
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.wire.message_types import Question, Search, message_of
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
from ggrep.service.call_requests import Options, check_names, request_of, scope_of

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

A = TypeVar("A", bound=Answer)
T = TypeVar("T")


class Call(Struct, Generic[A], frozen=True):
    """One request, in the forms for a daemon and for an index in this process.

    Attributes:
        kind: of its answer.
        message: returns what is asked, under a repository's settings and profile.
    """

    kind: type[A]
    message: Callable[[DaemonAddress], Question]


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

        def message(address: DaemonAddress) -> Question:
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


def read_here(kind: type[T], engine: "Engine", message: Question, deadline: Deadline) -> T:
    """Return the answer of the index in this process; a search without one scans.

    Raises:
        NoIndex, IndexDamaged: only an index can answer, and none can.
        GgrepError: as the engine says.
    """
    ask: Any = engine.search_or_scan if isinstance(message, Search) else engine.ask
    return as_answer(kind, ask(message.request, deadline))


def document_here(engine: "Engine", message: Question, deadline: Deadline) -> dict[str, Json]:
    """Return the same as the document of the answer's schema; errors as `read_here`."""
    operation = operation_of(message.request)
    answer = read_here(operation.response, engine, message, deadline)
    document: dict[str, Json] = loaded(operation.document)(answer)
    return document

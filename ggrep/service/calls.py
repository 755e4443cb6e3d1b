"""Queries to a repository: converts keyword options to requests; answers them in this process.

Words become members of enums, lists become tuples, and types are checked.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    TypeAlias,
    TypedDict,
    TypeVar,
    get_type_hints,
)

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import DecodeError, Json, decode
from ggrep.config.profiles import applied
from ggrep.model.corpus import CORPUS_WORDS, Corpus, Mode
from ggrep.model.filters import Filter, parse_filter
from ggrep.model.navigation import Boundary, ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.operations import BY_REQUEST, bounded, has_scope, operation_of
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import (
    Backend,
    Find,
    Request,
    SearchRequest,
    SnippetMode,
    with_exact_defaults,
)
from ggrep.model.slate import Budgets, SessionRequest, SlateRequest
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.wire.messages import QueryMessage, Search, message_of
from ggrep.service import answers
from ggrep.service.answers import Answer, as_answer

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

AnyPath: TypeAlias = str | os.PathLike[str]
Filters: TypeAlias = Sequence[Filter | str]
"""Filters, written as on the command line: `lang:python`, `-path:tests/**`."""


class TimedOptions(TypedDict, total=False):
    """Options of every query.

    Attributes:
        deterministic: return equal bytes for equal state; requires an index.
        timeout_ms: timeout of the whole call; 0, the default, for the configured timeout.
    """

    deterministic: bool
    timeout_ms: int


class SymbolOptions(TimedOptions, total=False):
    """Options of `symbol`; see `SymbolRequest`.

    Attributes:
        path: directory or file to search.
        limit: maximum number of definitions, 20 by default; 0 for as many as allowed.
        cursor: `next_cursor` of an answer, to get the next page.
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
    focus: str
    tests: bool


class QueryOptions(TimedOptions, total=False):
    """Options of every search; see `SearchRequest`. Enum members can be given as words."""

    mode: Mode | str
    corpora: Sequence[Corpus | str]
    filters: Filters
    find: Find | str
    vectors: bool
    backend: Backend | str
    keep_weak: bool


class HitOptions(QueryOptions, total=False):
    """Further options of a list of hits; the default of `limit` is 10, of `per_file` 3."""

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
    """Options of `slate`; `session` continues earlier slates, see `SessionRequest`."""

    path: AnyPath
    session: SessionRequest


A = TypeVar("A", bound=Answer)
T = TypeVar("T")
Q = TypeVar("Q", bound=Request[Any])
Options = Mapping[str, Any]

_LEAST: Final = {"limit": 1}
"""Minimum values of options; the minimum of all other numbers is 0."""

_SHAPE: Final = ("level", "anchors", "graph")


def check_names(allowed: type, options: Options, function: str) -> None:
    """Raise unless every option is a parameter of the function."""
    for name in options:
        if name not in allowed.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


def search_request(query: str, options: Options) -> SearchRequest:
    """Return the search request for keyword options; `path` is not included."""
    values = {"timeout_ms": 0, **fields_of(SearchRequest, options), "query": query}
    request = with_exact_defaults(made_of(SearchRequest, values), options)
    if not request.query.strip():
        raise InvalidRequest("query: must not be empty")
    return request


def slate_request(query: str, options: Options) -> SlateRequest:
    """Return the slate request for keyword options, without `path`; raises as `search_request`."""
    shape = {name: options[name] for name in _SHAPE if name in options}
    made = made_of(SlateRequest, {"search": {"query": query}, **shape})
    return replace(
        made,
        search=search_request(query, options),
        budgets=made_of(Budgets, fields_of(Budgets, options)),
        session=options.get("session"),
    )


def request_of(kind: type[Q], options: Options, **first: object) -> Q:
    """Return a request of type `kind`; `first` contains the positional arguments."""
    made: Any = {SearchRequest: search_request, SlateRequest: slate_request}
    make = made.get(kind)
    if make is None:
        return made_of(kind, {**fields_of(kind, options), **first}, zeros={"limit"})
    request: Q = make(options=options, **first)
    return request


def scope_of(path: object, root: Path) -> str:
    """Return the path key of a directory or file; empty for the root.

    Raises:
        InvalidRequest: the path is outside of the root.
    """
    given = Path(os.fspath(path))  # type: ignore[call-overload] # not a path: TypeError
    here = Path(os.path.normpath(root / given))
    for candidate in (here, here.resolve()):
        if candidate.is_relative_to(root):
            below = candidate.relative_to(root)
            return "" if below == Path() else below.as_posix()
    raise InvalidRequest(f"path: {given} is outside the repository {root}")


def fields_of(kind: type[Struct], options: Options) -> dict[str, Any]:
    """Return the options that are fields of `kind`."""
    return {name: value for name, value in options.items() if name in kind.__struct_fields__}


def made_of(kind: type[T], values: Options, *, zeros: Collection[str] = ()) -> T:
    """Return a request of type `kind`; options named in `zeros` may be 0."""
    hints = get_type_hints(kind)
    for name, value in values.items():
        least = 0 if name in zeros else _LEAST.get(name, 0)
        if isinstance(value, int) and not isinstance(value, bool) and value < least:
            raise InvalidRequest(f"{name}: must be {least} or more, is {value}")
    spelled = {name: _spelled(name, value, hints[name]) for name, value in values.items()}
    try:
        return decode(kind, spelled, "")
    except DecodeError as error:
        raise InvalidRequest(str(error).removeprefix(".")) from error


def _spelled(name: str, value: object, kind: object) -> object:
    """Return the JSON form of an option's value; raise if an enum has no such word."""
    if name == "filters":
        return [_filter_json(each) for each in _listed(name, value)]
    if name == "corpora":
        words = {word: corpus.value for word, corpus in CORPUS_WORDS.items()}
        known = {corpus.value for corpus in CORPUS_WORDS.values()}
        plain = [_plain(each) for each in _listed(name, value)]
        for word in plain:
            if word not in known and word not in words:
                raise InvalidRequest(
                    f"{name}: unknown value {word!r}; use one or more of {', '.join(words)}"
                )
        return [words.get(str(word), word) for word in plain]
    if isinstance(kind, type) and issubclass(kind, Enum):
        word = _plain(value)
        known_words = [str(member.value) for member in kind]
        if word not in known_words:
            raise InvalidRequest(
                f"{name}: unknown value {word!r}; use one of {', '.join(known_words)}"
            )
        return word
    if isinstance(value, (tuple, set, frozenset, list)):
        return [_plain(each) for each in value]
    return _plain(value)


def _listed(name: str, value: object) -> list[Any]:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise InvalidRequest(f"{name}: expected a list, found {type(value).__name__}")
    return list(value)


def _filter_json(value: object) -> dict[str, object]:
    if isinstance(value, str):
        try:
            value = parse_filter(value)
        except InvalidRequest as error:
            raise InvalidRequest(f"filters: {error}") from error
    if not isinstance(value, Filter):
        raise InvalidRequest(f"filters: expected a str or a Filter, found {type(value).__name__}")
    return {"key": value.key, "value": value.value, "negated": value.negated}


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


class Method(Struct, Generic[A], frozen=True):
    """A query method: the types of its answer, request and keyword options."""

    answer: type[A]
    request: type[Request[Any]]
    options: type

    def message(self, options: Options, **first: object) -> Callable[[DaemonAddress], QueryMessage]:
        """Return a function that builds the message to the daemon at an address.

        `first` contains the positional arguments.
        """
        check_names(self.options, options, BY_REQUEST[self.request].name)
        request = request_of(self.request, options, **first)

        def message(address: DaemonAddress) -> QueryMessage:
            placed = _placed(request, options, address.identity.root)
            shaped = applied(placed, address.profile, frozenset(options))
            return message_of(shaped, address.hello.client_kind, address.budgets, values=True)

        return message


SEARCH: Final = Method(answers.SearchAnswer, SearchRequest, SearchOptions)
SLATE: Final = Method(answers.SlateAnswer, SlateRequest, SlateOptions)
SYMBOL: Final = Method(answers.SymbolAnswer, SymbolRequest, SymbolOptions)
REFERENCES: Final = Method(answers.ReferencesAnswer, ReferencesRequest, ReferencesOptions)
EXPAND: Final = Method(answers.ExpandAnswer, ExpandRequest, ExpandOptions)
OUTLINE: Final = Method(answers.OutlineAnswer, OutlineRequest, OutlineOptions)
TOUR: Final = Method(answers.TourAnswer, TourRequest, TourOptions)


def _placed(request: Request[Any], options: Options, root: Path) -> Any:  # noqa: ANN401 - as it
    """Return a request whose paths are converted to path keys of the repository."""
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
    """Return the answer from the index in this process; without an index, scan the files."""
    ask: Any = engine.search_or_scan if isinstance(message, Search) else engine.ask
    return as_answer(kind, ask(message.request, deadline))


def document_here(engine: "Engine", message: QueryMessage, deadline: Deadline) -> dict[str, Json]:
    """Return the JSON document of the answer of `read_here`."""
    from ggrep.render.answer_json import answer_json

    response = operation_of(message.request).response
    return answer_json(read_here(response, engine, message, deadline))

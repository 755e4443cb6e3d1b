"""Builds domain requests from options: words become members, lists tuples, types are checked."""

import os
from collections.abc import Collection, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final, TypeVar, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.corpus import CORPUS_WORDS
from ggrep.model.filters import Filter, parse_filter
from ggrep.model.request import Request, SearchRequest, with_exact_defaults
from ggrep.model.slate import Budgets, SlateRequest

Q = TypeVar("Q", bound=Request[Any])
T = TypeVar("T")
Options = Mapping[str, Any]

_LEAST: Final = {"limit": 1}
"""Least value of a number; of others it is 0."""

_SHAPE: Final = ("level", "anchors", "graph")


def check_names(allowed: type, options: Options, function: str) -> None:
    """Raise unless every option is a parameter of the function."""
    for name in options:
        if name not in allowed.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


def search_request(query: str, options: Options) -> SearchRequest:
    """Return a query over one repository, without `path`."""
    values = {"timeout_ms": 0, **fields_of(SearchRequest, options), "query": query}
    request = with_exact_defaults(made_of(SearchRequest, values), options)
    if not request.query.strip():
        raise InvalidRequest("query: it is empty")
    return request


def slate_request(query: str, options: Options) -> SlateRequest:
    """Return the request for a slate, without `path`; errors as `search_request`."""
    shape = {name: options[name] for name in _SHAPE if name in options}
    made = made_of(SlateRequest, {"search": {"query": query}, **shape})
    return replace(
        made,
        search=search_request(query, options),
        budgets=made_of(Budgets, fields_of(Budgets, options)),
        session=options.get("session"),
    )


def request_of(kind: type[Q], options: Options, **first: object) -> Q:
    """Return the request of that kind; `first` are the positional arguments."""
    made: Any = {SearchRequest: search_request, SlateRequest: slate_request}
    make = made.get(kind)
    if make is None:
        return made_of(kind, {**fields_of(kind, options), **first}, zeros={"limit"})
    request: Q = make(options=options, **first)
    return request


def scope_of(path: object, root: Path) -> str:
    """Return the path key of a directory or file; empty for the whole root.

    Raises:
        InvalidRequest: it lies outside.
    """
    given = Path(os.fspath(path))  # type: ignore[call-overload] # what is no path raises TypeError
    here = Path(os.path.normpath(root / given))
    for candidate in (here, here.resolve()):
        if candidate.is_relative_to(root):
            below = candidate.relative_to(root)
            return "" if below == Path() else below.as_posix()
    raise InvalidRequest(f"path: {given} lies outside of {root}")


def fields_of(kind: type[Struct], options: Options) -> dict[str, Any]:
    """Return the options that are fields of the request."""
    return {name: value for name, value in options.items() if name in kind.__struct_fields__}


def made_of(kind: type[T], values: Options, *, zeros: Collection[str] = ()) -> T:
    """Return a request of that kind; numbers in `zeros` may be 0 whatever else holds."""
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
    """Return a value in its JSON form; a word must be one of the allowed words."""
    if name == "filters":
        return [_filter_json(each) for each in _listed(name, value)]
    if name == "corpora":
        words = {word: corpus.value for word, corpus in CORPUS_WORDS.items()}
        known = {corpus.value for corpus in CORPUS_WORDS.values()}
        plain = [_plain(each) for each in _listed(name, value)]
        for word in plain:
            if word not in known and word not in words:
                raise InvalidRequest(f"{name}: unknown {word!r}; use some of {', '.join(words)}")
        return [words.get(str(word), word) for word in plain]
    if isinstance(kind, type) and issubclass(kind, Enum):
        word = _plain(value)
        known_words = [str(member.value) for member in kind]
        if word not in known_words:
            raise InvalidRequest(f"{name}: unknown {word!r}; use one of {', '.join(known_words)}")
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
        raise InvalidRequest(f"filters: expected str or Filter, found {type(value).__name__}")
    return {"key": value.key, "value": value.value, "negated": value.negated}


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value

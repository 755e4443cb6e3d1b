"""Canonical bytes: equal values give equal bytes, in whatever order they were built."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import orjson
from msgspec import Struct, to_builtins

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
Document: TypeAlias = Mapping[str, object]
"""A document of a declared shape (`ggrep.model.schemas`), which type checkers know to be JSON."""


def dumps(value: Json | Document | Sequence[Document]) -> bytes:
    """Return `value` as UTF-8 JSON: keys sorted, no white space, non-ASCII as it is.

    A Struct is the object of its fields.

    Raises:
        TypeError: `value` holds what JSON cannot say, or a string with a lone surrogate.
    """
    return orjson.dumps(value, _object, orjson.OPT_SORT_KEYS)


def dumps_pretty(value: Json | Document) -> bytes:
    """Return `value` as indented UTF-8 JSON with sorted keys and a final newline."""
    return orjson.dumps(
        value, _object, orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    )


def plain(value: object) -> Any:  # noqa: ANN401 - JSON is whatever it is
    """Return a value of Structs, tuples and texts as objects, lists and texts."""
    return orjson.loads(orjson.dumps(value, _object))


def loads(data: bytes | str) -> Any:  # noqa: ANN401 - JSON is whatever it is
    """Return the value that `data` spells.

    Raises:
        ValueError: `data` is not JSON.
    """
    return orjson.loads(data)


def _object(value: object) -> Any:  # noqa: ANN401 - the object of a Struct
    if isinstance(value, Struct):
        return to_builtins(value)
    raise TypeError(f"no JSON for a {type(value).__name__}")

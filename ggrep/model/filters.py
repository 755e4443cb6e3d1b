"""Filters and paths that restrict a request: syntax, and notices about filters without a match."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Final

from msgspec import Struct

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.base.option_spelling import unknown
from ggrep.model.constraints import named
from ggrep.model.corpus import CORPUS_WORDS
from ggrep.model.field_meta import MOST_PATH_BYTES, WireBounds
from ggrep.model.files import CHUNK_TYPES
from ggrep.model.limits import Notice
from ggrep.model.sanitise import sanitise_line


@named("receipt_filter")
class Filter(Struct, frozen=True):
    """A restriction of a request, such as `lang:go` or `-path:docs`."""

    key: Annotated[str, WireBounds(64)]
    """Property that the filter compares, such as `lang` or `path`."""
    value: Annotated[str, WireBounds(MOST_PATH_BYTES)]
    """Value that the property is compared with."""
    negated: bool = False
    """Whether hits must not match."""


FILTER_KEYS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "lang": (),
        "path": (),
        "kind": CHUNK_TYPES,
        "ext": (),
        "corpus": tuple(CORPUS_WORDS),
        "test": ("true", "false"),
    }
)
"""The keys in the order of help texts, with the allowed values of each key; empty for any."""

_NAMED: Final = ", ".join(sorted(FILTER_KEYS))


def parse_filter(text: str) -> Filter:
    """Return the filter in a text `key:value`; a leading `-` or `!` negates it.

    Raises:
        InvalidRequest: the text has no colon.
    """
    negated = text.startswith(("-", "!"))
    key, separator, value = text[negated:].partition(":")
    if not separator:
        raise InvalidRequest(f"{text!r} must have the form key:value")
    return Filter(key.strip(), value.strip(), negated)


def check_filters(filters: Iterable[Filter]) -> None:
    """Check that every filter is valid.

    Raises:
        UsageError: a filter is invalid; the message names the allowed values and a similar value.
    """
    for item in filters:
        if item.key not in FILTER_KEYS:
            raise UsageError(unknown("filter", item.key, sorted(FILTER_KEYS), what="key"))
        if not item.value:
            raise UsageError(f"filter: {item.key}: requires a value")
        words = FILTER_KEYS[item.key]
        value = item.value.casefold() if item.key == "kind" else item.value
        if words and value not in words:
            raise UsageError(unknown(f"filter: {item.key}", item.value, words))


def parse_view_filter(text: str, where: str) -> Filter:
    """Return a filter of a profile; error messages start with `where`, the filter's file and key.

    Raises:
        InvalidRequest: the text is not a filter.
    """
    try:
        item = parse_filter(text)
    except InvalidRequest:
        item = Filter("", "")
    if item.key not in FILTER_KEYS or not item.value:
        raise InvalidRequest(f"{where}: {text!r} must be key:value, with a key of {_NAMED}")
    return item


def named_filters(*left_out: str) -> str:
    """Return the keys of filters, for help texts: `lang:, path: or test:`."""
    *first, last = [f"{key}:" for key in FILTER_KEYS if key not in left_out]
    return f"{', '.join(first)} or {last}"


_BETWEEN: Final = "\0"
"""Separator of path keys: a character that paths cannot contain."""


def scope_of_keys(keys: Iterable[str]) -> str:
    """Return path keys joined into a scope; empty if a key is the whole root."""
    unique = list(dict.fromkeys(keys))
    return "" if "" in unique else _BETWEEN.join(unique)


def keys_of_scope(scope: str) -> tuple[str, ...]:
    """Return the path keys of a scope; empty for the whole root."""
    return tuple(scope.split(_BETWEEN)) if scope else ()


def place_in_scope(path: str, keys: Sequence[str]) -> int:
    """Return the index of the first key that contains a path; `len(keys)` if no key contains it."""
    return next((place for place, key in enumerate(keys) if is_below(path, key)), len(keys))


def is_below(path: str, key: str) -> bool:
    """Return whether a path is `key` or inside the directory `key`."""
    return path == key or path.startswith(f"{key}/")


def matched_by_any(selects: Collection[tuple[bool, ...]]) -> tuple[bool, ...]:
    """Return, for each filter, whether it matches in any store; empty if not all stores checked."""
    return tuple(map(any, zip(*selects, strict=False))) if selects and all(selects) else ()


def unmatched_notices(
    selects: tuple[bool, ...], scope: str, filters: tuple[Filter, ...]
) -> tuple[Notice, ...]:
    """Return a notice about filters or paths without a match; empty if all match.

    `selects` contains, for each filter, for the scope and for all together, whether any indexed
    file matches; it is empty if that was not checked.
    """
    if not selects or all(selects):
        return ()
    every = [*map(_spelled, filters), ", ".join(keys_of_scope(scope))]
    empty = [item for item, matches in zip(every, selects, strict=False) if item and not matches]
    names = ", ".join(empty) or f"all of {', '.join(filter(None, every))}"
    hints = [_hint(item) for item in filters if _spelled(item) in empty]
    message = f"no indexed file matches {names}{next(filter(None, hints), '')}"
    return (Notice("nothing_selected", sanitise_line(message)),)


def _hint(item: Filter) -> str:
    """Return advice about a filter without a match; empty if there is no advice."""
    if item.negated:
        return ""
    if item.key == "ext":
        return f"; to index such files, add the line !*.{item.value} to .ggignore"
    if item.key == "path" and not set(item.value) & set("*?["):
        return f"; path: must be a file, a folder or a glob, such as path:{item.value}*"
    return ""


def _spelled(item: Filter) -> str:
    return f"{'-' if item.negated else ''}{item.key}:{item.value}"

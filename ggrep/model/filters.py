"""Filters that narrow a search: their names, syntax and values."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Final

from msgspec import Struct

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.base.spelling import unknown
from ggrep.model.chunk import CHUNK_TYPES
from ggrep.model.corpus import CORPUS_WORDS
from ggrep.model.says import MOST_PATH_BYTES, Sent


class Filter(Struct, frozen=True):
    """One `key:value`, which narrows the answer without reindexing.

    Attributes:
        key: one of `FILTER_KEYS`.
        negated: written with a leading `-` or `!`.
    """

    key: Annotated[str, Sent(64)]
    value: Annotated[str, Sent(MOST_PATH_BYTES)]
    negated: bool = False


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
"""The keys, in the order that help texts have them, and the values of each; empty for any."""

_NAMED: Final = ", ".join(sorted(FILTER_KEYS))


def parse_filter(text: str) -> Filter:
    """Return the filter that `key:value` means; a leading `-` or `!` negates it.

    Raises:
        InvalidRequest: there is no colon in it; the message quotes the text.
    """
    negated = text.startswith(("-", "!"))
    key, separator, value = text[negated:].partition(":")
    if not separator:
        raise InvalidRequest(f"{text!r} is not key:value")
    return Filter(key.strip(), value.strip(), negated)


def check_filters(filters: Iterable[Filter]) -> None:
    """Do nothing when every filter can be applied.

    Raises:
        UsageError: names the filter, what is possible, and what was meant where that is near.
    """
    for item in filters:
        if item.key not in FILTER_KEYS:
            raise UsageError(unknown("filter", item.key, sorted(FILTER_KEYS), what="key"))
        if not item.value:
            raise UsageError(f"filter: {item.key}: needs a value")
        words = FILTER_KEYS[item.key]
        value = item.value.casefold() if item.key == "kind" else item.value
        if words and value not in words:
            raise UsageError(unknown(f"filter: {item.key}", item.value, words))


def parse_view_filter(text: str, where: str) -> Filter:
    """Return the filter of a profile's view that `key:value` means.

    Args:
        text: as written.
        where: file and key, for the message.

    Raises:
        InvalidRequest: it is none.
    """
    try:
        found = parse_filter(text)
    except InvalidRequest:
        found = Filter("", "")
    if found.key not in FILTER_KEYS or not found.value:
        raise InvalidRequest(f"{where}: {text!r} is not key:value with one of {_NAMED}")
    return found


def keys_told(*left_out: str) -> str:
    """Return the keys as help texts have them: `lang:, path: or test:`."""
    *first, last = [f"{key}:" for key in FILTER_KEYS if key not in left_out]
    return f"{', '.join(first)} or {last}"

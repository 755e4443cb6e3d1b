"""Requests of the domain from the wire: decoded, and every figure and string within bounds."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from ggrep.config.caps import MAX_CANDIDATES, MAX_QUERY_TIMEOUT_MS
from ggrep.domain.filters import Filter
from ggrep.domain.ids import parse_snapshot_id
from ggrep.domain.request import EncodedQuery, PoolRequest, SearchRequest
from ggrep.domain.slate import SlateRequest
from ggrep.domain.statistics import CollectionStatistics
from ggrep.errors import InvalidRequest
from ggrep.wire.codec import from_json
from ggrep.wire.fields import bounded, misfit, shown, text_bytes

MAX_QUERY_BYTES: Final = 64 * 1024
"""Longest query, in UTF-8."""

MAX_PATH_BYTES: Final = 4096
"""Longest path that the kernel takes."""

MOST_HITS: Final = 2**31 - 1
"""Largest number of anything that may be asked for; what it comes to is judged elsewhere."""

_MOST_COUNT: Final = 2**53
_MOST_FILTER_KEY: Final = 64
_MOST_LAYOUT: Final = 128
_MOST_VALUE: Final = 127

_MOST_FILTERS: Final = 256

NARROWING_SIZES: Final = MappingProxyType({"filters": _MOST_FILTERS})
_SEARCH_SIZES: Final = MappingProxyType(
    {"filters": _MOST_FILTERS, "within": 8 * _MOST_FILTERS, "corpora": 16}
)
_STATISTICS_SIZES: Final = MappingProxyType({"lengths": 64, "terms": 1024})
_VECTOR_SIZES: Final = MappingProxyType({"values": 4096})
"""Most items of arrays, which are counted before anything is made of them."""


def parse_search_request(value: object, place: str) -> SearchRequest:
    """Return a query; what its figures mean is judged where it is answered.

    Raises:
        InvalidRequest: it does not fit, or a field is out of bounds.
    """
    check_sizes(value, place, _SEARCH_SIZES)
    request = from_json(SearchRequest, value, place)
    _check_search(request, place)
    return request


def parse_pool_request(value: object, place: str) -> PoolRequest:
    """Return a request for ranked lists.

    Raises:
        InvalidRequest: it does not fit, a field is out of bounds, or its statistics say more of
            a term than of the whole collection.
    """
    check_scored_sizes(value, place)
    request = from_json(PoolRequest, value, place)
    bounded(request.per_list, 1, MAX_CANDIDATES, f"{place}.per_list")
    check_scored(request, place)
    return request


def check_scored_sizes(value: object, place: str) -> None:
    """Do nothing when no array of a scored request is too long, before anything is made of it.

    Raises:
        InvalidRequest: one is.
    """
    if isinstance(value, Mapping):
        check_sizes(value.get("search"), f"{place}.search", _SEARCH_SIZES)
        check_sizes(value.get("statistics"), f"{place}.statistics", _STATISTICS_SIZES)
        check_sizes(value.get("vector"), f"{place}.vector", _VECTOR_SIZES)


def check_scored(request: PoolRequest | SlateRequest, place: str) -> None:
    """Do nothing when the query, and what it is to be scored against, are within bounds.

    Raises:
        InvalidRequest: a field is not.
    """
    _check_search(request.search, f"{place}.search")
    if request.snapshot_id is not None:
        check_bytes(request.snapshot_id, 26, f"{place}.snapshot_id")
        parse_snapshot_id(request.snapshot_id)
    if request.statistics is not None:
        _check_statistics(request.statistics, f"{place}.statistics")
    if request.vector is not None:
        _check_vector(request.vector, f"{place}.vector")


def check_narrowing(scope: str, filters: Sequence[Filter], place: str) -> None:
    """Do nothing when scope and filters are within bounds.

    Raises:
        InvalidRequest: one is not.
    """
    check_bytes(scope, MAX_PATH_BYTES, f"{place}.scope")
    for index, entry in enumerate(filters):
        check_bytes(entry.key, _MOST_FILTER_KEY, f"{place}.filters[{index}].key")
        check_bytes(entry.value, MAX_PATH_BYTES, f"{place}.filters[{index}].value")


def _check_search(request: SearchRequest, place: str) -> None:
    check_bytes(request.query, MAX_QUERY_BYTES, f"{place}.query")
    bounded(request.limit, 0, MOST_HITS, f"{place}.limit")
    bounded(request.per_file, 0, MOST_HITS, f"{place}.per_file")
    bounded(request.timeout_ms, 0, MAX_QUERY_TIMEOUT_MS, f"{place}.timeout_ms")
    check_narrowing(request.scope, (*request.filters, *request.within), place)


def _check_statistics(statistics: CollectionStatistics, place: str) -> None:
    check_bytes(statistics.layout, _MOST_LAYOUT, f"{place}.layout")
    for name, figure, most in _figures(statistics):
        bounded(figure, 0, most, f"{place}.{name}")


def _figures(statistics: CollectionStatistics) -> Iterator[tuple[str, int, int]]:
    """Yield each figure's name, itself and the most it can be."""
    yield "chunks", statistics.chunks, _MOST_COUNT
    yield "files", statistics.files, _MOST_COUNT
    for index, length in enumerate(statistics.lengths):
        yield f"lengths[{index}]", length, _MOST_COUNT
    for index, entry in enumerate(statistics.terms):
        text_bytes(entry.term, f"terms[{index}].term")
        yield f"terms[{index}].chunks", entry.chunks, statistics.chunks
        yield f"terms[{index}].files", entry.files, statistics.files


def _check_vector(vector: EncodedQuery, place: str) -> None:
    for value in vector.values:
        bounded(value, -_MOST_VALUE, _MOST_VALUE, f"{place}.values")
    if not 0.0 <= vector.scale < _MOST_COUNT:
        raise misfit(f"{place}.scale", vector.scale, "a number that is not negative")


def check_bytes(value: str, most: int, place: str) -> None:
    """Do nothing when a string is no longer than so many bytes of UTF-8.

    Raises:
        InvalidRequest: it is, or is no text.
    """
    size = text_bytes(value, place)
    if size > most:
        raise InvalidRequest(f"{place}: {size} bytes exceed {most}: {shown(value)}")


def check_sizes(value: object, place: str, sizes: Mapping[str, int]) -> None:
    """Do nothing when no array of an object is longer than its bound.

    Raises:
        InvalidRequest: one is.
    """
    if not isinstance(value, Mapping):
        return
    for key, most in sizes.items():
        items = value.get(key)
        if isinstance(items, list) and len(items) > most:
            raise InvalidRequest(f"{place}.{key}: {len(items)} items exceed {most}")

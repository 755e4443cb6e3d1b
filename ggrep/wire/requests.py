"""Requests of the domain from the wire: decoded, and every figure and string within bounds."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from ggrep.config.caps import MAX_CANDIDATES, MAX_QUERY_TIMEOUT_MS
from ggrep.domain.ids import parse_snapshot_id
from ggrep.domain.request import EncodedQuery, PoolRequest, SearchRequest
from ggrep.domain.statistics import CollectionStatistics
from ggrep.errors import InvalidRequest
from ggrep.wire.codec import from_json
from ggrep.wire.fields import bounded, misfit, shown, text_bytes

MAX_QUERY_BYTES: Final = 64 * 1024
"""Longest query, in UTF-8."""

MAX_PATH_BYTES: Final = 4096
"""Longest path that the kernel takes."""

_MOST_HITS: Final = 2**31 - 1
_MOST_COUNT: Final = 2**53
_MOST_FILTER_KEY: Final = 64
_MOST_LAYOUT: Final = 128
_MOST_VALUE: Final = 127

_SEARCH_SIZES: Final = MappingProxyType({"filters": 256, "corpora": 16})
_STATISTICS_SIZES: Final = MappingProxyType({"lengths": 64, "terms": 1024})
_VECTOR_SIZES: Final = MappingProxyType({"values": 4096})
"""Most items of arrays, which are counted before anything is made of them."""


def parse_search_request(value: object, place: str) -> SearchRequest:
    """Return a query; what its figures mean is judged where it is answered.

    Raises:
        InvalidRequest: it does not fit, or a field is out of bounds.
    """
    _check_sizes(value, place, _SEARCH_SIZES)
    request = from_json(SearchRequest, value, place)
    _check_search(request, place)
    return request


def parse_pool_request(value: object, place: str) -> PoolRequest:
    """Return a request for ranked lists.

    Raises:
        InvalidRequest: it does not fit, a field is out of bounds, or its statistics say more of
            a term than of the whole collection.
    """
    if isinstance(value, Mapping):
        _check_sizes(value.get("search"), f"{place}.search", _SEARCH_SIZES)
        _check_sizes(value.get("statistics"), f"{place}.statistics", _STATISTICS_SIZES)
        _check_sizes(value.get("vector"), f"{place}.vector", _VECTOR_SIZES)
    request = from_json(PoolRequest, value, place)
    _check_search(request.search, f"{place}.search")
    bounded(request.per_list, 1, MAX_CANDIDATES, f"{place}.per_list")
    if request.snapshot_id is not None:
        _check_bytes(request.snapshot_id, 26, f"{place}.snapshot_id")
        parse_snapshot_id(request.snapshot_id)
    if request.statistics is not None:
        _check_statistics(request.statistics, f"{place}.statistics")
    if request.vector is not None:
        _check_vector(request.vector, f"{place}.vector")
    return request


def _check_search(request: SearchRequest, place: str) -> None:
    _check_bytes(request.query, MAX_QUERY_BYTES, f"{place}.query")
    _check_bytes(request.scope, MAX_PATH_BYTES, f"{place}.scope")
    bounded(request.limit, 0, _MOST_HITS, f"{place}.limit")
    bounded(request.per_file, 0, _MOST_HITS, f"{place}.per_file")
    bounded(request.timeout_ms, 0, MAX_QUERY_TIMEOUT_MS, f"{place}.timeout_ms")
    for index, entry in enumerate(request.filters):
        _check_bytes(entry.key, _MOST_FILTER_KEY, f"{place}.filters[{index}].key")
        _check_bytes(entry.value, MAX_PATH_BYTES, f"{place}.filters[{index}].value")


def _check_statistics(statistics: CollectionStatistics, place: str) -> None:
    _check_bytes(statistics.layout, _MOST_LAYOUT, f"{place}.layout")
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


def _check_bytes(value: str, most: int, place: str) -> None:
    size = text_bytes(value, place)
    if size > most:
        raise InvalidRequest(f"{place}: {size} bytes exceed {most}: {shown(value)}")


def _check_sizes(value: object, place: str, sizes: Mapping[str, int]) -> None:
    if not isinstance(value, Mapping):
        return
    for key, most in sizes.items():
        items = value.get(key)
        if isinstance(items, list) and len(items) > most:
            raise InvalidRequest(f"{place}.{key}: {len(items)} items exceed {most}")

"""Decodes domain requests from the wire, with checks across fields."""

from collections.abc import Iterator
from typing import Any

from ggrep.base.ids import parse_snapshot_id
from ggrep.model.request import SearchRequest
from ggrep.model.statistics import CollectionStatistics
from ggrep.protocol.wire.fields import bounded
from ggrep.protocol.wire.reading import read


def parse_search_request(value: object, place: str) -> SearchRequest:
    """Return a query; its values are validated where it is answered.

    Raises:
        InvalidRequest: it does not fit, or a field is out of bounds.
    """
    return read(SearchRequest, value, place)


def check_scored(request: Any, place: str) -> None:  # noqa: ANN401 - of any operation
    """Raise unless the fields that a query is scored by fit together.

    Raises:
        InvalidRequest: the snapshot's id is none, or the statistics say more of a term than of the
            whole collection.
    """
    snapshot_id = getattr(request, "snapshot_id", None)
    if snapshot_id is not None:
        parse_snapshot_id(snapshot_id)
    statistics = getattr(request, "statistics", None)
    if statistics is not None:
        for name, figure, most in _figures(statistics):
            bounded(figure, 0, most, f"{place}.statistics.{name}")


def _figures(statistics: CollectionStatistics) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each term's figures, the figures and their maximum."""
    for index, entry in enumerate(statistics.terms):
        yield f"terms[{index}].chunks", entry.chunks, statistics.chunks
        yield f"terms[{index}].files", entry.files, statistics.files

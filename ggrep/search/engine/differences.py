"""Finds where two JSON documents differ."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ggrep.base import stable_json
from ggrep.model.replay import Difference

MOST_DIFFERENCES: Final = 16
"""Places that are told one by one; how many there are is told in any case."""

_VALUE_CHARACTERS: Final = 160


def differences(was: stable_json.Json, now: stable_json.Json) -> tuple[list[Difference], int]:
    """Return the first places at which two documents differ, and how many there are.

    Objects go by key and arrays by place, so that something that was put in front moves all that
    follows; the order is that of the canonical bytes.
    """
    found = list(_walk("$", was, now))
    return found[:MOST_DIFFERENCES], len(found)


def _walk(place: str, was: stable_json.Json, now: stable_json.Json) -> Iterator[Difference]:
    match was, now:
        case Mapping(), Mapping():
            for key in sorted({*was, *now}):
                old, new = _held(was, key), _held(now, key)
                yield from _both(f"{place}.{key}", old, new)
        case list(), list():
            for number in range(max(len(was), len(now))):
                old, new = was[number : number + 1], now[number : number + 1]
                yield from _both(f"{place}[{number}]", old, new)
        case _:
            # 1, 1.0 and true are equal to Python, and other bytes.
            if type(was) is not type(now) or was != now:
                yield Difference(place, _told(was), _told(now))


def _both(
    place: str, was: Sequence[stable_json.Json], now: Sequence[stable_json.Json]
) -> Iterator[Difference]:
    """Compare two values of which one may be missing: each is alone in a list, or none is."""
    if was and now:
        yield from _walk(place, was[0], now[0])
    else:
        yield Difference(place, *(_told(found[0]) if found else None for found in (was, now)))


def _held(document: Mapping[str, stable_json.Json], key: str) -> list[stable_json.Json]:
    return [document[key]] if key in document else []


def _told(value: stable_json.Json) -> str:
    text = stable_json.dumps(value).decode()
    return text if len(text) <= _VALUE_CHARACTERS else text[: _VALUE_CHARACTERS - 1] + "…"

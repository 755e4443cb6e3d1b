"""Canonical bytes of values, whatever interrupts the process that writes them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from msgspec import Struct

from ggrep.base import stable_json


class Point(Struct, frozen=True):
    line: int
    names: tuple[str, ...] = ()


class Alarm(KeyboardInterrupt):
    """An alarm of the test."""


def test_structs_at_any_depth_are_objects_of_their_fields() -> None:
    document: Any = {"b": (Point(2, ("x",)), {"z": Point(1), "a": None}), "a": 0.5}

    written = b'{"a":0.5,"b":[{"line":2,"names":["x"]},{"a":null,"z":{"line":1,"names":[]}}]}'
    assert stable_json.dumps(document) == written
    assert stable_json.plain(document) == stable_json.loads(written)
    assert stable_json.loads(stable_json.dumps_pretty(document)) == stable_json.loads(written)


@pytest.mark.parametrize("value", [b"x", bytearray(b"x"), object(), "\ud800", {1: 2}])
@pytest.mark.parametrize("beside", [None, Point(1)])
def test_values_without_json_are_refused(value: object, beside: object) -> None:
    document: Any = [beside, value]

    with pytest.raises(TypeError):
        stable_json.dumps(document)


@contextmanager
def alarms() -> Iterator[None]:
    """Have SIGALRM raise `Alarm` for the length of the block."""

    def end(*_: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, end)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_an_alarm_while_a_document_is_written_is_raised_as_it_is() -> None:
    """Raised inside of a function that orjson calls, it became a TypeError or ended the process."""
    document: Any = [Point(line) for line in range(50)]
    with alarms():
        for _ in range(200):
            with pytest.raises(Alarm):  # noqa: PT012 - it comes at any moment
                signal.setitimer(signal.ITIMER_REAL, 0.0005)
                while True:
                    stable_json.dumps(document)

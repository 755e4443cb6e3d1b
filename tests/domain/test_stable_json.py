"""JSON that is stable, what is read of it, and text that is safe to show."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Literal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.ids import SnapshotId
from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.corpus import Mode
from ggrep.model.sanitise import sanitise, sanitise_line


class Inner(Struct, frozen=True):
    rows: int
    share: float


class Outer(Struct, frozen=True):
    name: SnapshotId
    mode: Mode
    inner: tuple[Inner, ...]
    pair: tuple[int, str]
    note: str | None


GOOD = {
    "name": "x",
    "mode": "debug",
    "inner": [{"rows": 1, "share": 2}],
    "pair": [1, "a"],
    "note": None,
}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.floats(0, 1) | st.text(max_size=9),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    )
)
def test_a_text_in_parts_has_the_value_of_the_text(value: Any) -> None:
    data = stable_json.dumps(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stable_json, "_PART_BYTES", 3)

        assert stable_json.loads_in_parts(data) == stable_json.loads(data)


def test_no_part_of_a_large_text_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"lists": {"hits": [{"text": "x" * 9_000, "row": row} for row in range(300)]}}
    sizes: list[int] = []

    def loads(data: bytes) -> Any:
        sizes.append(len(data))
        return orjson.loads(data)

    monkeypatch.setattr(stable_json, "orjson", SimpleNamespace(loads=loads))

    assert stable_json.loads_in_parts(orjson.dumps(value)) == value
    assert max(sizes) < 10_000


@pytest.mark.parametrize("text", [b"[" * (1 << 21), b"x" * (1 << 21), b'["' + b"x" * (1 << 21)])
def test_a_large_text_that_is_not_json_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="line 1"):
        stable_json.loads_in_parts(text)


def test_a_fitting_value_becomes_the_struct() -> None:
    """Unknown keys are a newer writer's; `2` and `2.0` are one number of JSON."""
    value = decode(Outer, GOOD | {"future": 1})

    assert value == Outer(SnapshotId("x"), Mode.DEBUG, (Inner(1, 2.0),), (1, "a"), None)

    share = decode(Outer, GOOD).inner[0].share

    assert isinstance(share, float)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 1}, "$.name: expected str, found int"),
        ({"mode": "fast"}, "$.mode: unknown value 'fast'"),
        ({"mode": []}, "$.mode: expected str, found array"),
        ({"inner": {}}, "$.inner: expected array, found object"),
        ({"inner": [1]}, "$.inner[0]: expected object, found int"),
        ({"inner": [{"rows": 1}]}, "$.inner[0].share: missing"),
        ({"inner": [{"rows": True, "share": 1.0}]}, "$.inner[0].rows: expected int, found bool"),
        ({"inner": [{"rows": 1, "share": True}]}, "$.inner[0].share: expected float, found bool"),
        ({"inner": [{"rows": 1.0, "share": 1}]}, "$.inner[0].rows: expected int, found float"),
        ({"pair": {}}, "$.pair: expected array, found object"),
        ({"pair": [1]}, "$.pair: expected array of length 2, found 1"),
        ({"pair": ["a", "a"]}, "$.pair[0]: expected int, found str"),
        ({"pair": [1, 2]}, "$.pair[1]: expected str, found int"),
        ({"note": 5}, "$.note: expected str | null, found int"),
    ],
)
def test_a_misfit_is_named_with_its_place(change: dict[str, object], message: str) -> None:
    """A damaged manifest must be reported by field, not by traceback."""
    with pytest.raises(DecodeError) as caught:
        decode(Outer, GOOD | change)

    assert str(caught.value) == message


class Said(Struct, frozen=True):
    """What has a word in it."""

    word: Literal["yes", "no"] = "no"
    maybe: Literal["a"] | None = None


def test_a_word_of_the_set_comes_back() -> None:
    assert decode(Said, {"word": "yes", "maybe": "a"}) == Said("yes", "a")
    assert decode(Said, {"maybe": None}) == Said()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("YES", "unknown value 'YES'"),
        ("", "unknown value ''"),
        (None, "expected str, found null"),
        (1, "expected str, found int"),
        (["yes"], "expected str, found array"),
    ],
)
def test_another_word_is_named_with_its_place(value: Any, reason: str) -> None:
    """A newer build may know more of them; it is no bug here."""
    with pytest.raises(DecodeError) as caught:
        decode(Said, {"word": value})

    assert str(caught.value) == f"$.word: {reason}"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9d0;title\x9cafter", "after"),
        ("\x1bPpayload\x1b\\after", "after"),
        ("\x1b(Bplain\x1b7", "plain"),
        ("a\rb\x00c\x7fd\x85e", "abcde"),
        ("user\u202etxt.exe\u2066\u200f", "usertxt.exe"),
        ("\u2028line\u2029", "line"),
        ("tab\tand\nline stay", "tab\tand\nline stay"),
        ("\ud800", "\ufffd"),
        ("\x1b\x1b[0m[31m", "[31m"),
    ],
)
def test_sequences_and_controls_are_dropped(text: str, left: str) -> None:
    """A searched file may try to rewrite the terminal it is shown on."""
    assert sanitise(text) == left


@pytest.mark.parametrize("start", ["\x1b]", "\x1bP", "\x90", "\x9d"])
def test_an_unclosed_payload_ends_with_its_line(start: str) -> None:
    """A file could otherwise hide the code below a stray byte from whoever reads the hit."""
    assert sanitise(f"before {start}0;x\nafter\n") == "before \nafter\n"


def test_a_path_stays_on_one_line() -> None:
    """A file's name may hold a line break, a list of paths must not."""
    assert sanitise_line("a\n\tb\x1b[2Jc") == "a bc"


@given(st.text(st.characters()))
def test_what_is_left_is_clean_and_settled(text: str) -> None:
    """Cleaning must not put a new sequence together from the pieces."""
    clean = sanitise(text)

    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in clean)
    assert sanitise(clean) == clean
    clean.encode()


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
                for _ in range(100_000):
                    stable_json.dumps(document)

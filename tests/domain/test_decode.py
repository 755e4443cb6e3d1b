"""Values of the wrong type, and words outside of a closed set, are refused where they enter."""

from typing import Any, Literal

import pytest
from msgspec import Struct

from ggrep.base.ids import SnapshotId
from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.corpus import Mode


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
    """Daemons say how fresh an index is in such words."""
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

"""A value of the wrong type is named where it enters."""

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
    """Unknown keys are a newer writer's and are passed over."""
    value = decode(Outer, GOOD | {"future": 1})

    assert value == Outer(SnapshotId("x"), Mode.DEBUG, (Inner(1, 2.0),), (1, "a"), None)


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


def test_a_whole_number_becomes_a_float_where_one_is_wanted() -> None:
    """`2` and `2.0` are one number of JSON, and must be written alike again."""
    share = decode(Outer, GOOD).inner[0].share

    assert isinstance(share, float)

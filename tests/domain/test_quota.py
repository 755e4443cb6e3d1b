"""Places are dealt by intent, and no file takes more than its share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.model.corpus import Bucket, Mode, allocate, quotas, select

TABLE = {
    1: ("1/0/0", "1/0/0", "1/0/0"),
    2: ("1/1/0", "1/1/0", "1/1/0"),
    3: ("1/1/1", "1/1/1", "1/1/1"),
    5: ("2/2/1", "2/2/1", "2/2/1"),
    10: ("3/4/3", "5/3/2", "3/5/2"),
    15: ("5/6/4", "8/4/3", "4/8/3"),
    20: ("6/8/6", "11/5/4", "5/11/4"),
    50: ("15/20/15", "29/11/10", "11/29/10"),
    200: ("60/80/60", "119/41/40", "41/119/40"),
}
MODES = (Mode.DISCOVERY, Mode.IMPLEMENTATION, Mode.PLANNING)


@pytest.mark.parametrize("limit", TABLE)
def test_quotas_are_those_of_the_requirements(limit: int) -> None:
    dealt = tuple("/".join(str(n) for n in quotas(mode, limit).values()) for mode in MODES)

    assert dealt == TABLE[limit]


@given(st.sampled_from(MODES), st.integers(0, 400))
def test_all_places_are_dealt(mode: Mode, limit: int) -> None:
    """A place lost to rounding is a hit lost."""
    dealt = quotas(mode, limit)

    assert sum(dealt.values()) == limit
    assert min(dealt.values()) >= 0


@pytest.mark.parametrize("mode", [Mode.BALANCED, Mode.DEBUG])
def test_balanced_and_debug_deal_nothing(mode: Mode) -> None:
    """The list's own order stands; places dealt to documents hide what a fix changes."""
    assert quotas(mode, 10) == {}


items = st.lists(
    st.tuples(st.sampled_from(tuple(Bucket)), st.integers(0, 4), st.integers()), unique=True
)


@given(items, st.sampled_from(tuple(Mode)), st.integers(0, 12), st.integers(0, 3))
def test_a_selection_keeps_its_bounds(
    ranked: list[tuple[Bucket, int, int]], mode: Mode, limit: int, per_file: int
) -> None:
    """Bounds hold in every mode, and no place stays free that something could take."""
    picked = select(
        ranked,
        mode=mode,
        limit=limit,
        per_file=per_file,
        bucket=lambda item: item[0],
        file=lambda item: item[1],
    )
    by_file = {number: [i for i in picked if i[1] == number] for number in range(5)}
    left = [
        item
        for item in ranked
        if item not in picked and (not per_file or len(by_file[item[1]]) < per_file)
    ]

    assert len(picked) == len(set(picked)) <= limit
    assert not per_file or all(len(found) <= per_file for found in by_file.values())
    assert len(picked) == limit or not left
    for bucket, places in quotas(mode, limit).items():
        taken = sum(item[0] is bucket for item in picked)
        assert taken >= places or all(item[0] is not bucket for item in left)


def test_a_mode_groups_its_buckets_and_fills_in_order() -> None:
    """Readers of a mode's answer find code, docs, graph, then the best of the rest."""
    ranked = ["d1", "d2", "d3", "c1", "g1", "c2"]
    buckets = {"c": Bucket.CODE, "d": Bucket.DOCS, "g": Bucket.GRAPH}
    picked = select(
        ranked,
        mode=Mode.IMPLEMENTATION,
        limit=5,
        per_file=0,
        bucket=lambda item: buckets[item[0]],
        file=lambda item: item,
    )

    assert picked == ["c1", "c2", "d1", "d2", "g1"]


@pytest.mark.parametrize("mode", [Mode.BALANCED, Mode.IMPLEMENTATION])
def test_items_of_a_full_file_are_counted_once_however_often_they_are_passed_over(
    mode: Mode,
) -> None:
    """They are met once for their bucket and again for the places that are left."""
    ranked = ["a1", "a2", "b1", "a3", "a4", "c1", "c2"]
    dealt = allocate(
        ranked,
        [Bucket.CODE for _ in ranked],
        [item[0] for item in ranked],
        mode=mode,
        limit=6,
        per_file=1,
    )

    assert (dealt.items, dealt.over_file) == (["a1", "b1", "c1"], 4)

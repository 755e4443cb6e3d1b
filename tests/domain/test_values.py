"""Values of the domain, deadlines and caches of recent values."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, Incompatible
from ggrep.model.corpus import Bucket, Mode, allocate, quotas, select
from ggrep.model.files import (
    DECLARATION,
    ENTRANCE,
    EXAMPLE,
    GENERATED,
    TEST,
    VENDORED,
    SkippedFile,
    traits_of,
)
from ggrep.model.index_freshness import UP_TO_DATE, IndexFreshness, freshness_notices
from ggrep.model.limits import (
    NOTHING_UNSEEN,
    UNSEEN,
    LimitHit,
    Notice,
    Unseen,
    skip_counts,
    sorted_limits,
    sorted_notices,
    unseen_notices,
)
from ggrep.model.lru_cache import LruCache
from ggrep.model.request import CollectionStatistics, TermFrequency, sum_statistics
from tests.fakes.clocks import ManualClock


def test_each_cut_is_said_once_with_its_largest_figure() -> None:
    cuts = [
        LimitHit("b", 1, 5),
        LimitHit("a", 1, 2, "x"),
        LimitHit("a", 1, 9, "x"),
        LimitHit("a", 1),
    ]

    assert sorted_limits(cuts) == (
        LimitHit("a", 1),
        LimitHit("a", 1, 9, "x"),
        LimitHit("b", 1, 5),
    )
    assert sorted_limits(reversed(cuts)) == sorted_limits(cuts)


def test_warnings_are_said_once_in_order_and_skips_counted_by_reason() -> None:
    notices = [Notice("z", "m"), Notice("a", "n"), Notice("a", "m")]

    assert sorted_notices(notices) == (Notice("a", "m"), Notice("z", "m"))

    reasons = ("binary", "read_failed", "unreadable", "unstable", "symlink_loop", "vanished")
    skips = [SkippedFile(f"{number}", reason, "") for number, reason in enumerate(reasons)]

    assert skip_counts(skips) == (("unreadable", 3), ("binary", 1))


SKIPPED = (("too large", 1), ("binary", 2))
PARTIAL = (("cut at max_bulk_bytes", 3),)
NAMELESS = (("in cobol", 1), ("in awk", 2))


@pytest.mark.parametrize(
    ("unseen", "names", "message"),
    [
        (Unseen(SKIPPED), False, "not searched: 1 file too large, 2 binary"),
        (Unseen((), PARTIAL), False, "searched in part: 3 files cut at max_bulk_bytes"),
        (
            Unseen(SKIPPED[:1], PARTIAL, NAMELESS),
            True,
            "not searched: 1 file too large; searched in part: 3 files cut at max_bulk_bytes;"
            " searched without their definitions: 1 file in cobol, 2 in awk",
        ),
    ],
)
def test_one_warning_counts_the_files_and_names_the_command_that_lists_them(
    unseen: Unseen, names: bool, message: str
) -> None:
    (notice,) = unseen_notices(unseen, names=names)

    assert notice.code == UNSEEN
    assert notice.message == f"{message}; `ggrep health` in the repository lists them"


@pytest.mark.parametrize("unseen", [NOTHING_UNSEEN, Unseen(nameless=NAMELESS)])
def test_an_answer_about_text_is_silent_where_all_text_was_searched(unseen: Unseen) -> None:
    assert unseen_notices(unseen) == ()


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
    assert not per_file or all(len(each) <= per_file for each in by_file.values())
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


FULL = "No space left on device"


def said(standing: IndexFreshness) -> dict[str, str]:
    return {notice.code: notice.message for notice in freshness_notices(standing)}


def test_an_index_at_rest_says_nothing() -> None:
    assert freshness_notices(UP_TO_DATE) == ()


@pytest.mark.parametrize(
    ("standing", "message"),
    [
        (IndexFreshness(indexing=True), "they are being indexed"),
        (
            IndexFreshness(indexing=True, git_at_work=True),
            "they will be indexed when git has finished",
        ),
        (IndexFreshness(), "they will be indexed soon"),
        (IndexFreshness(held="the daemon is stale"), "they are not indexed: the daemon is stale"),
        (IndexFreshness(cancelled=True), "the sync was cancelled; to try again: ggrep index"),
        (IndexFreshness(failure=FULL, retry_ms=9), "they wait for the next successful sync"),
    ],
)
def test_what_becomes_of_changes_is_told(standing: IndexFreshness, message: str) -> None:
    result = said(replace(standing, behind=True))

    assert result["index_behind"] == f"files have changed since the last sync; {message}"


@pytest.mark.parametrize(
    ("standing", "message"),
    [
        (IndexFreshness(FULL), f"the last sync failed: {FULL}; to try again: ggrep index"),
        (
            IndexFreshness(FULL, at="2026"),
            f"syncs fail since 2026: {FULL}; to try again: ggrep index",
        ),
        (
            IndexFreshness(FULL, retry_ms=7_001),
            f"the last sync failed: {FULL}; ggrep retries within 8 s",
        ),
        (
            IndexFreshness(FULL, indexing=True),
            f"the last sync failed: {FULL}; ggrep is retrying now",
        ),
        (
            IndexFreshness(FULL, held="stale"),
            f"the last sync failed: {FULL}; syncs are suspended: stale",
        ),
    ],
)
def test_why_the_last_sync_failed_is_told_and_what_comes(
    standing: IndexFreshness, message: str
) -> None:
    assert said(standing) == {"sync_failed": message}


def test_no_absolute_path_and_no_control_is_told() -> None:
    standing = IndexFreshness(
        "/home/a b/c/x.toml: odd \x1b]0;y\x07 word; see (/etc/z)", held="/srv/q: r"
    )

    assert said(standing)["sync_failed"] == (
        "the last sync failed: x.toml: odd  word; see (z); syncs are suspended: q: r"
    )


def part(layout: str, chunks: int, *terms: TermFrequency) -> CollectionStatistics:
    return CollectionStatistics(layout, chunks, 1, (chunks, 2, 3), terms)


def test_figures_of_disjoint_collections_are_sums() -> None:
    """A workspace scores as one collection only if nothing is lost here."""
    first = part("l", 3, TermFrequency("b", 1, 1))
    second = part("l", 4, TermFrequency("a", 2, 1), TermFrequency("b", 1, 0))
    total = sum_statistics([first, second])

    assert total == CollectionStatistics(
        "l", 7, 2, (7, 4, 6), (TermFrequency("a", 2, 1), TermFrequency("b", 2, 1))
    )
    assert total == sum_statistics([second, first])
    assert total.frequency("zz") == TermFrequency("zz", 0, 0)


def test_figures_of_different_layouts_are_refused() -> None:
    """Their lengths would count different things."""
    with pytest.raises(Incompatible, match="layouts"):
        sum_statistics([part("l", 1), part("m", 1)])


@pytest.mark.parametrize(
    ("path", "traits"),
    [
        ("tests/test_a.py", TEST),
        ("src/a_test.go", TEST),
        ("src/UserTest.java", TEST),
        ("src/a.spec.ts", TEST),
        ("src/contest.py", 0),
        ("latest/a.py", 0),
        ("examples/vendor/x.pb.go", EXAMPLE | VENDORED | GENERATED),
        ("types/a.d.ts", DECLARATION),
        ("pkg/__init__.py", ENTRANCE),
        ("src/testing.py", TEST),
        ("Src/Shop.Tests/Cart.cs", TEST),
        ("ShopTests/Cart.swift", TEST),
        ("crates/core-test/run.rs", TEST),
        ("src/contests/a.py", 0),
        ("src/attest/a.py", 0),
    ],
)
def test_traits_follow_whole_words(path: str, traits: int) -> None:
    """`contest.py` is no test."""
    assert traits_of(path) == traits


def test_it_passes_at_its_moment() -> None:
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    deadline = Deadline.after(clock, 10)
    deadline.check("x")
    clock.advance(10)

    assert deadline.remaining_ms() == 0.0
    with pytest.raises(DeadlineExceeded, match="during scoring"):
        deadline.check("scoring")


def test_never_does_not_pass() -> None:
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    deadline = Deadline.never(clock)
    clock.advance(1e12)
    deadline.check("x")

    assert deadline.remaining_ms() == float("inf")


def test_the_least_recently_used_goes_first() -> None:
    recent: LruCache[str, int] = LruCache(20)
    recent.put("a", 1, 10)
    recent.put("b", 2, 10)
    recent.get("a")
    recent.put("c", 3, 10)

    assert [recent.get(key) for key in "abc"] == [1, None, 3]


def test_the_budget_is_never_exceeded() -> None:
    recent: LruCache[int, int] = LruCache(100)
    sizes = []
    for number in range(50):
        recent.put(number, number, number % 37)
        sizes.append(recent.statistics().size_bytes)

    assert max(sizes) <= 100
    assert recent.statistics().entries > 1


def test_what_is_larger_than_the_budget_takes_nobody_s_place() -> None:
    """One huge answer must not empty the memory."""
    recent: LruCache[str, int] = LruCache(20)
    recent.put("a", 1, 10)
    recent.put("huge", 2, 21)

    assert recent.get("a") == 1
    assert recent.get("huge") is None


def test_a_value_put_again_is_counted_once() -> None:
    """Otherwise the figures would drift until nothing fits."""
    recent: LruCache[str, int] = LruCache(20)
    for number in range(5):
        recent.put("a", number, 15)

    result = recent.statistics()
    assert recent.get("a") == 4
    assert (result.entries, result.size_bytes) == (1, 15)


def test_a_value_that_grew_too_large_leaves() -> None:
    recent: LruCache[str, int] = LruCache(20)
    recent.put("a", 1, 10)
    recent.put("a", 2, 30)

    assert recent.get("a") is None
    assert recent.statistics().size_bytes == 0


def test_a_budget_holds_what_is_as_large_and_nothing_if_it_is_nothing() -> None:
    recent: LruCache[str, int] = LruCache(0)
    recent.put("a", 1, 1)

    assert recent.get("a") is None

    recent: LruCache[str, int] = LruCache(20)
    recent.put("whole", 1, 20)

    assert recent.get("whole") == 1


def test_it_counts_what_it_had_and_what_it_had_not() -> None:
    """An operator sees whether it is worth its bytes."""
    recent: LruCache[str, int] = LruCache(20)
    recent.put("a", 1, 1)
    recent.get("a")
    recent.get("b")

    result = recent.statistics()
    assert (result.hits, result.misses) == (1, 1)


def test_cleared_it_holds_nothing() -> None:
    recent: LruCache[str, int] = LruCache(20)
    recent.put("a", 1, 20)
    recent.clear()
    recent.put("b", 2, 20)

    assert (recent.get("a"), recent.get("b")) == (None, 2)

"""Values kept within a budget of bytes."""

from ggrep.model.lru_cache import LruCache


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
    """The one that was held is out of date."""
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

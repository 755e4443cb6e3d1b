"""A cache holds what was worked out once, under typed keys."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from ggrep.base.cache import Cache, CacheKey


def test_a_value_is_made_once() -> None:
    """It takes long, which is why it is kept; an empty value is one as well."""
    cache, key, made = Cache(), CacheKey[list[int]](), []

    def make() -> list[int]:
        made.append(1)
        return []

    first = cache.get(key, make)

    assert cache.get(key, make) is first
    assert made == [1]


def test_keys_and_caches_share_nothing() -> None:
    """Each key stands for a value of its own, in each cache another."""
    one, other = CacheKey[str](), CacheKey[str]()
    cache = Cache()

    assert [cache.get(one, lambda: "one"), cache.get(other, lambda: "other")] == ["one", "other"]
    assert Cache().get(one, lambda: "another") == "another"


def test_threads_that_come_at_once_get_the_same_value() -> None:
    """They write into what they get: one whose dictionary was replaced would write into nothing."""
    cache, key, together = Cache(), CacheKey[dict[str, int]](), Barrier(2)

    def make() -> dict[str, int]:
        together.wait(timeout=10)  # both have found nothing by now
        return {}

    with ThreadPoolExecutor(2) as threads:
        first, second = (threads.submit(cache.get, key, make) for _ in range(2))

    assert first.result() is second.result()

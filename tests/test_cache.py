"""A cache holds what was worked out once, under typed keys."""

from ggrep.base.cache import Cache, CacheKey


def test_the_first_value_stays() -> None:
    """Threads that came at once write into what they get: it must be the same for all."""
    cache, key = Cache(), CacheKey[list[int]]()
    first, second = list[int](), list[int]()

    assert cache.get(key) is None
    assert cache.keep(key, first) is first
    assert cache.keep(key, second) is first
    assert cache.get(key) is first


def test_keys_and_caches_share_nothing() -> None:
    """Each key stands for a value of its own, in each cache another."""
    first, other, cache = CacheKey[str](), CacheKey[str](), Cache()
    cache.keep(first, "one")

    assert cache.get(other) is None
    assert Cache().get(first) is None

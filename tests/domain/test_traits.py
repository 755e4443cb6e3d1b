"""What a path says about its file."""

import pytest

from ggrep.model.files import DECLARATION, ENTRANCE, EXAMPLE, GENERATED, TEST, VENDORED, traits_of


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

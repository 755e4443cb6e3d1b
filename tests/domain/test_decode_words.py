"""Closed sets of words, as they come back from JSON."""

from typing import Any, Literal

import pytest
from msgspec import Struct

from ggrep.base.stable_json import DecodeError, decode


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

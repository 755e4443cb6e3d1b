"""What checks may expect, by rule, and an expectation that does not hold."""

from typing import Final

from msgspec import Struct

RULES: Final = {
    "expect_any": "one of some paths is among the hits",
    "expect_all": "each of some paths is among the hits",
    "expect_none": "none of some paths is among the hits",
    "expect_first": "a path comes before all others",
    "expect_within": "a path is among the first files",
    "expect_order": "a path comes before another",
    "expect_section": "a hit lies in a section",
    "expect_symbol": "a hit defines a name",
    "expect_confidence": "the answer states a confidence",
    "expect_min_hits": "the answer holds enough hits",
    "expect_max_hits": "the answer holds no more hits",
    "place": "the slate shows half of some lines at least",
    "section": "a file stands in a section of the slate",
    "answer": "the query is answered",
}
"""Every rule, and what it says when it holds."""

SLATE_RULES: Final = frozenset({"place", "section"})
"""Those about a slate; the others are about a search."""


class Miss(Struct, frozen=True):
    """An expectation that does not hold.

    Attributes:
        rule: a key of `RULES`.
        wanted: what was expected.
        came: what came instead.
    """

    rule: str
    wanted: str
    came: str

"""Results of a repository's committed checks."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from ggrep.model.constraints import Count, DocumentJson, Held, Positive, Sha256, held_to


class CheckSummaryJson(TypedDict):
    """The checks, counted."""

    checks: Positive
    """All of them."""
    failed: Count
    """Those that do not hold."""
    allow_failures: Count
    """So many may fail."""


class MissJson(TypedDict):
    """An expectation that does not hold."""

    rule: Annotated[
        str,
        (
            "expect_any",
            "expect_all",
            "expect_none",
            "expect_first",
            "expect_within",
            "expect_order",
            "expect_section",
            "expect_symbol",
            "expect_confidence",
            "expect_min_hits",
            "expect_max_hits",
            "place",
            "section",
            "answer",
        ),
    ]
    """Which one: the key in the file, or answer when none came."""
    wanted: str
    """What was expected."""
    came: str
    """What came instead."""


@held_to(
    if_={"properties": {"holds": {"const": True}}},
    then={"properties": {"misses": {"maxItems": 0}}},
    else_={"properties": {"misses": {"minItems": 1}}},
)
class CheckJson(TypedDict):
    """One check."""

    id: str
    """Its name."""
    query: str
    """As it was put."""
    line: Positive
    """Line of its header in the file."""
    holds: bool
    """All that was expected came."""
    misses: Sequence[MissJson]
    """What does not hold; empty when all does."""
    files: Annotated[Sequence[str], Held(most=10)]
    """The first ten distinct files that came; of a check of a slate alone, its first ten."""
    confidence: str | None
    """As the answer states it; null where it states none."""


class CheckBaselineJson(TypedDict):
    """An earlier report that this one was held against."""

    excused: Sequence[str]
    """Checks that do not hold, and did not there."""
    max_drop: Count
    """So many others may fail."""


class CheckReportJson(DocumentJson):
    """Whether committed expectations of answers hold."""

    ggrep_version: str
    """Version of the program that wrote the report."""
    file: str
    """The file of checks, as it was named."""
    digest: Sha256
    """SHA-256 of its bytes."""
    ok: bool
    """No more checks failed than the file allows; with a baseline, than `max_drop` beside those
    that it excuses.
    """
    summary: CheckSummaryJson
    baseline: CheckBaselineJson | None
    """Null where none was given."""
    checks: Annotated[Sequence[CheckJson], Held(least=1)]
    """Every check, in the order of the file."""

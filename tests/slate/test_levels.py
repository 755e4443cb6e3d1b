"""What a level shows, and which budgets a slate has."""

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.model.limits import LimitHit
from ggrep.model.slate import Budgets
from ggrep.search.slate.levels import (
    LEVELS,
    MAX_EVIDENCE,
    MAX_SLATE_BYTES,
    MAX_SLATE_FILES,
    MIN_SLATE_BYTES,
    check_level,
    disclosure_of,
    effective,
)


def test_each_level_shows_more_than_the_one_below() -> None:
    """Level 0 names places; what is written above a definition, and around it, comes with 2."""
    shown = [disclosure_of(level, effective(Budgets(), level)[0]) for level in LEVELS]

    assert [each.lines for each in shown] == [False, True, True, True]
    assert [each.comments for each in shown] == [False, False, True, True]
    assert [each.neighbours for each in shown] == [False, False, True, True]
    assert [each.pieces for each in shown] == [64, 85, 341, 5_461]


def test_levels_select_by_the_same_counts() -> None:
    """Files and evidence do not depend on it, so the same slate can be asked for anew."""
    usual = [effective(Budgets(), level)[0] for level in LEVELS]

    assert len({(each.files, each.evidence_per_file) for each in usual}) == 1
    assert [each.total_bytes for each in usual] == sorted({each.total_bytes for each in usual})
    assert [each.file_bytes for each in usual] == sorted({each.file_bytes for each in usual})
    assert [each.total_bytes for each in usual[:2]] == [2_048, 16_384]


@pytest.mark.parametrize("level", [-1, 4, 99])
def test_there_are_four_levels(level: int) -> None:
    """A fifth would be guessed at."""
    with pytest.raises(InvalidRequest, match=rf"level: {level} "):
        check_level(level)


def test_what_is_not_asked_for_is_the_levels_own() -> None:
    """A caller may name one budget and leave the others."""
    usual, none = effective(Budgets(), 2)
    asked, limits = effective(Budgets(files=3), 2)

    assert (asked.files, asked.total_bytes, asked.file_bytes) == (
        3,
        usual.total_bytes,
        usual.file_bytes,
    )
    assert none == limits == ()


def test_a_budget_beyond_its_cap_is_clamped_aloud() -> None:
    """A caller that asked for more must know what it got."""
    huge = Budgets(MAX_SLATE_BYTES + 1, MAX_SLATE_BYTES + 2, MAX_SLATE_FILES + 3, MAX_EVIDENCE + 4)
    asked, limits = effective(huge, 0)

    assert asked == Budgets(MAX_SLATE_BYTES, MAX_SLATE_BYTES, MAX_SLATE_FILES, MAX_EVIDENCE)
    assert set(limits) == {
        LimitHit("max_slate_bytes", MAX_SLATE_BYTES, MAX_SLATE_BYTES + 1),
        LimitHit("max_slate_file_bytes", MAX_SLATE_BYTES, MAX_SLATE_BYTES + 2),
        LimitHit("max_slate_files", MAX_SLATE_FILES, MAX_SLATE_FILES + 3),
        LimitHit("max_evidence_per_file", MAX_EVIDENCE, MAX_EVIDENCE + 4),
    }


def test_no_file_may_take_more_than_the_whole_slate() -> None:
    """The smaller of two bounds is the one that is told."""
    asked, _ = effective(Budgets(total_bytes=MIN_SLATE_BYTES), 3)

    assert asked.file_bytes == asked.total_bytes == MIN_SLATE_BYTES


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (Budgets(total_bytes=-1), "max_slate_bytes: -1"),
        (Budgets(file_bytes=-1), "max_slate_file_bytes: -1"),
        (Budgets(files=-1), "max_slate_files: -1"),
        (Budgets(evidence_per_file=-1), "max_evidence_per_file: -1"),
        (Budgets(total_bytes=MIN_SLATE_BYTES - 1), "max_slate_bytes: 1023"),
        (Budgets(total_bytes=1), "max_slate_bytes: 1 "),
    ],
)
def test_budgets_that_hold_no_slate_are_refused(wrong: Budgets, named: str) -> None:
    """By the name that the caller knows them by."""
    with pytest.raises(InvalidRequest, match=named):
        effective(wrong, 1)

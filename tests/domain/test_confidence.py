"""What an answer says about itself follows from its best files alone."""

from dataclasses import replace
from functools import partial

import pytest

from ggrep.model.confidence import (
    LEADERS,
    Confidence,
    Leader,
    Leading,
    Wording,
    confidence_notices,
    confidence_of,
    merge_leading,
    ordered_leaders,
    shortened_list,
)

GOOD = Leader(score=2.0, evidence=2.0, stem=1.0, found=1.0, spelt=False)
POOR = Leader(score=0.1, evidence=0.1, stem=0.0, found=0.25, spelt=False)


def leading(*leaders: Leader, rarity: float = 0.5, wording: Wording = Wording.PLAIN) -> Leading:
    return Leading(leaders, rarity, wording)


def test_good_evidence_is_strong_and_poor_evidence_none() -> None:
    """The two ends must never be in doubt."""
    assert confidence_of(leading(GOOD)) is Confidence.STRONG
    assert confidence_of(leading(POOR, rarity=0.9)) is Confidence.NONE
    assert confidence_of(leading()) is Confidence.NONE


def test_a_name_that_stands_there_is_what_was_asked_for() -> None:
    """A rare name in the middle of a body has little evidence, and is found all the same."""
    there = replace(POOR, spelt=True)

    assert confidence_of(leading(there, rarity=0.9, wording=Wording.NAME)) is Confidence.STRONG
    assert confidence_of(leading(there, rarity=0.9)) is Confidence.WEAK


def test_quoted_text_is_trusted_and_question_words_are_not() -> None:
    """Every hit holds the one, and everything holds the others."""
    assert confidence_of(leading(POOR, wording=Wording.QUOTED)) is Confidence.STRONG
    assert confidence_of(leading(GOOD, wording=Wording.VAGUE)) is Confidence.WEAK
    assert confidence_of(leading(wording=Wording.QUOTED)) is Confidence.NONE


def test_files_that_nothing_else_rivals_are_not_doubted_for_it() -> None:
    """The only file that matches leads nobody, and a bad tenth one is no praise either."""
    worse = [replace(GOOD, evidence=2.0 / 3**place) for place in range(LEADERS)]

    assert leading(GOOD).lead == 1.0
    assert leading(*worse).lead == 2.0
    assert leading(*[GOOD] * LEADERS).lead == 0.0


def test_what_an_encoder_gives_to_all_alike_hides_no_lead() -> None:
    """Likeness lifts every file's score; how far the words of one lead stays the same."""
    plain = [replace(GOOD, evidence=2.0 / 1.2**place) for place in range(LEADERS)]
    lifted = [replace(leader, score=leader.evidence + 1.0) for leader in plain]
    alike = [replace(GOOD, score=1.0, evidence=0.0)] * LEADERS

    assert leading(*lifted).lead == leading(*plain).lead == pytest.approx(1.64, abs=0.01)
    assert leading(*alike).lead == 0.0
    assert leading(alike[0], *lifted[1:]).lead == 0.0


def test_files_that_likeness_alone_brought_in_are_no_rivals() -> None:
    """With an encoder there are always ten leaders; three poor files lead no more than without."""
    brought = [replace(GOOD, score=0.5, evidence=0.0)] * (LEADERS - 3)

    assert leading(*[GOOD] * 3, *brought).lead == leading(*[GOOD] * 3).lead == 1.0


def test_a_lead_is_over_the_least_evidence_wherever_it_stands() -> None:
    """Leaders are ordered by their scores; likeness may lift the poorest to the second place."""
    plain = [replace(GOOD, evidence=2.0 / 1.2**place) for place in range(LEADERS)]

    assert leading(plain[0], plain[-1], *plain[1:-1]).lead == leading(*plain).lead


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (replace(GOOD, evidence=1.0), replace(GOOD, evidence=0.2)),
        (replace(GOOD, evidence=0.4), replace(GOOD, evidence=0.4, stem=0.0)),
        (replace(GOOD, evidence=0.4, stem=0.5), replace(GOOD, evidence=0.4, stem=0.5, found=0.2)),
    ],
)
def test_more_evidence_never_lowers_confidence(better: Leader, worse: Leader) -> None:
    """A signal with the wrong sign would praise noise."""
    order = [Confidence.NONE, Confidence.WEAK, Confidence.STRONG]

    for rarity in (0.2, 0.6, 0.9):
        high, low = (
            confidence_of(leading(better, rarity=rarity)),
            confidence_of(leading(worse, rarity=rarity)),
        )
        assert order.index(high) >= order.index(low)


def test_merged_leaders_are_those_of_one_collection_whatever_order_they_came_in() -> None:
    """A workspace is judged once, on its merged list."""
    first = leading(*(replace(GOOD, score=2.0 - i / 10) for i in range(8)))
    second = leading(*(replace(POOR, score=1.95 - i / 10) for i in range(8)), rarity=0.7)

    merged = merge_leading([second, first, leading()])

    assert merged == merge_leading([first, second])
    assert [item.score for item in merged.leaders[:3]] == [2.0, 1.95, 1.9]
    assert len(merged.leaders) == LEADERS
    assert merged.rarity == 0.5
    assert merge_leading([]).leaders == ()


def test_equal_scores_are_ordered_by_the_other_figures() -> None:
    """How files lie in segments must not decide who is looked at."""
    twins = [replace(GOOD, found=share) for share in (0.2, 0.9, 0.5)]

    assert [item.found for item in ordered_leaders(twins)] == [0.9, 0.5, 0.2]


def test_a_weak_list_is_shortened_and_the_cut_is_said() -> None:
    """Ten hits beside the point are worse than few, and silence is worse than either."""
    hits = ["a", "a", "b", "b", "c", "d", "e", "f"]
    cut_by = partial(shortened_list, file=str, keep_weak=False)
    weak, (cut,) = cut_by(hits, Confidence.WEAK)

    assert weak == [0, 2, 4, 5]
    assert (cut.code, cut.limit, cut.observed) == ("low_confidence", 4, 8)
    assert cut_by(hits, Confidence.NONE)[0] == []
    assert cut_by(hits, Confidence.NONE, keep_weak=True) == (list(range(8)), ())
    assert cut_by(hits, Confidence.STRONG) == (list(range(8)), ())
    assert cut_by(["a", "b", "c"], Confidence.WEAK) == ([0, 1, 2], ())
    assert cut_by(["a", "a", "a", "b", "a"], Confidence.WEAK)[0] == [0, 1, 3]
    assert cut_by(["a", "a"], Confidence.WEAK) == ([0, 1], ())


def test_doubt_is_said_by_name() -> None:
    """Agents read codes, not prose."""
    codes = {level: [n.code for n in confidence_notices(level)] for level in Confidence}

    assert codes == {
        Confidence.STRONG: [],
        Confidence.WEAK: ["low_confidence"],
        Confidence.NONE: ["no_strong_matches"],
    }

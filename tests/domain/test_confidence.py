"""What an answer says about itself follows from its best files alone."""

from functools import partial

import pytest
from msgspec.structs import replace

from ggrep.model.confidence import (
    MOST_TOP_FILES,
    Confidence,
    TopFile,
    TopFiles,
    Wording,
    confidence_notices,
    confidence_of,
    hits_kept,
    lacking_words,
    merge_top_files,
    ordered_top_files,
    shortened_list,
)

GOOD = TopFile(score=2.0, evidence=2.0, row=1.0, topic=1.0, found=1.0, spelt=False)
POOR = TopFile(score=0.1, evidence=0.1, row=0.2, topic=0.0, found=0.25, spelt=False)


def leading(
    *leaders: TopFile, weight: float = 1.0, unknown: float = 0.0, wording: Wording = Wording.PLAIN
) -> TopFiles:
    return TopFiles(leaders, weight, unknown, wording)


def test_good_evidence_is_strong_and_poor_evidence_none() -> None:
    assert confidence_of(leading(GOOD)) is Confidence.STRONG
    assert confidence_of(leading(POOR, unknown=0.5)) is Confidence.NONE
    assert confidence_of(leading()) is Confidence.NONE

    alike = replace(POOR, found=0.0)

    assert confidence_of(leading(alike, wording=Wording.VAGUE)) is Confidence.NONE
    assert hits_kept(leading(POOR)) == 3
    assert hits_kept(leading(replace(POOR, found=0.0))) == 0
    assert hits_kept(leading()) == 0


def test_names_and_quoted_text_are_trusted_and_question_words_are_not() -> None:
    there = replace(POOR, spelt=True)

    assert confidence_of(leading(there, unknown=0.5, wording=Wording.NAME)) is Confidence.STRONG
    assert confidence_of(leading(there, unknown=0.5)) is Confidence.WEAK
    assert confidence_of(leading(POOR, wording=Wording.QUOTED)) is Confidence.STRONG
    assert confidence_of(leading(GOOD, wording=Wording.VAGUE)) is Confidence.WEAK
    assert confidence_of(leading(wording=Wording.QUOTED)) is Confidence.NONE
    assert confidence_of(leading(GOOD, wording=Wording.UNKNOWN)) is Confidence.WEAK
    assert confidence_of(leading(POOR, unknown=0.5, wording=Wording.UNKNOWN)) is Confidence.NONE


def test_several_repositories_lack_only_what_each_of_them_lacks() -> None:
    without = replace(leading(GOOD, wording=Wording.UNKNOWN), names=("aB", "cD"), words=("x",))
    having = replace(leading(POOR, wording=Wording.NAME), names=("cD",), words=("y", "x"))
    merged = merge_top_files([without, having])

    assert (merged.names, merged.words, merged.wording) == (("cD",), ("x",), Wording.NAME)

    lacking = replace(leading(GOOD), names=("aB",), words=tuple("vwxyz"))

    assert lacking_words(lacking, Confidence.STRONG) == ("aB",)
    assert lacking_words(lacking, Confidence.WEAK) == ("aB", "v", "w", "x", "y")


def test_neither_the_order_of_files_nor_what_all_share_decides() -> None:
    """How files lie in segments must not decide; likeness lifts the score of every file."""
    files = [replace(GOOD, evidence=0.1 * place, row=place / 10) for place in range(MOST_TOP_FILES)]
    turned = [replace(leader, score=2.0 - leader.score) for leader in reversed(files)]

    assert leading(*files).signals() == leading(*turned).signals()
    assert leading(*files).spelt == leading(*turned).spelt

    lifted = [replace(POOR, score=5.0)] * MOST_TOP_FILES

    assert leading(*lifted).signals() == leading(*[POOR] * MOST_TOP_FILES).signals()

    twins = [replace(GOOD, found=share) for share in (0.2, 0.9, 0.5)]

    assert [item.found for item in ordered_top_files(twins)] == [0.9, 0.5, 0.2]


def test_a_third_of_a_long_description_says_more_than_a_third_of_a_short_one() -> None:
    """Ten rare words in one file are no chance, however many others are missing."""
    third = TopFile(score=0.3, evidence=0.3, row=0.3, topic=0.5, found=0.35, spelt=False)

    assert confidence_of(leading(third, weight=6.0, unknown=0.2)) is Confidence.STRONG
    assert confidence_of(leading(third, weight=1.0, unknown=0.2)) is not Confidence.STRONG


def test_words_that_stand_nowhere_lower_confidence() -> None:
    order = [Confidence.NONE, Confidence.WEAK, Confidence.STRONG]
    middling = TopFile(score=0.5, evidence=0.5, row=0.5, topic=0.3, found=0.6, spelt=False)
    results = [
        order.index(confidence_of(leading(middling, weight=2.0, unknown=share / 10)))
        for share in range(11)
    ]

    assert results == sorted(results, reverse=True)
    assert results[0] > results[-1]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (replace(GOOD, evidence=1.0), replace(GOOD, evidence=0.2)),
        (replace(GOOD, evidence=0.4), replace(GOOD, evidence=0.4, row=0.2)),
        (replace(GOOD, evidence=0.4, row=0.5), replace(GOOD, evidence=0.4, row=0.5, topic=0.0)),
    ],
)
def test_more_evidence_never_lowers_confidence(better: TopFile, worse: TopFile) -> None:
    """A signal with the wrong sign would praise noise."""
    order = [Confidence.NONE, Confidence.WEAK, Confidence.STRONG]

    for weight in (0.2, 1.0, 4.0):
        high, low = (
            confidence_of(leading(better, weight=weight)),
            confidence_of(leading(worse, weight=weight)),
        )
        assert order.index(high) >= order.index(low)


def test_merged_leaders_are_those_of_one_collection_whatever_order_they_came_in() -> None:
    """A workspace is judged once, on its merged list."""
    first = leading(*(replace(GOOD, score=2.0 - i / 10) for i in range(8)))
    second = leading(*(replace(POOR, score=1.95 - i / 10) for i in range(8)), weight=3.0)

    merged = merge_top_files([second, first, leading()])

    assert merged == merge_top_files([first, second])
    assert [item.score for item in merged.leaders[:3]] == [2.0, 1.95, 1.9]
    assert len(merged.leaders) == MOST_TOP_FILES
    assert merged.weight == 1.0
    assert merge_top_files([]).leaders == ()


def test_parts_can_be_merged_in_groups() -> None:
    """Each node of a server merges its repositories, so placement would change confidence."""
    ranked_first = leading(
        *(replace(POOR, score=9.0, evidence=1.0),) * MOST_TOP_FILES, weight=3.0, unknown=0.5
    )
    evident = leading(replace(GOOD, score=0.1), weight=1.0)
    between = leading(replace(GOOD, score=0.2, evidence=1.5), weight=2.0, unknown=0.2)
    whole = merge_top_files([ranked_first, evident, between])

    for grouped in ([ranked_first, evident], [evident, between], [ranked_first, between]):
        others = [each for each in (ranked_first, evident, between) if each not in grouped]
        assert merge_top_files([merge_top_files(grouped), *others]) == whole
    assert whole.weight == 1.0
    by_meaning, strange = leading(replace(POOR, evidence=0.0)), leading(GOOD)
    strange = replace(strange, wording=Wording.UNKNOWN)
    parts = [by_meaning, strange, between]
    assert merge_top_files([merge_top_files(parts[:2]), between]) == merge_top_files(parts)


def test_a_weak_list_is_shortened_and_the_cut_is_said() -> None:
    hits = ["a", "a", "b", "b", "c", "c", "d", "a", "e"]
    cut_by = partial(shortened_list, most=3, file=str, keep_weak=False)
    weak, (cut,) = cut_by(hits, Confidence.WEAK)

    assert weak == [0, 1, 2, 3, 4, 6, 8]
    assert (cut.code, cut.limit, cut.observed) == ("low_confidence", 7, 9)
    assert cut_by(hits, Confidence.STRONG) == (list(range(9)), ())
    assert cut_by(["a"] * 5, Confidence.WEAK) == ([0, 1, 2, 3, 4], ())
    assert cut_by(["a", "a", "b"], Confidence.WEAK) == ([0, 1, 2], ())


def test_a_list_that_fits_nothing_keeps_the_best_three_at_most() -> None:
    hits = ["a", "a", "b", "c"]
    none = partial(shortened_list, hits, Confidence.NONE, file=str)

    assert none(most=3, keep_weak=False)[0] == [0, 1, 2]
    assert none(most=0, keep_weak=False)[0] == []
    assert [cut.limit for cut in none(most=0, keep_weak=False)[1]] == [0]
    assert none(most=0, keep_weak=True) == ([0, 1, 2, 3], ())


def test_doubt_is_said_by_name() -> None:
    codes = {level: [n.code for n in confidence_notices(level)] for level in Confidence}

    assert codes == {
        Confidence.STRONG: [],
        Confidence.WEAK: ["low_confidence"],
        Confidence.NONE: ["no_strong_matches"],
    }

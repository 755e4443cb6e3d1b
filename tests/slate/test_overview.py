"""A slate says of itself what was asked, where the answer lies, what would help further."""

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.model.confidence import Confidence
from ggrep.model.slate import SECTIONS, Budgets, Evidence, NextAction, Overview, Pack, Section
from ggrep.search.slate.document import overview_json
from ggrep.search.slate.levels import effective
from ggrep.search.slate.overview import (
    TOP_NAMES,
    TOP_PATHS,
    SlatePlan,
    next_actions,
    overview,
)

STRONG = SlatePlan(1, effective(Budgets(), 1)[0], Confidence.STRONG, ("retry", "queue"))
AMPLE = 4_096


def evidence(name: str, score: float, line: int = 3, kind: str = "function") -> Evidence:
    return Evidence(
        row_id="a" * 64,
        chunk_id="b" * 64,
        start_line=line,
        end_line=line + 2,
        score=score,
        chunk_type=kind,
        name=name,
        breadcrumb=(),
        signature="",
        reason="semantic_match",
    )


def pack(path: str, score: float, *pieces: Evidence, section: Section = Section.CODE) -> Pack:
    return Pack(
        path, 3, score, "python", section, "semantic_match", (), (), None, pieces, more_evidence=0
    )


PACKS = [
    pack("src/b.py", 0.5, evidence("drain", 0.5)),
    pack("src/a.py", 0.9, evidence("Queue.retry", 0.9), evidence("", 0.8, 9)),
    pack("docs/a.md", 0.7, evidence("Retries", 0.7), section=Section.DOCS),
]


def test_it_names_what_was_asked_and_where_the_answer_lies() -> None:
    """The best files first, whatever section they stand in; names of code alone."""
    assert overview(STRONG, PACKS, AMPLE) == Overview(
        terms=("retry", "queue"),
        kind="words",
        files=((Section.CODE, 2), (Section.DOCS, 1)),
        top_paths=("src/a.py", "docs/a.md", "src/b.py"),
        names=("Queue.retry", "drain"),
        missing=(Section.DIAGRAMS, Section.CONFIG, Section.TESTS),
    )


def test_an_overview_of_nothing_names_what_is_missing() -> None:
    """All of it."""
    result = overview(STRONG, [], AMPLE)

    assert (result.files, result.top_paths, result.names) == ((), (), ())
    assert result.missing == SECTIONS


def test_names_are_those_of_definitions() -> None:
    """A block's name is that of what it stands in, or none."""
    some = [pack("a.py", 0.9, evidence("block", 0.9, kind="block"), evidence("Cache", 0.8))]

    assert overview(STRONG, some, AMPLE).names == ("Cache",)


def test_lists_are_short_and_say_nothing_twice() -> None:
    """An overview is read before anything else."""
    many = [pack(f"{n:02d}.py", 1 - n / 50, evidence(f"f{n // 2}", 0.5)) for n in range(40)]
    result = overview(STRONG, many, AMPLE)

    assert result.top_paths == tuple(f"{n:02d}.py" for n in range(TOP_PATHS))
    assert result.names == tuple(f"f{n}" for n in range(TOP_NAMES))


def test_the_order_of_the_packs_does_not_matter() -> None:
    """Equal scores fall by path."""
    even = [replace(each, score=0.5) for each in PACKS]

    assert overview(STRONG, even, AMPLE) == overview(STRONG, even[::-1], AMPLE)
    assert overview(STRONG, even, AMPLE).top_paths == ("docs/a.md", "src/a.py", "src/b.py")


@pytest.mark.parametrize("most", [160, 200, 341, 700, 4_096])
def test_it_keeps_within_its_bytes(most: int) -> None:
    """Names go first: paths and terms tell more."""
    asked = replace(STRONG, terms=tuple(f"\u0001term{n}" for n in range(64)))
    packs = [pack(f"{'d' * 90}/{n}.py", 0.5, evidence(f"{'n' * 90}{n}", 0.5)) for n in range(9)]
    result = overview(asked, packs, most)

    assert len(stable_json.dumps(overview_json(result))) <= most
    assert result.files == ((Section.CODE, 9),)
    assert not result.names or result.terms == asked.terms


def test_a_repository_is_named_where_there_are_several() -> None:
    """The same path stands in most of them."""
    two = [replace(PACKS[0], repo="shop"), replace(PACKS[0], repo="pay")]

    assert overview(STRONG, two, AMPLE).top_paths == ("pay:src/b.py", "shop:src/b.py")
    assert next_actions(STRONG, two, AMPLE)[0].target == "pay:src/b.py:3"


def actions(found: tuple[NextAction, ...]) -> list[tuple[str, str]]:
    return [(each.action, each.target) for each in found]


def test_the_best_code_is_where_to_go_on() -> None:
    """Reading it whole, then who uses it, then where it is defined."""
    assert actions(next_actions(STRONG, PACKS, AMPLE)) == [
        ("expand", "src/a.py:3"),
        ("refs", "Queue.retry"),
        ("symbol", "drain"),
    ]


def test_nothing_to_go_on_with_asks_for_other_words() -> None:
    """An empty slate is no end."""
    nothing = replace(STRONG, confidence=Confidence.NONE)

    assert actions(next_actions(nothing, [], AMPLE)) == [("refine", "")]
    weak = replace(STRONG, confidence=Confidence.WEAK)
    assert actions(next_actions(weak, PACKS, AMPLE))[0] == ("refine", "")


@pytest.mark.parametrize(
    ("plan", "level"),
    [(replace(STRONG, level=0), "1"), (replace(STRONG, cut=True), "2")],
)
def test_a_level_that_shows_more_is_offered(plan: SlatePlan, level: str) -> None:
    """Where there is more to show."""
    assert ("level", level) in actions(next_actions(plan, PACKS, AMPLE))
    assert "level" not in {each.action for each in next_actions(STRONG, PACKS, AMPLE)}


def test_files_that_had_no_place_can_be_had() -> None:
    """In a session, which has to be begun where there is none."""
    left = replace(STRONG, left=4)
    alone = next_actions(left, PACKS, AMPLE)[-1]
    going_on = next_actions(replace(left, has_session=True), PACKS, AMPLE)[-1]

    assert (alone.action, alone.target) == ("refine", "session")
    assert (going_on.action, going_on.target) == ("refine", "")
    assert "delta_only" in going_on.why
    assert "refine" not in {each.action for each in next_actions(STRONG, PACKS, AMPLE)}


def test_what_fits_nothing_is_no_reason_to_go_on() -> None:
    """More of what was held back as beside the point would be beside the point."""
    doubted = replace(STRONG, confidence=Confidence.NONE, left=4)

    assert [each.target for each in next_actions(doubted, (), AMPLE)] == [""]


def test_no_level_is_offered_that_shows_all_of_every_chunk() -> None:
    """Whole chunks are for those who ask for them on their own."""
    for level in (2, 3):
        result = next_actions(replace(STRONG, level=level, cut=True), PACKS, AMPLE)
        assert "level" not in {each.action for each in result}


@pytest.mark.parametrize("most", [2, 60, 200, 400])
def test_hints_keep_within_their_bytes(most: int) -> None:
    """The most useful stay."""
    plan = replace(STRONG, level=0, confidence=Confidence.WEAK, left=3, cut=True)
    everything = next_actions(plan, PACKS, AMPLE)
    result = next_actions(plan, PACKS, most)

    assert len(stable_json.dumps(to_builtins(result))) <= most
    assert result == everything[: len(result)]
    assert len(everything) == 6

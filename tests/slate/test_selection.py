"""Which files a slate shows: by score, in shares, with one of each role that a change needs."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.model.slate import ROLES, SECTIONS, Role, Section
from ggrep.model.slate_material import FileCandidate
from ggrep.search.slate.file_choice import QUOTAS, Selection, select, shares
from ggrep.search.slate.levels import FILES
from tests.fakes.slate_files import candidate

CODE = [candidate(f"src/m{n:02d}.py", score=1 - n / 50) for n in range(30)]
"""All of it well above the floor."""
EACH = [
    candidate("src/a.py", score=1.0),
    candidate("docs/a.md", Section.DOCS, 0.9),
    candidate("docs/a.mmd", Section.DIAGRAMS, 0.8),
    candidate("conf/a.toml", Section.CONFIG, 0.7, roles=frozenset({Role.CONFIGURATION})),
    candidate("tests/test_a.py", Section.TESTS, 0.6, is_test=True),
]


def paths(found: Selection, section: Section | None = None) -> list[str]:
    """Return the chosen paths, of one section or all."""
    picks = (pick.candidate for pick in found.picks)
    return [each.path for each in picks if section in {None, each.section}]


def reasons(found: Selection) -> dict[str, str]:
    return {pick.candidate.path: pick.reason for pick in found.picks}


def test_nothing_that_matches_is_nothing_chosen() -> None:
    """A file whose score is zero does not match."""
    empty = Selection((), 0, 0)

    assert select([], 20) == empty
    assert select([candidate("a.py", score=0.0)], 20) == empty


def test_picks_stand_by_section_and_within_it_by_score() -> None:
    """Then by path: nothing else decides."""
    ties = [candidate(f"src/{name}.py", score=0.5) for name in "dbc"]
    result = select([*ties, *EACH], 20)
    order = [SECTIONS.index(pick.candidate.section) for pick in result.picks]

    assert order == sorted(order)
    assert paths(result, Section.CODE) == [f"src/{name}.py" for name in "abcd"]
    for section in SECTIONS:
        ranks = [pick.rank for pick in result.picks if pick.candidate.section is section]
        assert ranks == list(range(len(ranks)))


def test_shares_add_up_to_a_usual_slate() -> None:
    """And no section is ever without a place."""
    assert shares(FILES) == QUOTAS
    assert sum(QUOTAS.values()) == FILES
    assert all(min(shares(files).values()) >= 1 for files in range(1, 101))


def test_a_full_section_leaves_the_others_their_share() -> None:
    """A question about documents in a repository of code shows both."""
    documents = [candidate(f"docs/{n:02d}.md", Section.DOCS, 0.6 - n / 100) for n in range(30)]
    tests = [candidate(f"tests/test_{n}.py", Section.TESTS, 0.5) for n in range(30)]
    result = select([*CODE, *documents, *tests], FILES)

    assert len(result.picks) == FILES
    assert len(paths(result, Section.DOCS)) >= QUOTAS[Section.DOCS]
    assert len(paths(result, Section.TESTS)) >= QUOTAS[Section.TESTS]
    assert len(paths(result, Section.CODE)) >= QUOTAS[Section.CODE]


def test_places_that_no_section_needs_go_by_score() -> None:
    """A repository of nothing but code has slates as large as any."""
    result = select(CODE, 20)

    assert paths(result) == [each.path for each in CODE[:20]]
    assert result.left == 10
    assert set(reasons(result).values()) == {"semantic_match"}


def test_files_below_the_floor_fill_no_place() -> None:
    """An empty section says that there is nothing; noise in it would say the opposite."""
    weak = [candidate(f"docs/{n}.md", Section.DOCS, 0.05) for n in range(9)]
    result = select([*CODE[:3], *weak], 20)

    assert paths(result) == [each.path for each in CODE[:3]]
    assert result.left == 0


def test_an_entry_point_is_shown_although_others_match_better() -> None:
    """Where something is applied matters as much as how it works; it is said why it is there."""
    late = candidate("src/server.py", score=0.35, roles=frozenset({Role.ENTRYPOINT}))
    policy = candidate("src/policies.py", score=0.34, roles=frozenset({Role.POLICY}))
    documents = [candidate(f"docs/{n:02d}.md", Section.DOCS, 0.9) for n in range(30)]
    result = select([*CODE, late, policy, *documents], 20)

    assert len(result.picks) == 20
    assert reasons(result)["src/server.py"] == "entrypoint_rule"
    assert reasons(result)["src/policies.py"] == "policy_rule"


def test_a_role_that_is_shown_already_takes_no_further_place() -> None:
    """The best file may be the entry point itself."""
    both = candidate("src/app.py", score=1.5, roles=frozenset({Role.ENTRYPOINT, Role.POLICY}))
    late = candidate("src/server.py", score=0.9, roles=frozenset({Role.ENTRYPOINT}))
    result = select([both, *CODE[:7], late], 7)

    assert reasons(result)["src/app.py"] == "semantic_match"
    assert "src/server.py" not in paths(result)


def test_a_role_is_covered_by_the_best_of_the_files_below_the_floor() -> None:
    """A slate shows one file of every role that the repository has, even if it matches little."""
    others = [
        candidate(f"src/{name}.py", score=score, roles=frozenset({Role.ENTRYPOINT}))
        for name, score in (("cli", 0.05), ("server", 0.1), ("worker", 0.02))
    ]
    result = select([*CODE, *others], 20)

    assert [path for path in paths(result) if path in {c.path for c in others}] == ["src/server.py"]
    assert reasons(result)["src/server.py"] == "entrypoint_rule"


def test_a_role_is_covered_once_in_a_session() -> None:
    """A later slate of the session does not show the next weak file of the role."""
    some = [
        candidate(f"src/{name}.py", score=score, roles=frozenset({Role.POLICY}))
        for name, score in (("roles", 0.1), ("scopes", 0.05))
    ]
    result = select([*CODE, *some], 20, seen={"src/roles.py"}.__contains__)

    assert not {c.path for c in some} & set(paths(result))


def test_configuration_is_shown_beside_better_code() -> None:
    """One file of it at least, where any matches."""
    settings = candidate("app.toml", Section.CONFIG, 0.3, roles=frozenset({Role.CONFIGURATION}))
    result = select([*CODE, settings], 7)

    assert reasons(result)["app.toml"] == "config_rule"


def test_tests_of_files_that_are_shown_come_first() -> None:
    """What validates the mechanism is worth more than another test that says the same words."""
    ours = candidate("tests/test_m03.py", Section.TESTS, 0.5, is_test=True)
    others = [candidate(f"tests/test_b{n}.py", Section.TESTS, 0.6) for n in range(8)]
    result = select([*CODE, *others, ours], 20)

    assert paths(result, Section.TESTS)[0] == "tests/test_m03.py"


def test_logs_of_changes_give_way_to_documents() -> None:
    """They speak of everything."""
    log = candidate("CHANGELOG.md", Section.DOCS, 0.6)
    guide = candidate("docs/guide.md", Section.DOCS, 0.5)

    assert paths(select([*CODE[:3], log, guide], 20), Section.DOCS)[0] == "docs/guide.md"


def test_files_that_were_shown_give_their_places_to_others() -> None:
    """A session goes on with what is new, and says how much it left out."""
    first = select(CODE, 20)
    shown = frozenset(paths(first))
    second = select(CODE, 20, seen=shown.__contains__)

    assert paths(second) == [each.path for each in CODE[20:]]
    assert second.suppressed == 20
    assert second.left == 0
    assert first.suppressed == 0


def test_what_is_left_out_is_counted_by_files() -> None:
    """Not by the sections that a file could stand in."""
    twice = [candidate(f"src/m{n:02d}.py", Section.CONFIG, 0.9) for n in range(30)]
    result = select([*CODE, *twice], 20)
    again = select([*CODE, *twice], 20, seen=lambda _: True)

    assert len(set(paths(result))) + result.left == 30
    assert (again.picks, again.suppressed) == ((), 30)


def test_a_single_place_goes_to_the_best_code() -> None:
    """And to the best file of all where there is no code."""
    assert paths(select(EACH, 1)) == ["src/a.py"]
    assert paths(select(EACH[1:], 1)) == ["docs/a.md"]


names = st.sampled_from(
    [
        f"{top}/{stem}{end}"
        for top in ("src", "docs", "tests")
        for stem in "abcdef"
        for end in (".py", ".md", "_test.py", "/changes.md")
    ]
)
scores = st.sampled_from((0.0, 0.05, 0.2, 0.3, 0.5, 0.7, 1.0, 1.0))
candidates = st.lists(
    st.builds(
        candidate,
        names,
        st.sampled_from(SECTIONS),
        scores,
        roles=st.frozensets(st.sampled_from(ROLES), max_size=3),
    ),
    max_size=60,
    unique_by=lambda one: (one.path, one.section),
)


@given(candidates, st.integers(1, 30), st.integers(0, 9), st.frozensets(names, max_size=12))
def test_a_selection_keeps_its_promises(
    some: list[FileCandidate], files: int, seed: int, seen: frozenset[str]
) -> None:
    """Never too many, no file twice, none that was seen, and the same whatever the order."""
    result = select(some, files, seen=seen.__contains__)
    shuffled = random.Random(seed).sample(some, len(some))
    chosen = paths(result)
    best = {each.section: 0 for each in some}

    assert select(shuffled, files, seen=seen.__contains__) == result
    assert len(chosen) == len(set(chosen)) <= files
    assert seen.isdisjoint(chosen)
    assert result.left >= 0
    assert result.left == 0 or len(chosen) == files
    assert {pick.candidate for pick in result.picks} <= set(some)
    for pick in result.picks:
        assert pick.rank == best[pick.candidate.section]
        best[pick.candidate.section] += 1


@given(candidates, st.integers(1, 12))
def test_delta_after_delta_returns_every_file_that_is_worth_it_once(
    some: list[FileCandidate], files: int
) -> None:
    """A client that goes on long enough has seen all of it, and nothing again."""
    shown: list[str] = []
    while picks := paths(select(some, files, seen=frozenset(shown).__contains__)):
        shown += dict.fromkeys(picks)
    # Which tests are worth it depends on the code that a slate of so many files shows.
    rest = select(some, files, seen=frozenset(shown).__contains__)

    assert len(shown) == len(set(shown))
    assert (rest.left, rest.suppressed) == (0, len(shown))


def test_code_with_a_place_as_configuration_stands_under_code_too() -> None:
    """What answers in code is never missing there, and costs no other file its place."""
    both = [
        candidate("src/settings.py", section, 0.5, roles=frozenset({Role.CONFIGURATION}))
        for section in (Section.CODE, Section.CONFIG)
    ]
    without = select([*CODE, *EACH[1:]], FILES)
    result = select([*CODE, *both, *EACH[1:3]], FILES)

    assert "src/settings.py" in paths(result, Section.CONFIG)
    assert paths(result, Section.CODE)[-1] == "src/settings.py"
    assert reasons(result)["src/settings.py"] in {"config_rule", "semantic_match"}
    assert len(set(paths(result))) == len(set(paths(without))) == FILES


def test_a_file_below_the_floor_of_code_stays_where_it_is() -> None:
    """It does not answer there."""
    low = [candidate("src/settings.py", s, 0.25) for s in (Section.CODE, Section.CONFIG)]
    low = [replace(each, roles=frozenset({Role.CONFIGURATION})) for each in low]
    result = select([*CODE, *low], FILES)

    assert "src/settings.py" in paths(result, Section.CONFIG)
    assert "src/settings.py" not in paths(result, Section.CODE)


@pytest.mark.parametrize("name", ["LICENSE", "COPYING.txt", "docs/AUTHORS", "licenses.md"])
def test_licences_and_lists_count_less(name: str) -> None:
    """They have everybody's words; a document that says half as much comes first."""
    plain = candidate("docs/guide.md", Section.DOCS, 0.5)
    legal = candidate(name, Section.DOCS, 0.9)
    words = candidate("lang/de.json", Section.CONFIG, 0.6, is_list=True)
    result = select([candidate("a.py"), legal, plain, words], FILES)

    assert paths(result, Section.DOCS) == ["docs/guide.md", name]
    assert paths(result, Section.CONFIG) == []


def test_code_that_the_best_code_uses_is_chosen_behind_better_matches() -> None:
    """It takes the last place of its section, not the first ones of the slate."""
    helper = candidate("src/helper.py", score=0.35, used=1.0)
    some = [candidate(f"src/{n:02d}.py", score=0.5) for n in range(40)]
    result = paths(select([*some, helper], 20))

    assert result.index("src/helper.py") == shares(20)[Section.CODE] - 1

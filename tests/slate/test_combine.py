"""Slates of several repositories as one: who keeps what, in which order, within which bytes."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.model.confidence import Confidence
from ggrep.model.limits import LimitHit
from ggrep.model.slate import SECTIONS, Budgets, FileFacts, GraphEdge, Pack, Section, Slate
from ggrep.search.slate import combine
from ggrep.search.slate.combine import RepoSlate
from ggrep.search.slate.document import graph_json, pack_json, slate_json
from ggrep.search.slate.levels import LEVELS, MIN_SLATE_BYTES, effective
from ggrep.search.slate.overview import SlatePlan
from tests.fakes.repo_slates import pack, repo_slate


def how(level: int = 1, **budgets: int) -> SlatePlan:
    """Return the form of a slate, by the budgets that are named."""
    return SlatePlan(level, effective(Budgets(**budgets), level)[0], Confidence.STRONG, ("cart",))


def combined(
    slates: Sequence[RepoSlate], plan: SlatePlan, *, comparable: bool = True
) -> tuple[Slate, tuple[LimitHit, ...]]:
    """Return one slate of several."""
    return combine.combined(slates, plan, comparable=comparable)


def files(repo: str, *scores: float, section: Section = Section.CODE) -> RepoSlate:
    """Return a repository with one file of each score."""
    return repo_slate(repo, *(pack(f"{n:02}.py", score, section) for n, score in enumerate(scores)))


def shown(slate: Slate) -> list[str]:
    """Return what a slate shows, in its order."""
    return [f"{each.repo}:{each.path}" for _, packs in slate.sections for each in packs]


def by_repo(slate: Slate) -> Counter[str]:
    """Return how many files each repository shows."""
    return Counter(each.repo for _, packs in slate.sections for each in packs)


def cut_codes(cuts: Sequence[LimitHit]) -> list[str]:
    """Return what was cut, each once."""
    return sorted({cut.code for cut in cuts})


def size(value: stable_json.Json) -> int:
    """Return the bytes that are printed."""
    return len(stable_json.dumps(value))


def test_lines_are_dealt_by_shares_where_scores_do_not_compare() -> None:
    """Raw scores would show the lines of the repository that scores highest, and no others."""
    body = "line\n" * 400
    high = repo_slate("high", pack("a.py", 90.0, text=body), pack("b.py", 40.0, text=body))
    low = repo_slate("low", pack("c.py", 0.9, text=body))
    slate, _ = combined([high, low], how(total_bytes=6_144), comparable=False)
    lines = {
        each.path: sum(item.snippet.count("line") for item in each.evidence)
        for _, packs in slate.sections
        for each in packs
    }

    assert lines["c.py"] > lines.get("b.py", 0)


def test_a_repository_with_high_scores_cannot_take_all() -> None:
    """Half of the places are dealt in equal parts; the other half goes by score."""
    loud = files("loud", *(100.0 - n for n in range(20)))
    quiet = [files(name, *(1.0 - n / 100 for n in range(20))) for name in ("a", "b", "c", "d")]
    slate, _ = combined([loud, *quiet], how(files=20))

    assert by_repo(slate) == {"loud": 12, "a": 2, "b": 2, "c": 2, "d": 2}


def test_the_half_in_equal_parts_are_each_repositorys_best() -> None:
    """A fair share of bad files would help nobody."""
    slate, _ = combined(
        [files("loud", 9.0, 8.0, 7.0, 6.0), files("quiet", 0.1, 0.3, 0.2)], how(files=4)
    )

    assert shown(slate) == ["loud:00.py", "loud:01.py", "loud:02.py", "quiet:01.py"]


def test_every_repository_that_matches_keeps_a_file() -> None:
    """That a repository has something to say is worth more than a tenth file of another."""
    slates = [files(f"r{n:02}", n + 1.0, n + 0.5, n + 0.25) for n in range(20)]
    slate, cuts = combined(slates, how(files=20))

    assert by_repo(slate) == {f"r{n:02}": 1 for n in range(20)}
    assert LimitHit("max_slate_files", 20, 60) in cuts


def test_of_more_repositories_than_files_those_with_the_best_file_are_shown() -> None:
    """Somebody has to be left out, and it is said."""
    slates = [files(f"r{n}", float(n + 1)) for n in range(9)]
    slate, cuts = combined(slates, how(files=3))

    assert shown(slate) == ["r8:00.py", "r7:00.py", "r6:00.py"]
    assert cuts == (LimitHit("max_slate_files", 3, 9),)


def test_a_repository_without_a_file_takes_no_place() -> None:
    """It was asked, and had nothing."""
    slate, cuts = combined([repo_slate("none"), files("a", 2.0, 1.0)], how(files=2))

    assert shown(slate) == ["a:00.py", "a:01.py"]
    assert cuts == ()


def test_places_that_are_not_dealt_in_equal_parts_go_by_section() -> None:
    """Forty files of code do not push out the documents, in one repository or in ten."""
    code = [files(name, *(9.0 - n / 10 for n in range(20))) for name in ("a", "b")]
    documents = files("z", *(1.0 - n / 10 for n in range(9)), section=Section.DOCS)
    slate, _ = combined([*code, documents], how(files=20))
    counts = {section: len(packs) for section, packs in slate.sections}

    assert counts == {Section.CODE: 17, Section.DOCS: 3}


def test_sections_stand_in_their_order_and_files_by_score_then_repository() -> None:
    """The same order as in the slate of one."""
    first = repo_slate(
        "b",
        pack("t.py", 5.0, Section.TESTS),
        pack("m.py", 1.0),
        pack("k.toml", 1.0, Section.CONFIG),
    )
    other = repo_slate("a", pack("n.py", 1.0), pack("d.md", 0.2, Section.DOCS))
    slate, _ = combined([first, other], how())

    assert [section for section, _ in slate.sections] == [
        Section.CODE,
        Section.DOCS,
        Section.CONFIG,
        Section.TESTS,
    ]
    assert shown(slate) == ["a:n.py", "b:m.py", "a:d.md", "b:k.toml", "b:t.py"]


def test_scores_of_one_scale_are_kept() -> None:
    """They were measured against all repositories together."""
    slate, _ = combined([files("a", 8.0, 4.0), files("b", 2.0)], how())

    assert [each.score for _, packs in slate.sections for each in packs] == [8.0, 4.0, 2.0]


def test_scores_that_do_not_compare_count_as_shares_of_their_repositorys_best() -> None:
    """A repository of few files has other figures for the same words."""
    slate, _ = combined([files("a", 8.0, 2.0), files("b", 0.4, 0.3)], how(), comparable=False)

    assert shown(slate) == ["a:00.py", "b:00.py", "b:01.py", "a:01.py"]
    assert [each.score for _, packs in slate.sections for each in packs] == [1.0, 1.0, 0.75, 0.25]


def test_scores_of_nothing_do_not_compare_either() -> None:
    """A file that was asked for by name may have none."""
    slate, _ = combined([files("a", 0.0), files("b", 1.0)], how(), comparable=False)

    assert shown(slate) == ["b:00.py", "a:00.py"]


@pytest.mark.parametrize(
    ("confidence", "keep_weak", "number"),
    [
        (Confidence.STRONG, False, 12),
        (Confidence.WEAK, False, 9),
        (Confidence.WEAK, True, 12),
        (Confidence.NONE, False, 0),
        (Confidence.NONE, True, 12),
    ],
)
def test_a_doubtful_answer_shows_fewer_files(
    confidence: Confidence, keep_weak: bool, number: int
) -> None:
    """As of one repository; and whoever wants all of it has all of it."""
    slates = [files(name, 4.0, 3.0, 2.0, 1.0) for name in ("a", "b", "c")]
    asked = replace(how(files=12), confidence=confidence, keep_weak=keep_weak)
    slate, cuts = combined(slates, asked)

    assert len(shown(slate)) == number
    assert slate.limits.files == 12
    assert cuts == (() if number == 12 else (LimitHit("low_confidence", number, 12),))


def test_a_doubtful_answer_shows_no_more_than_was_asked_for() -> None:
    """Of two files hardly any can go."""
    asked = replace(how(files=2), confidence=Confidence.WEAK)
    slate, cuts = combined([files("a", 3.0, 2.0, 1.0)], asked)

    assert len(shown(slate)) == 2
    assert cut_codes(cuts) == ["max_slate_files"]


def test_no_slate_at_all_is_an_empty_slate() -> None:
    """Nobody matched; there is still an answer."""
    slate, cuts = combined([], how())

    assert slate.sections == ()
    assert slate.overview.terms == ("cart",)
    assert slate.overview.missing == SECTIONS
    assert cuts == ()


def test_paths_in_overview_and_hints_say_whose_they_are() -> None:
    """`expand` would otherwise open another repository's file of that name."""
    slate, _ = combined([files("a", 2.0), files("b", 1.0)], how())

    assert slate.overview.top_paths == ("a:00.py", "b:00.py")
    assert slate.next_actions[0].target == "a:00.py:3"


def client_and_server() -> tuple[RepoSlate, RepoSlate]:
    """Return two repositories of which one calls the other."""
    name = ("package", "shop")
    client = repo_slate(
        "web",
        pack("cart.ts", 2.0),
        pack("view.ts", 1.0),
        edges=[GraphEdge("imports", "view.ts", "cart.ts", "./cart")],
        facts=[FileFacts("cart.ts", Section.CODE, "typescript", needs=(name,))],
    )
    server = repo_slate(
        "shop",
        pack("api.py", 0.1),
        pack("main.py", 3.0),
        facts=[FileFacts("api.py", Section.CODE, "python", provides=(name,))],
    )
    return client, server


def edges(slate: Slate) -> list[tuple[str, str, str]]:
    """Return the edges of a slate."""
    assert slate.graph is not None
    return [(edge.kind, edge.source, edge.target) for edge in slate.graph.edges]


def test_edges_join_files_within_repositories_and_across_them() -> None:
    """How a change goes on is what the graph is for."""
    slate, _ = combined(client_and_server(), how())

    assert edges(slate) == [
        ("imports", "web:view.ts", "web:cart.ts"),
        ("package", "web:cart.ts", "shop:api.py"),
    ]


def test_edges_join_shown_files_alone() -> None:
    """An end that is not in the slate leads nowhere."""
    slate, _ = combined(client_and_server(), how(files=2))
    assert slate.graph is not None

    assert shown(slate) == ["shop:main.py", "web:cart.ts"]
    assert edges(slate) == []
    assert [node.id for node in slate.graph.nodes] == ["shop:main.py", "web:cart.ts"]


def test_what_is_not_shown_does_not_hide_who_else_provides_a_name() -> None:
    """Of a repository one place is named; it has to be one that can be looked at."""
    name = ("package", "shop")
    client = repo_slate(
        "web",
        pack("cart.ts", 2.0),
        facts=[FileFacts("cart.ts", Section.CODE, "typescript", needs=(name,))],
    )
    server = repo_slate(
        "shop",
        pack("api.py", 0.1),
        pack("main.py", 3.0),
        facts=[
            FileFacts(path, Section.CODE, "python", provides=(name,))
            for path in ("api.py", "main.py")
        ],
    )
    slate, _ = combined([client, server], how(files=2))

    assert edges(slate) == [("package", "web:cart.ts", "shop:main.py")]


def test_without_a_graph_there_is_none() -> None:
    """It costs bytes."""
    slate, _ = combined(client_and_server(), replace(how(), graph=False))

    assert slate.graph is None


def test_levels_choose_the_same_files() -> None:
    """Whoever asks for more of them gets more of the same."""
    slates = [files(name, *(n / 7 for n in range(1, 12))) for name in ("a", "b", "c")]
    results = [combined(slates, how(level))[0] for level in LEVELS]

    assert [shown(slate) for slate in results[1:]] == [shown(results[1])] * 3
    assert shown(results[0]) == shown(results[1])[: len(shown(results[0]))]
    assert [slate.level for slate in results] == list(LEVELS)


def test_level_0_shows_no_line_of_a_file() -> None:
    """Its packs name files, and no evidence."""
    slate, _ = combined([repo_slate("a", pack("x.py", text="secret"))], how(0))

    assert b"secret" not in stable_json.dumps(slate_json(slate))
    assert b'"repo":"a"' in stable_json.dumps(slate_json(slate))


_TEXTS = st.sampled_from(["", "x", 'a "quoted" line\n' * 40, "ä" * 300, "l\n" * 400])
_PACKS = st.lists(
    st.builds(
        pack,
        st.integers(0, 60).map(lambda n: f"{'deep/' * (n % 7)}{n}.py"),
        st.integers(1, 9).map(lambda n: n / 4),
        st.sampled_from(SECTIONS),
        _TEXTS,
    ),
    max_size=12,
    unique_by=lambda one: one.path,
)
_REPOS = st.dictionaries(st.sampled_from("abcdefgh"), _PACKS, max_size=6)
_BOUNDS = st.fixed_dictionaries(
    {
        "total_bytes": st.sampled_from([0, MIN_SLATE_BYTES, 4_096, 9_999]),
        "file_bytes": st.sampled_from([0, 300, 700]),
        "files": st.sampled_from([0, 1, 3, 40]),
    }
)


def joined(repos: dict[str, list[Pack]]) -> list[RepoSlate]:
    """Return repositories in which each file needs what files of all others provide."""
    return [
        repo_slate(
            repo,
            *packs,
            facts=[
                FileFacts(
                    each.path,
                    each.section,
                    "python",
                    needs=(("package", "abcdefgh"[place % 8]),),
                    provides=(("package", repo),),
                )
                for place, each in enumerate(packs)
            ],
        )
        for repo, packs in repos.items()
    ]


@given(_REPOS, _BOUNDS, st.sampled_from(LEVELS), st.booleans())
def test_no_budget_is_exceeded_whatever_the_repositories_hold(
    repos: dict[str, list[Pack]], bounds: dict[str, int], level: int, comparable: bool
) -> None:
    """A caller that gave a number of bytes has a buffer of that size."""
    asked = how(level, **bounds)
    slate, cuts = combined(joined(repos), asked, comparable=comparable)
    packs = [each for _, kept in slate.sections for each in kept]
    every = sum(map(len, repos.values()))

    assert size(slate_json(slate)) == slate.total_bytes <= asked.budgets.total_bytes
    assert len(packs) <= asked.budgets.files
    assert all(size(pack_json(each, level)) <= asked.budgets.file_bytes for each in packs)
    assert slate.graph is not None
    assert size(graph_json(slate.graph)) <= asked.budgets.total_bytes
    reported = {"max_slate_files", "max_slate_files_by_bytes", "max_slate_file_bytes"}
    assert len(packs) == every or reported & {cut.code for cut in cuts}
    nodes = {node.id for node in slate.graph.nodes}
    assert nodes <= {f"{each.repo}:{each.path}" for each in packs}
    assert all({edge.source, edge.target} <= nodes for edge in slate.graph.edges)


@given(_REPOS, _BOUNDS, st.randoms(use_true_random=False))
def test_the_order_of_repositories_changes_no_byte(
    repos: dict[str, list[Pack]], bounds: dict[str, int], chance: object
) -> None:
    """They answer in any order."""
    slates = joined(repos)
    turned = list(slates)
    chance.shuffle(turned)  # type: ignore[attr-defined]  # a Random, whose module is banned
    slate, cuts = combined(slates, how(**bounds))
    again, others = combined(turned, how(**bounds))

    assert stable_json.dumps(slate_json(slate)) == stable_json.dumps(slate_json(again))
    assert cuts == others


@given(_REPOS, st.sampled_from([4, 8, 20]), st.booleans())
def test_nobody_is_starved_while_there_are_places(
    repos: dict[str, list[Pack]], most: int, comparable: bool
) -> None:
    """Each that matches keeps its equal part of half the places, or all that it has."""
    asked = how(0, files=most)
    roomy = replace(asked, budgets=replace(asked.budgets, total_bytes=60_000, file_bytes=60_000))
    slate, _ = combined(joined(repos), roomy, comparable=comparable)
    matching = {repo: len(packs) for repo, packs in repos.items() if packs}
    kept = by_repo(slate)
    part = max(1, most // (2 * len(matching))) if matching else 0

    if len(matching) <= most:
        assert all(kept[repo] >= min(part, number) for repo, number in matching.items())
    assert sum(kept.values()) == min(most, sum(matching.values()))

"""Folding: one text is shown once, and what becomes free is filled as if lists had no end."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.merge import (
    AlsoIn,
    MergedHit,
    RankedList,
    deeper,
    exhausted_by_folding,
    fold,
    global_order,
    merge_rrf,
    needs_more,
    refill_limit,
)
from ggrep.model.corpus import Corpus, Mode, bucket_of, select
from ggrep.model.limits import LimitHit
from ggrep.model.response import Hit
from tests.fakes.searchers import hit


def merged(repo: str, row: str, chunk: str, path: str = "a.py", start: int = 1) -> MergedHit:
    result = hit(row, path, start, chunk_id=chunk)
    return MergedHit(RepoId(repo), repo.upper(), result, 0.5, 0)


def ids(hits: Sequence[MergedHit]) -> list[str]:
    return [item.global_id for item in hits]


def test_the_best_ranked_copy_stays_and_names_the_others() -> None:
    """A vendored function fills one place of the answer, and nothing is lost."""
    ordered = [
        merged("b", "1", "x", start=7),
        merged("a", "2", "x", "v/a.py", 3),
        merged("a", "3", "y"),
    ]

    kept = fold(ordered)

    assert ids(kept) == ["b:1", "a:3"]
    assert kept[0].also_in == (AlsoIn(RepoId("a"), "A", "v/a.py", 3, 4, "2"),)
    assert replace(kept[0], also_in=()) == ordered[0]
    assert kept[1] is ordered[2]


def test_copies_of_one_repository_or_of_two_corpora_stay_apart() -> None:
    """A workspace of one repository answers as it does; lists of corpora and blended fold alike."""
    code, prose = merged("a", "1", "x"), merged("b", "2", "x")
    prose = replace(prose, hit=replace(prose.hit, corpus=Corpus.PROSE))

    for ordered in ([code, merged("a", "2", "x")], [code, prose], []):
        assert fold(ordered) == tuple(ordered)


def test_a_repository_that_owns_a_text_keeps_all_its_copies() -> None:
    """Others' copies go to its best one, however they lie between."""
    kept = fold([merged(repo, str(n), "x") for n, repo in enumerate("abab", 1)])

    assert ids(kept) == ["a:1", "a:3"]
    assert [copy.row_id for copy in kept[0].also_in] == ["2", "4"]
    assert kept[1].also_in == ()


def test_copies_are_named_by_repository_file_line_and_row() -> None:
    """Equal state, equal bytes, whatever the ranks were; files by their bytes."""
    copies = [
        merged("c", "1", "x"),
        merged("b", "3", "x", "\ue000.py"),
        merged("b", "2", "x", "\U00010000.py"),
        merged("b", "6", "x", "a.py", 10),
        merged("b", "5", "x", "a.py", 9),
        merged("b", "4", "x", "a.py", 9),
    ]

    (kept,) = fold([merged("a", "0", "x"), *copies])

    assert [copy.row_id for copy in kept.also_in] == ["4", "5", "6", "3", "2", "1"]


def lists_of(*hits: MergedHit) -> list[RankedList]:
    repos = sorted({item.repo_id for item in hits})
    return [
        RankedList(repo, None, 0, tuple(m.hit for m in hits if m.repo_id == repo)) for repo in repos
    ]


def named(ordered: Sequence[MergedHit], top: int, **asked: int) -> tuple[RepoId, ...]:
    lengths = {RepoId(repo): length for repo, length in asked.items()}
    return needs_more(ordered, fold(ordered), lists_of(*ordered), lengths, top=top)


COPIES = [merged("a", "0", "x"), merged("b", "1", "x"), merged("b", "2", "x")]
"""All that `b` sent is folded away."""


def test_a_used_up_list_that_ends_before_the_last_place_is_named() -> None:
    ordered = [*COPIES, merged("a", "3", "y"), merged("a", "4", "z")]

    assert named(ordered, 2, a=3, b=2) == ("b",)
    assert named(ordered, 2, a=3, b=3) == ()
    assert named(ordered, 1, a=3, b=2) == ()


def test_lists_without_use_for_more_are_not_named() -> None:
    first, second = merged("b", "1", "x"), merged("b", "2", "x")
    other = merged("a", "3", "y")

    assert named([first, second, other], 2, a=9, b=2) == ()
    assert named([first, second, other], 3, a=9, b=2) == ()
    assert named([first, other, second], 2, a=9, b=2) == ()

    hits = [merged("a", "1", "x"), merged("a", "2", "x")]
    empty = [RankedList(RepoId("a"), None, 0, ())]

    assert exhausted_by_folding(lists_of(*hits), {RepoId("a"): 2}, top=3) == set()
    assert exhausted_by_folding(empty, {RepoId("a"): 0}, top=0) == set()


def test_with_places_left_every_used_up_list_is_named() -> None:
    ordered = [*COPIES, merged("0", "3", "x"), merged("0", "4", "x"), merged("c", "5", "x")]

    assert named(ordered, 2, **{"0": 2}, a=2, b=2, c=2) == ("0", "b")
    assert named(ordered, 0, **{"0": 2}, a=2, b=2, c=2) == ()


def test_a_list_of_enough_texts_is_not_used_up() -> None:
    """Whatever is folded, each of its texts fills a place; which spares merging to find out."""
    hits = [merged("a", str(n), chunk) for n, chunk in enumerate("xyx")]

    def used(top: int, asked: int = 3) -> frozenset[RepoId]:
        return exhausted_by_folding(lists_of(*hits), {RepoId("a"): asked}, top=top)

    assert used(2) == set()
    assert used(3) == {"a"}
    assert used(3, 4) == set()


def test_lists_double_up_to_the_cap_which_is_told() -> None:
    """A thousand copies take six rounds, not a thousand."""
    asked = {RepoId("b"): 20, RepoId("a"): 30, RepoId("c"): 50, RepoId("d"): 1}

    assert deeper(["c", "b", "a"], asked, most=50) == {"a": 50, "b": 40}
    assert list(deeper(["b", "a"], asked, most=50)) == ["a", "b"]
    assert deeper(["b"], {RepoId("b"): 999}) == {"b": 1000}

    asked = {RepoId("a"): 50, RepoId("b"): 40}

    assert refill_limit(["b", "a"], asked) == (
        ("a", LimitHit("fold_refill", 50)),
        ("b", LimitHit("fold_refill", 40)),
    )


class World(Struct, frozen=True):
    """Repositories with all their hits, and what is asked of them."""

    rows: dict[RepoId, tuple[Hit, ...]]
    top: int
    per_file: int
    mode: Mode

    def lists(self, corpus: Corpus, asked: dict[RepoId, int]) -> list[RankedList]:
        return [
            RankedList(repo, None, 0, self.ranked(repo, corpus, asked[repo]))
            for repo in sorted(self.rows)
        ]

    def ranked(self, repo: RepoId, corpus: Corpus, length: int) -> tuple[Hit, ...]:
        """Return what a repository gives for one corpus: bounded per file, then cut."""
        kept = [item for item in self.rows[repo] if item.corpus is corpus]
        kept.sort(key=lambda item: global_order(MergedHit(repo, None, item, item.score, 0)))
        return tuple(
            select(
                kept,
                mode=Mode.BALANCED,
                limit=length,
                per_file=self.per_file,
                bucket=lambda item: bucket_of(item.corpus),
                file=lambda item: item.path,
            )
        )

    def dealt(self, kept: Sequence[MergedHit]) -> list[str]:
        picked = select(
            sorted(kept, key=global_order),
            mode=self.mode,
            limit=self.top,
            per_file=self.per_file,
            bucket=lambda item: bucket_of(item.hit.corpus),
            file=lambda item: (item.repo_id, item.hit.path),
        )
        return ids(picked)


def pooled(lists: Sequence[RankedList]) -> list[MergedHit]:
    pool = [
        MergedHit(item.repo_id, None, each, each.score, rank)
        for item in lists
        for rank, each in enumerate(item.hits)
    ]
    return sorted(pool, key=global_order)


CORPORA = (Corpus.CODE, Corpus.PROSE)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    rows = {}
    for name in sorted(draw(st.sets(st.sampled_from("abc"), min_size=2))):
        shapes = draw(
            st.lists(
                st.tuples(st.sampled_from("xxyz"), st.integers(1, 9), st.sampled_from(CORPORA)),
                min_size=2,
                max_size=14,
            )
        )
        # Only copies inside one repository can use up its list: others each have a better one
        # before them that fills a place. Row 0, 3, 6 and so on share a file.
        rows[RepoId(name)] = tuple(
            hit(
                f"{n:02}",
                f"{n % 3 and n}.x",
                n,
                chunk_id=chunk if score > 4 else f"{name}{n}",
                score=score / 10,
                corpus=corpus,
            )
            for n, (chunk, score, corpus) in enumerate(shapes)
        )
    top, per_file = draw(st.tuples(st.integers(0, 6), st.integers(0, 3)))
    return World(rows, top, per_file, draw(st.sampled_from(list(Mode))))


def refilled(world: World, first: int, most: int) -> tuple[list[list[MergedHit]], set[RepoId]]:
    asked = dict.fromkeys(world.rows, first)
    while True:
        lists = [world.lists(corpus, asked) for corpus in CORPORA]
        ordered = [pooled(items) for items in lists]
        kept = [list(fold(items)) for items in ordered]
        wanted = {
            repo
            for items, whole, left in zip(lists, ordered, kept, strict=True)
            for repo in needs_more(whole, left, items, asked, top=world.top)
        }
        again = deeper(wanted, asked, most=most)
        if not again:
            return kept, wanted
        asked |= again


@pytest.mark.slow
@given(worlds(), st.integers(0, 3))
def test_refilled_lists_are_those_of_repositories_that_send_everything(
    world: World, more: int
) -> None:
    """The bound of what is sent must not show, neither in a corpus nor in what is dealt.

    With a lower cap the answer may lack hits, and then the repositories that reached it are named.
    """
    whole = [fold(pooled(world.lists(corpus, dict.fromkeys(world.rows, 99)))) for corpus in CORPORA]
    kept, wanted = refilled(world, world.top + more, most=64)
    capped, left = refilled(world, world.top, most=max(world.top, 1))

    assert wanted == set()
    for lists in (kept, *([] if left else [capped])):
        assert [ids(item[: world.top]) for item in lists] == [
            ids(expected[: world.top]) for expected in whole
        ]
    assert world.dealt([m for items in kept for m in items]) == world.dealt(
        [m for items in whole for m in items]
    )


@pytest.mark.slow
@given(worlds(), st.integers(0, 3))
def test_without_copies_nobody_is_asked_twice(world: World, more: int) -> None:
    apart = {
        repo: tuple(replace(item, chunk_id=f"{repo}{item.row_id}") for item in rows)
        for repo, rows in world.rows.items()
    }
    world = replace(world, rows=apart)

    asked = dict.fromkeys(world.rows, world.top + more)

    for corpus in CORPORA:
        lists = world.lists(corpus, asked)
        ordered = pooled(lists)
        assert fold(ordered) == tuple(ordered)
        assert needs_more(ordered, ordered, lists, asked, top=world.top) == ()


@pytest.mark.slow
@given(worlds())
def test_the_blended_list_folds_as_its_corpora_do(world: World) -> None:
    asked = dict.fromkeys(world.rows, 99)
    pools = [pooled(world.lists(corpus, asked)) for corpus in CORPORA]

    apart = sorted((m for items in pools for m in fold(items)), key=global_order)
    together = fold(sorted((m for items in pools for m in items), key=global_order))

    assert list(together) == apart


@pytest.mark.parametrize("length", [4, 5, 6])
def test_ranks_can_be_refilled_too(length: int) -> None:
    """Under rrf a list's unseen hits also come after its last one."""
    hits = {
        RepoId(name): tuple(hit(f"{n}", chunk_id=chunk) for n, chunk in enumerate(texts))
        for name, texts in {"a": "xyxyxyxyzp", "b": "yxyxyxyxrs"}.items()
    }

    def lists(asked: dict[RepoId, int]) -> list[RankedList]:
        return [RankedList(repo, None, 0, ours[: asked[repo]]) for repo, ours in hits.items()]

    def merge(asked: dict[RepoId, int]) -> tuple[MergedHit, ...]:
        return merge_rrf(lists(asked), rrf_k=60, per_repo_top=99)

    asked = dict.fromkeys(hits, length)
    while again := deeper(
        needs_more(merge(asked), fold(merge(asked)), lists(asked), asked, top=4), asked
    ):
        asked |= again

    assert ids(fold(merge(asked))[:4]) == ids(fold(merge(dict.fromkeys(asked, 99)))[:4])

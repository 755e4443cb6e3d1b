"""A repository of which it is said that it could not change an answer does not change it."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.merge import RankedList, fold, merge_global
from ggrep.model.batched_query import BatchedPoolResponse, BatchedQuery
from ggrep.model.corpus import Corpus
from ggrep.model.request import SearchRequest
from tests.fakes.packs import Stores
from tests.properties.workspaces import found, queries, trees

MOST = 6
FEW = settings(max_examples=5)
MANY = settings(max_examples=400)

questions = st.builds(
    BatchedQuery,
    search=found(queries),
    top=st.sampled_from([1, 2, 5, 10]),
    per_list=st.just(50),
    folds=st.booleans(),
)
silences = st.sets(st.integers(0, MOST - 1), min_size=1).map(sorted)
cases = st.tuples(
    trees(most=MOST), st.lists(st.tuples(questions, silences), min_size=6, max_size=12)
)


class Proof:
    """Asks repositories of one home, with and without some of them."""

    def __init__(self, base: Path) -> None:
        self.stores = Stores(Home(base / "home"), base)
        self.held: dict[str, dict[str, str]] = {}
        self.verdicts: Counter[bool] = Counter()

    def write(self, repos: Sequence[dict[str, str]]) -> None:
        """Have repositories hold these files and nothing else."""
        with self.stores.cheap_parsing():
            for place in range(MOST):
                files = {"empty": "", **(repos[place] if place < len(repos) else {})}
                name = f"r{place}"
                before = self.held.get(name)
                if before != files:
                    self.stores.write(name, {**dict.fromkeys(before or {}), **files})
                self.held[name] = files

    def check(self, asked: BatchedQuery, silent: Sequence[int]) -> None:
        """Fail unless the answer is the same with each that could not change it, and with all."""
        answer = self.stores.ask(replace(asked, silent=tuple(silent)))
        assert set(answer.reaching) <= set(silent)
        self.verdicts.update(place in answer.reaching for place in silent)
        ruled_out = [place for place in silent if place not in answer.reaching]
        for places in (ruled_out, *([place] for place in ruled_out)):
            fewer = tuple(place for place in silent if place not in places)
            others = self.stores.ask(replace(asked, silent=fewer))
            assert shown(others, asked) == shown(answer, asked)


def shown(answer: BatchedPoolResponse, asked: BatchedQuery) -> object:
    """Return what a coordinator shows of an answer: hits behind those only settle ties."""
    lists: defaultdict[Corpus, list[RankedList]] = defaultdict(list)
    for listed in answer.lists:
        for corpus, hits in listed.corpora:
            lists[corpus].append(RankedList(RepoId(f"r{listed.member}"), None, 0, hits))
    merged = {
        corpus: merge_global(ranked, per_repo_top=asked.per_list)
        for corpus, ranked in lists.items()
    }
    hits = {
        corpus: (fold(ordered) if asked.folds else ordered)[: asked.top]
        for corpus, ordered in merged.items()
        if ordered
    }
    return hits, answer.leading, answer.figures


def prove(base: Path, effort: settings) -> Proof:
    """Compare over many repositories and questions."""
    proof = Proof(base)

    @effort
    @given(cases)
    def compare(case: tuple[list[dict[str, str]], list[tuple[BatchedQuery, list[int]]]]) -> None:
        repos, drawn = case
        proof.write(repos)
        for asked, silent in drawn:
            proof.check(asked, silent)

    compare()
    return proof


@pytest.mark.slow
@pytest.mark.parametrize("effort", [FEW, pytest.param(MANY, marks=pytest.mark.deep)])
def test_no_verdict_is_wrong(tmp_path: Path, effort: settings) -> None:
    verdicts = prove(tmp_path, effort).verdicts
    assert verdicts[False] > 15 < verdicts[True]


def test_all_may_be_counted_and_nothing_else(tmp_path: Path) -> None:
    """A workspace's figures are asked for before it is known who is searched."""
    proof = Proof(tmp_path)
    proof.write([{"fetch.py": "def fetch(page):\n    return page\n"}] * MOST)
    asked = BatchedQuery(SearchRequest("fetch page"), 5, 50, folds=True)
    every = proof.stores.ask(asked)
    none = proof.stores.ask(replace(asked, counting=True))

    assert none.figures == every.figures
    assert (none.lists, none.reaching) == ((), ())

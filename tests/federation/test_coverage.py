"""Coverage: what a repository that did not answer means for the lists, never told too boldly."""

from collections.abc import Sequence

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.errors import DeadlineExceeded, GgrepError, NoIndex
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_outcomes import (
    CorpusReport,
    Coverage,
    Known,
    RepoReport,
    Status,
    coverage_of,
)
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.request import CollectionStatistics, SearchRequest, TermFrequency
from ggrep.model.response import RepoDescription
from tests.fakes.coordinated import ask
from tests.fakes.searchers import FakeRow, FakeSearcher, figures_of, repo

REPO = repo("a")


def description(*, vectors: bool = False, **counts: int) -> RepoDescription:
    """Return a description; of corpora that are not named it holds one chunk each."""
    kept = tuple((corpus, counts.get(corpus.name.lower(), 1)) for corpus in CORPORA)
    return RepoDescription("s", "c", "i", "S1", False, "e", "l", "k", kept, vectors)


def figures(chunks: int = 9, *, holding: int = 0, files: int = 0) -> CollectionStatistics:
    terms = (TermFrequency("token", holding, files),)
    return CollectionStatistics("fake-1", chunks, 3, (chunks,), terms)


def report(
    described: RepoDescription | None,
    status: Status = "timeout",
    corpora: Sequence[Corpus] = (Corpus.CODE,),
    fine: Sequence[Corpus] = (),
) -> RepoReport:
    error = DeadlineExceeded("late")
    parts = [CorpusReport(corpus, "ok", 1, None) for corpus in fine]
    parts += [CorpusReport(c, status, 0, None if status == "ok" else error) for c in corpora]
    return RepoReport(REPO, status, tuple(parts), None, None, None, None, described)


def known(
    given: CollectionStatistics | None = None, query: str = "token", *, counted: bool | None = None
) -> Known:
    """Return evidence; `counted` None for a strategy that sums nothing."""
    by_repo = {} if given is None else {REPO.repo_id: given}
    members = {REPO.repo_id} if counted else set()
    return Known(query, by_repo, summed=counted is not None, counted=members)


def verdict(asked: RepoReport, evidence: Known) -> str:
    (result,) = coverage_of([asked], evidence)
    return result.could_change


def test_one_that_answered_changes_nothing_and_every_report_has_its_line() -> None:
    asked = report(None, "ok")

    assert coverage_of([asked], known()) == (Coverage(REPO.repo_id, True, "it answered", "no"),)

    reports = [replace(report(None), repo=repo(name)) for name in "bca"]

    assert [item.repo_id[0] for item in coverage_of(reports, known())] == ["b", "c", "a"]


@pytest.mark.parametrize(("reaches", "reported"), [(True, "yes"), (False, "no")])
def test_of_one_whose_rows_were_scored_it_is_known(reaches: bool, reported: str) -> None:
    evidence = known(figures(holding=3), counted=True)
    scored = replace(evidence, verdicts={REPO.repo_id: reaches})

    assert verdict(report(description(vectors=True), "skipped"), evidence) == "yes"
    assert verdict(report(description(vectors=True), "skipped"), scored) == reported


@pytest.mark.parametrize("status", ["missing_index", "error", "timeout", "skipped"])
def test_of_a_dead_one_nothing_is_known(status: Status) -> None:
    (result,) = coverage_of([report(None, status)], known())

    assert (result.answered, result.could_change) == (False, "unknown")
    assert result.reason == "its content is unknown"


def test_without_chunks_of_the_missing_corpora_it_has_nothing_to_give() -> None:
    """Chunks of others do not matter, nor do corpora that it did answer for."""
    asked = report(description(code=0, prose=5), fine=[Corpus.PROSE])
    silent = report(replace(description(), counts=()))

    assert verdict(asked, known()) == "no"
    assert verdict(report(description(code=1)), known()) == "unknown"
    assert verdict(report(description(code=0), corpora=CORPORA[:2]), known()) == "unknown"
    assert verdict(silent, known()) == "unknown"
    assert verdict(silent, known(figures(0))) == "no"


@pytest.mark.parametrize(("chunks", "files"), [(1, 0), (0, 1), (2, 2)])
def test_one_that_holds_words_of_the_query_could_have_changed_the_lists(
    chunks: int, files: int
) -> None:
    """In its text or in the name of a file; also under a common measure that counts it."""
    given = figures(holding=chunks, files=files)

    assert verdict(report(description(), "skipped"), known(given)) == "yes"
    assert verdict(report(description()), known(given, counted=True)) == "yes"


def test_words_decide_only_where_nothing_but_words_is_compared() -> None:
    assert verdict(report(description()), known(figures())) == "no"
    assert verdict(report(description(vectors=True)), known(figures())) == "yes"

    spoken = known(figures(), "oke")

    assert verdict(report(description()), spoken) == "no"
    assert verdict(report(description()), replace(spoken, by_words=False)) == "unknown"


@pytest.mark.parametrize("query", ["src/token", "src\\token", "token.py"])
def test_a_query_that_may_spell_a_path_finds_files_without_words(query: str) -> None:
    assert verdict(report(description()), known(figures(), query)) == "unknown"


def test_one_whose_statistics_are_not_in_the_sum_would_move_all_scores() -> None:
    assert verdict(report(description()), known(figures(), counted=False)) == "unknown"
    assert verdict(report(description(code=0)), known(counted=False)) == "unknown"
    assert verdict(report(description()), known(figures(), counted=True)) == "no"
    assert verdict(report(description(code=0)), known(counted=True)) == "no"


@pytest.mark.parametrize(
    ("asked", "evidence", "reason"),
    [
        (report(description(code=0)), known(), "it has no match"),
        (
            report(description()),
            known(),
            "it is unknown which words of the query this repository contains",
        ),
        (report(description()), known(figures(holding=1)), "it contains words of the query"),
        (report(description()), known(figures()), "it contains no word of the query"),
        (
            report(description(vectors=True)),
            known(figures()),
            "its chunks are compared with the query's meaning",
        ),
        (report(description()), known(figures(), "a.b"), "the query may name one of its files"),
        (
            report(description()),
            known(counted=False),
            "its term statistics were not used for the scores",
        ),
    ],
)
def test_each_reason_is_said(asked: RepoReport, evidence: Known, reason: str) -> None:
    assert coverage_of([asked], evidence)[0].reason == reason


WORDS = ("token", "other", "third")


def fakes(texts: dict[str, list[tuple[str, Corpus]]]) -> list[FakeSearcher]:
    return [
        FakeSearcher(
            name,
            [
                FakeRow(f"{name}{n}", f"{n % 3}.py", n, tuple(text.split()), corpus, text)
                for n, (text, corpus) in enumerate(rows)
            ],
        )
        for name, rows in sorted(texts.items())
    ]


def answer(searchers: Sequence[FakeSearcher], asked: FederatedRequest) -> FederatedResponse:
    return anyio.run(ask, searchers, asked)


def shown(response: FederatedResponse) -> list[object]:
    lists = [hits for _, hits in response.corpora] + [response.hits]
    return [[(hit.global_id, hit.score) for hit in hits] for hits in lists]


def rows_in(*corpora: Corpus) -> st.SearchStrategy[list[tuple[str, Corpus]]]:
    texts = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)
    return st.lists(st.tuples(texts, st.sampled_from(corpora)), max_size=4)


rows_of = rows_in(Corpus.PROSE) | rows_in(Corpus.CODE, Corpus.PROSE)


@pytest.mark.slow
@given(
    st.fixed_dictionaries({"a": rows_of, "b": rows_of, "c": rows_of}),
    st.sampled_from(["describe", "term_stats", "search"]),
    st.sampled_from([DeadlineExceeded("late"), NoIndex("none"), GgrepError("broken")]),
    st.sampled_from(["rrf", "global"]),
    st.sets(st.sampled_from(WORDS), min_size=1),
    st.sampled_from([(Corpus.CODE,), CORPORA]),
)
def test_no_is_never_said_of_one_that_would_have_changed_the_lists(
    texts: dict[str, list[tuple[str, Corpus]]],
    stage: str,
    failure: Exception,
    strategy: str,
    words: set[str],
    corpora: tuple[Corpus, ...],
) -> None:
    query = " ".join(sorted(words))
    search = SearchRequest(query, corpora=corpora, keep_weak=True)
    asked = FederatedRequest(search, top=3, merge_strategy=strategy, fold=False)
    whole = answer(fakes(texts), asked)
    broken = fakes(texts)
    broken[1].fail[stage] = [failure]

    partly = answer(broken, asked)

    counted = {method for method, _ in broken[1].asked} >= {"term_stats", "search"}
    given = {repo("b").repo_id: figures_of(broken[1].rows, query)} if counted else {}
    evidence = Known(query, given, strategy == "global", partly.statistics_repos)
    (results,) = [c for c in coverage_of(partly.reports, evidence) if c.repo_id[0] == "b"]
    if results.could_change == "no":
        assert shown(partly) == shown(whole)
    if results.could_change == "yes":
        assert any(row.words for row in broken[1].rows)
        assert counted

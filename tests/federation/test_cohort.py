"""Cohorts: only what compares is merged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.errors import WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.federation.cohort import (
    Candidate,
    CohortPlan,
    cohort_key,
    comparable,
    compatibility_key,
    parse_selectors,
    plan_cohorts,
)
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.response import RepoDescription

CODE = (Corpus.CODE,)


def candidate(
    name: str, lexical: str = "lex", *, priority: int = 0, rows: int = 1, embed: str = "e"
) -> Candidate:
    description = RepoDescription(
        store_id=name,
        config_fingerprint="c",
        ignore_fingerprint="i",
        snapshot_id="S",
        degraded=False,
        embed_key=embed,
        lexical_key=lexical,
        schema_key="schema" if lexical else "",
        counts=tuple((corpus, rows) for corpus in CORPORA),
    )
    return Candidate(RepoId(name), priority, description)


def codes(plan: CohortPlan) -> list[str]:
    return [warning.code for warning in plan.warnings]


THREE = (candidate("a"), candidate("b"), candidate("c", "other", priority=100))


def test_the_largest_cohort_is_asked_and_the_rest_is_said() -> None:
    plan = plan_cohorts(THREE, CODE)

    part = plan.corpora[0]
    assert (part.admitted, part.excluded) == (("a", "b"), ("c",))
    assert part.key == cohort_key(THREE[0].description, Corpus.CODE)
    assert codes(plan) == ["WARN_FEDERATED_MULTI_COHORT", "WARN_FEDERATED_COHORT_EXCLUDED"]
    assert plan.corpora_of(RepoId("c")) == ()


def test_ties_fall_to_priority_then_key_and_a_policy_may_prefer_priority() -> None:
    assert plan_cohorts(THREE, CODE, policy="priority").corpora[0].admitted == ("c",)

    tied = (candidate("a"), candidate("b", "other", priority=1))
    plain = (candidate("a"), candidate("b", "other"))

    assert plan_cohorts(tied, CODE).corpora[0].admitted == ("b",)
    least = min(plain, key=lambda c: compatibility_key(c.description) or "")
    assert plan_cohorts(plain, CODE).corpora[0].admitted == (least.repo_id,)


def test_strict_policy_refuses_to_choose() -> None:
    with pytest.raises(
        WorkspaceError, check=lambda error: error.code == "ERR_FEDERATED_MULTI_COHORT"
    ):
        plan_cohorts(THREE, CODE, policy="strict")
    assert plan_cohorts(THREE[:2], CODE, policy="strict").warnings == ()


def test_a_named_cohort_is_asked_in_its_corpus_or_in_all() -> None:
    key = cohort_key(THREE[2].description, Corpus.CODE)

    plan = plan_cohorts(THREE, CODE, selectors=parse_selectors((f"code:{key}",)))

    assert plan.corpora[0].admitted == ("c",)
    assert codes(plan) == ["WARN_FEDERATED_COHORT_EXCLUDED"] * 2

    key = compatibility_key(THREE[2].description)

    plan = plan_cohorts(THREE, CORPORA, selectors=parse_selectors((str(key),)))

    assert {part.admitted for part in plan.corpora} == {("c",)}

    key = cohort_key(THREE[2].description, Corpus.PROSE)
    selectors = parse_selectors((f"prose:{key}",))

    plan = plan_cohorts(THREE, (Corpus.CODE, Corpus.PROSE), selectors=selectors)

    assert [part.admitted for part in plan.corpora] == [("a", "b"), ("c",)]

    wanted = parse_selectors((str(compatibility_key(THREE[2].description)),))
    plan = plan_cohorts(THREE, CODE, selectors=wanted, allow_unsafe_mix=True)

    assert plan.corpora[0].admitted == ("c",)


@pytest.mark.parametrize("candidates", [THREE, ()])
def test_a_named_cohort_that_is_not_there_is_an_error(candidates: tuple[Candidate, ...]) -> None:
    """Falling back would answer another question."""
    with pytest.raises(
        WorkspaceError, check=lambda error: error.code == "ERR_FEDERATED_COHORT_NOT_FOUND"
    ):
        plan_cohorts(candidates, CODE, selectors=parse_selectors(("nothing",)))


def test_unsafe_mixing_asks_everybody_and_says_so() -> None:
    """Allowed, never silent."""
    plan = plan_cohorts(THREE, CODE, allow_unsafe_mix=True)

    assert plan.policy == "unsafe-mix"
    assert plan.corpora[0].admitted == ("a", "b", "c")
    assert plan.corpora[0].key is None
    assert codes(plan) == ["WARN_FEDERATED_UNSAFE_MIXING"]
    assert not comparable(each.description for each in THREE)
    assert comparable(each.description for each in THREE[:2])


def test_without_an_index_there_is_no_cohort_and_without_chunks_no_vote() -> None:
    plan = plan_cohorts((), CODE)

    assert (plan.corpora[0].key, plan.corpora[0].admitted, plan.warnings) == (None, (), ())

    empty = candidate("z", "other", rows=0)
    voters = (candidate("a"), candidate("b", "other"))

    before = plan_cohorts(voters, CODE).corpora[0].key

    assert plan_cohorts((*voters, empty), CODE).corpora[0].key == before


def test_a_repository_that_does_not_say_what_it_is_stands_apart() -> None:
    """Dropping it silently would hide it; mixing it in would be a guess."""
    plan = plan_cohorts((candidate("a"), candidate("b", "", embed="")), CODE)

    assert plan.corpora[0].admitted == ("a",)
    assert "WARN_FEDERATED_COHORT_KEY_MISSING" in codes(plan)
    assert not comparable([candidate("b", "", embed="").description])


def test_all_corpora_fall_to_one_cohort() -> None:
    plan = plan_cohorts((candidate("a"), candidate("b", "other")), CORPORA)

    assert len({part.admitted for part in plan.corpora}) == 1


@pytest.mark.parametrize("tokens", [("",), ("code:",), ("nope:k",), (":k",), ("a", "b")])
def test_selectors_that_mean_nothing_are_refused(tokens: tuple[str, ...]) -> None:
    """A selector that is ignored would answer from the wrong repositories."""
    with pytest.raises(
        WorkspaceError, check=lambda error: error.code == "ERR_FEDERATED_INVALID_COHORT_SELECTOR"
    ):
        parse_selectors(tokens)


def test_the_last_selector_of_a_corpus_wins_and_equal_keys_are_one() -> None:
    result = parse_selectors(("a", "a", "extracted-prose:x", "extractedProse:y"))

    assert result.of(Corpus.EXTRACTED_PROSE) == "y"
    assert result.of(Corpus.CODE) == "a"


@given(st.permutations(THREE))
def test_the_choice_does_not_depend_on_the_order_of_repositories(order: list[Candidate]) -> None:
    """Arrival order never shows."""
    assert plan_cohorts(order, CORPORA) == plan_cohorts(THREE, CORPORA)


@pytest.mark.parametrize("key", ["embed_key", "lexical_key", "schema_key"])
def test_repositories_compare_only_if_all_of_their_keys_are_equal(key: str) -> None:
    """Scores of other vectors, statistics or rows are on another scale."""
    first = candidate("a")
    description = replace(first.description, store_id="b", **{key: "another"})
    other = Candidate(RepoId("b"), 0, description)

    assert not comparable((first.description, other.description))
    assert cohort_key(description, Corpus.CODE) != cohort_key(first.description, Corpus.CODE)
    assert plan_cohorts((first, other), CODE).corpora[0].excluded != ()


def test_every_corpus_has_keys_of_its_own() -> None:
    description = replace(candidate("a").description, schema_key="")

    assert compatibility_key(description) is not None
    assert compatibility_key(replace(description, lexical_key="")) is None

    description = candidate("a").description

    assert len({cohort_key(description, corpus) for corpus in CORPORA}) == len(CORPORA)


def test_repositories_are_asked_for_the_corpora_that_admit_them() -> None:
    other = cohort_key(THREE[2].description, Corpus.PROSE)
    wanted = parse_selectors((f"prose:{other}",))
    plan = plan_cohorts(THREE, (Corpus.CODE, Corpus.PROSE), selectors=wanted)

    assert plan.admitted() == ("a", "b", "c")
    assert plan.corpora_of(RepoId("a")) == (Corpus.CODE,)
    assert plan.corpora_of(RepoId("c")) == (Corpus.PROSE,)


def test_cohort_keys_do_not_know_the_size_of_a_repository() -> None:
    small, large = candidate("a", rows=1).description, candidate("b", rows=5_000).description

    assert cohort_key(small, Corpus.CODE) == cohort_key(large, Corpus.CODE)

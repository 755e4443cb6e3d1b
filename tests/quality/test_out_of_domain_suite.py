"""The suites that the confidence signal is fitted to and judged by are what their README says."""

import json
import sysconfig
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FIXTURES = HERE.parent.parent / "fixtures" / "repos"
UNANSWERABLE = ["out_of_domain.jsonl", "out_of_domain_installed.jsonl"]
ANSWERABLE = "answerable_installed.jsonl"
ALL = [*UNANSWERABLE, ANSWERABLE]
KINDS = {"domain", "wrong_repo", "nonsense"}
FIELDS = {name: {"id", "repo", "kind", "query"} for name in UNANSWERABLE} | {
    ANSWERABLE: {"id", "repo", "query", "relevant"}
}

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    """Return the questions of one file, in its order."""
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def tunes(row: Row) -> bool:
    """Return whether a question may be fitted to: its number is even."""
    return int(row["id"].rsplit("-", 1)[1]) % 2 == 0


def root_of(repo: str) -> Path:
    """Return the folder that an installed repository's paths are relative to."""
    package = repo.removeprefix("stdlib:")
    return FIXTURES / repo if package == repo else Path(sysconfig.get_path("stdlib")) / package


def repeated(values: list[Any]) -> list[Any]:
    """Return the values that occur more than once."""
    return [value for value, times in Counter(values).items() if times > 1]


@pytest.mark.parametrize("name", ALL)
def test_every_question_has_the_fields_and_some_text(name: str) -> None:
    """A row without its repository would be asked of the wrong one."""
    result = rows(name)

    assert [row for row in result if row.keys() != FIELDS[name]] == []
    assert [row for row in result if not row["query"] or row["query"] != row["query"].strip()] == []


def test_ids_are_unique_over_all_suites() -> None:
    """A report names a question by its id alone."""
    assert repeated([row["id"] for name in ALL for row in rows(name)]) == []


def test_no_repository_is_asked_the_same_twice() -> None:
    """A question in both halves would judge what it tuned; one in two suites contradicts itself."""
    asked = [(row["repo"], row["query"].lower()) for name in ALL for row in rows(name)]

    assert repeated(asked) == []


@pytest.mark.parametrize(("name", "least"), [*zip(ALL, [240, 60, 110], strict=True)])
def test_suites_are_large_enough_to_measure(name: str, least: int) -> None:
    """With fewer, one question moves a rate by more than the changes it should judge."""
    assert len(rows(name)) >= least


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("field", ["repo", "kind"])
def test_halves_are_balanced_within_a_tenth(name: str, field: str) -> None:
    """A half with other repositories or kinds would judge something else than was tuned."""
    result = rows(name)
    tuning = Counter(row.get(field) for row in result if tunes(row))
    judging = Counter(row.get(field) for row in result if not tunes(row))

    assert abs(tuning.total() - judging.total()) <= len(result) / 10
    uneven = {
        value
        for value in tuning | judging
        if abs(tuning[value] - judging[value]) > (tuning[value] + judging[value]) / 10
    }
    assert uneven == set()


@pytest.mark.parametrize("name", UNANSWERABLE)
def test_every_repository_is_asked_questions_of_every_kind(name: str) -> None:
    """Otherwise a rate by kind is a rate by repository in disguise."""
    cells = Counter((row["repo"], row["kind"]) for row in rows(name))
    repos = {repo for repo, _ in cells}

    assert {kind for _, kind in cells} == KINDS
    assert len(cells) == len(repos) * len(KINDS)
    assert max(cells.values()) - min(cells.values()) <= 1


def test_the_open_source_suite_spreads_over_twenty_repositories() -> None:
    """A threshold fitted to few repositories is a threshold for those few."""
    spread = Counter(row["repo"] for row in rows("out_of_domain.jsonl"))

    assert len(spread) == 20
    assert min(spread.values()) >= 11


def test_both_installed_suites_ask_the_same_repositories() -> None:
    """The two rates are compared, so they must be of the same repositories."""
    asked = {name: {row["repo"] for row in rows(name)} for name in ALL[1:]}

    assert asked[ANSWERABLE] == asked["out_of_domain_installed.jsonl"]


def test_files_that_answer_exist() -> None:
    """A label without its file would count a good answer as a miss."""
    missing = [
        (row["id"], path)
        for row in rows(ANSWERABLE)
        for path in row["relevant"]
        if not (root_of(row["repo"]) / path).is_file()
    ]

    assert missing == []
    assert [row["id"] for row in rows(ANSWERABLE) if not row["relevant"]] == []

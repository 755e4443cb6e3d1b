"""What became of checks, in each of its forms."""

from pathlib import Path

from msgspec.structs import replace

from ggrep.interfaces.evaluation.check_reports import render_checks, sarif_json
from ggrep.model.evaluation import RULES
from ggrep.render.style import Style
from tests.fakes.evaluations import check_document, some_checks


def test_a_failure_says_what_was_wanted_and_what_came(tmp_path: Path) -> None:
    """Nobody runs the query by hand to find out."""
    text = render_checks(some_checks(tmp_path), Style(colour=False), tmp_path)

    assert text.splitlines()[:9] == [
        "ok    holds",
        "FAIL  fails",
        "      query   where is <c> & d",
        "      wanted  c.py  (expect_all)",
        "      came    b.py, a.md",
        "      wanted  not *.py  (expect_none)",
        "      came    b.py at 1",
        "      to see  ggrep search 'where is <c> & d' .",
        f"      check   {tmp_path}/own.check.toml:8",
    ]
    assert text.endswith("2 checks, 1 failed\n")


def test_sarif_places_each_miss_at_its_check(tmp_path: Path) -> None:
    document = sarif_json(some_checks(tmp_path), version="9.9.9", base=tmp_path)
    run = document["runs"][0]  # type: ignore[index,call-overload] # JSON is what it is
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]

    assert document["version"] == "2.1.0"
    assert rules == list(RULES)
    assert [result["ruleId"] for result in run["results"]] == ["expect_all", "expect_none"]
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert place["artifactLocation"]["uri"] == "own.check.toml"
        assert (place["region"]["startLine"], result["level"]) == (8, "error")


def test_sarif_names_files_elsewhere_in_full(tmp_path: Path) -> None:
    document = sarif_json(some_checks(tmp_path), version="9.9.9", base=tmp_path / "other")
    result = document["runs"][0]["results"][0]  # type: ignore[index,call-overload] # JSON is what it is
    place = result["locations"][0]["physicalLocation"]

    assert place["artifactLocation"]["uri"].startswith("file:///")


def test_failures_that_are_allowed_are_warnings(tmp_path: Path) -> None:
    outcome = some_checks(tmp_path)
    allowed = replace(outcome, file=replace(outcome.file, allow_failures=1))
    document = sarif_json(allowed, version="9.9.9", base=tmp_path)
    results = document["runs"][0]["results"]  # type: ignore[index,call-overload] # JSON is what it is

    assert {result["level"] for result in results} == {"warning"}


def test_the_report_counts_what_it_lists(tmp_path: Path) -> None:
    """`ok` is what scripts look at."""
    document = check_document(some_checks(tmp_path))

    assert document["summary"] == {"allow_failures": 0, "checks": 2, "failed": 1}
    assert not document["ok"]
    assert [check["holds"] for check in document["checks"]] == [True, False]

"""Reports of checks: JSON, SARIF and JUnit."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.interfaces.evaluation.check_reports import junit_xml, render_checks, sarif_json
from ggrep.interfaces.evaluation.check_rules import CheckResult, run_checks
from ggrep.model.evaluation import RULES
from ggrep.render.style import Style
from tests.fakes.evaluations import CHECKS, FakeAsker, check_document, some_checks
from tests.fakes.junit_rules import faults


def test_a_failure_says_what_was_wanted_and_what_came(tmp_path: Path) -> None:
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
    document = check_document(some_checks(tmp_path))

    assert document["summary"] == {"allow_failures": 0, "checks": 2, "failed": 1}
    assert not document["ok"]
    assert [check["holds"] for check in document["checks"]] == [True, False]


BEGAN = datetime(2026, 2, 3, 4, 5, 6, 789, tzinfo=timezone(timedelta(hours=1)))


def suite_of(report: bytes) -> ET.Element:
    """Return the one suite of a report that the schema takes."""
    assert faults(report) == []
    (suite,) = ET.fromstring(report)  # noqa: S314 - our own
    return suite


def unanswered(outcome: CheckResult) -> CheckResult:
    """Return what becomes of the checks when nothing answers."""
    return run_checks(outcome.file, lambda _: FakeAsker(error="no index"))


def test_a_check_is_a_case_with_its_time(tmp_path: Path) -> None:
    """Times of cases add up to that of the suite, to the last digit."""
    suite = suite_of(junit_xml(some_checks(tmp_path), tmp_path, BEGAN))
    holds, fails = suite.findall("testcase")

    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [*"2100"]
    assert (suite.get("timestamp"), suite.get("hostname")) == ("2026-02-03T03:05:06", "localhost")
    assert [each.get("time") for each in (holds, fails, suite)] == ["0.005", "0.005", "0.010"]
    assert (holds.get("name"), holds.get("classname"), len(holds)) == ("holds", "ggrep.check", 0)


def test_a_failure_says_what_came_and_how_it_is_seen(tmp_path: Path) -> None:
    """All of it in one element: a case may have but one."""
    (failure,) = suite_of(junit_xml(some_checks(tmp_path), tmp_path, BEGAN)).iter("failure")

    assert failure.get("type") == "expect_all"
    assert failure.get("message") == "expect_all: expected c.py; actual b.py, a.md"
    assert (failure.text or "").split("\n") == [
        "query: where is <c> & d",
        "expect_all: expected c.py; actual b.py, a.md",
        "expect_none: expected not *.py; actual b.py at 1",
        "to see: ggrep search 'where is <c> & d' .",
        f"check: {tmp_path}/own.check.toml:8",
    ]


def test_a_check_without_an_answer_is_an_error(tmp_path: Path) -> None:
    suite = suite_of(junit_xml(unanswered(some_checks(tmp_path)), tmp_path, BEGAN))

    assert (suite.get("failures"), suite.get("errors")) == ("0", "2")
    assert [each.get("type") for each in suite.iter("error")] == ["answer", "answer"]


def test_a_deterministic_report_has_no_times(tmp_path: Path) -> None:
    """Equal answers give equal bytes, whenever and wherever."""
    outcome = some_checks(tmp_path)
    slower = [
        replace(each, answer=replace(each.answer, elapsed_ms=9e5)) for each in outcome.verdicts
    ]
    report = junit_xml(outcome, tmp_path, None)

    assert junit_xml(replace(outcome, verdicts=tuple(slower)), tmp_path, None) == report
    assert {each.get("time") for each in suite_of(report).iter("testcase")} == {"0"}
    assert suite_of(report).get("timestamp") == "1970-01-01T00:00:00"


def test_what_xml_forbids_is_escaped(tmp_path: Path) -> None:
    """A character that no document may hold would make all of it unreadable."""
    text = CHECKS.replace('id = "fails"', 'id = "\\u0000 \\u001b[1m \\ufffe <é😀>"')
    (_, case) = suite_of(junit_xml(some_checks(tmp_path, text), tmp_path, BEGAN)).iter("testcase")

    assert case.get("name") == r"\x00 \x1b[1m \ufffe <é😀>"


@pytest.mark.parametrize(
    ("was", "becomes", "fault"),
    [
        (b' hostname="localhost"', b"", "testsuite has no hostname"),
        (b"<testsuites>", b'<testsuites name="x">', "testsuites may have no name"),
        (
            b'<testcase name="holds"',
            b'<testcase line="3" name="holds"',
            "testcase may have no line",
        ),
        (b"    <system-out/>\n", b"", "testsuite holds 0 system-out"),
        (b"    <system-err/>\n", b"", "testsuite holds 0 system-err"),
        (b'T03:05:06"', b'T03:05:06Z"', "timestamp of testsuite may not be '2026-02-03T03:05:06Z'"),
        (b'time="0.010"', b'time="10 ms"', "time of testsuite may not be '10 ms'"),
        (b"<properties>", b"<system-out/><properties>", "in another order"),
        (b"</failure>", b"</failure><failure type='x'/>", "testcase holds 2 failure"),
        (b"</failure>", b"</failure><error type='x'/>", "of which one may be"),
    ],
)
def test_the_rules_refuse_what_the_schema_refuses(
    tmp_path: Path, was: bytes, becomes: bytes, fault: str
) -> None:
    report = junit_xml(some_checks(tmp_path), tmp_path, BEGAN.astimezone(UTC))
    assert was in report

    assert any(fault in each for each in faults(report.replace(was, becomes, 1)))

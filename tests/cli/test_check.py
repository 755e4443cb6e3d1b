"""`ggrep check` as it is typed, and the files of its reports."""

import os
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.report_file import require_writable, write_report
from tests.fakes.junit_rules import faults
from tests.fakes.repos import write_tree
from tests.journeys.command import WORDS, Command, CommandOver, fits

CHECKS = """\
version = 1

[[checks]]
id = "alpha"
query = "alpha needle"
expect_any = ["a.py"]

[[checks]]
id = "beta"
query = "beta needle"
expect_all = ["docs/*.md"]
"""
MISSED = CHECKS.replace("a.py", "nowhere.py")


@pytest.fixture
def ggrep(home: Path, command_over: CommandOver) -> Command:
    return command_over(home)


@pytest.fixture
def checks(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_tree(root, {**WORDS, ".ggrep.toml": "", ".ggrep-check.toml": CHECKS})
    monkeypatch.chdir(root / "docs")
    return root / ".ggrep-check.toml"


@pytest.mark.slow
def test_checks_of_the_root_are_run_over_a_fresh_index(ggrep: Command, checks: Path) -> None:
    """One command in CI is enough, from wherever in the repository."""
    outcome = ggrep("check")

    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == "ok    alpha\nok    beta\n\n2 checks, 0 failed\n"


@pytest.mark.slow
def test_a_check_that_fails_is_told_in_every_form(ggrep: Command, checks: Path) -> None:
    checks.write_text(MISSED)
    junit, sarif = checks.with_name("j.xml"), checks.with_name("s.sarif")
    outcome = ggrep("check", "--json", "--junit", junit, "--sarif", sarif)
    again = ggrep("check", "--json", "--no-sync")

    assert (outcome.status, again.out) == (1, outcome.out)
    fits(outcome.document, "check_report")
    assert outcome.document["summary"] == {"allow_failures": 0, "checks": 2, "failed": 1}
    assert junit.read_bytes().count(b"</failure>") == 1
    assert faults(junit.read_bytes()) == []
    assert b"1970-" not in junit.read_bytes()
    assert ggrep("check", "--no-sync", "--junit", junit, "--deterministic").status == 1
    assert b'timestamp="1970-01-01T00:00:00"' in junit.read_bytes()
    results = stable_json.loads(sarif.read_bytes())["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["expect_any"]


def test_without_an_index_checks_could_not_run(ggrep: Command, checks: Path) -> None:
    """Status 1 would blame the ranking."""
    junit = checks.with_name("j.xml")
    outcome = ggrep("check", "--no-sync", "--json", "--junit", junit)

    assert outcome.status == 2
    assert outcome.error()["code"] == "no_index"
    assert faults(junit.read_bytes()) == []
    assert b'tests="1" failures="0" errors="1"' in junit.read_bytes()
    assert b'<error type="no_index" message="this repository has no index yet' in junit.read_bytes()


@pytest.mark.parametrize(
    ("text", "fault"),
    [("version = 1\nflaky = 1\n", ":2: unknown key 'flaky'"), ("version =", ": not valid TOML: ")],
)
def test_a_bad_file_could_not_be_run(ggrep: Command, checks: Path, text: str, fault: str) -> None:
    checks.write_text(text)
    outcome = ggrep("check")

    assert outcome.status == 2
    assert f".ggrep-check.toml{fault}" in outcome.err


def test_without_a_file_the_command_that_writes_it_is_named(ggrep: Command, checks: Path) -> None:
    checks.unlink()
    outcome = ggrep("check")

    assert outcome.status == 2
    assert outcome.err.endswith("does not exist; to create it: ggrep check --init 'QUESTION'\n")


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        (["--junit", "../.ggrep-check.toml"], "an input file"),
        (["--junit", "x", "--sarif", "./x"], "is the same file as --junit"),
        (["--sarif", "."], "is a directory"),
    ],
)
def test_reports_have_places_of_their_own(
    ggrep: Command, checks: Path, flags: list[str], fault: str
) -> None:
    outcome = ggrep("check", *flags, "--json")

    assert outcome.status == 2
    assert fault in outcome.error()["message"]
    assert checks.read_text() == CHECKS


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), ValueError("odd")])
def test_what_nobody_expected_does_not_blame_the_ranking(
    ggrep: Command, checks: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """A crash and a failed expectation call for different people."""

    def broken(*_: object) -> None:
        raise failure

    monkeypatch.setattr("ggrep.interfaces.evaluation.check_rules.run_checks", broken)
    outcome = ggrep("check", "--json")

    assert outcome.status == 2
    assert str(failure) in outcome.error()["message"]


@pytest.mark.slow
def test_what_failed_before_is_excused(ggrep: Command, checks: Path, tmp_path: Path) -> None:
    """A repository may begin to check itself before all holds; from then on nothing gets worse."""
    earlier = tmp_path / "earlier.json"
    checks.write_text(MISSED)
    earlier.write_text(ggrep("check", "--json").out)
    same = ggrep("check", "--baseline", earlier)
    checks.write_text(MISSED.replace("docs/*.md", "gone/*.md"))
    worse = ggrep("check", "--baseline", earlier, "--json")
    allowed = ggrep("check", "--baseline", earlier, "--max-drop", 1)

    assert (same.status, worse.status, allowed.status) == (0, 1, 0)
    assert same.out.endswith("2 checks, 1 failed, 1 as before\n")
    assert allowed.out.endswith("2 checks, 2 failed, 1 as before, 1 allowed\n")
    report = stable_json.loads(worse.out)
    fits(report, "check_report")
    assert report["baseline"] == {"excused": ["alpha"], "max_drop": 0}


@pytest.mark.parametrize("text", ["", "{}", '{"schema_version": 9, "checks": []}'])
def test_a_baseline_that_is_none_is_refused(
    ggrep: Command, checks: Path, tmp_path: Path, text: str
) -> None:
    """Excusing nothing, or all, would both be wrong."""
    earlier = tmp_path / "earlier.json"
    earlier.write_text(text)

    assert ggrep("check", "--baseline", earlier).status == 2
    assert ggrep("check", "--baseline", tmp_path / "nowhere").status == 2


def test_a_drop_is_below_something(ggrep: Command, checks: Path) -> None:
    outcome = ggrep("check", "--max-drop", 1)

    assert outcome.status == 2
    assert "--max-drop requires --baseline" in outcome.err


@pytest.mark.slow
def test_the_summary_of_a_job_says_what_does_not_hold(
    ggrep: Command, checks: Path, tmp_path: Path
) -> None:
    checks.write_text(MISSED.replace("nowhere.py", "no|where*.py"))
    file = tmp_path / "summary.md"
    assert ggrep("check", "--markdown", file).status == 1
    head, _, titles, _, row = file.read_text().splitlines()

    assert head == "### ggrep check failed: 2 checks, 1 failed"
    assert titles == "| check | question | expected | actual |"
    assert row.startswith("| alpha | alpha needle | no\\|where\\*.py (expect\\_any) | ")

    checks.write_text(CHECKS)
    assert ggrep("check", "--markdown", file).status == 0
    assert file.read_text() == "### ggrep check passed: 2 checks, 0 failed\n\n"


def test_a_first_file_is_made_of_questions(ggrep: Command, root: Path) -> None:
    """It holds today, is not written twice, and fails once its file is gone."""
    write_tree(root, WORDS)
    file, asked = root / "own.toml", ("--init", "alpha \\ needle", "--init", "beta needle")
    refused = ggrep("check", *asked, file)
    without = ggrep("check", "--no-sync", *asked, file)
    ggrep("index", root)
    made, again = ggrep("check", *asked, file), ggrep("check", *asked, file)
    holds = ggrep("check", file)
    (root / "a.py").unlink()
    gone = ggrep("check", file)

    assert (made.status, again.status, holds.status, gone.status) == (0, 2, 0, 1)
    assert refused.status == without.status == 2
    assert f"is not indexed yet; to index it: ggrep index --path {root}" in refused.err
    assert f"no index yet; run: ggrep index --path {root}" in without.err
    assert "exists" in again.err
    assert "no such file" in gone.out


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to("there/report.xml")
    require_writable({"--junit": link}, [])
    for text in (b"1", b"2"):
        write_report("--junit", link, text)

    assert link.is_symlink()
    assert (tmp_path / "there" / "report.xml").read_bytes() == b"2"


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    """A process substitution of a shell is one; replaced, its reader would wait for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        require_writable({"--out": pipe}, [])
        write_report("--out", pipe, b"report")
        came = os.read(reader, 100)
    finally:
        os.close(reader)

    assert came == b"report"
    assert pipe.is_fifo()


def test_standard_output_by_its_name_is_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.txt"
    with path.open("w") as out:
        monkeypatch.setattr("sys.stdout", out)
        write_report("--out", path, b"report, ")
        out.write("text")

    assert path.read_bytes() == b"report, text"


def test_inputs_and_each_other_are_not_overwritten(tmp_path: Path) -> None:
    checks, link, fresh = (tmp_path / name for name in ("checks.toml", "link", "fresh"))
    checks.write_text("version = 1")
    link.symlink_to(checks)
    (tmp_path / "down").mkdir()

    with pytest.raises(UsageError, match=r"--junit: .*link is the same file as .*, an input file"):
        require_writable({"--junit": link}, [checks])
    with pytest.raises(UsageError, match=r"--sarif: .* is the same file as --junit"):
        require_writable({"--junit": fresh, "--sarif": tmp_path / "down" / ".." / "fresh"}, [])
    require_writable({"--junit": fresh, "--sarif": None}, [checks])


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        (".", "is a directory"),
        ("gone/report", "no such directory"),
        ("file/report", "Not a directory"),
        ("loop", "symbolic links"),
        ("n" * 300, "too long"),
    ],
)
def test_a_place_that_takes_no_file_is_refused_before_the_work(
    tmp_path: Path, name: str, fault: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError) as before:
        require_writable({"--out": tmp_path / name}, [])

    assert str(before.value).startswith("--out: ")
    assert fault in str(before.value)
    with pytest.raises(UsageError, match="--out: "):
        write_report("--out", tmp_path / name, b"")

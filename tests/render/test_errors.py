"""Errors and limits as text and as JSON."""

import pytest

from ggrep.base.errors import Busy, InvalidRequest, Issue, SyncRefused, WorkspaceError
from ggrep.model.limits import LimitHit
from ggrep.render.failures import error_lines, query_error
from ggrep.render.limits_text import limits_line, line_of

ISSUE = Issue("ERR_X", "$.a: unknown", path="/w/ws.jsonc", field="$.a", reason="unknown", hint="no")


def test_each_issue_names_its_file_and_what_to_do() -> None:
    """The first is not more important than the others."""
    other = Issue("ERR_Y", "cannot read /w/ws.jsonc", path="/w/ws.jsonc")

    assert error_lines(WorkspaceError((ISSUE, other))) == [
        "/w/ws.jsonc: $.a: unknown; no",
        "cannot read /w/ws.jsonc",
    ]


def test_all_reasons_of_a_refusal_are_told_and_an_ordinary_error_is_one_line() -> None:
    """People read the message; `--json` has the code."""
    assert error_lines(SyncRefused(("one", "two")))[1:] == ["one", "two"]
    (line,) = error_lines(SyncRefused(("one",)))
    assert line.startswith("one; nothing was published")
    assert error_lines(InvalidRequest("bad")) == ["bad"]


def test_json_holds_what_a_robot_needs_to_go_on() -> None:
    busy = query_error(Busy(retry_after_ms=50))
    wrong = query_error(WorkspaceError((ISSUE,)))

    assert busy["error"]["retry_after_ms"] == 50  # type: ignore[index,call-overload] # an object
    assert wrong["error"]["issues"][0]["field"] == "$.a"  # type: ignore[index,call-overload] # too
    assert query_error(InvalidRequest("a\x1b[31mb\nc")) == {
        "error": {"code": "invalid_request", "message": "ab c"}
    }


def entry(code: str, limit: int, observed: int | None = None) -> dict[str, object]:
    return {"code": code, "limit": limit} | ({} if observed is None else {"observed": observed})


@pytest.mark.parametrize(
    ("limits", "flags", "arguments"),
    [
        (
            [entry("max_slate_files", 28, 40), entry("max_slate_file_bytes", 8192, 9000)],
            "cut: 28 of 40 files that match, text of 1 file; more: --max-files 40"
            " --file-bytes 9000",
            "cut: 28 of 40 files that match, text of 1 file; more: max_files=40"
            " max_file_bytes=9000",
        ),
        (
            [entry("max_evidence_per_file", 1, 80)],
            "cut: 1 of up to 80 pieces of evidence per file; more: --evidence 50",
            "cut: 1 of up to 80 pieces of evidence per file; more: evidence=50",
        ),
        (
            [entry("max_scan_files", 35, 111)],
            "cut: ranked 35 of 111 candidate files; more: `ggrep index`",
            "cut: ranked 35 of 111 candidate files; more: `ggrep index`",
        ),
        (
            [entry("max_references", 100)],
            "cut: 100 usages; more: --max N",
            "cut: 100 usages; more: limit=N",
        ),
        (
            [entry("low_confidence", 5, 9), entry("max_repos", 2, 9)],
            "cut: 5 of 9 hits, 2 of 9 repositories; more: --keep-weak --max-repos 0",
            "cut: 5 of 9 hits, 2 of 9 repositories; more: keep_weak=true max_repos=0",
        ),
        (
            [entry("disabled_repos", 2, 3)],
            "cut: 2 of 3 repositories, the others are disabled; more: --include-disabled",
            "cut: 2 of 3 repositories, the others are disabled; more: include_disabled=true",
        ),
        (
            [entry(f"b{number}", 1, 2) for number in range(5)],
            "cut: b0 1 of 2, b1 1 of 2, b2 1 of 2 and 2 other limits",
            "cut: b0 1 of 2, b1 1 of 2, b2 1 of 2 and 2 other limits",
        ),
        (
            [entry("max_graph_bytes", 512, 900), entry("max_slate_bytes", 16_384, 20_912)],
            "cut: the graph, 16,384 of 20,912 bytes; more: --max-bytes 20912",
            "cut: the graph, 16,384 of 20,912 bytes; more: max_bytes=20912",
        ),
        ([], "", ""),
    ],
)
def test_cuts_are_one_line_with_what_shows_more(
    limits: list[dict[str, object]], flags: str, arguments: str
) -> None:
    assert limits_line(limits) == flags
    assert limits_line(limits, arguments=True) == arguments


def test_cuts_of_an_answer_read_like_those_of_its_document() -> None:
    assert line_of([LimitHit("max_symbols", 20, 31)]) == limits_line([entry("max_symbols", 20, 31)])

"""Failures, for people and for robots."""

from ggrep.base.errors import Busy, InvalidRequest, Issue, SyncRefused, WorkspaceError
from ggrep.render.failures import error_lines, query_error

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

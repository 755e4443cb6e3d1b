"""The envelope of failures."""

import pytest

from ggrep.base.errors import (
    Busy,
    Forbidden,
    GgrepError,
    InvalidRequest,
    Issue,
    NoIndex,
    UsageError,
    WorkspaceError,
)
from ggrep.interfaces.mcp.arguments import Argument
from ggrep.interfaces.mcp.tool_calls import failure, federated_failure, in_arguments, with_hint

ARGUMENTS = (Argument("rrf_k", "integer", ("merge", "rrfK")),)


def test_a_failure_has_its_code_and_message_at_the_top_and_in_the_error() -> None:
    """Both shapes are in use: tools read the one, the command line writes the other."""
    assert failure(Busy(retry_after_ms=5), shows_paths=True) == {
        "code": "busy",
        "message": "daemon busy, retry after 5 ms",
        "hint": "ask again after retry_after_ms",
        "error": {
            "code": "busy",
            "message": "daemon busy, retry after 5 ms",
            "retry_after_ms": 5,
        },
    }


def test_a_failure_that_nothing_can_be_done_about_has_no_hint() -> None:
    """A hint that does not help costs as much as one that does."""
    assert failure(GgrepError("x"), shows_paths=True) == {
        "code": "internal",
        "message": "x",
        "error": {"code": "internal", "message": "x"},
    }


@pytest.mark.parametrize("shown", [True, False])
def test_paths_are_shown_to_who_may_see_them(shown: bool) -> None:
    """The rest of the message stays readable for everybody."""
    document = failure(GgrepError("/srv/x y: gone"), shows_paths=shown)

    said = "/srv/x y: gone" if shown else "<redacted> y: gone"
    assert document["message"] == document["error"]["message"] == said


def test_what_is_outside_names_the_flags_that_let_it_in() -> None:
    """The agent cannot, but its user can."""
    hint = failure(Forbidden("x"), shows_paths=True)["hint"]

    assert "--allowed-root" in hint
    assert "--allow-any-root" in hint


@pytest.mark.parametrize("shown", [True, False])
def test_a_failed_workspace_search_has_the_contracts_envelope(shown: bool) -> None:
    """It is the one that the command line writes, and a hint."""
    document = federated_failure(NoIndex("/srv/x: none"), shows_paths=shown)

    assert document["ok"] is False
    assert document["backend"] == "federated"
    assert document["code"] == document["error"]["code"]
    assert ("/srv/x" in document["message"]) is shown
    assert "ggrep index" in document["hint"]


def test_codes_in_capitals_have_their_hints_too() -> None:
    """The federated contract writes some of them so."""
    assert with_hint({"code": "NO_INDEX"})["hint"] == with_hint({"code": "no_index"})["hint"]


def test_issues_name_arguments() -> None:
    """Message and field, and nothing else is changed."""
    issue = Issue("ERR_X", "$.merge.rrfK: no", "f", "$.merge.rrfK", "range", "less")

    found = in_arguments(WorkspaceError((issue,)), ARGUMENTS)

    assert isinstance(found, WorkspaceError)
    assert found.issues == (Issue("ERR_X", "rrf_k: no", "f", "rrf_k", "range", "less"),)


def test_an_invalid_request_names_arguments() -> None:
    """A model has never seen the body."""
    found = in_arguments(InvalidRequest("$.merge.rrfK: no"), ARGUMENTS)

    assert type(found) is InvalidRequest
    assert str(found) == "rrf_k: no"


@pytest.mark.parametrize("error", [UsageError("$.merge.rrfK", code="ERR_Y"), NoIndex("x")])
def test_other_errors_stay_what_they_are(error: GgrepError) -> None:
    """Their codes would be lost."""
    assert in_arguments(error, ARGUMENTS) is error

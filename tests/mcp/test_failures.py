"""Failures and long texts as a tool returns them."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

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
from ggrep.interfaces.mcp.tools import TOOLS, budget_of, within_budget
from tests.fakes.golden_documents import golden

ARGUMENTS = (Argument("rrf_k", "integer", ("merge", "rrfK")),)


def test_a_failure_has_its_code_and_message_at_the_top_and_in_the_error() -> None:
    """Both shapes are in use: tools read the one, the command line writes the other."""
    assert failure(Busy(retry_after_ms=5), shows_paths=True) == {
        "code": "busy",
        "message": "daemon busy, retry after 5 ms",
        "hint": "repeat the call after retry_after_ms",
        "error": {
            "code": "busy",
            "message": "daemon busy, retry after 5 ms",
            "retry_after_ms": 5,
        },
    }


def test_hints_are_given_where_something_can_be_done() -> None:
    assert failure(GgrepError("x"), shows_paths=True) == {
        "code": "internal",
        "message": "x",
        "error": {"code": "internal", "message": "x"},
    }

    assert with_hint({"code": "NO_INDEX"})["hint"] == with_hint({"code": "no_index"})["hint"]

    hint = failure(Forbidden("x"), shows_paths=True)["hint"]

    assert "--allowed-root" in hint
    assert "--workspace FILE" in hint


@pytest.mark.parametrize("shown", [True, False])
def test_paths_are_shown_to_who_may_see_them(shown: bool) -> None:
    """The rest of the message stays readable for everybody."""
    document = failure(GgrepError("/srv/x y: gone"), shows_paths=shown)

    output = "/srv/x y: gone" if shown else "<redacted> y: gone"
    assert document["message"] == document["error"]["message"] == output


@pytest.mark.parametrize("shown", [True, False])
def test_a_failed_workspace_search_has_the_contracts_envelope(shown: bool) -> None:
    """It is the one that the command line writes, and a hint."""
    document = federated_failure(NoIndex("/srv/x: none"), shows_paths=shown)

    assert document["ok"] is False
    assert document["backend"] == "federated"
    assert document["code"] == document["error"]["code"]
    assert ("/srv/x" in document["message"]) is shown
    assert "ggrep index" in document["hint"]


def test_issues_and_an_invalid_request_name_arguments() -> None:
    issue = Issue("ERR_X", "$.merge.rrfK: no", "f", "$.merge.rrfK", "range", "less")

    result = in_arguments(WorkspaceError((issue,)), ARGUMENTS)

    assert isinstance(result, WorkspaceError)
    assert result.issues == (Issue("ERR_X", "rrf_k: no", "f", "rrf_k", "range", "less"),)

    result = in_arguments(InvalidRequest("$.merge.rrfK: no"), ARGUMENTS)

    assert type(result) is InvalidRequest
    assert str(result) == "rrf_k: no"


@pytest.mark.parametrize("error", [UsageError("$.merge.rrfK", code="ERR_Y"), NoIndex("x")])
def test_other_errors_stay_what_they_are(error: GgrepError) -> None:
    """Their codes would be lost."""
    assert in_arguments(error, ARGUMENTS) is error


FAILURE = {"code": "no_index", "message": "no", "error": {}}


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_every_tool_has_a_budget_and_says_how_to_get_the_rest(tool: str) -> None:
    """An agent that is told of a cut and not of a way on gives up, or reads whole files."""
    text = "\n".join(f"line {number}" for number in range(20_000))

    cut = within_budget(tool, {}, text)

    most = budget_of(tool, {}).most_bytes
    *kept, reported = cut.split("\n")
    assert most - 16 < len(cut.encode()) <= most
    assert kept == text.split("\n")[: len(kept)]
    assert (
        reported
        == f"cut: text {most} of {len(text)} bytes; for the rest: {budget_of(tool, {}).rest}"
    )


@given(some.text(min_size=1), some.integers(1, 400), some.integers(0, 3_000))
def test_a_text_is_whole_or_within_its_budget(text: str, times: int, most_bytes: int) -> None:
    """Whatever it is made of, and however little was asked for."""
    document = {"slate": {"limits": {"max_slate_bytes": most_bytes}}}
    long, budget = text * times, max(1_024, most_bytes)

    result = within_budget("context", document, long)

    fits = len(long.encode()) <= budget
    assert (result == long) is fits
    assert len(result.encode()) <= budget
    assert fits or "\ncut: text " in result


def test_a_slate_and_an_expansion_have_the_bytes_that_they_were_asked_for() -> None:
    """`max_bytes` is what the agent wants to spend."""
    slate, expansion = golden("slate_success"), golden("expand_success")
    slate["slate"]["limits"]["max_slate_bytes"] = 7_000
    expansion["limits"]["max_expand_bytes"] = 6_000

    assert budget_of("context", slate).most_bytes == 7_000
    assert budget_of("search_workspace", {"slate": slate["slate"]}).most_bytes == 7_000
    assert budget_of("expand", expansion).most_bytes == 9_000
    assert budget_of("search", golden("query_success")).most_bytes == 32 << 10


def test_several_answers_have_the_budgets_of_each_up_to_a_bound() -> None:
    """A call for three places is not cut to what one failure takes."""
    first = golden("expand_success")
    first["limits"]["max_expand_bytes"] = 6_000

    assert budget_of("expand", {"answers": [first, first, FAILURE]}).most_bytes == 18_000 + (
        4 << 10
    )
    assert budget_of("expand", {"answers": [first] * 50}).most_bytes == 64 << 10

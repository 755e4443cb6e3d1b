"""The text of a result has a budget, and what is cut is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ggrep.interfaces.mcp.tools import TOOLS, budget_of, within_budget
from tests.fakes.golden_documents import golden

FAILURE = {"code": "no_index", "message": "no", "error": {}}


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_every_tool_has_a_budget_and_says_how_to_get_the_rest(tool: str) -> None:
    """An agent that is told of a cut and not of a way on gives up, or reads whole files."""
    text = "\n".join(f"line {number}" for number in range(20_000))

    cut = within_budget(tool, {}, text)

    most = budget_of(tool, {}).most_bytes
    *kept, told = cut.split("\n")
    assert most - 16 < len(cut.encode()) <= most
    assert kept == text.split("\n")[: len(kept)]
    assert (
        told == f"cut: text {most} of {len(text)} bytes; for the rest: {budget_of(tool, {}).rest}"
    )


@given(some.text(min_size=1), some.integers(1, 400), some.integers(0, 3_000))
def test_a_text_is_whole_or_within_its_budget(text: str, times: int, most_bytes: int) -> None:
    """Whatever it is made of, and however little was asked for."""
    document = {"slate": {"limits": {"max_slate_bytes": most_bytes}}}
    long, budget = text * times, max(1_024, most_bytes)

    found = within_budget("context", document, long)

    fits = len(long.encode()) <= budget
    assert (found == long) is fits
    assert len(found.encode()) <= budget
    assert fits or "\ncut: text " in found


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
    one = golden("expand_success")
    one["limits"]["max_expand_bytes"] = 6_000

    assert budget_of("expand", {"answers": [one, one, FAILURE]}).most_bytes == 18_000 + (4 << 10)
    assert budget_of("expand", {"answers": [one] * 50}).most_bytes == 64 << 10

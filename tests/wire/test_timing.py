"""What is left of a client's time is what the daemon is given."""

from typing import Any

import pytest

from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.protocol.wire.messages import Ask, message_name, timeout_of, whole_ms, within

MESSAGES: tuple[Ask[Any], ...] = (
    Ask(SlateRequest(SearchRequest("q", timeout_ms=9), level=2), path="/r"),
    Ask(SymbolRequest("n", timeout_ms=9), "batch", "/r"),
    Ask(ReferencesRequest("n", timeout_ms=9), values=True),
    Ask(ExpandRequest("t", timeout_ms=9)),
    Ask(OutlineRequest(("t",), timeout_ms=9)),
    Ask(TourRequest(timeout_ms=9)),
)


@pytest.mark.parametrize("message", MESSAGES, ids=message_name)
def test_only_the_time_of_a_question_changes(message: Ask[Any]) -> None:
    """The rest is the client's."""
    found = within(message, 1_234.9)

    assert timeout_of(found) == 1_234
    assert within(found, 9) == message


@pytest.mark.parametrize(("left_ms", "expected"), [(-5.0, 1), (0.2, 1), (float("inf"), 3_600_000)])
def test_no_time_is_not_all_the_time(left_ms: float, expected: int) -> None:
    """Nothing would end a question that 0 stands for, and no daemon takes more than its cap."""
    assert whole_ms(left_ms) == expected

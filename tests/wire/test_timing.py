"""What is left of a client's time is what the daemon is given."""

import pytest

from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.protocol.wire.message_types import (
    Expand,
    Navigation,
    Outline,
    References,
    Slate,
    Symbol,
    Tour,
)
from ggrep.protocol.wire.timing import timeout_of, whole_ms, within

MESSAGES: tuple[Navigation, ...] = (
    Slate(SlateRequest(SearchRequest("q", timeout_ms=9), level=2), path="/r"),
    Symbol(SymbolRequest("n", timeout_ms=9), "batch", "/r"),
    References(ReferencesRequest("n", timeout_ms=9), values=True),
    Expand(ExpandRequest("t", timeout_ms=9)),
    Outline(OutlineRequest(("t",), timeout_ms=9)),
    Tour(TourRequest(timeout_ms=9)),
)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_only_the_time_of_a_question_changes(message: Navigation) -> None:
    """The rest is the client's."""
    found = within(message, 1_234.9)

    assert timeout_of(found) == 1_234
    assert within(found, 9) == message


@pytest.mark.parametrize(("left_ms", "expected"), [(-5.0, 1), (0.2, 1), (float("inf"), 3_600_000)])
def test_no_time_is_not_all_the_time(left_ms: float, expected: int) -> None:
    """Nothing would end a question that 0 stands for, and no daemon takes more than its cap."""
    assert whole_ms(left_ms) == expected

"""Replies, and the time that a daemon has for them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.errors import (
    BudgetExceeded,
    Busy,
    Cancelled,
    CorruptStore,
    DeadlineExceeded,
    GgrepError,
    Incompatible,
    InvalidRequest,
    LeaseLost,
    NoIndex,
    SnapshotGone,
    SyncRefused,
)
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.protocol.wire.messages import Ask, message_name, timeout_of, whole_ms, within
from ggrep.protocol.wire.replies import (
    RemoteError,
    error_json,
    error_of,
    parse_reply,
    reply_json,
)

SAME_CLASS = [
    BudgetExceeded("full"),
    Busy("queue full", retry_after_ms=250),
    Busy(retry_after_ms=0),
    Cancelled("the daemon is going down"),
    DeadlineExceeded("deadline passed during rank"),
    Incompatible("protocol 9"),
    InvalidRequest("limit: -1"),
    NoIndex("nothing published"),
    SnapshotGone("gone"),
    SyncRefused(("a.py: unreadable", "b.py: unreadable")),
]


def crossed(body: Any) -> Any:
    return stable_json.loads(stable_json.dumps(body))


def test_an_answer_comes_back_and_cannot_pass_for_another() -> None:
    reply = parse_reply(crossed(reply_json("r1", "search", {"response": {"hits": []}})))

    assert (reply.request_id, reply.name, reply.error) == ("r1", "search", None)
    assert reply.body == {"response": {"hits": []}}

    body = reply_json("r1", "status", {"request_id": "r2", "message": "search"})

    assert body == {"request_id": "r1", "message": "status"}


@pytest.mark.parametrize("error", SAME_CLASS, ids=lambda error: type(error).__name__)
def test_an_error_keeps_its_class_its_words_and_its_status(error: GgrepError) -> None:
    """A command ends the same way with a daemon as without one."""
    reply = parse_reply(crossed(error_json("r1", error)))

    assert type(reply.error) is type(error)
    assert str(reply.error) == str(error)
    assert reply.error is not None
    assert reply.error.code == error.code
    assert reply.error.exit_status == error.exit_status
    assert reply.request_id == "r1"


@given(message=st.text("abc ,7", max_size=40), wait=st.integers(0, 3_600_000))
def test_busy_says_once_when_to_come_back(message: str, wait: int) -> None:
    """Its message ends with the hint already; the way back must not add another."""
    sent = crossed(error_json("", Busy(message, retry_after_ms=wait)))

    error = error_of(sent)

    assert isinstance(error, Busy)
    assert error.retry_after_ms == wait
    assert str(error) == sent["error"]["message"]


def test_a_failure_has_the_contracts_shape() -> None:
    """Code, one safe line, and what is known beside."""
    busy = Busy("\x1b[31mred\nline", retry_after_ms=250)
    busy.snapshot_id = "0" * 26
    body = error_json("r1", busy)

    assert body == {
        "request_id": "r1",
        "error": {
            "code": "busy",
            "message": "red line, retry after 250 ms",
            "retry_after_ms": 250,
            "snapshot_id": "0" * 26,
            "request_id": "r1",
        },
    }
    assert error_json("", NoIndex("none")) == {"error": {"code": "no_index", "message": "none"}}


def test_an_error_keeps_its_reason_its_code_and_its_id() -> None:
    failure = error_json("r1", Cancelled("restart"))

    assert parse_reply(crossed(failure)).body["reason"] == "restart"

    result = error_of({"error": {"code": "quota_spent", "message": "m"}})

    assert (result.code, result.exit_status, str(result)) == ("quota_spent", 1, "m")

    reply = parse_reply({"error": {"code": "timeout", "message": "m", "request_id": "r7"}})

    assert reply.request_id == "r7"
    assert isinstance(reply.error, DeadlineExceeded)


@pytest.mark.parametrize("error", [CorruptStore("bad"), LeaseLost("lost"), GgrepError("odd")])
def test_what_has_no_code_of_its_own_is_internal(error: GgrepError) -> None:
    """Its class cannot be told from the wire; its words and status can."""
    result = error_of(crossed(error_json("", error)))

    assert isinstance(result, RemoteError)
    assert (result.code, result.exit_status, str(result)) == ("internal", 1, str(error))


@pytest.mark.parametrize(
    "failure",
    [
        {},
        {"code": 5, "message": []},
        {"code": "busy", "message": "b", "retry_after_ms": "soon"},
        {"code": "busy", "message": "b", "retry_after_ms": -5},
        {"code": "busy", "message": "b", "retry_after_ms": 2**63},
        {"code": "busy", "message": "b", "retry_after_ms": True},
        {"code": "x" * 100_000, "message": "y" * 100_000},
        {"code": "internal", "message": "m", "reasons": {}},
        {"code": "internal", "message": "m", "reasons": [5]},
    ],
)
def test_an_odd_failure_is_still_a_failure(failure: dict[str, Any]) -> None:
    """Nothing a daemon says can make a client fail in another way, or wait for ever."""
    error = error_of({"error": failure})

    assert isinstance(error, GgrepError)
    assert 0 < len(str(error)) < 5_000
    if isinstance(error, Busy):
        assert 0 <= error.retry_after_ms <= 3_600_000


@pytest.mark.parametrize("body", [{"error": 5}, {"error": None}, {"message": 5}])
def test_what_is_no_reply_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        parse_reply(body)


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
    result = within(message, 1_234.9)

    assert timeout_of(result) == 1_234
    assert within(result, 9) == message


@pytest.mark.parametrize(("left_ms", "expected"), [(-5.0, 1), (0.2, 1), (float("inf"), 3_600_000)])
def test_no_time_is_not_all_the_time(left_ms: float, expected: int) -> None:
    """Nothing would end a question that 0 stands for, and no daemon takes more than its cap."""
    assert whole_ms(left_ms) == expected

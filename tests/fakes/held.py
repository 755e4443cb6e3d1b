"""Searches that last until they are let go, and look at their deadline meanwhile."""

import threading
from typing import Any

import pytest

from ggrep.base.errors import GgrepError
from ggrep.model.request import SearchRequest
from ggrep.search.engine import query_answers as answers
from ggrep.search.query.context import Context

_STEP_S = 0.002


class HeldSearches:
    """Stands in for the work on a pinned snapshot; the work itself follows once it is let go.

    Attributes:
        gate: set to let all go.
        begun: queries at work or done, in order.
        ended: errors that ended some of them before they were let go.
        steps_after: looks at the deadline after the reason to end was given, for each of those.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Hold every search from now on."""
        self.gate = threading.Event()
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.steps_after: list[int] = []
        self._answer = answers.answer
        monkeypatch.setattr(answers, "answer", self._held)

    def _held(self, context: Context, request: SearchRequest) -> Any:
        deadline = context.deadline
        self.begun.append(request.query)
        steps = 0
        try:
            while not self.gate.wait(_STEP_S):
                steps += deadline.stop is not None and deadline.stop.reason is not None
                deadline.check("the held step")
        except GgrepError as error:
            self.ended.append(error.code)
            self.steps_after.append(steps)
            raise
        return self._answer(context, request)

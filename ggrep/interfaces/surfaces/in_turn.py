"""Several questions of one call, asked one after the other within one time."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest

Q = TypeVar("Q")
A = TypeVar("A")


async def in_turn(
    questions: Sequence[Q], ask: Callable[[Q, int], Awaitable[A]], timeout_ms: int
) -> list[A | GgrepError]:
    """Return the answers in the order of the questions, or why one has none.

    A question that means nothing, or that no time is left for, fails alone.

    Args:
        questions: each is asked once.
        ask: answers one within so many milliseconds.
        timeout_ms: for all of them together.

    Raises:
        GgrepError: nothing can be asked.
    """
    ends_s = anyio.current_time() + timeout_ms / 1000
    found: list[A | GgrepError] = []
    for question in questions:
        left_ms = round((ends_s - anyio.current_time()) * 1000)
        try:
            if left_ms < 1:
                raise DeadlineExceeded("the answers before took all the time")  # noqa: TRY301 - as if it were asked
            found.append(await ask(question, left_ms))
        except (InvalidRequest, DeadlineExceeded) as error:
            found.append(error)
    return found

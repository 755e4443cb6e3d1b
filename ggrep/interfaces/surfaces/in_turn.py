"""Several questions of one call, asked one after the other within one time."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ggrep.base.clock import Clock, Deadline, SystemClock
from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest

Q = TypeVar("Q")
A = TypeVar("A")


async def in_turn(
    questions: Sequence[Q],
    ask: Callable[[Q, int], Awaitable[A]],
    timeout_ms: int,
    clock: Clock | None = None,
) -> list[A | GgrepError]:
    """Return the answers in the order of the questions, or why one has none.

    A question that means nothing, or that no time is left for, fails alone.

    Args:
        questions: each is asked once.
        ask: answers one within so many milliseconds.
        timeout_ms: for all of them together.
        clock: measures it; None for this host's.
    """
    deadline = Deadline.after(clock or SystemClock(), timeout_ms)
    found: list[A | GgrepError] = []
    for question in questions:
        try:
            found.append(await ask(question, int(deadline.next_ms())))
        except (InvalidRequest, DeadlineExceeded) as error:
            found.append(error)
    return found

"""Executes the requests of one call, one after another, within one timeout."""

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
    """Return an answer or error for each request, in the given order.

    A request that is invalid or has no time left does not fail the others.

    Args:
        questions: the requests.
        ask: answers a request within the given number of milliseconds.
        timeout_ms: timeout of all requests together.
        clock: clock for the timeout; None for the system's.
    """
    deadline = Deadline.after(clock or SystemClock(), timeout_ms)
    answers: list[A | GgrepError] = []
    for question in questions:
        try:
            answers.append(await ask(question, int(deadline.next_ms())))
        except (InvalidRequest, DeadlineExceeded) as error:
            answers.append(error)
    return answers

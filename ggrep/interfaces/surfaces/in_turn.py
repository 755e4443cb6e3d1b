"""Asks several questions of one call, one after the other, within one timeout."""

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
    """Return the answers, or errors, in the order of the questions.

    An invalid question, or one for which no time is left, does not fail the others.

    Args:
        questions: the questions.
        ask: answers one within the given number of milliseconds.
        timeout_ms: timeout of all together.
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

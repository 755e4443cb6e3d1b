"""Processor time of a piece of work, to which a busy machine and a large heap add little."""

import gc
import time
from collections.abc import Callable
from contextlib import suppress


def quickest_s(
    work: Callable[[], object],
    enough_s: float = 0.0,
    *,
    tries: int = 3,
    refusal: type[Exception] | tuple[()] = (),
) -> float:
    """Return the seconds of this thread that `work` took at its quickest.

    Other threads and the collector's passes over what other tests left behind do not count.

    Args:
        work: is called once or again, so it must do the same each time.
        enough_s: a try that is quicker is the last one.
        tries: at most so many.
        refusal: what `work` may end with.
    """
    result = float("inf")
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(tries):
            started = time.thread_time()
            with suppress(refusal):
                work()
            result = min(result, time.thread_time() - started)
            if result < enough_s:
                break
    finally:
        if collects:
            gc.enable()
    return result

"""An event loop whose time jumps to whatever is waited for: hours of waiting take no time."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import anyio

T = TypeVar("T")


class _Jumping(selectors.DefaultSelector):
    """Moves the time on instead of waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready; when nothing is, it is as late as was to be waited for."""
        result = super().select(0)
        if not result:
            assert timeout is not None, "everybody waits for something that never comes"
            self.now_s += timeout
        return result


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the seconds that were jumped over."""
        return self._jumping.now_s


class VirtualClock:
    """The clock of that loop."""

    def now(self) -> datetime:
        return datetime(2025, 1, 1, tzinfo=UTC)

    def monotonic_ms(self) -> float:
        return anyio.current_time() * 1000.0


def run_virtually(work: Callable[[], Awaitable[T]]) -> T:
    """Return what a coroutine comes to. Requires: it uses no threads and no sockets."""
    options: dict[str, Any] = {"loop_factory": _Loop}
    return anyio.run(work, backend_options=options)

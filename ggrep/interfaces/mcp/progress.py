"""Progress notifications for finished repositories and for indexing."""

import math
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias, TypeVar

import anyio

from ggrep.federation.fanout_session import RepoDone
from ggrep.protocol.client.daemon_client import IndexingProgress

Tell: TypeAlias = Callable[[float, float | None, str], Awaitable[None]]
"""Sends one notification: done, total, message; total is None if it is unknown."""

T = TypeVar("T")
Report = TypeVar("Report")

_A_LITTLE: Final = 0.001


async def telling(
    ask: Callable[[Callable[[Report], None]], Awaitable[T]],
    tell: Tell,
    reading: Callable[[Report], tuple[float, float | None, str]],
) -> T:
    """Return the result of `ask`, after a notification has been sent for each of its reports."""
    send, receive = anyio.create_memory_object_stream[Report](math.inf)

    async def relay() -> None:
        async with receive:
            async for report in receive:
                await tell(*reading(report))

    failed: Exception | None = None
    answers: list[T] = []
    async with anyio.create_task_group() as group:
        group.start_soon(relay)
        with send:
            try:
                answers.append(await ask(send.send_nowait))
            except Exception as error:  # noqa: BLE001 - raised below, outside the group
                failed = error
    if failed is not None:
        raise failed
    return answers[0]


def read_arrival(arrival: RepoDone) -> tuple[float, float, str]:
    """Return the notification about a finished repository: done, total, message."""
    hits = "1 hit" if arrival.count == 1 else f"{arrival.count} hits"
    line = f"{arrival.alias or arrival.repo_id}: {arrival.status}, {hits}"
    return arrival.done, arrival.total, line


class RisingProgress:
    """Converts progress of indexing to notifications; values rise even when a new stage begins."""

    def __init__(self) -> None:
        self._reported = 0.0

    def __call__(self, progress: IndexingProgress) -> tuple[float, float | None, str]:
        """Return a notification: done, total, message."""
        self._reported = max(round(self._reported + _A_LITTLE, 3), float(progress.done_files))
        of = f" of {progress.total_files}" if progress.total_files else ""
        files = f", {progress.done_files}{of} files" if progress.total_files else ""
        whole = float(progress.total_files) if progress.total_files >= self._reported else None
        return self._reported, whole, f"{progress.stage}{files}"

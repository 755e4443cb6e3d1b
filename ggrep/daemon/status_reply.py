"""The status of a store, as its daemon tells it."""

from collections.abc import Callable
from typing import Final, TypeVar

from anyio import to_thread

from ggrep.base.errors import Busy
from ggrep.base.stable_json import Document
from ggrep.daemon.store_daemon import StoreDaemon

T = TypeVar("T")

_MOST_WAITING: Final = 64
"""Operators' requests that wait for those at work."""


async def status_of(daemon: StoreDaemon) -> Document:
    """Return the `status` document.

    Raises:
        Busy: too many operators have asked for as much.
    """
    load = daemon.load()

    def work() -> Document:
        from ggrep.index.maintenance.status import read_status

        settings, home = daemon.config.settings, daemon.shared.home
        inspect = daemon.engine().inspect
        return read_status(settings, inspect, home, daemon.identity, load).to_dict()

    return await at_desk(daemon, work)


async def at_desk(daemon: StoreDaemon, work: Callable[[], T]) -> T:
    """Handle an operator's request in a thread reserved for such requests.

    Raises:
        Busy: too many have asked for as much.
    """
    desk = daemon.shared.desk
    if desk.statistics().tasks_waiting >= _MOST_WAITING:
        raise Busy("daemon busy with administrative requests", retry_after_ms=1_000)
    return await to_thread.run_sync(work, limiter=desk)

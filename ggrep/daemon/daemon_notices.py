"""Notices that only a daemon can give: its settings or its snapshot are out of date."""

from typing import Any, TypeVar

from msgspec.structs import replace

from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.limits import Notice, sorted_notices
from ggrep.model.sanitise import without_directories
from ggrep.model.standing import stale_notice

A = TypeVar("A", bound=Any)


def with_warnings(daemon: StoreDaemon, response: A, *, deterministic: bool) -> A:
    """Return the answer with what stands in the way of trusting it; deterministic ones hold nothing
    of the moment.
    """  # noqa: D205 - one thought
    found: list[Notice] = []
    if daemon.stale:
        scanned = response.provenance.scan is not None
        found.append(stale_notice(daemon.stale_reason, scanned=scanned))
    if not deterministic:
        found += _of_the_watch(daemon)
    if not found:
        return response
    return replace(response, warnings=sorted_notices((*response.warnings, *found)))


def _of_the_watch(daemon: StoreDaemon) -> list[Notice]:
    """Return what an answer that has to be the same again cannot hold."""
    watch = daemon.shared.watcher.state(daemon.identity.root)
    if watch.mode != "polling":
        return []
    told = f"changes are noticed some seconds late: {watch.problem}"
    return [Notice("watch_polling", without_directories(told))]

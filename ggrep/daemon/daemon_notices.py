"""Notices that only a daemon can give: its settings or its snapshot are out of date."""

from dataclasses import replace
from typing import TypeVar

from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.limits import Notice, sorted_notices
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.outline import OutlineResponse, TourResponse
from ggrep.model.response import Freshness, QueryResponse
from ggrep.model.sanitise import without_directories
from ggrep.model.slate import SlateResponse

A = TypeVar(
    "A",
    QueryResponse,
    SlateResponse,
    SymbolResponse,
    ReferencesResponse,
    ExpandResponse,
    OutlineResponse,
    TourResponse,
)


def with_warnings(daemon: StoreDaemon, response: A, *, deterministic: bool) -> A:
    """Return the answer with what stands in the way of trusting it; deterministic ones hold nothing
    of the moment.
    """  # noqa: D205 - one thought
    found: list[Notice] = []
    if daemon.stale:
        found.append(stale_notice(daemon, scanned=response.provenance.scan is not None))
    if not deterministic:
        found += _of_the_watch(daemon)
    if not found:
        return response
    return replace(response, warnings=sorted_notices((*response.warnings, *found)))


def stale_notice(daemon: StoreDaemon, *, scanned: bool = False) -> Notice:
    """Return the notice about a daemon whose settings have changed."""
    told = without_directories(daemon.stale_reason)
    comes = "no index is made" if scanned else "this is the last good answer"
    return Notice("stale_config", f"{told}; {comes}")


def freshness(daemon: StoreDaemon) -> Freshness:
    """Return whether the index reflects the work tree, as far as it is watched."""
    syncs = daemon.syncs.statistics()
    if syncs.behind:
        return "behind"
    watch = daemon.shared.watcher.state(daemon.identity.root)
    looked = syncs.last_result == "ok" and watch.mode == "watching"
    return "current" if looked and not daemon.stale else "unknown"


def _of_the_watch(daemon: StoreDaemon) -> list[Notice]:
    """Return what an answer that has to be the same again cannot hold."""
    watch = daemon.shared.watcher.state(daemon.identity.root)
    if watch.mode != "polling":
        return []
    told = f"changes are noticed some seconds late: {watch.problem}"
    return [Notice("watch_polling", without_directories(told))]

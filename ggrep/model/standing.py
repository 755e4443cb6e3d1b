"""Whether an index is up to date, in the words of answers, status and health."""

import math
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from ggrep.model.limits import Notice
from ggrep.model.sanitise import without_directories

_AGAIN = "to try again: ggrep index"


class Standing(Struct, frozen=True):
    """How the updating of one index stands at one moment.

    Attributes:
        failure: why the last sync failed; empty after one that did not.
        at: since when syncs fail for that reason, RFC 3339; empty where it need not be said.
        cancelled: the last sync was cancelled.
        behind: files are known to be newer than the active snapshot.
        indexing: a sync runs.
        git_at_work: it waits, or its begin does, until git has moved its files.
        retry_ms: time until the failed sync is tried again; None where nobody will.
        held: why no sync is begun; empty where they are.
    """

    failure: str = ""
    at: str = ""
    cancelled: bool = False
    behind: bool = False
    indexing: bool = False
    git_at_work: bool = False
    retry_ms: int | None = None
    held: str = ""


AT_REST: Final = Standing()
"""Nothing is known that an answer would have to say."""


def standing_notices(standing: Standing) -> tuple[Notice, ...]:
    """Return what is to be said of the moment; nothing where all is well."""
    return tuple(
        Notice(code, without_directories(message)) for code, message in _messages(standing)
    )


def _messages(standing: Standing) -> Iterator[tuple[str, str]]:
    if standing.failure:
        since = f"syncs fail since {standing.at}" if standing.at else "the last sync failed"
        yield "sync_failed", f"{since}: {standing.failure}; {_next(standing)}"
    if standing.behind:
        yield "index_behind", f"files have changed since; {_of_changes(standing)}"


def _next(standing: Standing) -> str:
    """Return what becomes of a sync that failed."""
    if standing.held:
        return f"no sync is done: {standing.held}"
    if standing.indexing:
        return "a new try is running"
    if standing.retry_ms is None:
        return _AGAIN
    return f"the next try is within {max(1, math.ceil(standing.retry_ms / 1000))} s"


def _of_changes(standing: Standing) -> str:
    """Return what becomes of files that have changed."""
    if standing.held:
        return f"they are not indexed: {standing.held}"
    if standing.git_at_work or standing.indexing:
        waits = "git is working; they are indexed when it has finished"
        return waits if standing.git_at_work else "they are being indexed"
    if standing.failure:
        return "they wait for the next successful sync"
    if standing.cancelled:
        return f"the sync was cancelled; {_AGAIN}"
    return "they will be indexed soon"


def stale_notice(reason: str, *, scanned: bool = False) -> Notice:
    """Return the notice about a daemon whose settings have changed."""
    comes = "no index is made" if scanned else "this is the last good answer"
    return Notice("stale_config", f"{without_directories(reason)}; {comes}")

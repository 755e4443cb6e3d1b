"""Whether an index is up to date and complete; answers, status and health report this."""

import math
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.limits import Notice
from ggrep.model.sanitise import without_directories

_AGAIN = "to try again: ggrep index"
_COMPARING = "they are being compared with the index"


class IndexFreshness(Struct, frozen=True):
    """The state of an index's updates at one time.

    Attributes:
        failure: reason why the last sync failed; empty after a successful sync.
        at: time of the first failure with the reason `failure`, RFC 3339; empty if no such
            time is known.
        cancelled: whether the last sync was cancelled.
        behind: whether files are newer than the active snapshot.
        unchecked: whether the files have not been compared with the index since the daemon started.
        indexing: whether a sync runs.
        git_at_work: whether a sync waits until git has changed its files.
        retry_ms: time until the failed sync is repeated; None if it is not repeated.
        held: reason why no sync starts; empty if syncs can start.
    """

    failure: str = ""
    at: str = ""
    cancelled: bool = False
    behind: bool = False
    unchecked: bool = False
    indexing: bool = False
    git_at_work: bool = False
    retry_ms: int | None = None
    held: str = ""


UP_TO_DATE: Final = IndexFreshness()
"""The state of an up-to-date index."""


def freshness_notices(standing: IndexFreshness) -> tuple[Notice, ...]:
    """Return warnings about failed syncs, and about files that changed after the last sync."""
    messages = []
    if standing.failure:
        since = f"syncs fail since {standing.at}" if standing.at else "the last sync failed"
        messages.append(("sync_failed", f"{since}: {standing.failure}; {_next(standing)}"))
    if standing.behind:
        messages.append(
            ("index_behind", f"files have changed since the last sync; {_of_changes(standing)}")
        )
    elif standing.unchecked and not standing.failure:
        effect = f"they are not compared: {standing.held}" if standing.held else _COMPARING
        messages.append(("index_behind", f"files may have changed since the last sync; {effect}"))
    return tuple(Notice(code, without_directories(message)) for code, message in messages)


def _next(standing: IndexFreshness) -> str:
    """Return text about the next step after a failed sync."""
    if standing.held:
        return f"syncs are suspended: {standing.held}"
    if standing.indexing:
        return "ggrep is retrying now"
    if standing.retry_ms is None:
        return _AGAIN
    return f"ggrep retries within {max(1, math.ceil(standing.retry_ms / 1000))} s"


def _of_changes(standing: IndexFreshness) -> str:
    """Return text about the time at which changed files are indexed."""
    if standing.held:
        return f"they are not indexed: {standing.held}"
    if standing.git_at_work or standing.indexing:
        waits = "they will be indexed when git has finished"
        return waits if standing.git_at_work else "they are being indexed"
    if standing.failure:
        return "they wait for the next successful sync"
    if standing.cancelled:
        return f"the sync was cancelled; {_AGAIN}"
    return "they will be indexed soon"


def stale_notice(reason: str, *, scanned: bool = False) -> Notice:
    """Return the warning about a daemon whose settings have changed."""
    comes = "indexing is suspended" if scanned else "answers come from the last index"
    return Notice("stale_config", f"{without_directories(reason)}; {comes}")


DamageCode: TypeAlias = Literal[
    "image_damaged", "journal_damaged", "snapshot_fallback", "index_damaged", "index_unreadable"
]
"""The state of a damaged store.

image_damaged: a derived file is damaged; the next search rebuilds it in place.
journal_damaged: the active snapshot answers, but its journal is damaged.
snapshot_fallback: an older snapshot answers.
index_damaged: no snapshot can answer.
index_unreadable: a file cannot be read now; nothing is known about its content.
"""
COMPLETE: Final = frozenset[str]({"image_damaged", "journal_damaged"})
"""Codes of damage that does not affect answers."""
DAMAGE_CODES: Final = COMPLETE | {"snapshot_fallback", "index_damaged", "index_unreadable"}
INCOMPLETE_CODES: Final = DAMAGE_CODES - COMPLETE | {"partial_index", "scan"}
"""Codes of warnings about an incomplete index, which come before an answer."""

REPAIR: Final = "ggrep repair"


class Damage(Struct, frozen=True):
    """The damage of an index.

    Attributes:
        cause: the first damaged artifact and its condition, without absolute paths.
        rebuilding: whether a writer is running, or a daemon starts a writer at once.
        files: number of files in the snapshot that answers; 0 without a snapshot.
        eligible: number of files that this snapshot should contain.
        created_at: time when this snapshot was published, RFC 3339.
    """

    code: DamageCode
    cause: str
    rebuilding: bool = False
    files: int = 0
    eligible: int = 0
    created_at: str = ""

    @property
    def is_complete(self) -> bool:
        """Return whether the damage does not affect answers."""
        return self.code in COMPLETE

    @property
    def notice(self) -> Notice:
        """Return the warning: the damage, its effect, and the command that helps."""
        if self.code == "index_unreadable":
            remedy = "remove the cause, or build a new index: ggrep index --reset"
            return Notice(self.code, f"{self.cause}; {self._effect}; {remedy}")
        remedy = "it is being rebuilt" if self.rebuilding else f"run: {REPAIR}"
        return Notice(self.code, f"the index is damaged: {self.cause}; {self._effect}; {remedy}")

    @property
    def rebuilt(self) -> Notice:
        """Return the warning of the sync that has rebuilt the index."""
        return Notice(self.code, f"the index was damaged: {self.cause}; it was rebuilt")

    @property
    def _effect(self) -> str:
        match self.code:
            case "image_damaged" | "journal_damaged":
                return "answers are complete"
            case "index_damaged" | "index_unreadable":
                return "no snapshot can answer"
            case "snapshot_fallback":
                all_files = f" of {self.eligible:,}" if self.files < self.eligible else ""
                counted = f"{self.files:,}{all_files} files"
                return f"answers come from an older snapshot of {self.created_at}, {counted}"


def incomplete_first(notices: Iterable[Notice]) -> tuple[list[Notice], list[Notice]]:
    """Return two lists: the warnings about an incomplete index, and all other warnings."""
    listed = list(notices)
    first = [notice for notice in listed if notice.code in INCOMPLETE_CODES]
    return first, [notice for notice in listed if notice.code not in INCOMPLETE_CODES]

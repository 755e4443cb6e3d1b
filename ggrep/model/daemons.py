"""Daemons of a host, and the outcome of stopping them."""

from enum import Enum
from typing import Annotated, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.constraints import Count, Held, Named, Positive, Versioned


class DaemonState(Enum):
    """A daemon's activity; tables show the word with blanks."""

    READY = "ready"
    INDEXING = "indexing"
    STALE = "stale"
    STARTING = "starting"
    SILENT = "not_answering"
    OTHER = "other_version"

    @property
    def words(self) -> str:
        """Return the state as tables show it."""
        return self.value.replace("_", " ")


class Daemon(Struct, frozen=True):
    """One daemon; null is what it did not say."""

    root: str | None
    """Absolute path of the repository; null when nobody knows."""
    store_id: Named
    """The store it serves, or its endpoint's name when it did not say."""
    state: DaemonState
    """What it is at."""
    pid: Positive | None = None
    """Its process id; null when not known."""
    progress_percent: Annotated[int, Held(least=0, most=100)] | None = None
    """How far a sync is that runs."""
    files: Count | None = None
    """Files that can be found."""
    query_total: Count | None = None
    """Queries answered since its start."""
    in_flight: Count | None = None
    """Queries running."""
    query_latency_p50_ms: Count | None = None
    """Median of recent queries, milliseconds; null when there was none."""
    rss_bytes: Count | None = None
    """Memory of the process that carries it; those of one process share it."""
    uptime_ms: Count | None = None
    """How long it has run, milliseconds."""
    problem: str | None = None
    """What should be known of it, one line for people."""


class Daemons(Versioned, frozen=True, kw_only=True):
    """What runs, by root."""

    daemons: tuple[Daemon, ...]
    """One entry for each store that is served."""


class Stop(Struct, frozen=True):
    """One daemon that was told to stop."""

    root: str | None
    """Absolute path of the repository; null when nobody knows."""
    store_id: Named
    """The store it serves, or its endpoint's name when it did not say."""
    pid: Positive | None
    """Its process id; null when not known."""
    outcome: Literal["stopped", "killed", "gone", "failed"]
    """`stopped` by itself, `killed` by the system, `gone` before it was told, `failed`: it goes on.
    """
    reason: str | None = None
    """Why it goes on, one line for people."""


class Stops(Versioned, frozen=True, kw_only=True):
    """What became of those told to stop, by root."""

    ok: bool
    """None of them goes on."""
    stops: tuple[Stop, ...]
    """One entry for each."""


DaemonsDocument: TypeAlias = Daemons | Stops
"""All daemons of one home and what they do, or what became of those that were told to stop."""

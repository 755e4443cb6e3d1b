"""Daemons of a host, and the outcome of stopping them."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, TypedDict

from ggrep.model.constraints import Count, DocumentJson, Held, Named, Positive


class DaemonJson(TypedDict):
    """One daemon; null is what it did not say."""

    root: str | None
    """Absolute path of the repository; null when nobody knows."""
    store_id: Named
    """The store it serves, or its endpoint's name when it did not say."""
    state: Annotated[
        str, ("ready", "indexing", "stale", "starting", "not_answering", "other_version")
    ]
    """What it is at."""
    pid: Positive | None
    """Its process id; null when not known."""
    progress_percent: Annotated[int, Held(least=0, most=100)] | None
    """How far a sync is that runs."""
    files: Count | None
    """Files that can be found."""
    query_total: Count | None
    """Queries answered since its start."""
    in_flight: Count | None
    """Queries running."""
    query_latency_p50_ms: Count | None
    """Median of recent queries, milliseconds; null when there was none."""
    rss_bytes: Count | None
    """Memory of the process that carries it; those of one process share it."""
    uptime_ms: Count | None
    """How long it has run, milliseconds."""
    problem: str | None
    """What should be known of it, one line for people."""


class DaemonsJson(DocumentJson):
    """What runs, by root."""

    daemons: Sequence[DaemonJson]
    """One entry for each store that is served."""


class StopJson(TypedDict):
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
    reason: str | None
    """Why it goes on, one line for people."""


class StopsJson(DocumentJson):
    """What became of those told to stop, by root."""

    ok: bool
    """None of them goes on."""
    stops: Sequence[StopJson]
    """One entry for each."""


DaemonsDocumentJson: TypeAlias = DaemonsJson | StopsJson
"""All daemons of one home and what they do, or what became of those that were told to stop."""

"""The JSON of `ggrep status --all` and `ggrep stop`; see `daemons.schema.json`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from ggrep.interfaces.cli.daemon_row import DaemonRow
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.model.schemas.daemons import DaemonJson, DaemonsJson, StopJson, StopsJson

DAEMONS_SCHEMA: Final = 1
"""JSON of both.

1. First shape.
"""

Outcome = Literal["stopped", "killed", "gone", "failed"]


@dataclass(frozen=True, slots=True)
class StopResult:
    """The outcome of stopping one daemon.

    Attributes:
        root: of the repository; empty when nobody knows.
        outcome: it ended by itself; it was ended by the system; it was gone before; it goes on.
        reason: why it goes on, for people.
    """

    store_id: str
    outcome: Outcome
    root: str = ""
    pid: int | None = None
    reason: str | None = None


def daemons_json(rows: Sequence[DaemonRow]) -> "DaemonsJson":
    """Return the document of `ggrep status --all`, by root."""
    daemons: list[DaemonJson] = [
        {
            "root": sanitise_line(row.root) or None,
            "store_id": row.store_id,
            "state": row.state.value.replace(" ", "_"),
            "pid": row.pid,
            "progress_percent": row.progress,
            "files": row.files,
            "query_total": row.query_total,
            "in_flight": row.in_flight,
            "query_latency_p50_ms": row.latency_p50_ms,
            "rss_bytes": row.rss_bytes,
            "uptime_ms": row.uptime_ms,
            "problem": sanitise_line(row.problem) if row.problem else None,
        }
        for row in sorted(rows, key=lambda row: (row.root, row.store_id, row.pid or 0))
    ]
    return {"schema_version": DAEMONS_SCHEMA, "daemons": daemons}


def stops_json(results: Sequence[StopResult]) -> "StopsJson":
    """Return the document of `ggrep stop`, by root; `ok` unless a daemon still runs."""
    stops: list[StopJson] = [
        {
            "root": sanitise_line(result.root) or None,
            "store_id": result.store_id,
            "pid": result.pid,
            "outcome": result.outcome,
            "reason": sanitise_line(result.reason) if result.reason else None,
        }
        for result in sorted(results, key=lambda one: (one.root, one.store_id, one.pid or 0))
    ]
    ok = all(result.outcome != "failed" for result in results)
    return {"schema_version": DAEMONS_SCHEMA, "ok": ok, "stops": stops}

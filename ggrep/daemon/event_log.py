"""One store's structured log: one JSON object a line; logging never blocks work.

Every line has `at`, `event` (query, sync or the name of a moment in the daemon's life), `level`
and `store_id`; what else it holds is fixed by `ggrep.daemon.log_events`. An event that cannot be
written is dropped and counted, and the next one that can be is preceded by a line that says how
many were.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final

from ggrep.base import stable_json
from ggrep.base.clock import Clock
from ggrep.base.ids import StoreId
from ggrep.daemon.log_events import LIFECYCLE_FIELDS, QueryEvent, SyncEvent
from ggrep.daemon.log_file import SUFFIX, LogFile
from ggrep.model.sanitise import sanitise_line

FILE_BYTES: Final = 1 << 20
FILES: Final = 4
_LONGEST: Final = 200
_LIMITS: Final = ("max_results", "per_file", "snippet")
_NESTED: Final = frozenset({*_LIMITS, "stages"})
Field = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class LogStatistics:
    """Events since the start, written or dropped."""

    written_total: int
    dropped_total: int


class EventLog:
    """Writes events of one store to `DIRECTORY/STORE_ID.jsonl`; safe to call from any thread."""

    def __init__(
        self,
        directory: Path,
        store_id: StoreId,
        clock: Clock,
        *,
        max_bytes: int = FILE_BYTES,
        files: int = FILES,
        total_bytes: int = 0,
    ) -> None:
        """Open nothing yet.

        Args:
            directory: the home's logs; it is made with the first event.
            store_id: of the store; it names the file.
            clock: dates the events.
            max_bytes: of each file.
            files: the one that is written and those before it.
            total_bytes: of all logs of the home (`settings.max_log_bytes`); 0 for no bound.
        """
        path = directory / f"{store_id}{SUFFIX}"
        self._file = LogFile(path, max_bytes=max_bytes, files=files, total_bytes=total_bytes)
        self._clock = clock
        self._lock = Lock()
        self._written = self._dropped = self._untold = 0
        self._store_id = store_id

    def query(self, event: QueryEvent) -> None:
        """Log one search."""
        fields = {key: value for key, value in asdict(event).items() if key not in _NESTED}
        fields["limits"] = {key: getattr(event, key) for key in _LIMITS}
        fields["stages_ms"] = {name: round(spent, 3) for name, spent in event.stages}
        fields["total_ms"] = round(event.total_ms, 3)
        level = "info" if event.status == "ok" else "warning"
        self._emit("query", fields, level)

    def sync(self, event: SyncEvent) -> None:
        """Log one sync."""
        fields = asdict(event) | {"duration_ms": round(event.duration_ms, 3)}
        level = "info" if event.status in {"ok", "unchanged"} else "warning"
        self._emit("sync", fields, level)

    def lifecycle(self, name: str, **fields: Field) -> None:
        """Log an event of the daemon's life; fields outside the closed set only by name."""
        known = {key: value for key, value in fields.items() if key in LIFECYCLE_FIELDS}
        if len(known) < len(fields):
            known["omitted"] = ",".join(sorted(set(fields) - LIFECYCLE_FIELDS))
        self._emit(name, known, "info")

    @property
    def dropped_total(self) -> int:
        """Return how many events could not be written."""
        return self._dropped

    def statistics(self) -> LogStatistics:
        """Return the counts of written and dropped events."""
        with self._lock:
            return LogStatistics(self._written, self._dropped)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def _emit(self, name: str, fields: dict[str, Any], level: str) -> None:
        told = {key: _short(value) for key, value in fields.items()}
        with self._lock:
            if self._untold and self._write("events_dropped", {"count": self._untold}, "warning"):
                self._untold = 0
            if self._write(name, told, level):
                self._written += 1
            else:
                self._dropped += 1
                self._untold += 1

    def _write(self, name: str, fields: dict[str, Any], level: str) -> bool:
        try:
            moment = self._clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
            told = {"at": moment, "event": name, "level": level, "store_id": self._store_id}
            self._file.append(stable_json.dumps({**fields, **told}) + b"\n")
        except (OSError, TypeError):  # a full disk; a value that JSON cannot say
            self._file.close()  # what was wrong with it may be right with a new one
            return False
        return True


def _short(value: object) -> object:
    return sanitise_line(value)[:_LONGEST] if isinstance(value, str) else value

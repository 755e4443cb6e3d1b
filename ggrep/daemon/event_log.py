"""The structured log of a store, with a JSON object on each line; logging never blocks work."""

import logging
import os
import re
import traceback
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, Protocol

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import stable_json
from ggrep.base.clock import Clock
from ggrep.base.durable import make_directory, modes_in
from ggrep.base.ids import StoreId
from ggrep.model.sanitise import sanitise_line, without_directories

QueryStatus = Literal["ok", "busy", "timeout", "cancelled", "error"]
SyncStatus = Literal["ok", "unchanged", "degraded", "error"]

LIFECYCLE_FIELDS: Final = frozenset(
    {
        "answered",
        "binary_version",
        "build",
        "connections",
        "error_code",
        "mode",
        "pid",
        "protocol_version",
        "reason",
        "signal",
        "uptime_ms",
    }
)
"""Allowed fields of a lifecycle event, apart from its name."""


class QueryEvent(Struct, frozen=True):
    """A search, or another request that the index answers, with its outcome.

    Attributes:
        mode: mode of the request; empty if the request has none.
        snippet: requested amount of each hit's text; empty if the request has no such choice.
        stages: name and milliseconds of each stage, in order.
        hits: number of returned hits, files of a slate, definitions or mentions.
    """

    request_id: str
    snapshot_id: str | None
    client: str
    lane: str
    mode: str
    max_results: int
    per_file: int
    snippet: str
    stages: tuple[tuple[str, float], ...]
    total_ms: float
    status: QueryStatus
    error_code: str | None = None
    asked: str = "search"
    hits: int = 0
    limits_hit: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class SyncEvent(Struct, frozen=True):
    """A sync with its outcome.

    Attributes:
        trigger: reason in the schedule of syncs: `start`, `change`, `look` (a suspected change),
            `asked` (a request), `quiet` and `reconcile` (checks without an event) or `retry`.
        degraded: number of files whose indexed content is older than the file.
    """

    trigger: str
    status: SyncStatus
    duration_ms: float
    snapshot_id: str | None = None
    published: bool = False
    indexed: int = 0
    deleted: int = 0
    unchanged: int = 0
    chunks: int = 0
    segments: int = 0
    vectors_encoded: int = 0
    vectors_reused: int = 0
    skipped: int = 0
    degraded: int = 0
    error_code: str | None = None


MOST: Final = 16


class Closable(Protocol):
    """A log that reopens itself for the next line after it was closed."""

    def close(self) -> None:
        """Close the log; a closed log stays closed."""
        ...


class OpenLogs:
    """The open logs of a host; only the most recently used stay open.

    Attributes:
        lock: must be held during each method call and each write to a log, so that no log is closed
            during a write.
    """

    def __init__(self, most: int = MOST) -> None:
        """Start without open logs; at most `most` logs stay open."""
        self.lock = Lock()
        self._most = most
        self._used: dict[Closable, None] = {}  # the least recently used first

    def use(self, log: Closable) -> None:
        """Record a use; close the least recently used log if too many are open."""
        self._used.pop(log, None)
        self._used[log] = None
        if len(self._used) > self._most:
            first = next(iter(self._used))
            del self._used[first]
            first.close()

    def forget(self, log: Closable) -> None:
        """Close a log that is no longer used."""
        self._used.pop(log, None)
        log.close()


SUFFIX: Final = ".jsonl"
_ROTATED = re.compile(r".+\.jsonl\.[0-9]+")
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class LogFile:
    """A log with rotation: at most `files` files of at most `max_bytes` bytes. Not thread-safe."""

    def __init__(self, path: Path, *, max_bytes: int, files: int, total_bytes: int = 0) -> None:
        """Open no file yet.

        `total_bytes` bounds all log files of the directory; 0 for no bound.
        """
        self._path = path
        self._files = files
        self._total_bytes = total_bytes
        # A file has at most a quarter of the total, so that deleting other files frees enough
        # bytes.
        self._max_bytes = min(max_bytes, total_bytes // 4) if total_bytes else max_bytes
        self._descriptor = -1

    def append(self, line: bytes) -> None:
        """Write a line, completely or not at all."""
        if len(line) > self._max_bytes:
            raise OSError(
                f"a line of {len(line)} bytes does not fit into a log file of "
                f"{self._max_bytes} bytes"
            )
        before = self._ready(len(line))
        written = os.write(self._descriptor, line)
        if written != len(line):
            os.ftruncate(self._descriptor, before)
            raise OSError(f"the disk is full: {written} of {len(line)} bytes were written")

    def close(self) -> None:
        """Close the file; the next line reopens it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _ready(self, coming: int) -> int:
        """Open the file, rotate it if `coming` more bytes do not fit, and return its size."""
        while True:
            self._open()
            status = os.fstat(self._descriptor)
            if status.st_nlink and status.st_size + coming <= self._max_bytes:
                return status.st_size
            # If another process has rotated or removed the file, open the file with that name
            # again.
            if self._is_named(status):
                self._rotate()
            self.close()

    def _open(self) -> None:
        if self._descriptor >= 0:
            return
        directory = self._path.parent
        make_directory(directory)
        mode = modes_in(directory).file
        self._descriptor = os.open(self._path, _FLAGS, mode)
        status = os.fstat(self._descriptor)
        if status.st_uid == os.geteuid():
            os.fchmod(self._descriptor, mode)
        if status.st_size and os.pread(self._descriptor, 1, status.st_size - 1) != b"\n":
            os.write(self._descriptor, b"\n")  # a crash cut the last line short
        make_room(directory, self._total_bytes, keep=self._path, coming=self._max_bytes)

    def _is_named(self, status: os.stat_result) -> bool:
        with suppress(FileNotFoundError):
            return os.path.samestat(status, self._path.stat())
        return False

    def _rotate(self) -> None:
        for number in range(self._files - 1, 0, -1):
            source = self._numbered(number - 1)
            with suppress(FileNotFoundError):
                source.replace(self._numbered(number))
        if self._files == 1:
            self._path.unlink(missing_ok=True)

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path


def make_room(directory: Path, total_bytes: int, *, keep: Path, coming: int) -> None:
    """Delete log files until `coming` bytes can be added to `keep` within the total.

    Rotated files of all stores are deleted first, from the oldest to the newest. Current files of
    other stores follow; their writers create new files. A total of 0 means no bound.
    """
    if not total_bytes:
        return
    files = []
    for path in sorted(directory.iterdir()):
        rotated = bool(_ROTATED.fullmatch(path.name))
        if rotated or path.suffix == SUFFIX:
            with suppress(FileNotFoundError):
                status = path.stat()
                files.append((not rotated, status.st_mtime_ns, path.name, status.st_size))
    kept = sum(size for *_, name, size in files if name == keep.name)
    used = sum(size for *_, size in files) - kept + max(kept, coming)
    for *_, name, size in sorted(files):
        if used <= total_bytes:
            return
        if name != keep.name:
            (directory / name).unlink(missing_ok=True)
            used -= size


FILE_BYTES: Final = 1 << 20
FILES: Final = 4
_LONGEST: Final = 200
_LIMITS: Final = ("max_results", "per_file", "snippet")
_NESTED: Final = frozenset({*_LIMITS, "stages"})
Field = str | int | float | bool | None


class EventLog:
    """Writes events of a store to `DIRECTORY/STORE_ID.jsonl`. Thread-safe."""

    def __init__(  # noqa: PLR0913 - all but the first three have a default
        self,
        directory: Path,
        store_id: StoreId,
        clock: Clock,
        *,
        max_bytes: int = FILE_BYTES,
        files: int = FILES,
        total_bytes: int = 0,
        opened: OpenLogs | None = None,
    ) -> None:
        """Open nothing yet.

        `total_bytes` bounds all logs of the home; 0 for no bound.
        """
        path = directory / f"{store_id}{SUFFIX}"
        self._file = LogFile(path, max_bytes=max_bytes, files=files, total_bytes=total_bytes)
        self._clock = clock
        self._opened = opened or OpenLogs()
        self._dropped = self._pending = 0
        self._store_id = store_id

    def query(self, event: QueryEvent) -> None:
        """Log a search or another request."""
        fields = {key: value for key, value in asdict(event).items() if key not in _NESTED}
        fields["limits"] = {key: getattr(event, key) for key in _LIMITS}
        fields["stages_ms"] = {name: round(spent, 3) for name, spent in event.stages}
        fields["total_ms"] = round(event.total_ms, 3)
        level = "info" if event.status == "ok" else "warning"
        self._emit("query", fields, level)

    def sync(self, event: SyncEvent) -> None:
        """Log a sync."""
        fields = asdict(event) | {"duration_ms": round(event.duration_ms, 3)}
        level = "info" if event.status in {"ok", "unchanged"} else "warning"
        self._emit("sync", fields, level)

    def lifecycle(self, name: str, **fields: Field) -> None:
        """Log a lifecycle event; for fields outside the allowed set, only the names are logged."""
        logged = {key: value for key, value in fields.items() if key in LIFECYCLE_FIELDS}
        if len(logged) < len(fields):
            logged["omitted"] = ",".join(sorted(set(fields) - LIFECYCLE_FIELDS))
        self._emit(name, logged, "info")

    def warning(self, reason: str) -> None:
        """Log a warning, without the directories of its paths."""
        self._emit("warning", {"reason": without_directories(reason)}, "warning")

    @property
    def dropped_total(self) -> int:
        """Return the number of events that could not be written."""
        return self._dropped

    def close(self) -> None:
        """Close the log file."""
        with self._opened.lock:
            self._opened.forget(self._file)

    def _emit(self, name: str, fields: dict[str, Any], level: str) -> None:
        shortened = {key: _short(value) for key, value in fields.items()}
        with self._opened.lock:
            self._opened.use(self._file)
            if self._pending and self._write("events_dropped", {"count": self._pending}, "warning"):
                self._pending = 0
            if not self._write(name, shortened, level):
                self._dropped += 1
                self._pending += 1

    def _write(self, name: str, fields: dict[str, Any], level: str) -> bool:
        try:
            moment = self._clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
            common = {"at": moment, "event": name, "level": level, "store_id": self._store_id}
            self._file.append(stable_json.dumps({**fields, **common}) + b"\n")
        except (OSError, TypeError):  # a full disk; a value that JSON cannot represent
            self._file.close()  # reopening the file may fix the error
            return False
        return True


def _short(value: object) -> object:
    return sanitise_line(value)[:_LONGEST] if isinstance(value, str) else value


class WarningHandler(logging.Handler):
    """Writes a process's warnings to a log, because the standard error of a daemon is discarded."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message, and the location of its error."""
        error = record.exc_info[1] if record.exc_info else None
        place = f": {place_of_error(error)}" if error else ""
        self._log.warning(f"{record.getMessage()}{place}")


def place_of_error(error: BaseException) -> str:
    """Return type and location of an unexpected error; its message could quote file content.

    For a group of errors the first error is used. The location is the last frame in ggrep's code.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/ggrep/" in frame.filename] or frames
    if not ours:
        return type(error).__name__
    last = ours[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno} {last.name}"

"""Jobs, replies and reports of a sync."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol, Self, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import asdict

from ggrep.base import stable_json
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded, GgrepError
from ggrep.base.ids import PathKey
from ggrep.base.stable_json import Json, decode
from ggrep.model.constraints import (
    Code,
    Count,
    RepoPath,
    SafeLine,
    SnapshotId,
    StoreId,
    Versioned,
    hides,
)
from ggrep.model.files import SkippedFile
from ggrep.model.limits import Notice

LOW_IMPACT_FLAG: Final = "--low-impact"
"""Argument of a worker that runs with low priority."""


Compaction: TypeAlias = Literal["after", "apart", "alone", "never"]
"""See `SyncJob`."""

PushState: TypeAlias = Literal["new", "present", "failed"]
"""Result of a push: uploaded, already at the remote, or failed."""

IndexChange: TypeAlias = Literal["unchanged", "pulled", "indexed"]
"""Main change of an index: none, files from a remote, or only new, changed or deleted files."""


class SyncJob(Struct, frozen=True):
    """A sync to run.

    Attributes:
        home: base directory of the ggrep home.
        environ: environment variables to read settings from.
        flags: settings with precedence over all others.
        store_id: expected store; the job fails if the settings select another store. Empty for any.
        strict: fail if any file cannot be read, decoded or chunked as intended.
        allow_degraded: if files exceed the budget of a profile, index those that fit.
        fresh: rebuild without reusing the existing index.
        low_impact: use at most half a core.
        upkeep: run collection and compaction after the sync, if due.
        compaction: when to compact: `after` the sync, as upkeep; `apart`: in another job, if the
            outcome reports that it is due; `alone`: now, instead of a sync; or `never`. A
            compaction can take minutes.
        deadline_ms: time after which the worker is killed; None for no bound.
        remote: a `config.remotes.Remote` as JSON; empty for none.
        pull: pull before the sync; if that fails, all files are indexed, with a notice.
        push: push after the sync; if that fails, the outcome has a notice.
        abreast: number of workers that build a workspace together, 1 on a cluster; 0 outside of a
            build. During a build, a job uses its share of the cores, keeps its parsers for the next
            job, publishes no partial snapshots, and deletes leftovers of other processes in the
            home only if it is the worker's first job.
    """

    root: Path
    home: Path
    environ: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    flags: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    store_id: str = ""
    strict: bool = False
    allow_degraded: bool = False
    fresh: bool = False
    low_impact: bool = False
    upkeep: bool = True
    compaction: Compaction = "after"
    deadline_ms: int | None = None
    remote: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    pull: bool = False
    push: bool = False
    abreast: int = 0


class SyncProgress(Struct, frozen=True):
    """Progress of a running sync.

    Attributes:
        stage: `scan`, `compare` until the first changed file, `index`, `publish`, `upkeep`, or
            `WAITS_FOR_GIT`.
        cpu_ms: CPU time of the worker and its children since the start of the sync.
    """

    stage: str
    done_files: int
    total_files: int
    cpu_ms: int


class Compacted(Struct, frozen=True):
    """The result of the compaction after a sync."""

    reason: str
    new_snapshot_id: str | None
    segments_before: int
    segments_after: int
    duration_ms: int


class SyncOutcome(Struct, frozen=True):
    """The outcome of a sync.

    Attributes:
        snapshot_id: the active snapshot after the sync and any compaction.
        published: whether the sync published a snapshot; False if nothing had changed.
        skipped: number of files with eligible names that are not indexed.
        degraded: number of files whose index differs from the disk.
        notices: warnings of the sync, and of failed upkeep.
        duration_ms: duration of the sync itself, without upkeep.
        cpu_ms: CPU time of the worker and its children, including upkeep.
        collected_bytes: bytes freed by the collection after the sync.
        overdue: whether a compaction is due and another worker has to run it.
        retry_after_ms: time until postponed files are tried again; None without postponed files.
        pulled: number of files from a remote.
        pushed: see `PushState`; None if no push was requested.
        products: indexed files in build output directories, whose changes start a sync; None if
            unknown, so that changes of all files in these directories do.
    """

    store_id: str
    snapshot_id: str
    published: bool
    indexed: int
    deleted: int
    unchanged: int
    chunks: int
    segments: int
    merged_segments: int
    vectors_encoded: int
    vectors_reused: int
    skipped: int
    degraded: int
    notices: tuple[Notice, ...]
    duration_ms: int
    cpu_ms: int
    compaction: Compacted | None = None
    collected_bytes: int = 0
    overdue: bool = False
    retry_after_ms: int | None = None
    products: tuple[str, ...] | None = None
    pulled: int = 0
    pushed: PushState | None = None

    @property
    def change(self) -> IndexChange:
        """Return the kind of change: pulled files, else indexed or deleted files, else none."""
        if self.pulled:
            return "pulled"
        return "indexed" if self.indexed or self.deleted else "unchanged"

    @property
    def moved(self) -> bool:
        """Return whether the sync or its compaction published a new snapshot."""
        compaction = self.compaction
        return self.published or (compaction is not None and compaction.new_snapshot_id is not None)


class SyncFailed(GgrepError):
    """A sync failed; the active snapshot is unchanged.

    Attributes:
        code: error code from the worker, or `internal`.
        retry_after_ms: recommended delay before a retry; None if unknown.
        exit_status: exit status of a command that fails with this error.
        signal: signal that ended the worker; None if no signal did.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "internal",
        retry_after_ms: int | None = None,
        exit_status: int = 1,
        signal: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after_ms = retry_after_ms
        self.exit_status = exit_status
        self.signal = signal


class SyncRunner(Protocol):
    """Runs syncs: in a worker process, or as a test double."""

    async def run(self, job: SyncJob, on_progress: Callable[[SyncProgress], None]) -> SyncOutcome:
        """Run a sync.

        Raises:
            GgrepError: the sync failed; the active snapshot is unchanged.
        """
        ...


def job_json(job: SyncJob) -> dict[str, Json]:
    """Return a job as JSON."""
    document = asdict(job)
    document["root"], document["home"] = _spelled(str(job.root)), _spelled(str(job.home))
    document["remote"] = dict(job.remote)
    document["environ"] = {key: _spelled(value) for key, value in job.environ.items()}
    document["flags"] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in job.flags.items()
    }
    return document


def job_from(document: Mapping[str, Any]) -> SyncJob:
    """Return the job from a document made by `job_json`."""
    values = {name: document[name] for name in SyncJob.__struct_fields__ if name in document}
    values["root"], values["home"] = Path(_read(values["root"])), Path(_read(values["home"]))
    values["environ"] = {key: _read(value) for key, value in values.get("environ", {}).items()}
    return SyncJob(**values)


def priority_line(store_id: str, paths: Sequence[str]) -> bytes:
    """Return the line that names the files to index first, for a store's first index."""
    return stable_json.dumps({"wish": {"store_id": store_id, "paths": list(paths)}}) + b"\n"


def priority_from(line: bytes) -> tuple[str, tuple[PathKey, ...]] | None:
    """Return store id and files from a line made by `priority_line`; None for any other line."""
    match stable_json.loads(line):
        case {"wish": {"store_id": str(store_id), "paths": [*paths]}}:
            return store_id, tuple(PathKey(str(path)) for path in paths)
        case _:
            return None


def outcome_json(outcome: SyncOutcome) -> dict[str, Json]:
    """Return an outcome as JSON."""
    document: dict[str, Any] = stable_json.plain(outcome)
    for notice in document["notices"]:
        notice["message"] = _shown(notice["message"])
        path = notice.get("path_key")
        notice["path_key"] = path and _shown(path)
    return document


def outcome_from(document: object) -> SyncOutcome:
    """Return the outcome from a document made by `outcome_json`.

    Raises:
        DecodeError: the document is not an outcome.
    """
    return decode(SyncOutcome, document)


def error_json(error: BaseException) -> dict[str, Json]:
    """Return an error as JSON, for another process."""
    code = error.code if isinstance(error, GgrepError) else "internal"
    message = str(error) or type(error).__name__
    if isinstance(error, Busy):
        message = message.removesuffix(f", retry after {error.retry_after_ms} ms")
    document: dict[str, Json] = {"code": code, "message": _shown(message)}
    if isinstance(error, Busy):
        document["retry_after_ms"] = error.retry_after_ms
    if isinstance(error, GgrepError) and error.exit_status != 1:
        document["exit_status"] = error.exit_status
    return document


def error_from(document: Mapping[str, Any]) -> GgrepError:
    """Return the error from a document made by `error_json`."""
    code, message = str(document.get("code")), str(document.get("message"))
    retry = document.get("retry_after_ms")
    match code:
        case "busy":
            return Busy(message, retry_after_ms=int(retry or 1_000))
        case "timeout":
            return DeadlineExceeded(message)
        case "cancelled":
            return Cancelled(message)
        case _:
            status = int(document.get("exit_status") or 1)
            return SyncFailed(message, code=code, retry_after_ms=retry, exit_status=status)


def _spelled(text: str) -> str:
    """Return the bytes of a path or an environment variable, decoded as Latin-1."""
    return os.fsencode(text).decode("latin-1")


def _read(text: str) -> str:
    return os.fsdecode(text.encode("latin-1"))


def _shown(text: str) -> str:
    """Return a text for display, with bytes that are not UTF-8 escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class SyncFiles(Struct, frozen=True):
    """Numbers of indexed, deleted and unchanged files."""

    indexed: Count
    """New or changed files, which were read and chunked."""
    deleted: Count
    """Files that are gone since the last sync."""
    unchanged: Count
    """Files that did not change."""


class DegradedFile(Struct, frozen=True):
    """A file whose indexed state differs from the disk."""

    code: Code
    """Stable name of the cause."""
    message: SafeLine
    path_key: RepoPath


class SyncWarning(Struct, frozen=True):
    """A warning about the listing of files."""

    code: str
    """Stable name of the warning."""
    message: str
    """Text on a single line."""
    path_key: str | UnsetType = UNSET
    """The file that the warning concerns."""

    @classmethod
    def of(cls, notice: Notice) -> Self:
        """Return a notice as a warning of a report."""
        return cls(notice.code, notice.message, notice.path_key or UNSET)


@hides("retry_after_ms", "products")
class SyncReport(Versioned, frozen=True, kw_only=True):
    """The result of a sync."""

    store_id: StoreId
    """Store of the repository."""
    snapshot_id: SnapshotId
    """The active snapshot afterwards."""
    published: bool
    """Whether a snapshot was published."""
    files: SyncFiles
    chunks: Count
    """Searchable chunks after the sync."""
    segments: Count
    """Segments that a query reads afterwards."""
    merged_segments: Count
    """Segments that were merged."""
    vectors_encoded: Count
    """Texts that were encoded; 0 without an encoder."""
    vectors_reused: Count
    """Vectors of new chunks that came from the cache or an equal text."""
    skipped: tuple[SkippedFile, ...]
    """Files that are not indexed."""
    degraded: tuple[DegradedFile, ...]
    """Files whose indexed state differs from the disk."""
    duration_ms: Count
    """Duration in milliseconds."""
    warnings: tuple[SyncWarning, ...]
    """Warnings about the list of files."""
    retry_after_ms: int | None = None
    """Milliseconds until degraded files are tried again; None if there are none."""
    products: tuple[str, ...] | None = None
    """Indexed files in build output directories, see `product_files`."""

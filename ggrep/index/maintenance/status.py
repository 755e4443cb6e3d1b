"""Status of one store: its snapshot, its last sync, what is in use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ggrep.base.errors import GgrepError, NoIndex
from ggrep.base.ids import StoreId
from ggrep.base.lease import LeaseRecord, is_live, read_record
from ggrep.config import names
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.maintenance.findings import failed_call
from ggrep.index.store.active import read_active
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.manifest import SnapshotManifest, read_manifest
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.index_state import IndexState, read_index_state, recorded_standing
from ggrep.model.limits import Notice
from ggrep.model.made_counts import MadeFiles
from ggrep.model.standing import Standing
from ggrep.model.traits import GUESSED, MASKED, REPLACED

_UNSURE: Final = (
    (GUESSED, "guessed_encoding", "files whose encoding is guessed"),
    (REPLACED, "replaced_characters", "files with U+FFFD for bytes that are not text"),
)


@dataclass(frozen=True, slots=True)
class StatusReport:
    """What status shows; `manifest` and `last_sync` are None before the first publish.

    Attributes:
        standing: how the updating stands, as its last sync wrote it down.
        writing: a writer that lives holds the lease.
        staging_txn_id: what it is putting together, once it is.
        problems: what is wrong with the index, and what to do about it.
        masked_files: visible files with secrets in them that are masked.
    """

    store_id: StoreId
    canonical_root: str
    config_fingerprint: str
    encoder: str
    manifest: SnapshotManifest | None
    last_sync: IndexState | None
    standing: Standing
    store_bytes: int
    store_budget_bytes: int
    cache_bytes: int
    cache_budget_bytes: int
    log_bytes: int
    log_budget_bytes: int
    query_timeout_ms: int
    segments_budget: int
    writing: bool
    staging_txn_id: str | None
    problems: tuple[Notice, ...]
    masked_files: int = 0
    made_files: MadeFiles = MadeFiles()  # noqa: RUF009 - frozen


def read_status(
    settings: Settings,
    glance: Callable[[], SnapshotView],
    home: Home,
    *,
    root: Path,
    store_id: StoreId,
    config_fingerprint: str,
) -> StatusReport:
    """Return the status of one store, whatever is wrong with it; nothing is written.

    Args:
        settings: in force.
        glance: returns the snapshot that answers.
        home: where the store lies.
        root: the repository.
        store_id: its store's name.
        config_fingerprint: of the settings.
    """
    store = home.store_dir(store_id)
    files = names.lease_files(store)
    problems: list[Notice] = []
    view, manifest = _shown(store, glance, problems)
    last_sync: IndexState | None = None
    record: LeaseRecord | None = None
    writing = False
    with _noting(problems, "last_sync_unknown"):
        last_sync = read_index_state(names.index_state_file(store)) if manifest else None
    with _noting(problems, "lease_unknown"):
        record, writing = read_record(files.record), is_live(files)
    used = [_bytes(directory, problems) for directory in (store, home.cache, home.logs)]
    return StatusReport(
        store_id=store_id,
        canonical_root=str(root),
        config_fingerprint=config_fingerprint,
        encoder=settings.encoder,
        manifest=manifest,
        last_sync=last_sync,
        standing=recorded_standing(names.index_state_file(store)),
        store_bytes=used[0],
        store_budget_bytes=settings.max_store_bytes,
        cache_bytes=used[1],
        cache_budget_bytes=settings.max_cache_bytes,
        log_bytes=used[2],
        log_budget_bytes=settings.max_log_bytes,
        query_timeout_ms=settings.query_timeout_ms,
        segments_budget=settings.max_open_segments_per_query,
        writing=writing,
        staging_txn_id=record.staging_txn_id if record and writing else None,
        problems=tuple(problems),
        masked_files=len(view.files_of(MASKED)) if view else 0,
        made_files=view.made_files() if view else MadeFiles(),
    )


def _shown(
    store: Path, glance: Callable[[], SnapshotView], problems: list[Notice]
) -> tuple[SnapshotView | None, SnapshotManifest | None]:
    """Return what answers; where nothing can, what was published last, if that is readable."""
    try:
        view = glance()
    except NoIndex:
        return None, None
    except GgrepError as error:
        problems.append(Notice("index_damaged", str(error)))
    else:
        problems += (*view.notices, *_unsure(view))
        return view, view.manifest
    try:
        active = read_active(store)
        return None, read_manifest(store, active) if active else None
    except (GgrepError, OSError):
        return None, None


def _unsure(view: SnapshotView) -> Iterator[Notice]:
    """Yield how many files may not say what their authors wrote."""
    for trait, code, what in _UNSURE:
        if count := len(view.files_of(trait)):
            yield Notice(code, f"{what}: {count}; ggrep health names them")


def _bytes(directory: Path, problems: list[Notice]) -> int:
    """Return how much disk a directory takes, as far as that can be told."""
    try:
        return store_bytes(directory)
    except OSError as error:
        problems.append(Notice("disk_use_unknown", failed_call(error)))
        return 0


@contextmanager
def _noting(problems: list[Notice], code: str) -> Iterator[None]:
    """Make a problem of what fails in the block: whoever asks for a status wants to know it."""
    try:
        yield
    except GgrepError as error:
        problems.append(Notice(code, str(error)))
    except OSError as error:
        problems.append(Notice(code, failed_call(error)))

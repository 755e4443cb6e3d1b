"""Status of one store: its snapshot, its last sync, what is in use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import GgrepError, NoIndex
from ggrep.base.ids import StoreId
from ggrep.base.lease import LeaseRecord, is_live, read_record
from ggrep.config import names
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.maintenance.findings import failed_call
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.judging import Judgement
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.index_state import IndexState, read_index_state, recorded_standing
from ggrep.model.damage import Damage
from ggrep.model.limits import Notice
from ggrep.model.made_counts import MadeFiles
from ggrep.model.standing import Standing
from ggrep.model.traits import GUESSED, MASKED, REPLACED

_UNSURE: Final = (
    (GUESSED, "guessed_encoding", "files whose encoding is guessed"),
    (REPLACED, "replaced_characters", "files with U+FFFD for bytes that are not text"),
)


class StatusReport(Struct, frozen=True):
    """What status shows; `manifest` and `last_sync` are None before the first publish.

    Attributes:
        standing: how the updating stands, as its last sync wrote it down.
        writing: a writer that lives holds the lease.
        staging_txn_id: what it is putting together, once it is.
        damage: of the store; None where there is none.
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
    damage: Damage | None = None
    masked_files: int = 0
    made_files: MadeFiles = MadeFiles()


def read_status(
    settings: Settings,
    inspect: Callable[[], Judgement],
    home: Home,
    *,
    root: Path,
    store_id: StoreId,
    config_fingerprint: str,
) -> StatusReport:
    """Return the status of one store, whatever is wrong with it; nothing is written.

    Args:
        settings: in force.
        inspect: returns the state of the store.
        home: where the store lies.
        root: the repository.
        store_id: its store's name.
        config_fingerprint: of the settings.
    """
    store = home.store_dir(store_id)
    files = names.lease_files(store)
    problems: list[Notice] = []
    view, manifest, damage = _shown(inspect, problems)
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
        damage=damage,
        masked_files=len(view.files_of(MASKED)) if view else 0,
        made_files=view.made_files() if view else MadeFiles(),
    )


def _shown(
    inspect: Callable[[], Judgement], problems: list[Notice]
) -> tuple[SnapshotView | None, SnapshotManifest | None, Damage | None]:
    """Return the snapshot that answers, else the last one that was published, and the damage."""
    try:
        judged = inspect()
    except NoIndex:
        return None, None, None
    except GgrepError as error:
        problems.append(Notice("index_unreadable", str(error)))
        return None, None, None
    if judged.damage is not None:
        problems.append(judged.damage.notice)
    if judged.view is None:
        return None, judged.manifest, judged.damage
    problems += _unsure(judged.view)
    return judged.view, judged.view.manifest, judged.damage


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

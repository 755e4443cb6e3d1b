"""Lists the stores of a home with their repositories and sizes, and removes stores."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import Struct, convert
from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.clock import Clock, Deadline, SystemClock, rfc3339
from ggrep.base.durable import reach
from ggrep.base.errors import Busy, GgrepError, InvalidRequest
from ggrep.base.ids import StoreId
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.config.profiles import Profile, load_profiles
from ggrep.config.settings import Settings, load_settings, without_profile
from ggrep.index.repo_identity import identify
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.last_used import modified_at, read_last_use
from ggrep.index.store.manifest import read_active_manifest
from ggrep.index.store.read_failures import typed_failures
from ggrep.index.store.remains import lying_remains, sweep_remains, sweep_store
from ggrep.index.store.store_opening import hold_lease
from ggrep.model.maintenance import Candidate, Store
from ggrep.model.sanitise import sanitise_line
from ggrep.model.status import ProfileBudgets, ProfileReport

_TTL_MS = 120_000
_READERS_MS = 1000
"""How long a removal waits for queries to end."""

UNUSED = "unused"
ROOT_GONE = "root_gone"
NEVER_PUBLISHED = "never_published"
REMAINS = "remains"


class StoreEntry(Store, frozen=True):
    """One store of a home; `canonical_root` is None if the snapshot names none, as in a clone.

    Attributes:
        published: whether the store has an active snapshot, readable or not.
    """

    published: bool = False

    @property
    def last_touched_at(self) -> str:
        """Return the time of the last use or publish, as RFC 3339."""
        return max(self.modified_at, self.last_used_at or self.modified_at)


def list_stores(home: Home) -> tuple[StoreEntry, ...]:
    """Return all stores of a home, the most recently used first, then by id.

    The scan reads one directory level and writes nothing. Stores that vanish during the scan are
    omitted.
    """
    if not home.data.is_dir():
        return ()
    entries = []
    for path in sorted(home.data.iterdir()):
        if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
            with suppress(FileNotFoundError):
                entries.append(_entry_or_problem(path))
    return tuple(sorted(entries, key=lambda entry: entry.last_touched_at, reverse=True))


def _entry_or_problem(store: Path) -> StoreEntry:
    """Return a store's entry; an unreadable store gets an entry with its problem."""
    try:
        return _entry(store)
    except PermissionError as error:
        return StoreEntry(
            store.name,
            size_bytes=0,
            modified_at=rfc3339(datetime.fromtimestamp(store.stat().st_mtime, UTC)),
            last_used_at=None,
            published=True,
            problem=f"cannot be read: {error.strerror}",
        )


def _entry(store: Path) -> StoreEntry:
    entry = StoreEntry(store.name, store_bytes(store), *_times(store))
    try:
        manifest = read_active_manifest(store)
    except GgrepError as error:
        return replace(entry, published=True, problem=sanitise_line(str(error)))
    if manifest is None:
        return replace(entry, problem="never published")
    root = manifest.canonical_root
    return replace(
        entry,
        canonical_root=sanitise_line(root) or None,
        root_exists=Path(root).is_dir() if root else None,
        config_fingerprint=manifest.config_fingerprint,
        active_snapshot_id=manifest.snapshot_id,
        created_at=manifest.created_at,
        files=manifest.counts.files_indexed,
        chunks=manifest.counts.chunks_visible,
        published=True,
    )


def _times(store: Path) -> tuple[str, str | None]:
    """Return the times of a store's last publish and last use, as RFC 3339."""
    used = read_last_use(store)
    return rfc3339(modified_at(store)), rfc3339(used) if used else None


def list_profiles(
    root: Path, home: Home, environ: Mapping[str, str], flags: Mapping[str, object]
) -> tuple[ProfileReport, ...]:
    """Return the profiles of a canonical root by name; nothing is opened or written.

    The settings without a profile are listed first, under the empty name, unless the repository's
    settings file chooses a default profile.

    Raises:
        InvalidRequest: a settings file or variable is wrong, or names an unknown profile.
    """
    profiles = load_profiles(root)
    current = load_settings(home, root, environ=environ, flags=flags).settings.profile
    base = () if profiles.default else (Profile(""),)
    others = without_profile(environ)
    reports = []
    for profile in (*base, *profiles.profiles):
        named = {**flags, "profile": profile.name or None}
        settings = load_settings(home, root, environ=others, flags=named).settings
        identity = identify(root, home, settings)
        report = ProfileReport(
            name=profile.name or None,
            in_force=profile.name == current,
            kind=("own_store" if profile.has_own_store else "view") if profile.name else "none",
            store_id=identity.store_id,
            state="no_index",
            budgets=convert(profile, ProfileBudgets, from_attributes=True)
            if profile.has_own_store
            else None,
        )
        reports.append(_with_snapshot(report, identity.store))
    return tuple(reports)


def _with_snapshot(report: ProfileReport, store: Path) -> ProfileReport:
    try:
        manifest = read_active_manifest(store)
    except GgrepError:
        return replace(report, state="unreadable")
    if manifest is None:
        return report
    return replace(
        report,
        state="indexed",
        snapshot_id=manifest.snapshot_id,
        files=manifest.counts.files_indexed,
        chunks=manifest.counts.chunks_visible,
        degraded=bool(manifest.errors),
    )


def remove_store(
    home: Home,
    store_id: str,
    *,
    clock: Clock | None = None,
    wait: Callable[[float], None] = time.sleep,
    readers_ms: int = _READERS_MS,
    wanted: Callable[[], bool] = lambda: True,
) -> int:
    """Delete a store; return the number of bytes that became free.

    The store is moved to the trash in one step. A later process therefore never finds a partial
    index, even after a crash. The lock files stay, as a writer may be waiting for them.

    Args:
        home: the directory of the store.
        store_id: the store to remove.
        clock: measures the wait for readers.
        wait: sleeps that many seconds.
        readers_ms: how long to wait for running queries on the store.
        wanted: called under the locks; returns whether to remove the store.

    Raises:
        InvalidRequest: the store does not exist.
        Busy: a writer uses the store, a reader did not finish in time, or `wanted` returned False.
    """
    store = home.data / store_id
    if "/" in store_id or store_id.startswith(".") or not store_id or not store.is_dir():
        raise InvalidRequest(f"there is no store {store_id!r}; see: ggrep list")
    clock = clock or SystemClock()
    owner_id = f"removal by process {os.getpid()}"
    patience = Patience(Deadline.after(clock, 0), wait, "another process is writing to this store")
    with hold_lease(store, owner_id, clock, patience, ttl_ms=_TTL_MS) as lease:
        sweep_remains(store, lease)
        trash = store_files.trash_dir(store, lease.epoch)
        size = store_bytes(store)
        readers = Deadline.after(clock, readers_ms)
        no_reader = Patience(readers, wait, "a query is reading this store")
        with alone(store_files.readers_lock(store), no_reader), lease.fenced():
            if not wanted():
                raise Busy("another process has just used this store", retry_after_ms=1000)
            store.replace(trash)
            reach("removal.after_move")
        durable.sync_directory(home.data)
        shutil.rmtree(trash)
    return size


class StoreCandidate(Candidate, frozen=True):
    """A store, or leftovers of a store, that `gc` can delete; `path` is the directory."""

    path: Path


class Refusal(Struct, frozen=True):
    """A candidate that could not be deleted now, and why."""

    store_id: str
    error: GgrepError


class StoresReport(Struct, frozen=True):
    """The candidates, and the result of their deletion.

    Attributes:
        candidates: all candidates, by store id.
        deleted: the deleted candidates; none in a dry run.
        refused: candidates that are in use, or that the system did not delete.
    """

    dry_run: bool
    candidates: tuple[StoreCandidate, ...]
    deleted: tuple[StoreCandidate, ...]
    refused: tuple[Refusal, ...]


def collect_stores(
    home: Home,
    settings: Settings,
    *,
    current: StoreId | None,
    force: bool = False,
    clock: Clock | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> StoresReport:
    """List the unused stores; with `force`, delete them.

    A store that was neither used nor published to for `store_gc_days` is a candidate, even without
    a known root or a snapshot. Leftovers of an interrupted removal, clone or rebuild are candidates
    at any age, unless a writer uses their store. Damage does not make a store a candidate, as its
    owner may still repair it.

    Args:
        home: the directory of the stores.
        settings: `store_gc_days`, and when a writer's lease expires.
        current: the store of the caller's root; it always stays.
        force: delete the candidates; otherwise nothing is written.
        clock: source of the current time.
        wait: sleeps that many seconds.
    """
    clock = clock or SystemClock()
    oldest = rfc3339(clock.now() - timedelta(days=settings.store_gc_days))
    every = (*_unused(home, current, oldest), *_remains(home))
    candidates = tuple(sorted(every, key=lambda item: (item.store_id, item.path.name)))
    deleted: list[StoreCandidate] = []
    refused: list[Refusal] = []
    for candidate in candidates if force else ():
        try:
            with typed_failures(home.data):
                _delete(home, settings, candidate, clock, wait)
        except InvalidRequest:
            continue  # another process has deleted the candidate
        except GgrepError as error:
            refused.append(Refusal(candidate.store_id, error))
        else:
            deleted.append(candidate)
    return StoresReport(not force, candidates, tuple(deleted), tuple(refused))


def _unused(home: Home, current: StoreId | None, oldest: str) -> Iterator[StoreCandidate]:
    for entry in list_stores(home):
        if entry.store_id != current and entry.last_touched_at < oldest:
            gone = ROOT_GONE if entry.root_exists is False else UNUSED
            yield StoreCandidate(
                store_id=entry.store_id,
                path=home.data / entry.store_id,
                size_bytes=entry.size_bytes,
                modified_at=entry.modified_at,
                last_used_at=entry.last_used_at,
                canonical_root=entry.canonical_root,
                reason=gone if entry.published else NEVER_PUBLISHED,
            )


def _remains(home: Home) -> Iterator[StoreCandidate]:
    for store, paths in lying_remains(home).items():
        for path in paths:
            modified = None
            with suppress(OSError):
                modified = rfc3339(modified_at(path))
            yield StoreCandidate(
                store_id=store.name,
                path=path,
                size_bytes=store_bytes(path),
                modified_at=modified,
                last_used_at=None,
                canonical_root=None,
                reason=REMAINS,
            )


def _delete(
    home: Home,
    settings: Settings,
    candidate: StoreCandidate,
    clock: Clock,
    wait: Callable[[float], None],
) -> None:
    """Delete a candidate, unless it is in use or has been used since the listing."""
    if candidate.reason == REMAINS:
        sweep_store(home.data / candidate.store_id, clock, wait, settings.lease_ttl_ms)
        return

    def is_untouched() -> bool:
        return _times(candidate.path) == (candidate.modified_at, candidate.last_used_at)

    remove_store(
        home, candidate.store_id, clock=clock, wait=wait, readers_ms=0, wanted=is_untouched
    )

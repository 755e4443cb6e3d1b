"""Health checks of a store's location: space, permissions, file system, leftover files."""

import stat
from pathlib import Path

from ggrep.base.durable import modes_in
from ggrep.config.settings import Settings
from ggrep.index.maintenance.examination import Examination
from ggrep.index.maintenance.findings import UNKNOWN
from ggrep.index.store import needed_files as contents
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.filesystem import refuse_network
from ggrep.index.store.store_opening import require_mode
from ggrep.model.maintenance import FAIL, OK, WARN, HealthCheck

_NEAR = 0.9
_NAMED = 3


def disk_budget(code: str, what: str, directory: Path, budget: int) -> HealthCheck:
    """Compare a directory's size with its budget in bytes; 0 is no bound."""
    used = store_bytes(directory)
    message = f"{what} uses {used} bytes of {budget or 'unlimited'}"
    if budget and used > budget:
        return HealthCheck(code, FAIL, message)
    return HealthCheck(code, WARN if budget and used >= _NEAR * budget else OK, message)


def permissions(store: Path, settings: Settings) -> HealthCheck:
    """Return whether the store can be read by exactly the intended users."""
    require_mode(store, shared=settings.shared_store)
    modes = modes_in(store.parent)
    if stat.S_IMODE(store.stat().st_mode) & ~modes.directory:
        return HealthCheck("permissions", FAIL, "other users can list the store's directory")
    odd = sorted(
        path.relative_to(store).as_posix()
        for path in store.rglob("*")
        if stat.S_IMODE(path.lstat().st_mode) != (modes.directory if path.is_dir() else modes.file)
    )
    if odd:
        named = ", ".join(odd[:_NAMED])
        message = f"files with a wrong mode: {len(odd)}: {named}"
        return HealthCheck("permissions", WARN, message)
    return HealthCheck("permissions", OK, "all directories and files have the right mode")


def filesystem(store: Path) -> HealthCheck:
    """Return whether the store is on a local disk."""
    refuse_network(store)
    return HealthCheck("filesystem", OK, "the store is on a local file system")


def orphans(examination: Examination) -> HealthCheck:
    """Measure the files that no snapshot names; any collection deletes them."""
    if examination.manifest is None:
        return HealthCheck("orphans", WARN, UNKNOWN)
    size = sum(_bytes(path) for path in unnamed(examination))
    older = sum(manifest != examination.manifest for manifest in examination.readable)
    message = f"bytes that no snapshot uses: {size}; snapshots besides the active one: {older}"
    return HealthCheck("orphans", OK, message)


def unnamed(examination: Examination) -> list[Path]:
    """Return tables and files that no snapshot of a store names, and staged or dropped files."""
    kept = {
        path
        for manifest in examination.readable
        for path in contents.named(examination.store, manifest)
    }
    lying = contents.unnamed(examination.store, kept)
    files = (file for path in lying.snapshots for file in contents.entries(path) or [path])
    return [*files, *lying.segments, *lying.leftovers]


def _bytes(path: Path) -> int:
    return store_bytes(path) if path.is_dir() else path.lstat().st_size if path.exists() else 0

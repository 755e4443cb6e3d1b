"""Health checks of the indexed tree: paths, skipped files, untracked files."""

import os
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.config.git import GitFailed, is_git_marker
from ggrep.config.settings import Settings
from ggrep.index.maintenance.examination import Examination
from ggrep.index.maintenance.findings import UNKNOWN
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.index_state import IndexState, read_index_state, recorded_standing
from ggrep.model.daemons import DaemonLoad
from ggrep.model.files import (
    CELL_LINES,
    GUESSED,
    MACHINE_WRITTEN,
    MASKED,
    RECODED,
    REPLACED,
    SHORTENED,
    UNREAD,
)
from ggrep.model.index_freshness import freshness_notices
from ggrep.model.maintenance import FAIL, OK, WARN, HealthCheck
from ggrep.parse.languages.registry import is_unread
from ggrep.parse.source.git_listing import list_work_tree
from ggrep.parse.source.path_keys import casefold_collisions as collisions_of
from ggrep.parse.source.path_keys import parse_path_key, printable

_MANY_UNTRACKED = 1_000
_MUCH_UNTRACKED_BYTES = 100 << 20
_CONTENTS = (
    (MASKED, "secrets_masked", WARN, "files that contain secrets, which are masked"),
    (RECODED, "other_encodings", OK, "files in other encodings than UTF-8, indexed as UTF-8"),
    (
        SHORTENED,
        "shortened_files",
        WARN,
        "minified and data files indexed only up to max_bulk_bytes",
    ),
    (UNREAD, "unread_notebooks", WARN, "notebooks that cannot be parsed, indexed as plain text"),
    (CELL_LINES, "notebook_lines", OK, "notebooks whose line numbers count within the cells"),
    (
        GUESSED,
        "guessed_encodings",
        WARN,
        "files whose encoding was guessed; declare it as charset in .editorconfig",
    ),
    (REPLACED, "undecodable_bytes", WARN, "files with bytes that are invalid in their encoding"),
)
_LINK_REASONS = ("out_of_root", "symlink_loop")


def index_state(examination: Examination, load: DaemonLoad | None) -> HealthCheck:
    """Return whether the last sync succeeded, and its record is of the active snapshot."""
    path = store_files.index_state_file(examination.store)
    standing = load.sync.standing if load else recorded_standing(path)
    failed = [n.message for n in freshness_notices(standing) if n.code == "sync_failed"]
    if failed:
        return HealthCheck("index_state", WARN, failed[0])
    state = read_index_state(path)
    if state is None:
        what = "damaged" if path.exists() else "missing"
        return HealthCheck(
            "index_state", WARN, f"index_state.json is {what}; the next sync rewrites it"
        )
    if examination.manifest is None:
        return HealthCheck("index_state", WARN, "not checked: there is no readable manifest")
    if state.active_snapshot_id != examination.manifest.snapshot_id:
        message = (
            f"index_state.json belongs to snapshot {state.active_snapshot_id}; the next sync "
            "rewrites it"
        )
        return HealthCheck("index_state", WARN, message)
    return HealthCheck(
        "index_state", OK, "the record of the last sync belongs to the active snapshot"
    )


def casefold_collisions(view: SnapshotView | None, settings: Settings) -> HealthCheck:
    """Return whether two visible paths differ only by case: one file on some other systems."""
    if view is None:
        return HealthCheck("casefold_collisions", WARN, UNKNOWN)
    keys = sorted({key for group in collisions_of(_visible(view)) for key in group})
    if keys:
        message = f"paths that differ only by case: {len(keys)}"
        severity = FAIL if settings.portable_paths else WARN
        return HealthCheck("casefold_collisions", severity, message, tuple(keys))
    return HealthCheck("casefold_collisions", OK, "no collisions detected")


def path_safety(view: SnapshotView | None, state: IndexState | None) -> HealthCheck:
    """Return whether links lead out of the root or form a cycle; no visible path may leave it."""
    if view is None:
        return HealthCheck("path_safety", WARN, UNKNOWN)
    unsafe = tuple(printable(key) for key in _visible(view) if not _is_path_key(key))
    if unsafe:
        message = f"indexed paths outside the root: {len(unsafe)}"
        return HealthCheck("path_safety", FAIL, message, unsafe)
    skipped = state.skipped if state else ()
    outside = tuple(skip.path_key for skip in skipped if skip.reason in _LINK_REASONS)
    message = f"links that lead out of the root or form a loop, not followed: {len(outside)}"
    return HealthCheck("path_safety", WARN if outside else OK, message, outside)


def unicode_normalisation(view: SnapshotView | None) -> HealthCheck:
    """Return whether all visible paths are in Unicode normal form C."""
    if view is None:
        return HealthCheck("unicode_normalisation", WARN, UNKNOWN)
    other = tuple(key for key in _visible(view) if not unicodedata.is_normalized("NFC", key))
    if other:
        message = f"paths not in Unicode form NFC, which other tools may not find: {len(other)}"
        return HealthCheck("unicode_normalisation", WARN, message, other)
    return HealthCheck("unicode_normalisation", OK, "all paths are in Unicode form NFC")


def contents(view: SnapshotView | None) -> Iterator[HealthCheck]:
    """Yield the changes that reading made to files, if any."""
    if view is None:
        return
    if label := view.made_files().told():
        yield HealthCheck("made_files", OK, label, tuple(view.files_of(MACHINE_WRITTEN)))
    for trait, code, severity, label in _CONTENTS:
        if keys := tuple(view.files_of(trait)):
            yield HealthCheck(code, severity, f"{label}: {len(keys)}", keys)
    for language, files in view.files_in(is_unread).items():
        message = f"files in {language}, searched without their definitions: {len(files)}"
        yield HealthCheck("unread_language", OK, message, tuple(files))


def last_walk(state: IndexState | None) -> Iterator[HealthCheck]:
    """Yield the notices and omissions of the last sync."""
    if state is None:
        return
    for notice in state.notices:
        yield HealthCheck(notice.code, WARN, notice.message)
    reasons: dict[str, list[str]] = defaultdict(list)
    for skip in state.skipped:
        reasons[skip.reason].append(skip.path_key)
    for reason in sorted(reasons):
        paths = tuple(reasons[reason])
        yield HealthCheck(
            f"skipped_{reason}", WARN, f"files that are not indexed: {len(paths)}", paths
        )


def repo_hygiene(root: Path, settings: Settings) -> HealthCheck:
    """Count the files that git neither tracks nor ignores."""
    if not is_git_marker(root / ".git"):
        return HealthCheck("repo_hygiene", OK, "not a git work tree")
    try:
        paths = list_work_tree(root, include_untracked=True).untracked
    except GitFailed as error:
        return HealthCheck("repo_hygiene", WARN, f"git cannot list untracked files: {error}")
    size = sum(_size(root, path) for path in paths)
    message = f"untracked files that are not ignored: {len(paths)}, {size} bytes"
    many = len(paths) > _MANY_UNTRACKED or size > _MUCH_UNTRACKED_BYTES
    unclean = bool(paths) and settings.shared_store_clean
    if settings.shared_store and (many or unclean):
        return HealthCheck("repo_hygiene", FAIL, f"{message}; the store is shared")
    return HealthCheck("repo_hygiene", WARN if many else OK, message)


def _visible(view: SnapshotView) -> list[PathKey]:
    """Return the visible paths in byte order."""
    return sorted(view.live_files(), key=lambda key: key.encode())


def _is_path_key(key: str) -> bool:
    try:
        parse_path_key(key)
    except InvalidRequest:
        return False
    return True


def _size(root: Path, path: bytes) -> int:
    try:
        return (root / os.fsdecode(path)).lstat().st_size
    except OSError:
        return 0  # deleted since it was listed

"""Health checks of the indexed tree: paths, changed content, skipped files, untracked files."""

import os
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.config.git import GitFailed, is_git_marker
from ggrep.index.maintenance.examination import Subject
from ggrep.index.maintenance.findings import Checks, fail, given, ok, warn, warn_if
from ggrep.index.maintenance.store_checks import view_of
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.index_state import IndexState, read_index_state, recorded_standing
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
from ggrep.model.maintenance import HealthCheck
from ggrep.parse.languages.registry import is_unread
from ggrep.parse.source.git_listing import list_work_tree
from ggrep.parse.source.path_keys import casefold_collisions, parse_path_key, printable

_MANY_UNTRACKED = 1_000
_MUCH_UNTRACKED_BYTES = 100 << 20
CONTENTS = (
    (MASKED, "secrets_masked", warn, "files that contain secrets, which are masked"),
    (RECODED, "other_encodings", ok, "files in other encodings than UTF-8, indexed as UTF-8"),
    (
        SHORTENED,
        "shortened_files",
        warn,
        "minified and data files indexed only up to max_bulk_bytes",
    ),
    (UNREAD, "unread_notebooks", warn, "notebooks that cannot be parsed, indexed as plain text"),
    (CELL_LINES, "notebook_lines", ok, "notebooks whose line numbers count within the cells"),
    (
        GUESSED,
        "guessed_encodings",
        warn,
        "files whose encoding was guessed; declare it as charset in .editorconfig",
    ),
    (REPLACED, "undecodable_bytes", warn, "files with bytes that are invalid in their encoding"),
)
_LINK_REASONS = ("out_of_root", "symlink_loop")


def _index_state(subject: Subject) -> HealthCheck:
    """Return whether the last sync succeeded and its record belongs to the active snapshot."""
    path = store_files.index_state_file(subject.examination.store)
    standing = subject.load.sync.standing if subject.load else recorded_standing(path)
    failed = [n.message for n in freshness_notices(standing) if n.code == "sync_failed"]
    if failed:
        return warn(failed[0])
    state = read_index_state(path)
    if state is None:
        what = "damaged" if path.exists() else "missing"
        return warn(f"index_state.json is {what}; the next sync rewrites it")
    manifest = subject.examination.manifest
    if manifest is None:
        return warn("not checked: there is no readable manifest")
    if state.active_snapshot_id != manifest.snapshot_id:
        return warn(
            f"index_state.json belongs to snapshot {state.active_snapshot_id};"
            " the next sync rewrites it"
        )
    return ok("the record of the last sync belongs to the active snapshot")


def _casefold_collisions(subject: Subject, view: SnapshotView) -> HealthCheck:
    """Return whether two visible paths differ only by case; some systems treat them as one file."""
    keys = sorted({key for group in casefold_collisions(_visible(view)) for key in group})
    if not keys:
        return ok("no collisions detected")
    severity = fail if subject.settings.portable_paths else warn
    return severity(f"paths that differ only by case: {len(keys)}", keys)


def _path_safety(subject: Subject, view: SnapshotView) -> HealthCheck:
    """Return whether links leave the root or form a cycle; no visible path may leave the root."""
    unsafe = [printable(key) for key in _visible(view) if not _is_path_key(key)]
    if unsafe:
        return fail(f"indexed paths outside the root: {len(unsafe)}", unsafe)
    skipped = subject.state.skipped if subject.state else ()
    outside = [skip.path_key for skip in skipped if skip.reason in _LINK_REASONS]
    message = f"links that lead out of the root or form a loop, not followed: {len(outside)}"
    return warn_if(outside, message, outside)


def _unicode_normalisation(_: Subject, view: SnapshotView) -> HealthCheck:
    other = [key for key in _visible(view) if not unicodedata.is_normalized("NFC", key)]
    if other:
        return warn(
            f"paths not in Unicode form NFC, which other tools may not find: {len(other)}", other
        )
    return ok("all paths are in Unicode form NFC")


def contents(view: SnapshotView) -> Iterator[HealthCheck]:
    """Yield findings on generated files, the traits in `CONTENTS`, and unread languages."""
    if label := view.made_files().summary():
        yield ok(label, view.files_of(MACHINE_WRITTEN), code="made_files")
    for trait, code, severity, label in CONTENTS:
        if keys := view.files_of(trait):
            yield severity(f"{label}: {len(keys)}", keys, code=code)
    for language, files in view.files_in(is_unread).items():
        message = f"files in {language}, searched without their definitions: {len(files)}"
        yield ok(message, files, code="unread_language")


def _repo_hygiene(subject: Subject, root: Path) -> HealthCheck:
    """Count the files that git neither tracks nor ignores."""
    if not is_git_marker(root / ".git"):
        return ok("not a git work tree")
    try:
        paths = list_work_tree(root, include_untracked=True).untracked
    except GitFailed as error:
        return warn(f"git cannot list untracked files: {error}")
    size = sum(_size(root, path) for path in paths)
    message = f"untracked files that are not ignored: {len(paths)}, {size} bytes"
    many = len(paths) > _MANY_UNTRACKED or size > _MUCH_UNTRACKED_BYTES
    unclean = bool(paths) and subject.settings.shared_store_clean
    if subject.settings.shared_store and (many or unclean):
        return fail(f"{message}; the store is shared")
    return warn_if(many, message)


def _last_walk(_: Subject, state: IndexState) -> Iterator[HealthCheck]:
    """Yield the notices of the last sync, and the files that it omitted."""
    for notice in state.notices:
        yield warn(notice.message, code=notice.code)
    reasons: dict[str, list[str]] = defaultdict(list)
    for skip in state.skipped:
        reasons[skip.reason].append(skip.path_key)
    for reason, paths in sorted(reasons.items()):
        yield warn(f"files that are not indexed: {len(paths)}", paths, code=f"skipped_{reason}")


def _visible(view: SnapshotView) -> list[PathKey]:
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
        return 0  # the file was deleted since it was listed


TREE: Final[Checks[Subject]] = (
    ("index_state", _index_state),
    ("casefold_collisions", given(view_of, _casefold_collisions)),
    ("path_safety", given(view_of, _path_safety)),
    ("unicode_normalisation", given(view_of, _unicode_normalisation)),
    ("contents", given(view_of, lambda _, view: contents(view), ())),
    ("repo_hygiene", given(lambda subject: subject.root, _repo_hygiene, ())),
    ("last_walk", given(lambda subject: subject.state, _last_walk, ())),
)

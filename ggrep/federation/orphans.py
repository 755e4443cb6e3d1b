"""Finds directories of workspace artifacts that no workspace uses any more.

The name of a workspace's directory depends on the set of repositories. After a repository is added,
the workspace uses another directory, and the old directory is an orphan. Deleting the workspace
file also makes its directory an orphan.
"""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from ggrep.base.clock import rfc3339
from ggrep.base.errors import GgrepError
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_state import FILE, FOLDER, StoredManifest, read_stored
from ggrep.model.sanitise import sanitise_line
from ggrep.model.workspace_reports import Orphan, OrphanReason, OrphansReport

GRACE_DAYS: Final = 7
"""Minimum age in days of a directory before it can be deleted."""

MAX_DELETIONS: Final = 5000
"""Maximum number of files that a collection deletes; the next collection deletes more."""

_NAME: Final = re.compile(r"ws1-[0-9a-f]{64}")

LoadWorkspace: TypeAlias = Callable[[Path], Workspace]


def collect_orphans(
    cache_roots: Sequence[Path],
    load: LoadWorkspace,
    now: datetime,
    *,
    grace: timedelta,
    force: bool,
    most: int = MAX_DELETIONS,
) -> OrphansReport:
    """List the directories to delete or, with `force`, delete them.

    Directories younger than `grace` are kept; at most `most` files are deleted.
    """
    orphans = {
        directory: orphan
        for root in dict.fromkeys(cache_roots)
        for directory in _directories(root / FOLDER)
        if (orphan := _orphan(directory, load, now - grace)) is not None
    }
    deleted, left = list[Orphan](), most
    for directory, orphan in orphans.items() if force else ():
        if orphan.files > left:
            break
        shutil.rmtree(directory)
        deleted.append(orphan)
        left -= orphan.files
    return OrphansReport(
        dry_run=not force,
        candidates=tuple(orphans.values()),
        deleted=tuple(deleted),
        limit_reached=force and len(deleted) < len(orphans),
    )


def _directories(folder: Path) -> list[Path]:
    """Return the directories of workspaces, sorted."""
    try:
        names = sorted(
            entry.name
            for entry in os.scandir(folder)
            if _NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
        )
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [folder / name for name in names]


def _orphan(directory: Path, load: LoadWorkspace, before: datetime) -> Orphan | None:
    kept = read_stored(directory / FILE)
    reason = _reason(directory, kept, load)
    if reason is None:
        return None
    try:
        stats = [directory.lstat()]
        for folder, _, names in os.walk(directory):
            stats += [Path(folder, name).lstat() for name in names]
    except FileNotFoundError:
        return None  # another process is changing the directory
    modified = datetime.fromtimestamp(max(entry.st_mtime for entry in stats), UTC)
    if modified > before:
        return None
    return Orphan(
        path=sanitise_line(str(directory)),
        repo_set_id=directory.name,
        reason=reason,
        workspace_path=None if kept is None else sanitise_line(kept.workspace.workspace_path),
        modified_at=rfc3339(modified),
        files=len(stats) - 1,
        size_bytes=sum(entry.st_size for entry in stats[1:]),
    )


def _reason(
    directory: Path, kept: StoredManifest | None, load: LoadWorkspace
) -> OrphanReason | None:
    """Return why no workspace uses a directory; None if a workspace uses it or may use it."""
    if kept is None or kept.repo_set_id != directory.name:
        return "no_manifest"
    path = Path(kept.workspace.workspace_path)
    if not os.path.lexists(path):
        return "workspace_gone"
    try:
        claimed = load(path).repo_set_id
    except GgrepError:
        return None  # the user may correct this, for example mount a clone
    return "other_repositories" if claimed != directory.name else None

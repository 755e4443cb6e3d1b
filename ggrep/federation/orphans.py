"""Directories of the federation that no workspace uses any more.

The directory of a workspace is named after its set of repositories. Adding one gives the
workspace another directory and leaves the old one behind; so does deleting the file.
"""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.base.clock import rfc3339
from ggrep.base.errors import GgrepError
from ggrep.federation.manifest_builder import FILE, FOLDER, StoredManifest, read_stored
from ggrep.federation.upkeep_limits import MAX_DELETIONS
from ggrep.federation.workspace import Workspace

_NAME: Final = re.compile(r"ws1-[0-9a-f]{64}")

OrphanReason: TypeAlias = Literal["workspace_gone", "other_repositories", "no_manifest"]
LoadWorkspace: TypeAlias = Callable[[Path], Workspace]


class Orphan(Struct, frozen=True):
    """A directory that no workspace uses.

    Attributes:
        workspace_path: the file that its manifest names; None without a manifest.
        modified_at: RFC 3339, of the newest file in it.
    """

    path: Path
    reason: OrphanReason
    workspace_path: str | None
    modified_at: str
    files: int
    size_bytes: int


class OrphansReport(Struct, frozen=True):
    """What a collection found and deleted.

    Attributes:
        limit_reached: there was more to delete than one collection may.
    """

    candidates: tuple[Orphan, ...]
    deleted: tuple[Orphan, ...]
    dry_run: bool
    limit_reached: bool


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

    Directories younger than `grace` stay; at most `most` files are deleted.
    """
    found = [
        orphan
        for root in dict.fromkeys(cache_roots)
        for orphan in _orphans(root / FOLDER, load, now - grace)
    ]
    if not force:
        return OrphansReport(tuple(found), (), dry_run=True, limit_reached=False)
    deleted, left = [], most
    for orphan in found:
        if orphan.files > left:
            break
        shutil.rmtree(orphan.path)
        deleted.append(orphan)
        left -= orphan.files
    short = len(deleted) < len(found)
    return OrphansReport(tuple(found), tuple(deleted), dry_run=False, limit_reached=short)


def _orphans(folder: Path, load: LoadWorkspace, before: datetime) -> list[Orphan]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if _is_ours(entry))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = (_orphan(folder / name, load, before) for name in names)
    return [orphan for orphan in found if orphan is not None]


def _is_ours(entry: os.DirEntry[str]) -> bool:
    return bool(_NAME.fullmatch(entry.name)) and entry.is_dir(follow_symlinks=False)


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
        return None  # somebody is at work in it
    modified = datetime.fromtimestamp(max(found.st_mtime for found in stats), UTC)
    if modified > before:
        return None
    return Orphan(
        directory,
        reason,
        None if kept is None else kept.workspace.workspacePath,
        rfc3339(modified),
        len(stats) - 1,
        sum(found.st_size for found in stats[1:]),
    )


def _reason(
    directory: Path, kept: StoredManifest | None, load: LoadWorkspace
) -> OrphanReason | None:
    """Return why no workspace uses a directory; None if one does, or may."""
    if kept is None or kept.repoSetId != directory.name:
        return "no_manifest"
    path = Path(kept.workspace.workspacePath)
    if not os.path.lexists(path):
        return "workspace_gone"
    try:
        claimed = load(path).repo_set_id
    except GgrepError:
        return None  # a slip of the pen, or a clone that is not mounted: it may be mended
    return "other_repositories" if claimed != directory.name else None

"""Deletes the objects of a remote that no ref needs, unless a running push can need them.

The needed objects are determined again immediately before the deletion, and each object is checked
once more: an object that was written again meanwhile belongs to a running push. States are deleted
first, then trees, then blobs, so that no object refers to a deleted one. If a needed object cannot
be read, nothing is deleted.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from ggrep.base.clock import Clock, rfc3339
from ggrep.base.durable import reach
from ggrep.base.errors import NotTrusted, RemoteError
from ggrep.index.remote import layout
from ggrep.index.remote.documents import ref_at, state_at, tree_at
from ggrep.index.remote.layout import Blob
from ggrep.index.remote.objects import Objects, Stat
from ggrep.model.maintenance import RemoteCollection

_FOLDERS: Final = ("by-state", "trees", "blobs")
_OURS: Final = re.compile(
    r"(blobs|trees)/[0-9a-f]{64}|by-state/(git-[0-9a-f]{40,64}|files-[0-9a-f]{64})/[0-9a-f]{64}"
)
"""Keys of objects that ggrep writes; other programs can store objects in the same bucket."""
_CLOCK: Final = "clock"
"""Key of an object that is written to read the remote's clock."""


def collect(objects: Objects, clock: Clock, *, grace: timedelta, force: bool) -> RemoteCollection:
    """Delete or count the objects of a remote that no ref needs.

    Args:
        objects: the objects of the remote.
        clock: source of the current time in a dry run; otherwise the remote's time is used.
        grace: minimum age of a deleted object.
        force: whether to delete the objects; else they are only counted.

    Raises:
        RemoteError: the remote fails, or a needed object cannot be read; then nothing is deleted.
    """
    objects.require_own_folders((*_FOLDERS, "refs"))
    objects_found = [
        stat for folder in _FOLDERS for stat in objects.list(folder) if _OURS.fullmatch(stat.key)
    ]
    now = _remote_time(objects, clock) if force else clock.now()
    needed, refs = _needed(objects)
    # Without refs it is unknown whether the objects are from ggrep, and which are needed.
    old = [stat for stat in objects_found if refs and now - stat.modified > grace]
    going = [stat for stat in old if not _is_needed(objects, stat, needed)]
    size = sum(stat.size_bytes for stat in going)
    deleted = freed = 0
    if force and going:
        reach("remote.before_deletes")
        needed, refs = _needed(objects)
        for stat in going:
            if _is_needed(objects, stat, needed) or not _lies_still(objects, stat):
                continue
            objects.delete(stat.key)
            deleted, freed = deleted + 1, freed + stat.size_bytes
    return RemoteCollection(
        remote=objects.name,
        dry_run=not force,
        refs=refs,
        kept=len(objects_found) - len(going),
        removable=len(going),
        removable_bytes=size,
        deleted=deleted,
        deleted_bytes=freed,
    )


def _remote_time(objects: Objects, clock: Clock) -> datetime:
    objects.put(_CLOCK, rfc3339(clock.now()).encode())
    stat = objects.stat(_CLOCK)
    if stat is None:
        raise RemoteError(f"remote {objects.name} lost an object right after it was written")
    return stat.modified


def _needed(objects: Objects) -> tuple[set[str], int]:
    """Return the keys of the trees and blobs that refs need, and the number of refs."""
    keys: set[str] = set()
    refs = 0
    for stat in objects.list("refs"):
        refs += 1
        for tree in _trees_of(objects, stat.key):
            key = layout.tree_key(tree)
            if key not in keys:
                keys.add(key)
                keys |= {blob.key for blob in _blobs_of(objects, tree)}
    return keys, refs


def _trees_of(objects: Objects, key: str) -> Iterator[Blob]:
    document = ref_at(objects, key)
    if document is None:
        raise RemoteError(
            f"remote {objects.name} lists {key}, but the object is missing; nothing was deleted"
        )
    yield from (entry.tree for entry in document.value)


def _blobs_of(objects: Objects, tree: Blob) -> Iterator[Blob]:
    document = tree_at(objects, tree)
    if document is None:
        raise RemoteError(
            f"remote {objects.name}: the object {layout.tree_key(tree)}, which lists the objects of"
            " a snapshot, is missing; nothing was deleted; to restore it, on the machine that"
            " pushed the snapshot: ggrep push --again"
        )
    yield from document.blobs()


def _is_needed(objects: Objects, stat: Stat, needed: set[str]) -> bool:
    if not stat.key.startswith("by-state/"):
        return stat.key in needed
    try:
        state = state_at(objects, stat.key)
    except NotTrusted:
        return False
    # A state that was deleted meanwhile counts as needed, so that it is skipped.
    return state is None or layout.tree_key(state.value) in needed


def _lies_still(objects: Objects, stat: Stat) -> bool:
    now = objects.stat(stat.key)
    return now is not None and (now.version, now.modified) == (stat.version, stat.modified)

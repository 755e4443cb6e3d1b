"""Named points of a write at which a crash test may kill the process.

They cost one dictionary lookup each and do nothing by themselves: crash tests hang on to them,
kill the process there and look at what it left. What that is stands beside each name.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

POINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "lease.before_record": "the byte of a new epoch is locked, the record names the old one",
        "lease.during_takeover": "the same, over a writer that died or was stopped",
        "lease.after_record": "the record names a writer that did nothing yet",
        "lease.after_heartbeat": "a fresh record of a dead writer",
        "lease.before_release": "all is published, and the record names a dead writer",
        "publish.after_preparation": "an empty store, or one without staging",
        "publish.before_segment": "nothing of the segment",
        "publish.after_table": "a table that nothing names",
        "publish.after_image": "a table and an image that nothing names",
        "publish.after_tombstones": "a staged directory with tombstones",
        "publish.after_segment_map": "the same, with the segment map",
        "publish.after_visibility": "the same, whole",
        "publish.after_move": "a snapshot directory without a manifest; its move may not last",
        "publish.before_manifest": "the same, lasting",
        "publish.after_manifest": "a whole snapshot that nobody points at",
        "publish.after_verification": "the same, remembered as verified",
        "publish.before_swap": "the same, with the guard held",
        "publish.after_swap": "the new snapshot is active, its caches are the old one's",
        "publish.after_record": "the same, with the caches and records of the new one",
        "compaction.after_build": "a merged segment that nothing names",
        "compaction.before_publish": "the same, under a lease",
        "compaction.after_publish": "the merged snapshot is active",
        "gc.after_list": "nothing was touched",
        "gc.after_manifests": "snapshots are gone, their segments lie there unnamed",
        "gc.after_move": "all that goes lies in the trash",
        "gc.after_delete": "some or all of the trash is gone",
        "cache.before_write": "new vectors are not cached",
        "cache.after_write": "they are; the cache may be over its bound until the next write",
        "cache.before_evict": "the same",
        "cache.after_evict": "the cache is within its bound",
        "rebuild.before_adoption": "the old index, and a whole new one beside it",
        "rebuild.after_adoption": "the same, with artifacts of the new one that nothing names",
        "rebuild.after_swap": "the new index, with the old one's artifacts still there",
        "clone.after_copy": "a copy beside the stores that is not verified",
        "clone.before_move": "a whole copy beside the stores",
        "removal.after_move": "the store lies in the trash of its home",
        "remote.before_request": "whatever the requests before it did",
        "push.after_blobs": "blobs that no tree names",
        "push.after_tree": "a tree that nothing leads to",
        "push.after_states": "a tree that states lead to and the ref does not: one may pull it",
        "push.before_ref": "the same, with the ref read",
        "push.after_ref": "all is pushed",
        "pull.after_fetch": "verified blobs in the cache, unpacked aside; the next pull takes them",
        "pull.after_placement": "the same, and segments in the store that nothing names",
        "remote.before_deletes": "nothing went",
        "packs.before_write": "no temporary file of who died before",
        "packs.after_write": "a whole pack without a name",
        "packs.after_move": "a pack beside those that it replaces; its move may not last",
        "packs.before_removal": "the same, lasting",
        "packs.after_removal": "some or all of those are gone",
    }
)
"""What a death right there leaves behind."""

Hook = Callable[[str], None]
_hooks: list[Hook] = []  # empty outside tests


def reach(point: str) -> None:
    """Tell whoever watches that a write came to `point`, which must be one of POINTS."""
    if _hooks:
        for hook in _hooks:
            hook(point)


@contextmanager
def watched(hook: Hook) -> Iterator[None]:
    """Have `hook` called with each point that is reached while the block runs."""
    _hooks.append(hook)
    try:
        yield
    finally:
        _hooks.remove(hook)

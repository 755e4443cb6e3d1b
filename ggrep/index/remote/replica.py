"""Copies a pushed snapshot into a store without a work tree, for a search node."""

from pathlib import Path

from ggrep.index.remote.fetching import Fetcher
from ggrep.index.remote.install import install_whole
from ggrep.index.remote.layout import Blob
from ggrep.index.remote.objects import Objects
from ggrep.index.store.transaction import prepare_store
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import writing


def copy_tree(target: SyncTarget, objects: Objects, tree: Blob, cache: Path) -> SnapshotView:
    """Fetch and verify all of a tree, and publish it as it was pushed.

    Fetched blobs stay in `cache`, so that unchanged segments of the next tree need not be fetched.

    Requires: the store is empty.

    Raises:
        NotTrusted: the tree is not valid, or was indexed under other settings.
        RemoteError: the remote fails.
        StoreError: the store cannot be written.
    """
    with Fetcher(target, objects, cache) as fetcher:
        fetched = fetcher.whole(tree)
        with writing(target) as lease:
            prepare_store(target.store, lease)
            return install_whole(target, lease, fetched)

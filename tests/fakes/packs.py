"""Segments to pack."""

from ggrep.base.ids import StoreId
from ggrep.config.home import Home
from ggrep.index.packs.pack_directory import Loose
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import read_manifest


def loose_segments(home: Home) -> list[Loose]:
    """Return the segments of all active snapshots of a home, by store."""
    found = []
    for store in sorted(home.data.iterdir()):
        active = read_active(store)
        if active is not None:
            found += [
                Loose(StoreId(store.name), ref.table, ref.image.sha256)
                for ref in read_manifest(store, active).segments
            ]
    return found

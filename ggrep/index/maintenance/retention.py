"""Which snapshots are kept, and when to look for those that can be deleted."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ggrep.base.ids import SnapshotId
from ggrep.config.layout import names
from ggrep.config.settings import Settings
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.store.needed_files import entries


@dataclass(frozen=True, slots=True)
class Retention:
    """Which snapshots stay.

    Attributes:
        pins: snapshots that somebody holds on to.
    """

    settings: Settings
    now: datetime
    pins: Collection[SnapshotId] = ()

    def keeps(self, manifest: SnapshotManifest, place: int, active: SnapshotId) -> bool:
        """Return whether a snapshot stays; `place` is 0 for the newest."""
        settings, snapshot_id = self.settings, manifest.snapshot_id
        if snapshot_id == active or snapshot_id in self.pins:
            return True
        if place < settings.retain_snapshots_min:
            return True
        created = datetime.fromisoformat(manifest.created_at)
        return (self.now - created).total_seconds() * 1000 < young_ms(settings)


def due(store: Path, settings: Settings, now: datetime) -> bool:
    """Return whether a collection is likely to find something, without reading manifests."""
    young_secs = young_ms(settings) / 1000
    ages = []
    for path in entries(names.snapshots_dir(store)):
        with suppress(FileNotFoundError):
            ages.append(now.timestamp() - path.stat().st_mtime)
    if len(ages) <= settings.retain_snapshots_min:
        return False
    beyond = sorted(ages)[settings.retain_snapshots_min :]
    return sum(age > young_secs for age in beyond) >= settings.retain_snapshots_min


def young_ms(settings: Settings) -> int:
    """Return the age below which a query may still be at work on a snapshot."""
    asking = settings.query_timeout_ms + settings.gc_safety_margin_ms
    return max(asking, settings.retain_snapshots_min_age_secs * 1000)

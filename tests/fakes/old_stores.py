"""Stores as earlier and later builds leave them."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.clock import SystemClock
from ggrep.base.formats import MANIFEST
from ggrep.base.identifiers import IdSource
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.store.active import read_active
from ggrep.index.store.image import open_image, write_image
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.row_texts import TEXT_ARRAYS
from ggrep.index.store.segment import image_ref
from ggrep.index.sync.target import SyncTarget

SCHEMA_1 = Path(__file__).parents[2] / "fixtures" / "stores" / "schema-1"


def schema_1_store(home: Path) -> Path:
    shutil.copytree(SCHEMA_1, home)
    home.chmod(0o700)
    (store,) = (home / "data").iterdir()
    return store


def target_of(store: Path) -> SyncTarget:
    """Return what works on a store as if it were that of the present settings."""
    manifest = read_manifest(store, active_of(store))
    clock = SystemClock()
    return SyncTarget(
        root=Path(manifest.canonical_root),
        store=store,
        store_id=StoreId(store.name),
        config_fingerprint=manifest.config_fingerprint,
        embed_config_fingerprint=manifest.embed_config_fingerprint,
        settings=Settings(),
        encoder=None,
        clock=clock,
        new_id=IdSource(clock),
        wait=lambda _: None,
        parse_workers=1,
    )


def active_of(store: Path) -> SnapshotId:
    """Return the snapshot that the pointer names."""
    active = read_active(store)
    assert active is not None
    return active


def active_manifest(store: Path) -> Path:
    return store_files.manifest_file(store, active_of(store))


def without_texts(store: Path) -> None:
    """Make the active snapshot's images those of a build that kept no texts in them."""
    file = active_manifest(store)
    segments = stable_json.loads(file.read_bytes())["segments"]
    for segment in segments:
        path = store / segment["image"]["path"]
        image = open_image(path)
        arrays = {name: array.copy() for name, array in image.arrays.items()}
        for name in (*TEXT_ARRAYS, "definition_keys"):
            del arrays[name]
        path.unlink()
        write_image(path, arrays, image.meta)
        ref = image_ref(store, path)
        segment["image"] |= {"size_bytes": ref.size_bytes, "sha256": ref.sha256}
    change_manifest(store, {"segments": segments})


def change_json(file: Path, changes: Mapping[str, object]) -> None:
    """Set keys of a JSON file."""
    file.write_bytes(stable_json.dumps(stable_json.loads(file.read_bytes()) | dict(changes)))


def change_manifest(store: Path, changes: Mapping[str, object]) -> None:
    file = active_manifest(store)
    values = stable_json.loads(file.read_bytes()) | dict(changes)
    if values.pop("sha256", None) is not None:
        values = seal(values, MANIFEST)
    file.write_bytes(stable_json.dumps(values))


def everything_in(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Return bytes and modification time of all files below a directory."""
    files = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return {
        path.relative_to(directory).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in files
    }

"""Workspaces over directories that nobody indexed, and stores that nobody but we wrote."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.protocol.client.daemon_address import arrange

FIRST = SnapshotId("01HZZZZZZZZZZZZZZZZZZZZZZ1")
SECOND = SnapshotId("01HZZZZZZZZZZZZZZZZZZZZZZ2")
ENVIRON: Mapping[str, str] = {"GGREP_ENCODER": "hashed"}


def snapshot_values(store: Path, snapshot_id: SnapshotId, **changes: Any) -> dict[str, Any]:
    return {
        "schema_version": 2,
        "chunk_row_schema_version": 2,
        "snapshot_id": snapshot_id,
        "store_id": store.name,
        "config_fingerprint": "c0",
        "ignore_fingerprint": "i0",
        "git": {"head_sha": "a" * 40, "dirty": True, "untracked_included": True},
        "segments": [{"table": "seg_x_0", "path": "seg_x_0.lance"}],
        "tombstones": [],
        "segment_map": [{"path": f"snapshots/{snapshot_id}/segment_file_index.jsonl"}],
        "visibility": {"path": f"snapshots/{snapshot_id}/visibility.image"},
        "counts": {"files_indexed": 3, "files_eligible": 4, "chunks_visible": 12},
        "degraded": False,
        "partial": False,
        **changes,
    }


def publish(store: Path, snapshot_id: SnapshotId = FIRST, **changes: Any) -> None:
    """Write a snapshot and make it the active one."""
    values = seal(snapshot_values(store, snapshot_id, **changes))
    directory = store_files.snapshot_dir(store, snapshot_id)
    directory.mkdir(parents=True, exist_ok=True)
    (store / "seg_x_0.lance").mkdir(exist_ok=True)
    for name in ("segment_file_index.jsonl", "visibility.image"):
        (directory / name).write_bytes(b"")
    store_files.manifest_file(store, snapshot_id).write_bytes(stable_json.dumps(values))
    store_files.active_file(store).write_bytes(f"{snapshot_id}\n".encode())


def make_workspace(directory: Path, *aliases: str, **more: Any) -> Workspace:
    """Return the workspace of a file over directories, each called by its alias."""
    repos = [{"root": alias, "alias": alias} for alias in aliases]
    for alias in aliases:
        (directory / alias).mkdir(parents=True, exist_ok=True)
    return write_workspace(directory / "ws.jsonc", {"repos": repos, **more})


def write_workspace(path: Path, document: Mapping[str, Any]) -> Workspace:
    """Return the workspace of a file that is written first."""
    path.write_bytes(stable_json.dumps_pretty({"schemaVersion": 1, **document}))
    return load(path)


def load(path: Path, *, whole: bool = False) -> Workspace:
    """Return the workspace of a file; every directory is a repository."""
    return load_workspace(path, resolve_root=lambda root: root, whole=whole)


def store_of(root: Path, home: Home, environ: Mapping[str, str] = ENVIRON) -> Path:
    """Return where the index of a directory lies."""
    return arrange(root, home, environ=environ).identity.store


def index_all(workspace: Workspace, home: Home) -> None:
    """Publish a snapshot for every repository."""
    for repo in workspace.repos:
        publish(store_of(repo.root_canonical, home))


def tree_of(directory: Path) -> dict[str, tuple[int, bytes]]:
    """Return time and bytes of every file below a directory."""
    return {
        str(path.relative_to(directory)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }

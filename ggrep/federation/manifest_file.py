"""The file of a workspace's manifest: where it lies, and when it is written.

Commands that only look never write it.
"""

import os
import stat
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.clock import rfc3339
from ggrep.base.decode import DecodeError, decode
from ggrep.config.home import Home
from ggrep.federation.manifest_json import manifest_json
from ggrep.federation.published_state import MAX_BYTES
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_manifest import WorkspaceManifest

FOLDER: Final = "federation"
FILE: Final = "workspace_manifest.json"


class WorkspaceRef(Struct, frozen=True):
    """The workspace that a manifest was made for."""

    workspacePath: str  # noqa: N815 - a key of the file


class KeptManifest(Struct, frozen=True):
    """The part of a stored manifest that is read."""

    manifestHash: str  # noqa: N815 - a key of the file
    repoSetId: str  # noqa: N815 - a key of the file
    generatedAt: str  # noqa: N815 - a key of the file
    workspace: WorkspaceRef


def cache_root_of(workspace: Workspace, home: Home) -> Path:
    """Return the directory of the federation's artifacts: cacheRoot, else in the home."""
    return workspace.cache_root or home.cache


def directory_of(workspace: Workspace, home: Home) -> Path:
    """Return the directory of a workspace's artifacts; it depends only on its repositories."""
    return cache_root_of(workspace, home) / FOLDER / workspace.repo_set_id


def manifest_path(workspace: Workspace, home: Home) -> Path:
    """Return where the manifest of a workspace is kept."""
    return directory_of(workspace, home) / FILE


def read_kept(path: Path) -> KeptManifest | None:
    """Return the stored manifest; None if there is none that can be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            return None
        return decode(KeptManifest, stable_json.loads(data))
    except (OSError, ValueError, DecodeError):
        return None


def keep(manifest: WorkspaceManifest, home: Home, now: datetime) -> bool:
    """Write a manifest if the stored one differs; return whether it was written.

    A file that moved with its workspace is written anew too: the collection of directories that
    nobody claims goes by the path in it.
    """
    workspace = manifest.workspace
    path = manifest_path(workspace, home)
    kept = read_kept(path)
    if kept is not None and kept.manifestHash == manifest.hash:
        claimed = kept.workspace.workspacePath
        if claimed == str(workspace.workspace_path) or os.path.lexists(claimed):
            return False
    document = manifest_json(manifest, cache_root_of(workspace, home), rfc3339(now))
    durable.make_directory(path.parent)
    durable.replace_file(path, stable_json.dumps_pretty(document))
    return True

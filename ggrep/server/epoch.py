"""The repositories of a team server and their trees, read from the refs of its remote.

A repository is identified by its key. In answers, its root is the key as an absolute path, so ids
and order depend only on keys.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from ggrep.base import stable_json
from ggrep.base.errors import NotTrusted, RemoteError
from ggrep.base.ids import RepoId
from ggrep.config.fingerprints import repo_id
from ggrep.config.repo_key import is_key
from ggrep.federation.validation import SCHEMA_VERSION
from ggrep.federation.workspace import Workspace, WorkspaceRepo, repo_set_id
from ggrep.federation.workspace_draft import MergeDefaults, WorkspaceDefaults
from ggrep.index.remote.documents import ref_at
from ggrep.index.remote.layout import Blob
from ggrep.index.remote.objects import Objects

_REFS: Final = "refs"


class ServedRepo(Struct, frozen=True):
    """A repository and its tree: the pushed snapshot that is searched."""

    key: str
    tree: Blob

    @property
    def root(self) -> Path:
        """Return the root that answers show; it is not a real directory."""
        return root_of(self.key)

    @property
    def repo_id(self) -> RepoId:
        """Return the id that answers show for the repository."""
        return repo_id(self.root)


class Epoch(Struct, frozen=True, dict=True):
    """The repositories that a server serves until the next epoch, with their trees.

    Attributes:
        repos: repositories by key, sorted.
        problems: reasons why refs were ignored, by the repository's key.
    """

    repos: Mapping[str, ServedRepo] = {}
    problems: Mapping[str, str] = {}

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Return the sorted keys of the repositories."""
        return tuple(self.repos)

    @cached_property
    def name(self) -> str:
        """Return a digest of all keys and trees, which identifies the epoch."""
        trees: stable_json.Json = [
            [key, repo.tree.sha256] for key, repo in sorted(self.repos.items())
        ]
        return hashlib.sha256(stable_json.dumps(trees)).hexdigest()


class Refs(Struct):
    """Reads the refs of a remote; reads a ref again only after it changed. Not thread-safe.

    Attributes:
        fingerprint: fingerprint of the server's configuration; snapshots with other fingerprints
            are ignored.
    """

    objects: Objects
    fingerprint: str
    _known: dict[str, tuple[str, ServedRepo]] = field(default_factory=dict)

    def read(self) -> Epoch:
        """Return an epoch with the latest pushed tree of each repository.

        A repository with a damaged ref keeps its previously read tree.

        Raises:
            RemoteError: the remote fails, or its directory is no longer mounted.
        """
        known: dict[str, tuple[str, ServedRepo]] = {}
        problems: dict[str, str] = {}
        for stat in self.objects.list(_REFS):
            key, _, fingerprint = stat.key.removeprefix(f"{_REFS}/").rpartition("/")
            if fingerprint != self.fingerprint or not is_key(key):
                continue
            before = self._known.get(key)
            if before is not None:
                known[key] = before
            if before is None or before[0] != stat.version:
                try:
                    ref = ref_at(self.objects, stat.key)
                except NotTrusted as error:
                    problems[key] = str(error)
                    continue
                if ref is not None and ref.value:
                    known[key] = ref.version, ServedRepo(key, ref.value[0].tree)
        if self._known and not known and self._is_unmounted():
            raise RemoteError(f"the remote {self.objects.name} lists no repository")
        self._known = known
        return Epoch({key: repo for key, (_, repo) in sorted(known.items())}, problems)

    def _is_unmounted(self) -> bool:
        """Return whether the folder of refs is missing; deleting all refs does not delete it."""
        directory = self.objects.directory
        return directory is not None and not (directory / _REFS).is_dir()


def root_of(key: str) -> Path:
    """Return the root that answers show for a repository."""
    return Path("/", key)


def workspace_of(name: str, keys: Iterable[str]) -> Workspace:
    """Return a workspace of the repositories with these keys; equal keys give equal workspaces."""
    ordered = sorted(keys)
    names = {key: key.rpartition("/")[2] for key in ordered}
    counts = Counter(alias.lower() for alias in names.values())
    repos = tuple(
        WorkspaceRepo(
            repo_id=repo_id(root_of(key)),
            root_resolved=root_of(key),
            root_canonical=root_of(key),
            alias=names[key] if counts[names[key].lower()] == 1 and ":" not in key else None,
            tags=(),
            enabled=True,
            priority=0,
            root_input=key,
            root_abs=root_of(key),
            index=index,
        )
        for index, key in enumerate(ordered)
    )
    digest = hashlib.sha256(stable_json.dumps([name, *ordered])).hexdigest()
    return Workspace(
        schema_version=SCHEMA_VERSION,
        workspace_path=Path("/", name),
        workspace_dir=Path("/"),
        name=name,
        cache_root=None,
        defaults=WorkspaceDefaults(),
        merge=MergeDefaults(),
        repos=repos,
        repo_set_id=repo_set_id(repos),
        workspace_config_hash=f"wsc1-{digest}",
        hides=_everything,  # roots are not directories of this machine
    )


def _everything(_: Path) -> bool:
    return True

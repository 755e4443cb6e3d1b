"""Reads the digests of a work tree's files and git's state, again if git changes them meanwhile."""

from collections.abc import Iterator, Mapping
from functools import partial

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.remote import layout
from ggrep.index.remote.best_match import git_tree
from ggrep.index.remote.layout import States
from ggrep.index.sync import stat_cache
from ggrep.index.sync.git_consistency import GitConsistency, TreeMoved, WalkedTree
from ggrep.index.sync.stat_cache import Known, KnownFile
from ggrep.index.sync.sync_report import Progress, SyncProgress
from ggrep.index.sync.target import SyncTarget
from ggrep.model.files import SourceFile
from ggrep.model.response import GitState
from ggrep.model.sync import DegradedFile
from ggrep.parse.source.git_state import git_state
from ggrep.parse.source.read import read_digest
from ggrep.parse.source.walk import Walk, walk


class WorkTreeDigests(Struct, frozen=True):
    """The files of a work tree with their digests.

    Attributes:
        digests: the digests of the readable files; None if no file was read.
        known: the remembered stat and digest of each file.
        present: the path keys of all files.
    """

    tree: Walk
    present: frozenset[PathKey]
    digests: Mapping[PathKey, str] | None
    known: Mapping[PathKey, Known]
    git: GitState | None
    states: States
    read_at_ns: int

    def has(self, key: PathKey, digest: str) -> bool:
        """Return whether a file has this path and digest; if no file was read, only the path."""
        return key in self.present if self.digests is None else self.digests.get(key) == digest

    def is_outdated(self, key: PathKey, digest: str) -> bool:
        """Return whether an indexed file is deleted, or known to have another content."""
        if key not in self.present:
            return self.tree.knows(key)
        return self.digests is not None and self.digests.get(key, digest) != digest


def digest_work_tree(target: SyncTarget, progress: Progress, *, reading: bool) -> WorkTreeDigests:
    """Return the files of a work tree; without `reading` no file is read."""
    consistency, walk_tree = GitConsistency(target, progress), partial(_walk, target)
    walked = consistency.begin(walk_tree)
    known: dict[PathKey, Known] = {}
    while True:
        try:
            if reading:
                known |= _read(target, walked, progress)
            walked = consistency.confirm(walked, partial(_files, known), walk_tree)
            break
        except TreeMoved as moved:
            walked = moved.walked
            known.clear()
    git = git_state(target.root, untracked_included=target.settings.include_untracked)
    digests = {key: memory.digest for key, memory in known.items() if isinstance(memory, KnownFile)}
    tree = git_tree(target.root, git.head_sha) if git and git.head_sha else None
    states = States(tree, layout.files_state(digests))
    return WorkTreeDigests(
        tree=walked.tree,
        present=frozenset(file.path_key for file in walked.tree.files),
        digests=digests if reading else None,
        known=known,
        git=git,
        states=states,
        read_at_ns=walked.read_at_ns,
    )


def _walk(target: SyncTarget) -> tuple[Walk, tuple[DegradedFile, ...], None]:
    apart = Home.of_store(target.store).own_directories
    return walk(target.root, target.settings, apart=apart), (), None


def _read(
    target: SyncTarget, walked: WalkedTree, progress: Progress
) -> Iterator[tuple[PathKey, Known]]:
    """Yield the stat and digest of each file; files unchanged since the last sync are not read."""
    before = stat_cache.load(store_files.stat_cache_file(target.store))
    most, total = target.settings.max_file_size_bytes, len(walked.tree.files)
    for done, file in enumerate(walked.tree.files):
        memory = before.get(file.path_key)
        if memory is not None and memory.file == file:
            yield file.path_key, memory
        elif (now := read_digest(target.root, file, max_bytes=most)) is not None:
            yield file.path_key, KnownFile(*now)
        progress(SyncProgress("compare", done, total))


def _files(known: Mapping[PathKey, Known]) -> dict[PathKey, SourceFile]:
    return {key: memory.file for key, memory in known.items()}

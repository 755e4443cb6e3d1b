"""Fetches the best snapshot of a remote into a temporary directory, and verifies it.

The directory has the layout of a store. The store itself is not changed. Blobs are first fetched
into the home's cache. If a pull is interrupted, the next pull uses the blobs in the cache.
"""

import errno
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Final, Self

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.clock import SystemClock
from ggrep.base.errors import Incompatible, NotTrusted, RemoteError, StoreError
from ggrep.base.ids import PathKey, SegmentName
from ggrep.base.processes import start_ticks
from ggrep.config import store_files
from ggrep.config.git import is_git_marker
from ggrep.config.home import Home
from ggrep.index.remote import layout
from ggrep.index.remote.best_match import Candidate, candidates, git_tree
from ggrep.index.remote.documents import state_at, tree_at
from ggrep.index.remote.image_checks import require_image
from ggrep.index.remote.layout import Blob, RemoteSegment, Tree
from ggrep.index.remote.objects import Objects
from ggrep.index.remote.packing import unpack
from ggrep.index.remote.work_tree_digests import WorkTreeDigests
from ggrep.index.store.disk import measure_file
from ggrep.index.store.image import open_image
from ggrep.index.store.segment_image import SegmentImage, open_segment_image
from ggrep.index.store.tables import measure_table
from ggrep.index.sync.snapshot_assembly import ShownSegment
from ggrep.index.sync.target import SyncTarget
from ggrep.model.files import RECODED, UNSURE, SkippedFile, SourceFile
from ggrep.parse.source.read import read_file

Mask = npt.NDArray[np.bool_]
_ASIDE: Final = "pull-"
_KEPT_S: Final = 86_400.0
"""How long fetched blobs stay in the cache after an interrupted pull."""
_TRIES: Final = 3
_MOST_READ: Final = 1_000
"""Maximum number of files that are read to determine whether they are texts."""
_MOST_HEADER: Final = 16 << 20
_MOST_TRIED: Final = 4
"""Maximum number of trees that are tried."""
_SPARE_BYTES: Final = 64 << 20
"""Free disk space that must remain after fetching and publishing."""


class Here(Struct, frozen=True):
    """The content of the store's snapshot: its segments by name, and its files' digests."""

    segments: Mapping[SegmentName, ShownSegment]
    live: Mapping[PathKey, str]

    def has(self, segment: RemoteSegment) -> bool:
        """Return whether the store has exactly this segment."""
        shown = self.segments.get(segment.name)
        return shown is not None and (shown.ref.sha256, shown.ref.image.sha256) == (
            segment.sha256,
            segment.image.sha256,
        )


class Fetched(Struct, frozen=True):
    """A fetched tree, with the files that it adds to the store.

    Attributes:
        repo_key: key of the repository that pulls; for a fork, the tree can be from another
            repository.
        masks: the visible files of each segment of the tree, bool (files,).
        brings: the files that the tree adds to the store, bool (files,), for each segment with such
            files. The work tree contains these files, and the store does not show them yet.
        is_same: whether the tree's visible files are exactly the texts of the work tree.
        aside: a directory with the layout of a store, with the segments of `brings` that the store
            lacks.
    """

    tree: Tree
    repo_key: str
    candidate: Candidate
    masks: Mapping[SegmentName, Mask]
    brings: Mapping[SegmentName, Mask]
    is_same: bool
    aside: Path


class Fetcher:
    """Fetches the snapshot for one pull; the end of the block removes the temporary directory.

    Attributes:
        passed_over: why trees were rejected, one line each.
        seen: number of valid trees that add no file.
    """

    def __init__(self, target: SyncTarget, objects: Objects, cache: Path | None = None) -> None:
        """Fetch into the home's cache, or into `cache`, from which old blobs are not removed."""
        self.passed_over: list[str] = []
        self.seen = 0
        self._target, self._objects = target, objects
        self._cache = cache or Home.of_store(target.store).fetched
        self._kept_s = math.inf if cache else _KEPT_S
        self._aside = self._cache / f"{_ASIDE}{os.getpid()}-{target.new_id()}"
        self._verified: set[str] = set()
        self._ahead: Thread | None = None

    def __enter__(self) -> Self:
        _sweep(self._cache, self._kept_s)
        durable.make_directory(store_files.images_dir(self._aside))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove the temporary directory; fetched blobs stay in the cache for another attempt."""
        self._objects.stopped.set()
        if self._ahead is not None and error is None:
            self._ahead.join()
        shutil.rmtree(self._aside, ignore_errors=True)

    def begin(self) -> None:
        """Begin to fetch the tree of the checked-out commit in the background.

        In the meantime, the caller reads and hashes the files of the work tree. The fetched blobs
        are used only if this tree turns out to be the best.
        """
        # The thread is a daemon, so that an interruption does not wait for the network.
        self._ahead = Thread(target=self._fetch_ahead, daemon=True)
        self._ahead.start()

    def _fetch_ahead(self) -> None:
        target = self._target
        with suppress(RemoteError, StoreError, OSError):
            tree = git_tree(target.root, "HEAD") if is_git_marker(target.root / ".git") else None
            if tree is None:
                return
            key = layout.git_state_key(tree, target.config_fingerprint)
            state = state_at(self._objects, key)
            for blob in self._tree(state.value).blobs() if state else ():
                self._cached(blob)

    def nearest(self, repo_key: str, work_tree: WorkTreeDigests, here: Here) -> Fetched | None:
        """Return the best tree that is valid and adds files; None if there is none.

        Raises:
            RemoteError: the remote fails.
        """
        if self._ahead is not None:
            self._ahead.join()
        target = self._target
        keys = (repo_key, target.config_fingerprint)
        commit = work_tree.git.head_sha if work_tree.git else None
        near = candidates(self._objects, target.root, keys, work_tree.states, commit)
        for candidate in islice(near, _MOST_TRIED):
            try:
                fetched = self._looked_at(repo_key, candidate, work_tree, here)
                if fetched.brings:
                    self._fetch_tables(fetched, here)
                    return fetched
                self.seen += 1
            except NotTrusted as error:
                self.passed_over.append(str(error))
        return None

    def whole(self, tree: Blob) -> Fetched:
        """Return a tree with all of its files, for a store without a work tree.

        Raises:
            NotTrusted: a part of the tree is not the published one, or cannot be part of a store.
            RemoteError: the remote fails.
        """
        empty = Here({}, {})
        fetched = self._looked_at("", Candidate(tree, None), None, empty)
        # A segment without visible files is part of the snapshot too.
        fetched = replace(fetched, brings=fetched.masks)
        self._fetch_tables(fetched, empty)
        return fetched

    def forget(self, tree: Tree) -> None:
        """Remove the blobs of a tree from the cache, because they are now in the store."""
        for blob in tree.blobs():
            with suppress(OSError):
                (self._cache / blob.sha256).unlink()

    def _looked_at(
        self, repo_key: str, candidate: Candidate, work_tree: WorkTreeDigests | None, here: Here
    ) -> Fetched:
        """Return a tree and the files that it would add; without a work tree, all of its files."""
        tree = self._tree(candidate.tree)
        with _trusted(tree.masks):
            shown = open_image(_bounded(self._blob(tree.masks))).arrays
            masks = {segment.name: _trusted_mask(shown, segment) for segment in tree.segments}
        brings: dict[SegmentName, Mask] = {}
        recoded: dict[SegmentName, Mask] = {}
        is_whole, taken = True, set[PathKey]()
        for segment in tree.segments:
            image = self._image(segment, here)
            mask = np.zeros(segment.files, dtype=np.bool_)
            hashes = image.file_hashes()
            recoded[segment.name] = (image.file_traits & (RECODED | UNSURE)) != 0
            for place in np.flatnonzero(masks[segment.name]).tolist():
                key, digest = image.path(place), hashes[place]
                if key in taken:
                    raise NotTrusted(
                        f"the tree {layout.tree_key(candidate.tree)} lists a file twice"
                    )
                taken.add(key)
                holds = work_tree is None or work_tree.has(key, digest)
                is_whole = is_whole and holds
                mask[place] = holds and here.live.get(key) != digest
            if mask.any():
                brings[segment.name] = mask
        is_same = work_tree is None or (
            is_whole
            and work_tree.digests is not None
            and self._are_no_texts(work_tree.digests.keys() - taken)
        )
        if not is_same:
            # The other work tree can declare other encodings.
            brings = {name: mask & ~recoded[name] for name, mask in brings.items()}
            brings = {name: mask for name, mask in brings.items() if mask.any()}
        return Fetched(tree, repo_key, candidate, masks, brings, is_same, self._aside)

    def _are_no_texts(self, keys: AbstractSet[PathKey]) -> bool:
        """Return whether a sync would skip all files in `keys`; False if there are too many."""
        settings = self._target.settings
        if len(keys) > _MOST_READ:
            return False
        return all(
            isinstance(
                read_file(
                    self._target.root,
                    SourceFile(key, 0, 0, 0, 0),
                    max_bytes=settings.max_file_size_bytes,
                    max_bulk_bytes=settings.max_bulk_bytes,
                ),
                SkippedFile,
            )
            for key in keys
        )

    def _tree(self, wanted: Blob) -> Tree:
        key, target = layout.tree_key(wanted), self._target
        tree = tree_at(self._objects, wanted)
        if tree is None:
            raise NotTrusted(f"remote {self._objects.name}: the object {key} is missing")
        if tree.config_fingerprint != target.config_fingerprint or (
            tree.embed_config_fingerprint != target.embed_config_fingerprint
        ):
            raise NotTrusted(f"the tree {key} was indexed under other settings")
        most = target.settings.max_store_bytes
        size = sum(blob.size_bytes for blob in tree.blobs())
        if most and size > most:
            raise NotTrusted(f"the tree {key} has {size} bytes, but max_store_bytes is {most}")
        free = shutil.disk_usage(self._cache).free
        if 2 * size + _SPARE_BYTES > free:
            raise NotTrusted(
                f"the disk is too full for the tree {key} of {size} bytes: {free} bytes "
                "are free, but"
                f" {2 * size + _SPARE_BYTES} are needed during the pull"
            )
        return tree

    def _image(self, segment: RemoteSegment, here: Here) -> SegmentImage:
        """Return a segment's image after checking that its arrays are valid."""
        if here.has(segment):
            return here.segments[segment.name].view.image
        place = store_files.image_file(self._aside, segment.name)
        place.unlink(missing_ok=True)
        _link(_bounded(self._blob(segment.image)), place)
        with _trusted(segment.image):
            image = open_segment_image(self._aside, segment.name)
            require_image(image, segment.rows, segment.files)
        return image

    def _fetch_tables(self, fetched: Fetched, here: Here) -> None:
        """Fetch the tables of the segments that add files, and unpack them in `aside`."""
        for segment in fetched.tree.segments:
            if segment.name not in fetched.brings or here.has(segment):
                continue
            goal = store_files.table_dir(self._aside, segment.name)
            shutil.rmtree(goal, ignore_errors=True)
            durable.make_directory(goal)
            with _trusted(segment.table):
                unpack(self._blob(segment.table), goal)
                found_there = measure_table(self._aside, segment.name)
                if store_files.image_file(self._aside, segment.name).exists():
                    open_segment_image(self._aside, segment.name).vectors()
            if found_there != (segment.size_bytes, segment.sha256):
                raise NotTrusted(
                    f"the object {segment.table.key} is not the table of segment {segment.name}"
                )

    def _blob(self, blob: Blob) -> Path:
        """Return a blob's file, as a link that no other process removes."""
        linked = self._aside / blob.sha256
        for _ in range(_TRIES):
            if linked.exists():
                break
            with suppress(FileNotFoundError):  # another pull in this home has removed it
                _link(self._cached(blob), linked)
        return linked

    def _cached(self, blob: Blob) -> Path:
        """Return a blob's file in the cache; fetch it if it is not there."""
        file = self._cache / blob.sha256
        if blob.sha256 not in self._verified or not file.exists():
            if not file.exists() or measure_file(file) != (blob.size_bytes, blob.sha256):
                self._objects.fetch(blob.key, file, blob.size_bytes, blob.sha256)
            self._verified.add(blob.sha256)
        return file


@contextmanager
def _trusted(blob: Blob) -> Iterator[None]:
    """Convert any error in a blob's content to NotTrusted."""
    try:
        yield
    except RemoteError:
        raise
    except (StoreError, Incompatible, ValueError, KeyError, TypeError, RecursionError) as error:
        raise NotTrusted(
            f"the object {blob.key} is not a valid image or table: {error}"[:200]
        ) from error
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EIO}:
            raise
        raise NotTrusted(f"the object {blob.key} cannot be unpacked: {error.strerror}") from error


def _bounded(image: Path) -> Path:
    """Return an image's file; raise if its header is larger than any that ggrep writes."""
    with image.open("rb") as file:
        start = file.read(16)
    if int.from_bytes(start[8:16], "little") > _MOST_HEADER:
        raise NotTrusted(
            f"the object blobs/{image.name} is not a valid image: the header is too large"
        )
    return image


def _link(source: Path, goal: Path) -> None:
    try:
        goal.hardlink_to(source)
    except FileNotFoundError:
        raise
    except OSError:  # the file system has no hard links
        shutil.copyfile(source, goal)


def _trusted_mask(masks: Mapping[str, npt.NDArray[np.generic]], segment: RemoteSegment) -> Mask:
    mask = masks.get(segment.name)
    if mask is None or mask.dtype != np.uint8 or mask.shape != (segment.files,):
        raise NotTrusted(f"the masks of the tree do not match segment {segment.name}")
    shown: Mask = mask.view(np.uint8) != 0
    return shown


def _sweep(cache: Path, kept_s: float) -> None:
    """Remove the directories of interrupted pulls and pushes, and blobs that are too old."""
    oldest = SystemClock().now().timestamp() - kept_s
    with suppress(FileNotFoundError):
        for entry in sorted(cache.iterdir()):
            with suppress(OSError):
                if _is_left(entry) or entry.stat().st_mtime < oldest:
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _is_left(entry: Path) -> bool:
    """Return whether a directory is from an interrupted pull."""
    if not entry.name.startswith(_ASIDE):
        return False
    pid = entry.name.removeprefix(_ASIDE).partition("-")[0]
    return not pid.isdecimal() or start_ticks(int(pid)) is None

"""Fetches the nearest snapshot of a remote, verified and laid out as a store, and changes nothing.

Blobs come into the home's cache first. A pull that dies leaves them there, and the next one takes
them up.
"""

import os
import shutil
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from ggrep.base import durable
from ggrep.base.errors import Incompatible, NotTrusted, RemoteError, StoreError
from ggrep.base.ids import PathKey, SegmentName
from ggrep.base.processes import start_ticks
from ggrep.config import names
from ggrep.config.git import is_git_marker
from ggrep.config.home import Home
from ggrep.index.remote import layout
from ggrep.index.remote.documents import state_at, tree_at
from ggrep.index.remote.held import Held
from ggrep.index.remote.image_checks import require_image
from ggrep.index.remote.layout import Blob, TravellingSegment, Tree
from ggrep.index.remote.nearest import Candidate, candidates, git_tree
from ggrep.index.remote.objects import Objects
from ggrep.index.remote.packing import unpack
from ggrep.index.store.disk import measure_file
from ggrep.index.store.image import open_image
from ggrep.index.store.segment_image import SegmentImage, open_segment_image
from ggrep.index.store.tables import measure_table
from ggrep.index.sync.snapshot_assembly import ShownSegment
from ggrep.index.sync.target import SyncTarget

Mask = npt.NDArray[np.bool_]
_ASIDE: Final = "pull-"
_MOST_TRIED: Final = 4
"""Trees that are looked at before it is given up."""
_SPARE_BYTES: Final = 64 << 20
"""Of the disk, beyond what is fetched and put into the store."""


@dataclass(frozen=True, slots=True)
class Here:
    """What the store shows already: its segments by name, and its files by digest."""

    segments: Mapping[SegmentName, ShownSegment]
    live: Mapping[PathKey, str]

    def has(self, segment: TravellingSegment) -> bool:
        """Tell whether it has that very segment."""
        own = self.segments.get(segment.name)
        return own is not None and (own.ref.sha256, own.ref.image.sha256) == (
            segment.sha256,
            segment.image.sha256,
        )


@dataclass(frozen=True, slots=True)
class Fetched:
    """A tree, and what it brings to what is here.

    Attributes:
        masks: which files of each segment the tree shows, bool (files,).
        brings: per segment, those of them that the work tree holds and the store does not show,
            where there are any.
        is_whole: the work tree holds all files that it shows.
        aside: a directory laid out as a store, with those segments of `brings` that are not here.
    """

    tree: Tree
    candidate: Candidate
    masks: Mapping[SegmentName, Mask]
    brings: Mapping[SegmentName, Mask]
    is_whole: bool
    aside: Path


class Fetcher:
    """Fetches for one pull; what it has put together goes at the end of the block.

    Attributes:
        passed_over: why trees were not taken, one line each.
    """

    def __init__(self, target: SyncTarget, objects: Objects) -> None:
        self.passed_over: list[str] = []
        self._target, self._objects = target, objects
        self._cache = Home.of_store(target.store).fetched
        self._aside = self._cache / f"{_ASIDE}{os.getpid()}-{target.new_id()}"
        self._verified: set[str] = set()
        self._ahead: Future[None] | None = None

    def __enter__(self) -> Self:
        _sweep(self._cache)
        durable.make_directory(names.images_dir(self._aside))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove what was put together; what was fetched stays for another try."""
        if self._ahead is not None:
            wait([self._ahead])
        shutil.rmtree(self._aside, ignore_errors=True)

    def begin(self) -> None:
        """Begin to fetch what is of the commit that is checked out, beside whatever comes next.

        While files are read and hashed the network would lie idle. What it fetches is of use only
        as far as it turns out to be the nearest.
        """
        pool = ThreadPoolExecutor(1, thread_name_prefix="ggrep-pull")
        self._ahead = pool.submit(self._fetch_ahead)
        pool.shutdown(wait=False)

    def _fetch_ahead(self) -> None:
        target = self._target
        tree = git_tree(target.root, "HEAD") if is_git_marker(target.root / ".git") else None
        if tree is None:
            return
        key = layout.git_state_key(tree, target.config_fingerprint)
        with suppress(RemoteError):
            found = state_at(self._objects, key)
            for blob in self._tree(found.value).blobs() if found else ():
                self._blob(blob)

    def nearest(self, repo_key: str, held: Held, here: Here) -> Fetched | None:
        """Return the nearest tree that verifies and brings something; None where there is none.

        Raises:
            RemoteError: the remote fails.
        """
        if self._ahead is not None:
            self._ahead.result()
        target = self._target
        keys = (repo_key, target.config_fingerprint)
        commit = held.git.head_sha if held.git else None
        near = candidates(self._objects, target.root, keys, held.states, commit)
        for candidate in islice(near, _MOST_TRIED):
            try:
                found = self._looked_at(candidate, held, here)
                if found.brings:
                    self._fetch_tables(found, here)
                    return found
            except NotTrusted as error:
                self.passed_over.append(str(error))
        return None

    def forget(self, tree: Tree) -> None:
        """Remove what lies in the store now from the cache."""
        for blob in tree.blobs():
            with suppress(OSError):
                (self._cache / blob.sha256).unlink()

    def _looked_at(self, candidate: Candidate, held: Held, here: Here) -> Fetched:
        """Return a tree and what it would bring.

        Raises:
            NotTrusted: something of it is not what was published, or fits no store of ours.
        """
        tree = self._tree(candidate.tree)
        shown = open_image(self._blob(tree.masks)).arrays
        masks = {segment.name: _trusted_mask(shown, segment) for segment in tree.segments}
        brings: dict[SegmentName, Mask] = {}
        is_whole, taken = True, set[PathKey]()
        for segment in tree.segments:
            image = self._image(segment, here)
            mask = np.zeros(segment.files, dtype=np.bool_)
            hashes = image.file_hashes()
            for place in np.flatnonzero(masks[segment.name]).tolist():
                key, digest = image.path(place), hashes[place]
                if key in taken:
                    raise NotTrusted(f"{layout.tree_key(candidate.tree)} shows a file twice")
                taken.add(key)
                holds = held.has(key, digest)
                is_whole = is_whole and holds
                mask[place] = holds and here.live.get(key) != digest
            if mask.any():
                brings[segment.name] = mask
        return Fetched(tree, candidate, masks, brings, is_whole, self._aside)

    def _tree(self, wanted: Blob) -> Tree:
        key, target = layout.tree_key(wanted), self._target
        tree = tree_at(self._objects, wanted)
        if tree is None:
            raise NotTrusted(f"{self._objects.name}: {key} is missing")
        if tree.config_fingerprint != target.config_fingerprint or (
            tree.embed_config_fingerprint != target.embed_config_fingerprint
        ):
            raise NotTrusted(f"{key} is of another configuration")
        most = target.settings.max_store_bytes
        size = sum(blob.size_bytes for blob in tree.blobs())
        if most and size > most:
            raise NotTrusted(f"{key} is of {size} bytes, max_store_bytes is {most}")
        free = shutil.disk_usage(self._cache).free
        if 2 * size + _SPARE_BYTES > free:
            raise NotTrusted(
                f"{key} is of {size} bytes; the disk has {free} left, and it takes twice as much"
                " while it is put into place"
            )
        return tree

    def _image(self, segment: TravellingSegment, here: Here) -> SegmentImage:
        """Return a segment's image, once its arrays are such as a segment's can be.

        Raises:
            NotTrusted: they are not.
        """
        if here.has(segment):
            return here.segments[segment.name].view.image
        place = names.image_file(self._aside, segment.name)
        place.unlink(missing_ok=True)
        place.hardlink_to(self._blob(segment.image))
        try:
            image = open_segment_image(self._aside, segment.name)
            require_image(image, segment.rows, segment.files)
        except (StoreError, Incompatible, ValueError, KeyError, TypeError) as error:
            raise NotTrusted(f"{segment.image.key} is no image: {error}"[:200]) from error
        return image

    def _fetch_tables(self, found: Fetched, here: Here) -> None:
        """Fetch the tables of the segments that bring something, and unpack them aside.

        Raises:
            NotTrusted: one is not what the tree says.
        """
        for segment in found.tree.segments:
            if segment.name not in found.brings or here.has(segment):
                continue
            goal = names.table_dir(self._aside, segment.name)
            shutil.rmtree(goal, ignore_errors=True)
            durable.make_directory(goal)
            unpack(self._blob(segment.table), goal)
            if measure_table(self._aside, segment.name) != (segment.size_bytes, segment.sha256):
                raise NotTrusted(f"{segment.table.key} is not the table of {segment.name}")

    def _blob(self, blob: Blob) -> Path:
        """Return a blob's file in the cache, fetched unless it lies there."""
        file = self._cache / blob.sha256
        if blob.sha256 in self._verified and file.exists():
            return file
        if not file.exists() or measure_file(file) != (blob.size_bytes, blob.sha256):
            self._objects.fetch(blob.key, file, blob.size_bytes, blob.sha256)
        self._verified.add(blob.sha256)
        return file


def _trusted_mask(masks: Mapping[str, npt.NDArray[np.generic]], segment: TravellingSegment) -> Mask:
    found = masks.get(segment.name)
    if found is None or found.dtype != np.uint8 or found.shape != (segment.files,):
        raise NotTrusted(f"the masks of a tree do not fit {segment.name}")
    shown: Mask = found.view(np.uint8) != 0
    return shown


def _sweep(cache: Path) -> None:
    """Remove what pulls that died had put together."""
    with suppress(FileNotFoundError):
        for entry in sorted(cache.iterdir()):
            if entry.name.startswith(_ASIDE):
                pid = entry.name.removeprefix(_ASIDE).partition("-")[0]
                if not pid.isdecimal() or start_ticks(int(pid)) is None:
                    shutil.rmtree(entry, ignore_errors=True)

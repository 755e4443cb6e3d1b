"""Counts chunks that several stores have in common, by the chunk ids in packs.

No table is read, so what lies in no pack is not counted. All ids of a pack are one array: a million
takes some 0.1 s.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ggrep.base.errors import GgrepError
from ggrep.base.ids import SegmentName
from ggrep.config.home import Home
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.index.packs.pack_image import CHUNK_IDS, Pack
from ggrep.index.store.image import Array, open_image

Ids = npt.NDArray[np.uint64]
"""Eight bytes of each chunk id, (n,): of ten million, two are alike once in 300,000 times."""


@dataclass(frozen=True, slots=True)
class ShownStore:
    """What a store shows.

    Attributes:
        visibility: the image that says which files of its segments are shown.
    """

    store_id: str
    segments: tuple[SegmentName, ...]
    visibility: Path


def count_copies(home: Home, stores: Sequence[ShownStore]) -> tuple[int, int]:
    """Return how many chunks of some stores lie in packs, and how many of these are copies.

    See `ggrep.model.copies`. A store whose image cannot be read is not counted.
    """
    found = list(_shown(OpenedPacks(home).packs(), stores))
    if not found:
        return 0, 0
    ids = np.concatenate([own for _, own in found])
    owners = np.concatenate([np.full(len(own), place, np.int64) for place, own in found])
    return len(ids), _copies(ids, owners)


def _shown(packs: Sequence[Pack], stores: Sequence[ShownStore]) -> Iterator[tuple[int, Ids]]:
    """Yield the ids of each segment's shown rows, with the place of its store."""
    wanted = {
        (store.store_id, segment): place
        for place, store in enumerate(stores)
        for segment in store.segments
    }
    masks: dict[int, Mapping[str, Array]] = {}
    for pack in packs:
        ids, files = pack.image.arrays[CHUNK_IDS].view(np.uint64), pack.image.row_files
        for one in pack.segments:
            place = wanted.pop((one.store_id, one.segment), None)
            if place is None:
                continue
            if place not in masks:
                masks[place] = _masks(stores[place].visibility)
            mask = masks[place].get(one.segment)
            if mask is None or len(mask) != one.files:
                continue
            rows = slice(one.first_row, one.first_row + one.rows)
            shown = mask.view(np.bool_)[files[rows] - np.uint32(one.first_file)]
            yield place, ids[rows][shown, 0]


def _masks(visibility: Path) -> Mapping[str, Array]:
    with suppress(GgrepError):
        return open_image(visibility).arrays
    return {}


def _copies(ids: Ids, owners: npt.NDArray[np.int64]) -> int:
    """Return how many of the chunks could go, of texts that several have."""
    order = np.argsort(ids)
    ids, owners = ids[order], owners[order]
    starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
    sizes = np.diff(np.append(starts, len(ids)))
    lowest, highest = np.minimum.reduceat(owners, starts), np.maximum.reduceat(owners, starts)
    return int((sizes - 1)[lowest != highest].sum())

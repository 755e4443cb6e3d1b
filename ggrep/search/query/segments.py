"""Segments of a snapshot with opened postings, ready for scoring."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from ggrep.base.cache import Cache, CacheKey
from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey
from ggrep.base.scripts import nfc
from ggrep.index.lexical.layout import BODY, CHUNK_FIELDS, FILE_FIELDS
from ggrep.index.lexical.postings import Postings, Rows
from ggrep.index.store.row_texts import RowTexts, Texts, has_texts
from ggrep.index.store.segment_image import FILE_POSTINGS, ROW_POSTINGS, SegmentImage
from ggrep.index.store.table_texts import TableTexts
from ggrep.index.store.view import SnapshotView


class SearchableSegment(Struct, frozen=True):
    """One segment of an open snapshot.

    Attributes:
        visible_files: bool (files,).
        visible_rows: bool (rows,): the rows of visible files.
        owners: u32 (files,): the number of each file's snapshot in a joint view; None outside of
            joint views.
        ranks: u32 (files,): each file's position in the order of paths; None if files are already
            in this order.
        derived: a cache of data that depends on the segment alone.
    """

    image: SegmentImage
    row_postings: Postings
    file_postings: Postings
    visible_files: npt.NDArray[np.bool_]
    visible_rows: npt.NDArray[np.bool_]
    texts: Texts
    vectors: tuple[npt.NDArray[np.int8], ...]
    owners: npt.NDArray[np.uint32] | None = None
    ranks: npt.NDArray[np.uint32] | None = None
    derived: Cache = field(default_factory=Cache)

    def owner_of(self, file: int) -> int:
        """Return the number of the snapshot that a file belongs to; 0 outside of joint views."""
        return 0 if self.owners is None else int(self.owners[file])

    def owners_of(self, rows: Sequence[int]) -> frozenset[int]:
        """Return the numbers of the snapshots of some rows; none outside of joint views."""
        return self.owners_of_files(self.image.row_files[list(rows)])

    def owners_of_files(self, files: Sequence[int] | Rows) -> frozenset[int]:
        """Return the numbers of the snapshots of some files; none outside of joint views."""
        return frozenset() if self.owners is None else frozenset(self.owners[files].tolist())

    def rows_of(self, file: int) -> range:
        """Return the rows of a file; the header chunk, if there is one, is the first row."""
        first, end = self.image.file_rows[file : file + 2].tolist()
        return range(first, end)

    def rows_of_files(self, files: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the rows of some files, one file after the other."""
        firsts = self.image.file_rows[files].astype(np.int64)
        return spread(firsts, self.image.file_rows[files + 1] - firsts)

    def rows_with(self, word: str) -> Rows:
        """Return the rows, ascending, whose own text contains a word in its indexed form."""
        return self.row_postings.rows_with(word, range(BODY, BODY + 1))


def find_file(segments: Sequence[SearchableSegment], path: str) -> tuple[int, int] | None:
    """Return segment and number of the visible file with a path; None if there is none.

    If no path has this spelling, return the first path, in order, that is canonically equivalent.
    """
    for place, segment in enumerate(segments):
        file = segment.image.find(PathKey(path))
        if file is not None and segment.visible_files[file]:
            return place, file
    if path.isascii():
        return None
    equal = [
        (key, place, file)
        for place, segment in enumerate(segments)
        for file, key in enumerate(segment.image.paths())
        if segment.visible_files[file] and nfc(key) == nfc(path)
    ]
    return min(equal)[1:] if equal else None


def run_starts(values: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Return bool (n,): whether each value differs from the previous value; True for the first."""
    return np.concatenate(([True], values[1:] != values[:-1]))


def spread(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the numbers in some ranges, one range after the other."""
    before = np.cumsum(lengths) - lengths
    numbers: npt.NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(
        starts - before, lengths
    )
    return numbers


class FileRuns(Struct, frozen=True):
    """Rows sorted by file, as one run for each file.

    Attributes:
        files: int64 (files,), ascending.
        begins: int64 (files,): position of each file's first row.
        lengths: int64 (files,): number of each file's rows.
    """

    files: npt.NDArray[np.int64]
    begins: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    @classmethod
    def of(cls, files: npt.NDArray[np.int64]) -> "FileRuns":
        """Return the runs of rows; `files` contains the file of each row."""
        begins = np.flatnonzero(run_starts(files)) if len(files) else np.zeros(0, np.int64)
        return cls(files[begins], begins, np.diff(begins, append=len(files)))

    def highest(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return each file's highest value, (files,)."""
        if not len(self.begins):
            return np.zeros(0)
        best: npt.NDArray[np.float64] = np.maximum.reduceat(values, self.begins)
        return best

    def repeated(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each row the value of its file."""
        return np.repeat(values, self.lengths)


_OPENED: Final = CacheKey[tuple[SearchableSegment, ...]]()


def open_segments(view: SnapshotView) -> tuple[SearchableSegment, ...]:
    """Return the searchable segments of a snapshot, in the manifest's order.

    The segments are opened once for each snapshot, because opening many small segments takes longer
    than searching them.
    """
    if (kept := view.derived.get(_OPENED)) is not None:
        return kept
    try:
        return view.derived.keep(_OPENED, _opened(view))
    except CorruptStore as error:
        if (removed := view.gone()) is not None:
            raise removed from error
        raise


def keep_segments(derived: Cache, segments: tuple[SearchableSegment, ...]) -> None:
    """Cache the segments of a joint view, so that `open_segments` returns them."""
    derived.keep(_OPENED, segments)


def _opened(view: SnapshotView) -> tuple[SearchableSegment, ...]:
    return tuple(
        SearchableSegment(
            image=segment.image,
            row_postings=Postings.from_arrays(segment.image.arrays, ROW_POSTINGS, CHUNK_FIELDS),
            file_postings=Postings.from_arrays(segment.image.arrays, FILE_POSTINGS, FILE_FIELDS),
            visible_files=segment.visible_files,
            visible_rows=segment.visible_rows(),
            texts=_texts(view, segment.image),
            vectors=segment.image.vectors(),
        )
        for segment in view.segments
    )


def _texts(view: SnapshotView, image: SegmentImage) -> Texts:
    return RowTexts(image) if has_texts(image) else TableTexts(view.store, image)

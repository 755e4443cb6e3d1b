"""A segment with its postings opened, ready for scoring."""

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
        visible_files: bool (files,); `visible_rows` bool (rows,) follows from it.
        owners: u32 (files,): in a view of several snapshots, which of them each file is of.
        ranks: u32 (files,): each file's place among all by path, where they do not lie so.
        derived: what questions derive from the segment alone.
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
        """Return which snapshot of the view a file is of; 0 where there is one."""
        return 0 if self.owners is None else int(self.owners[file])

    def owners_of(self, rows: Sequence[int]) -> frozenset[int]:
        """Return which snapshots of a view of several some rows are of; none where there is one."""
        return self.owners_of_files(self.image.row_files[list(rows)])

    def owners_of_files(self, files: Sequence[int] | Rows) -> frozenset[int]:
        """Return the same for some files."""
        return frozenset() if self.owners is None else frozenset(self.owners[files].tolist())

    def rows_of(self, file: int) -> range:
        """Return the rows of a file, its header chunk first where it has one."""
        first, end = self.image.file_rows[file : file + 2].tolist()
        return range(first, end)

    def rows_of_files(self, files: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the rows of some files, one file behind the other."""
        firsts = self.image.file_rows[files].astype(np.int64)
        return spread(firsts, self.image.file_rows[files + 1] - firsts)

    def rows_with(self, word: str) -> Rows:
        """Return the rows whose own text holds a word, as it is indexed; ascending."""
        return self.row_postings.rows_with(word, range(BODY, BODY + 1))


def find_file(segments: Sequence[SearchableSegment], path: str) -> tuple[int, int] | None:
    """Return the segment and place of the visible file with that path; None without any.

    The first by path whose path is canonically equivalent, where none is spelled so.
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
    """Return bool (n,): where another value begins than the one before; (1,) for none."""
    return np.concatenate(([True], values[1:] != values[:-1]))


def spread(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the numbers of all ranges, one behind the other."""
    before = np.cumsum(lengths) - lengths
    numbers: npt.NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(
        starts - before, lengths
    )
    return numbers


class FileRuns(Struct, frozen=True):
    """Rows in the order of their files, as one run for each file that has any.

    Attributes:
        files: int64 (files,), ascending.
        begins: int64 (files,): where each file's rows begin; `lengths` how many they are.
    """

    files: npt.NDArray[np.int64]
    begins: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    @classmethod
    def of(cls, files: npt.NDArray[np.int64]) -> "FileRuns":
        """Return the runs of rows with these files."""
        begins = np.flatnonzero(run_starts(files)) if len(files) else np.zeros(0, np.int64)
        return cls(files[begins], begins, np.diff(begins, append=len(files)))

    def highest(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return each file's highest value, (files,)."""
        if not len(self.begins):
            return np.zeros(0)
        best: npt.NDArray[np.float64] = np.maximum.reduceat(values, self.begins)
        return best

    def repeated(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the files' values for each row."""
        return np.repeat(values, self.lengths)


_OPENED: Final = CacheKey[tuple[SearchableSegment, ...]]()


def open_segments(view: SnapshotView) -> tuple[SearchableSegment, ...]:
    """Return the searchable segments of a snapshot, in the manifest's order.

    They are opened once for each snapshot: with many small segments that takes longer than
    searching them does.
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
    """Keep the segments of a view that is made of others."""
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

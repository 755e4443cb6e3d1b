"""Postings as compressed sparse rows: for each term, the rows that contain it, with counts.

A posting set consists of these arrays. An image contains several sets; the names of a set's arrays
then begin with its prefix, and `<f>` is the number of a field:

- `digests` u64 (terms,): first 8 bytes of each term's SHA-256, ascending.
- `term_offsets` u32 (terms + 1,), `term_bytes` u8: the terms' UTF-8, to verify a digest.
- `offsets<f>` u32 (terms + 1,), `rows<f>` u16 or u32, `counts<f>` u8: per field; rows are ascending
  within a term. All rows of a set are u32 if any row number is 65,535 or more.
- `often<f>` u32, `frequent<f>` u16: ascending positions and counts of the postings with a count of
  255 or more; their entries in `counts<f>` are 255.

A lookup is a binary search over digests, then a comparison of bytes. A collision of digests costs
only a further comparison.
"""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

Rows = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
Counts = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
_NONE: npt.NDArray[np.generic] = np.empty(0, dtype=np.uint32)
_MOST_LOOKED_UP = 1024
"""Maximum number of looked-up terms that one posting set caches."""

_MARKED_SHARE = 64
"""Lists with at least one of this many rows are merged by marking rows instead of sorting."""


def digest_of(term: bytes) -> bytes:
    """Return the digest by which a term is looked up: 8 bytes, a big-endian number."""
    return hashlib.sha256(term).digest()[:8]


def union(lists: Sequence[Rows]) -> Rows:
    """Return the distinct rows of one or more ascending lists, ascending.

    Many rows are marked in an array and then collected in one pass, which is faster than sorting.
    """
    if len(lists) == 1:
        return lists[0]
    size = max(int(rows[-1]) for rows in lists) + 1
    if sum(map(len, lists)) * _MARKED_SHARE < size:
        merged = np.sort(np.concatenate(lists), kind="stable")
        return merged[np.concatenate(([True], merged[1:] != merged[:-1]))]
    return np.flatnonzero(_marked(lists, size)).astype(np.uint32)


def _marked(lists: Sequence[Rows], size: int) -> npt.NDArray[np.bool_]:
    """Return bool (size,), True for each row that is in at least one list."""
    marked = np.zeros(size, dtype=np.bool_)
    for rows in lists:
        marked[rows] = True
    return marked


class PostingField(Struct, frozen=True):
    """The arrays of one field."""

    offsets: npt.NDArray[np.uint32]
    rows: Rows
    counts8: Counts
    overflow_places: npt.NDArray[np.uint32]
    overflow_counts: npt.NDArray[np.uint16]

    def counts(self, start: int, end: int) -> Counts:
        """Return the counts of the postings at positions `start` to `end` - 1."""
        few = self.counts8[start:end]
        first, last = np.searchsorted(self.overflow_places, np.array([start, end], dtype=np.uint32))
        if first == last:
            return few
        counts = few.astype(np.uint16)
        counts[self.overflow_places[first:last] - np.uint32(start)] = self.overflow_counts[
            first:last
        ]
        return counts


class Postings(Struct, frozen=True, eq=False):
    """Reader of one posting set; the arrays can be memory-mapped.

    Attributes:
        looked_up: cached positions of terms; a query looks up each term several times.
    """

    digests: npt.NDArray[np.uint64]
    term_offsets: npt.NDArray[np.uint32]
    term_bytes: npt.NDArray[np.uint8]
    fields: tuple[PostingField, ...]
    looked_up: dict[str, int | None] = field(default_factory=dict)

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[np.generic]], prefix: str, fields: int
    ) -> "Postings":
        """Return a reader of the arrays that `PostingsBuilder.build(prefix)` returned."""

        def get(name: str) -> npt.NDArray[np.generic]:
            return arrays[prefix + name]

        def rows(name: str) -> Rows:
            array = get(name)
            return array.view(np.uint16) if array.itemsize == 2 else array.view(np.uint32)

        def counts(name: str) -> Counts:
            # In sets of the first layout this array contains all counts, as u16.
            array = get(name)
            return array.view(np.uint16) if array.itemsize == 2 else array.view(np.uint8)

        def posting_field(number: int) -> PostingField:
            if f"{prefix}offsets{number}" not in arrays:
                return _no_postings(len(get("digests")))
            return PostingField(
                get(f"offsets{number}").view(np.uint32),
                rows(f"rows{number}"),
                counts(f"counts{number}"),
                arrays.get(f"{prefix}often{number}", _NONE).view(np.uint32),
                arrays.get(f"{prefix}frequent{number}", _NONE).view(np.uint16),
            )

        return cls(
            digests=get("digests").view(np.uint64),
            term_offsets=get("term_offsets").view(np.uint32),
            term_bytes=get("term_bytes").view(np.uint8),
            fields=tuple(map(posting_field, range(fields))),
        )

    def find(self, term: str) -> int | None:
        """Return the position of a term among the terms of the set, or None."""
        try:
            return self.looked_up[term]
        except KeyError:
            if len(self.looked_up) >= _MOST_LOOKED_UP:
                self.looked_up.clear()
            place = self.looked_up[term] = self._find(term)
            return place

    def _find(self, term: str) -> int | None:
        wanted = term.encode("utf-8", "surrogatepass")
        digest = np.uint64(int.from_bytes(digest_of(wanted), "big"))
        place = int(self.digests.searchsorted(digest))
        while place < len(self.digests) and self.digests[place] == digest:
            start, end = int(self.term_offsets[place]), int(self.term_offsets[place + 1])
            if self.term_bytes[start:end].tobytes() == wanted:
                return place
            place += 1
        return None

    def entries(self, place: int, field: int) -> tuple[Rows, Counts]:
        """Return the rows (ascending) and counts of the term at a position, in one field."""
        data = self.fields[field]
        start, end = int(data.offsets[place]), int(data.offsets[place + 1])
        return data.rows[start:end], data.counts(start, end)

    def rows_of(self, place: int, field: int) -> Rows:
        """Return the rows, ascending, of the term at a position, in one field."""
        data = self.fields[field]
        return data.rows[int(data.offsets[place]) : int(data.offsets[place + 1])]

    def terms_at(self, rows: npt.NDArray[np.int64], field: int) -> dict[int, list[str]]:
        """Return the terms that each of `rows` contains in one field, in the order of digests.

        Every posting of the field is read, so the field should have few postings, such as names.
        """
        data = self.fields[field]
        terms: dict[int, list[str]] = {int(row): [] for row in rows}
        wanted = np.zeros(int(rows.max(initial=0)) + 2, dtype=np.bool_)
        wanted[rows] = True
        hits = np.flatnonzero(wanted.take(data.rows, mode="clip"))  # the last element is False
        places = np.searchsorted(data.offsets, hits, side="right") - 1
        for hit, place in zip(hits.tolist(), places.tolist(), strict=True):
            start, end = int(self.term_offsets[place]), int(self.term_offsets[place + 1])
            term = self.term_bytes[start:end].tobytes().decode("utf-8", "surrogatepass")
            terms[int(data.rows[hit])].append(term)
        return terms

    def rows_with(self, term: str, fields: range) -> Rows:
        """Return the distinct rows, ascending, that contain `term` in any of `fields`."""
        lists = self._lists(term, fields)
        return union(lists) if lists else np.empty(0, dtype=np.uint32)

    def count_with(self, term: str, fields: range, visible: npt.NDArray[np.bool_]) -> int:
        """Return how many of the visible rows contain `term` in any of `fields`."""
        lists = self._lists(term, fields)
        if sum(map(len, lists)) * _MARKED_SHARE < len(visible):
            return int(np.count_nonzero(visible[union(lists)])) if lists else 0
        return int(np.count_nonzero(_marked(lists, len(visible)) & visible))

    def _lists(self, term: str, fields: range) -> list[Rows]:
        """Return the rows of `term` in each of `fields` that contains it."""
        place = self.find(term)
        if place is None:
            return []
        return [rows for number in fields if len(rows := self.rows_of(place, number))]


def _no_postings(terms: int) -> PostingField:
    """Return a field without postings, for images of earlier builds that lack the field."""
    offsets = np.zeros(terms + 1, dtype=np.uint32)
    none = np.empty(0, dtype=np.uint32)
    few = np.empty(0, dtype=np.uint8)
    return PostingField(offsets, none, few, none, np.empty(0, dtype=np.uint16))

"""Postings as compressed sparse rows: which rows hold a term, and how often.

Arrays of one posting set (prefix them to keep several in one image):

- `digests` u64 (terms,): first 8 bytes of each term's SHA-256, ascending.
- `term_offsets` u32 (terms + 1,), `term_bytes` u8: the terms' UTF-8, to verify a digest.
- `offsets<f>` u32 (terms + 1,), `rows<f>` u32, `counts<f>` u16: per field, rows ascending within
  a term.

A lookup is a binary search over digests, then a comparison of bytes, so a collision costs a
probe and never a wrong row.
"""

import hashlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ggrep.lexical.tokens import word_terms

Rows = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.uint16]
_MAX_COUNT = 65_535
_FLUSH_WORDS = 200_000
_MARKED_SHARE = 64
"""Lists that hold at least one row in so many are united by marking rows."""


def _digest(term: bytes) -> bytes:
    """Return the digest that a term is looked up by: 8 bytes, a number with its high byte first."""
    return hashlib.sha256(term).digest()[:8]


class PostingsBuilder:
    """Collects the words of (row, field) and writes the arrays.

    Words are counted many rows at a time by sorting, which costs a fraction of what a dictionary
    for each row does. About 10 bytes a posting are held until `build`.
    """

    def __init__(self, fields: int) -> None:
        self._vocabulary = _Vocabulary()
        self._columns = [_FieldColumns() for _ in range(fields)]

    def add(self, row: int, field: int, words: Iterable[str]) -> None:
        """Record the words of one field of one row, each split into its terms.

        Requires: at most one call for each (row, field), rows ascending within a field.
        """
        column = self._columns[field]
        before = len(column.words)
        column.words.extend(map(self._vocabulary.word_ids.__getitem__, words))
        column.close_row(row, len(column.words) - before)
        if len(column.words) >= _FLUSH_WORDS:
            column.flush(self._vocabulary)

    def add_terms(self, row: int, field: int, terms: Iterable[str]) -> None:
        """Record whole terms, which are not split; the same conditions hold."""
        column = self._columns[field]
        before = len(column.words)
        column.words.extend(map(self._vocabulary.whole_ids.__getitem__, terms))
        column.close_row(row, len(column.words) - before)

    def lengths(self, field: int, rows: int) -> npt.NDArray[np.uint32]:
        """Return u32 (rows,): how many terms each row holds in one field."""
        column = self._columns[field]
        column.flush(self._vocabulary)
        found = np.zeros(rows, dtype=np.uint32)
        for first, lengths in column.lengths:
            found[first : first + len(lengths)] += lengths
        return found

    def build(self, prefix: str) -> dict[str, npt.NDArray[np.generic]]:
        """Return the arrays of the module docstring, each name behind `prefix`."""
        for column in self._columns:
            column.flush(self._vocabulary)
        names = list(self._vocabulary.term_ids)
        encoded = [term.encode("utf-8", "surrogatepass") for term in names]
        digests = np.frombuffer(b"".join(map(_digest, encoded)), dtype=">u8").astype(np.uint64)
        order = np.argsort(digests, kind="stable")
        _order_collisions(digests, encoded, order)
        rank = np.empty(len(encoded), dtype=np.uint32)
        rank[order] = np.arange(len(encoded), dtype=np.uint32)
        ordered = [encoded[i] for i in order.tolist()]
        lengths = np.array([len(term) for term in ordered], dtype=np.uint32)
        arrays: dict[str, npt.NDArray[np.generic]] = {
            f"{prefix}digests": digests[order],
            f"{prefix}term_offsets": _offsets(lengths),
            f"{prefix}term_bytes": np.frombuffer(b"".join(ordered), dtype=np.uint8),
        }
        for field, column in enumerate(self._columns):
            arrays |= column.build(f"{prefix}%s{field}", rank)
        return arrays


class _Vocabulary:
    """Numbers for words and terms, and the terms of each word as compressed sparse rows."""

    def __init__(self) -> None:
        self.term_ids = _TermIds()
        self.word_ids = _WordIds(self, word_terms)
        self.whole_ids = _WordIds(self, _unsplit)
        self.starts = array("I", [0])
        self.terms = array("I")

    def register(self, terms: Iterable[str]) -> int:
        """Return a new word's number."""
        self.terms.extend(map(self.term_ids.__getitem__, terms))
        self.starts.append(len(self.terms))
        return len(self.starts) - 2


class _TermIds(dict[str, int]):
    """Term to number, in the order in which they are first seen."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class _WordIds(dict[str, int]):
    """Word to number; a word seen for the first time is split and registered."""

    def __init__(self, vocabulary: _Vocabulary, split: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._split = split

    def __missing__(self, word: str) -> int:
        number = self[word] = self._vocabulary.register(self._split(word))
        return number


def _unsplit(term: str) -> tuple[str, ...]:
    return (term,)


class _FieldColumns:
    """Words waiting to be counted, and postings already counted, of one field."""

    def __init__(self) -> None:
        self.words = array("I")
        self.lengths: list[tuple[int, npt.NDArray[np.uint32]]] = []
        self._rows = array("I")
        self._sizes = array("I")
        self._postings: list[npt.NDArray[np.uint64]] = []
        self._counts: list[Counts] = []

    def close_row(self, row: int, size: int) -> None:
        """Note that the last `size` words belong to `row`."""
        self._rows.append(row)
        self._sizes.append(size)

    def flush(self, vocabulary: _Vocabulary) -> None:
        """Count the waiting words: expand them into terms, sort (term, row), count equal runs."""
        if not self.words:
            self._rows, self._sizes = array("I"), array("I")
            return
        words = np.frombuffer(self.words, dtype=np.uint32)
        rows = np.repeat(
            np.frombuffer(self._rows, np.uint32), np.frombuffer(self._sizes, np.uint32)
        )
        starts = np.frombuffer(vocabulary.starts, dtype=np.uint32)
        first, many = starts[words], np.diff(starts)[words]
        rows = np.repeat(rows, many)
        skipped = np.cumsum(many, dtype=np.uint32) - many
        places = np.arange(len(rows), dtype=np.uint32) + np.repeat(first - skipped, many)
        terms = np.frombuffer(vocabulary.terms, dtype=np.uint32)[places]
        keys, counts = np.unique(
            (terms.astype(np.uint64) << np.uint64(32)) | rows, return_counts=True
        )
        self._postings.append(keys)
        self._counts.append(np.minimum(counts, _MAX_COUNT).astype(np.uint16))
        base = int(self._rows[0])
        self.lengths.append((base, np.bincount(rows - base).astype(np.uint32)))
        self.words, self._rows, self._sizes = array("I"), array("I"), array("I")

    def build(self, name: str, rank: npt.NDArray[np.uint32]) -> dict[str, npt.NDArray[np.generic]]:
        """Return the field's arrays, its terms in the dictionary's order."""
        keys = np.concatenate([*self._postings, np.zeros(0, np.uint64)])
        counts = np.concatenate([*self._counts, np.zeros(0, np.uint16)])
        ids = rank[(keys >> np.uint64(32)).astype(np.int64)]
        rows = keys.astype(np.uint32)
        order = np.argsort((ids.astype(np.uint64) << np.uint64(32)) | rows, kind="stable")
        per_term = np.bincount(ids, minlength=len(rank)).astype(np.uint32)
        return {
            name % "offsets": _offsets(per_term),
            name % "rows": rows[order],
            name % "counts": counts[order],
        }


def union(found: Sequence[Rows]) -> Rows:
    """Return the rows of one or more ascending lists, ascending and once each.

    Many rows are marked rather than sorted: that costs a pass, whatever their number.
    """
    if len(found) == 1:
        return found[0]
    size = max(int(rows[-1]) for rows in found) + 1
    if sum(map(len, found)) * _MARKED_SHARE < size:
        merged = np.sort(np.concatenate(found), kind="stable")
        return merged[np.concatenate(([True], merged[1:] != merged[:-1]))]
    marked = np.zeros(size, dtype=np.bool_)
    for rows in found:
        marked[rows] = True
    return np.flatnonzero(marked).astype(np.uint32)


def _order_collisions(
    digests: npt.NDArray[np.uint64], encoded: list[bytes], order: npt.NDArray[np.int64]
) -> None:
    """Put terms of equal digests in the order of their bytes, in place."""
    ordered = digests[order]
    for place in np.flatnonzero(ordered[1:] == ordered[:-1]).tolist():
        pair = sorted(order[place : place + 2].tolist(), key=lambda i: encoded[i])
        order[place : place + 2] = pair


def _offsets(lengths: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.uint32)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


@dataclass(frozen=True, slots=True)
class PostingField:
    """One field's arrays."""

    offsets: npt.NDArray[np.uint32]
    rows: Rows
    counts: Counts


@dataclass(frozen=True, slots=True)
class Postings:
    """Reader of one posting set; the arrays may be memory-mapped."""

    digests: npt.NDArray[np.uint64]
    term_offsets: npt.NDArray[np.uint32]
    term_bytes: npt.NDArray[np.uint8]
    fields: tuple[PostingField, ...]

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[np.generic]], prefix: str, fields: int
    ) -> "Postings":
        """Return the reader over the arrays that `PostingsBuilder.build(prefix)` made."""

        def get(name: str) -> npt.NDArray[np.generic]:
            return arrays[prefix + name]

        return cls(
            digests=get("digests").view(np.uint64),
            term_offsets=get("term_offsets").view(np.uint32),
            term_bytes=get("term_bytes").view(np.uint8),
            fields=tuple(
                PostingField(
                    get(f"offsets{field}").view(np.uint32),
                    get(f"rows{field}").view(np.uint32),
                    get(f"counts{field}").view(np.uint16),
                )
                for field in range(fields)
            ),
        )

    def find(self, term: str) -> int | None:
        """Return the term's place in the dictionary, or None."""
        wanted = term.encode("utf-8", "surrogatepass")
        digest = np.uint64(int.from_bytes(_digest(wanted), "big"))
        place = int(np.searchsorted(self.digests, digest))
        while place < len(self.digests) and self.digests[place] == digest:
            start, end = int(self.term_offsets[place]), int(self.term_offsets[place + 1])
            if self.term_bytes[start:end].tobytes() == wanted:
                return place
            place += 1
        return None

    def entries(self, place: int, field: int) -> tuple[Rows, Counts]:
        """Return the rows (ascending) and counts of a found term in one field."""
        data = self.fields[field]
        start, end = int(data.offsets[place]), int(data.offsets[place + 1])
        return data.rows[start:end], data.counts[start:end]

    def within(self, place: int, fields: range, starts: Rows, ends: Rows) -> npt.NDArray[np.bool_]:
        """Return, for each range of rows, whether a row in it holds a found term in `fields`."""
        held = np.zeros(len(starts), dtype=np.bool_)
        for field in fields:
            rows, _ = self.entries(place, field)
            if len(rows):
                # Keys of the rows' own type: others would have all rows copied.
                held |= np.searchsorted(rows, starts) < np.searchsorted(rows, ends)
        return held

    def rows_with(self, term: str, fields: range) -> Rows:
        """Return the rows, ascending and once each, that hold `term` in any of `fields`."""
        place = self.find(term)
        if place is None:
            return np.empty(0, dtype=np.uint32)
        found = [rows for field in fields if len(rows := self.entries(place, field)[0])]
        return union(found) if found else np.empty(0, dtype=np.uint32)

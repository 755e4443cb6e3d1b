"""Builds postings from words: see `ggrep.index.lexical.postings` for the arrays."""

from array import array
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from ggrep.index.lexical.postings import Counts, digest_of
from ggrep.index.lexical.tokens import length_of, word_terms

_MAX_COUNT = 65_535
_MANY = 255
_NARROW_ROWS = 65_535
_FLUSH_WORDS = 200_000
_ROW_BITS = np.uint64(32)
_ROW_MASK = np.uint64(0xFFFF_FFFF)
_RANKED_AT_ONCE = 1 << 20
"""Postings whose terms are put in the dictionary's order at once: all together, their numbers would
take more memory than everything else that a segment is built from."""


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
        """Return u32 (rows,): how many terms each row holds in one field (`tokens.length_of`)."""
        column = self._columns[field]
        column.flush(self._vocabulary)
        found = np.zeros(rows, dtype=np.uint32)
        for first, lengths in column.lengths:
            found[first : first + len(lengths)] += lengths
        return found

    def build(self, prefix: str) -> dict[str, npt.NDArray[np.generic]]:
        """Return the arrays of the module docstring, one-dimensional, each name behind `prefix`."""
        for column in self._columns:
            column.flush(self._vocabulary)
        names = list(self._vocabulary.term_ids)
        encoded = [term.encode("utf-8", "surrogatepass") for term in names]
        digests = np.frombuffer(b"".join(map(digest_of, encoded)), dtype=">u8").astype(np.uint64)
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
        rows = max((column.rows for column in self._columns), default=0)
        kind = np.uint16 if rows <= _NARROW_ROWS else np.uint32
        for field, column in enumerate(self._columns):
            arrays |= column.build(f"{prefix}%s{field}", rank, kind)
        return arrays


class _Vocabulary:
    """Numbers for words and terms, and the terms of each word as compressed sparse rows."""

    def __init__(self) -> None:
        self.term_ids = _TermIds()
        self.word_ids = _WordIds(self, word_terms)
        self.whole_ids = _WordIds(self, _unsplit)
        self.starts = array("I", [0])
        self.terms = array("I")
        self.lengths = array("I")

    def register(self, terms: Iterable[str], length: int) -> int:
        """Return a new word's number."""
        self.lengths.append(length)
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
        terms = self._split(word)
        number = self[word] = self._vocabulary.register(terms, length_of(word, terms))
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
        base = int(self._rows[0])
        lengths = np.frombuffer(vocabulary.lengths, dtype=np.uint32)[words]
        self.lengths.append((base, np.bincount(rows - base, lengths).astype(np.uint32)))
        starts = np.frombuffer(vocabulary.starts, dtype=np.uint32)
        first, many = starts[words], np.diff(starts)[words]
        rows = np.repeat(rows, many)
        skipped = np.cumsum(many, dtype=np.uint32) - many
        places = np.arange(len(rows), dtype=np.uint32) + np.repeat(first - skipped, many)
        terms = np.frombuffer(vocabulary.terms, dtype=np.uint32)[places]
        keys, counts = np.unique((terms.astype(np.uint64) << _ROW_BITS) | rows, return_counts=True)
        self._postings.append(keys)
        self._counts.append(np.minimum(counts, _MAX_COUNT).astype(np.uint16))
        self.words, self._rows, self._sizes = array("I"), array("I"), array("I")

    @property
    def rows(self) -> int:
        """Return one more than the last row that holds a counted word; 0 without any."""
        return max((first + len(lengths) for first, lengths in self.lengths), default=0)

    def build(
        self,
        name: str,
        rank: npt.NDArray[np.uint32],
        kind: type[np.uint16] | type[np.uint32],
    ) -> dict[str, npt.NDArray[np.generic]]:
        """Return the field's arrays, its terms in the dictionary's order and rows of `kind`."""
        keys = np.concatenate([*self._postings, np.zeros(0, np.uint64)])
        counts = np.concatenate([*self._counts, np.zeros(0, np.uint16)])
        self._postings, self._counts = [], []
        for start in range(0, len(keys), _RANKED_AT_ONCE):
            part = keys[start : start + _RANKED_AT_ONCE]
            ranks = rank[(part >> _ROW_BITS).astype(np.int64)].astype(np.uint64)
            part[:] = (ranks << _ROW_BITS) | (part & _ROW_MASK)
        order = np.argsort(keys)  # no two are equal
        keys, counts = keys[order], counts[order]
        del order
        terms = np.arange(len(rank) + 1, dtype=np.uint64) << _ROW_BITS
        often = np.flatnonzero(counts >= _MANY).astype(np.uint32)
        return {
            name % "offsets": np.searchsorted(keys, terms).astype(np.uint32),
            name % "rows": (keys & _ROW_MASK).astype(kind),
            name % "counts": np.minimum(counts, _MANY).astype(np.uint8),
            name % "often": often,
            name % "frequent": counts[often],
        }


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

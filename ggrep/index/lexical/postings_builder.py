"""Builds postings from words; `ggrep.index.lexical.postings` describes the arrays."""

import sys
from array import array
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.index.lexical.postings import Counts, digest_of
from ggrep.index.lexical.tokens import length_of, word_terms

_MAX_COUNT = 65_535
_MANY = 255
_NARROW_ROWS = 65_535
_FLUSH_WORDS = 200_000
_ROW_BITS = np.uint64(32)
_ROW_MASK = np.uint64(0xFFFF_FFFF)
_RANKED_AT_ONCE = 1 << 20
"""Number of postings whose terms are put in the dictionary's order at a time.

For all postings at once, this would take more memory than everything else that is needed to build a
segment.
"""


class FieldPart(Struct, frozen=True, array_like=True):
    """The counted words of one field in consecutive rows, as bytes of little-endian arrays.

    Attributes:
        keys: u64, position of the term in `PostingsPart.terms` << 32 | row.
        counts: u16, one per key.
        lengths: a first row, and the u32 lengths of this row and the following ones.
    """

    keys: bytes
    counts: bytes
    lengths: list[tuple[int, bytes]]


class PostingsPart(Struct, frozen=True, array_like=True):
    """The postings of consecutive rows, numbered from 0."""

    terms: list[bytes]
    fields: list[FieldPart]


class PostingsBuilder:
    """Collects the words of each row and field, and builds the arrays.

    Words are counted for many rows at a time by sorting, which is several times faster than a
    dictionary for each row. Until `build`, a posting takes about 10 bytes.
    """

    def __init__(self, fields: int, vocabulary: "Vocabulary | None" = None) -> None:
        """Begin empty; the words of a `vocabulary` from earlier parts are not split again."""
        self._vocabulary = vocabulary or Vocabulary()
        self._most_waiting = sys.maxsize if vocabulary else _FLUSH_WORDS
        self._columns = [_FieldColumns() for _ in range(fields)]

    def add(self, row: int, field: int, words: Iterable[str]) -> None:
        """Record the words of one field of one row, each split into its terms.

        Requires: at most one call for each (row, field), rows ascending within a field.
        """
        column = self._columns[field]
        before = len(column.words)
        column.words.extend(map(self._vocabulary.word_ids.__getitem__, words))
        column.close_row(row, len(column.words) - before)
        if len(column.words) >= self._most_waiting:
            column.flush(self._vocabulary)

    def add_terms(self, row: int, field: int, terms: Iterable[str]) -> None:
        """Record whole terms, which are not split; the requirements are those of `add`."""
        column = self._columns[field]
        before = len(column.words)
        column.words.extend(map(self._vocabulary.whole_ids.__getitem__, terms))
        column.close_row(row, len(column.words) - before)

    def words_of(self, field: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return the words that are not counted yet: their numbers, and the row of each word."""
        return self._columns[field].waiting()

    def part(self) -> PostingsPart:
        """Return all recorded postings; the builder cannot be used afterwards."""
        counted = [column.take(self._vocabulary) for column in self._columns]
        keys = np.concatenate([keys for keys, _, _ in counted])
        numbers = np.flatnonzero(np.bincount((keys >> _ROW_BITS).astype(np.intp)))
        places = np.zeros(len(self._vocabulary.terms_in_order), dtype=np.uint64)
        places[numbers] = np.arange(len(numbers), dtype=np.uint64)
        names = self._vocabulary.terms_in_order
        return PostingsPart(
            terms=[names[number].encode("utf-8", "surrogatepass") for number in numbers.tolist()],
            fields=[
                FieldPart(
                    _renumbered(keys, places, 0).tobytes(),
                    counts.tobytes(),
                    [(first, values.tobytes()) for first, values in lengths],
                )
                for keys, counts, lengths in counted
            ],
        )

    def add_part(self, part: PostingsPart, first_row: int) -> None:
        """Add the postings of consecutive rows that begin with `first_row`."""
        names = [term.decode("utf-8", "surrogatepass") for term in part.terms]
        numbers = np.fromiter(
            map(self._vocabulary.term_ids.__getitem__, names), np.uint64, len(names)
        )
        for column, field in zip(self._columns, part.fields, strict=True):
            keys = _renumbered(np.frombuffer(field.keys, np.uint64), numbers, first_row)
            lengths = [
                (first + first_row, np.frombuffer(values, np.uint32))
                for first, values in field.lengths
            ]
            column.add(keys, np.frombuffer(field.counts, np.uint16), lengths)

    def lengths(self, field: int, rows: int) -> npt.NDArray[np.uint32]:
        """Return u32 (rows,): the length of each row in one field (sum of `tokens.length_of`)."""
        column = self._columns[field]
        column.flush(self._vocabulary)
        totals = np.zeros(rows, dtype=np.uint32)
        for first, lengths in column.lengths:
            totals[first : first + len(lengths)] += lengths
        return totals

    def build(self, prefix: str) -> dict[str, npt.NDArray[np.generic]]:
        """Return the one-dimensional arrays of a posting set, with `prefix` before their names."""
        for column in self._columns:
            column.flush(self._vocabulary)
        names = self._vocabulary.terms_in_order
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
            arrays |= column.build(f"{prefix}%s{field}", self._vocabulary, rank, kind)
        return arrays


class Vocabulary:
    """Maps words and terms to numbers; contains the terms of each word as compressed sparse rows.

    Attributes:
        terms_in_order: the terms in the order of their numbers.
    """

    def __init__(self) -> None:
        self.terms_in_order: list[str] = []
        self.term_ids = _TermIds(self.terms_in_order)
        self.word_ids = _WordIds(self, word_terms)
        self.whole_ids = _WordIds(self, _unsplit)
        self.starts = array("I", [0])
        self.terms = array("I")
        self.lengths = array("I")

    def register(self, terms: Iterable[str], length: int) -> int:
        """Add a new word with its terms; return the word's number."""
        self.lengths.append(length)
        self.terms.extend(map(self.term_ids.__getitem__, terms))
        self.starts.append(len(self.terms))
        return len(self.starts) - 2

    def expand(
        self, words: npt.NDArray[np.uint32], rows: npt.NDArray[np.uint32]
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return the terms of words, and the row of each term."""
        starts = np.frombuffer(self.starts, dtype=np.uint32)
        first, many = starts[words], np.diff(starts)[words]
        rows = np.repeat(rows, many)
        skipped = np.cumsum(many, dtype=np.uint32) - many
        places = np.arange(len(rows), dtype=np.uint32) + np.repeat(first - skipped, many)
        terms: npt.NDArray[np.uint32] = np.frombuffer(self.terms, dtype=np.uint32)[places]
        return terms, rows


class _TermIds(dict[str, int]):
    """Maps terms to numbers, in the order of their first occurrence."""

    def __init__(self, in_order: list[str]) -> None:
        super().__init__()
        self._in_order = in_order

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        self._in_order.append(term)
        return number


class _WordIds(dict[str, int]):
    """Maps words to numbers; at its first occurrence a word is split and registered."""

    def __init__(self, vocabulary: Vocabulary, split: Callable[[str], tuple[str, ...]]) -> None:
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
    def __init__(self) -> None:
        self.words = array("I")
        self.lengths: list[tuple[int, npt.NDArray[np.uint32]]] = []
        self._rows = array("I")
        self._sizes = array("I")
        self._postings: list[npt.NDArray[np.uint64]] = []
        self._counts: list[Counts] = []

    def close_row(self, row: int, size: int) -> None:
        """Record that the last `size` words belong to `row`."""
        self._rows.append(row)
        self._sizes.append(size)

    def waiting(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return the uncounted words and the row of each word."""
        words = np.array(self.words, dtype=np.uint32)
        return words, np.repeat(np.array(self._rows, np.uint32), np.array(self._sizes, np.uint32))

    def flush(self, vocabulary: Vocabulary) -> None:
        """Count the waiting words: expand words into terms, sort (term, row), count equal pairs."""
        if self.words:
            words, rows = self.waiting()
            base = int(rows[0])
            lengths = np.frombuffer(vocabulary.lengths, dtype=np.uint32)[words]
            sums = np.bincount(rows - base, lengths).astype(np.uint32)
            terms, rows = vocabulary.expand(words, rows)
            keys = (terms.astype(np.uint64) << _ROW_BITS) | rows
            keys.sort()
            starts = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
            counts = np.diff(starts, append=len(keys))
            self.add(keys[starts], np.minimum(counts, _MAX_COUNT).astype(np.uint16), [(base, sums)])
        self.words, self._rows, self._sizes = array("I"), array("I"), array("I")

    def add(
        self,
        keys: npt.NDArray[np.uint64],
        counts: Counts,
        lengths: list[tuple[int, npt.NDArray[np.uint32]]],
    ) -> None:
        """Add counted postings: (term << 32 | row) with counts, and the lengths of rows."""
        self._postings.append(keys)
        self._counts.append(counts)
        self.lengths += lengths

    def take(
        self, vocabulary: Vocabulary
    ) -> tuple[npt.NDArray[np.uint64], Counts, list[tuple[int, npt.NDArray[np.uint32]]]]:
        """Remove all postings and return them, in the form of `add`'s arguments."""
        self.flush(vocabulary)
        keys = np.concatenate([*self._postings, np.zeros(0, np.uint64)])
        counts = np.concatenate([*self._counts, np.zeros(0, np.uint16)])
        self._postings, self._counts = [], []
        return keys, counts, self.lengths

    @property
    def rows(self) -> int:
        """Return one more than the last row with a counted word; 0 if there is none."""
        return max((first + len(lengths) for first, lengths in self.lengths), default=0)

    def build(
        self,
        name: str,
        vocabulary: Vocabulary,
        rank: npt.NDArray[np.uint32],
        kind: type[np.uint16] | type[np.uint32],
    ) -> dict[str, npt.NDArray[np.generic]]:
        """Return the field's arrays, with terms in the order of `rank` and rows of type `kind`."""
        keys, counts, _ = self.take(vocabulary)
        for start in range(0, len(keys), _RANKED_AT_ONCE):
            part = keys[start : start + _RANKED_AT_ONCE]
            ranks = rank[(part >> _ROW_BITS).astype(np.int64)].astype(np.uint64)
            part[:] = (ranks << _ROW_BITS) | (part & _ROW_MASK)
        counts = counts[np.argsort(keys)]  # keys are distinct
        keys.sort()
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
    """Sort terms of equal digests by their bytes, in place."""
    ordered = digests[order]
    for place in np.flatnonzero(ordered[1:] == ordered[:-1]).tolist():
        pair = sorted(order[place : place + 2].tolist(), key=lambda i: encoded[i])
        order[place : place + 2] = pair


def _renumbered(
    keys: npt.NDArray[np.uint64], numbers: npt.NDArray[np.uint64], first_row: int
) -> npt.NDArray[np.uint64]:
    """Return keys with the terms' new numbers, and with rows counted from `first_row`."""
    terms = numbers[(keys >> _ROW_BITS).astype(np.int64)]
    renumbered: npt.NDArray[np.uint64] = (terms << _ROW_BITS) | (keys & _ROW_MASK)
    return renumbered + np.uint64(first_row)


def _offsets(lengths: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.uint32)
    np.cumsum(lengths, out=offsets[1:])
    return offsets

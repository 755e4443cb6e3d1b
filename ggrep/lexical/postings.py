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
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.uint16]
_MAX_COUNT = 65_535


def term_digest(term: str) -> int:
    """Return the 64-bit digest that a term is looked up by."""
    return int.from_bytes(hashlib.sha256(term.encode("utf-8", "surrogatepass")).digest()[:8], "big")


class PostingsBuilder:
    """Collects (row, field, term, count) in any row order and writes the arrays.

    Costs about 11 bytes a posting until `build`.
    """

    def __init__(self, fields: int) -> None:
        self._terms: dict[str, int] = {}
        self._ids = [array("I") for _ in range(fields)]
        self._rows = [array("I") for _ in range(fields)]
        self._counts = [array("H") for _ in range(fields)]

    def add(self, row: int, field: int, counts: Mapping[str, int]) -> None:
        """Record the terms of one field of one row; call once for each (row, field)."""
        terms = self._terms
        ids, numbers = self._ids[field], self._counts[field]
        for term, number in counts.items():
            ids.append(terms.setdefault(term, len(terms)))
            numbers.append(min(number, _MAX_COUNT))
        self._rows[field].extend(array("I", [row]) * len(counts))

    def build(self, prefix: str) -> dict[str, npt.NDArray[np.generic]]:
        """Return the arrays of the module docstring, each name behind `prefix`."""
        encoded = [term.encode("utf-8", "surrogatepass") for term in self._terms]
        digests = np.array([term_digest(term) for term in self._terms], dtype=np.uint64)
        order = np.array(
            sorted(range(len(encoded)), key=lambda i: (digests[i], encoded[i])), dtype=np.int64
        )
        rank = np.empty(len(encoded), dtype=np.uint32)
        rank[order] = np.arange(len(encoded), dtype=np.uint32)
        lengths = np.array([len(encoded[i]) for i in order], dtype=np.uint32)
        arrays: dict[str, npt.NDArray[np.generic]] = {
            f"{prefix}digests": digests[order],
            f"{prefix}term_offsets": _offsets(lengths),
            f"{prefix}term_bytes": np.frombuffer(
                b"".join(encoded[i] for i in order), dtype=np.uint8
            ),
        }
        for field in range(len(self._ids)):
            arrays |= self._build_field(prefix, field, rank)
        return arrays

    def _build_field(
        self, prefix: str, field: int, rank: npt.NDArray[np.uint32]
    ) -> dict[str, npt.NDArray[np.generic]]:
        ids = rank[np.frombuffer(self._ids[field], dtype=np.uint32).astype(np.int64)]
        rows = np.frombuffer(self._rows[field], dtype=np.uint32)
        order = np.argsort((ids.astype(np.uint64) << np.uint64(32)) | rows, kind="stable")
        per_term = np.bincount(ids, minlength=len(rank)).astype(np.uint32)
        return {
            f"{prefix}offsets{field}": _offsets(per_term),
            f"{prefix}rows{field}": rows[order],
            f"{prefix}counts{field}": np.frombuffer(self._counts[field], dtype=np.uint16)[order],
        }


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
        digest = np.uint64(term_digest(term))
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

    def rows_with(self, term: str, fields: range) -> Rows:
        """Return the rows, ascending and once each, that hold `term` in any of `fields`."""
        place = self.find(term)
        if place is None:
            return np.empty(0, dtype=np.uint32)
        found = [rows for field in fields if len(rows := self.entries(place, field)[0])]
        if len(found) == 1:
            return found[0]
        if not found:
            return np.empty(0, dtype=np.uint32)
        return np.unique(np.concatenate(found))

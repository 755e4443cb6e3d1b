"""Merges posting sets over disjoint rows, array by array, without splitting words again."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ggrep.index.lexical.postings import PostingField, Postings

_MANY = 255
_Ints = npt.NDArray[np.int64]


class DigestsCollide(ValueError):
    """Two terms have the same digest; merging cannot distinguish them."""


def merge_postings(
    sets: Sequence[Postings], first_rows: Sequence[int], prefix: str
) -> dict[str, npt.NDArray[np.generic]]:
    """Return the arrays of the merged posting set, see `ggrep.index.lexical.postings`.

    Time and memory are linear in the number of postings. The postings of a term are those of the
    first set, then those of the second, and so on, so positions are computed from counts.

    Args:
        sets: at least one set; all have the same number of fields.
        first_rows: for each set, the number that its row 0 has in the merged set; ascending.
        prefix: prefix of the arrays' names.

    Raises:
        DigestsCollide: two different terms have one digest.
    """
    digests = np.unique(np.concatenate([each.digests for each in sets]))
    places = [np.searchsorted(digests, each.digests) for each in sets]
    offsets, text = _terms(sets, places, len(digests))
    arrays: dict[str, npt.NDArray[np.generic]] = {
        f"{prefix}digests": digests,
        f"{prefix}term_offsets": offsets,
        f"{prefix}term_bytes": text,
    }
    for number in range(len(sets[0].fields)):
        fields = [each.fields[number] for each in sets]
        arrays |= _merged_field(fields, places, first_rows, len(digests), f"{prefix}%s{number}")
    return arrays


def _terms(
    sets: Sequence[Postings], places: Sequence[_Ints], number: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Return offsets and bytes of the merged terms; raise if terms with one digest differ."""
    lengths = np.zeros(number, dtype=np.int64)
    for each, positions in zip(sets, places, strict=True):
        lengths[positions] = _sizes(each.term_offsets)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    text = np.zeros(int(offsets[-1]), dtype=np.uint8)
    for each, positions in zip(sets, places, strict=True):
        if (np.diff(positions) <= 0).any():
            raise DigestsCollide
        own_lengths = _sizes(each.term_offsets)
        if (lengths[positions] != own_lengths).any():
            raise DigestsCollide
        text[_spread(offsets[positions], own_lengths)] = each.term_bytes
    for each, positions in zip(sets, places, strict=True):
        if (text[_spread(offsets[positions], lengths[positions])] != each.term_bytes).any():
            raise DigestsCollide
    return offsets.astype(np.uint32), text


def _merged_field(
    fields: Sequence[PostingField],
    places: Sequence[_Ints],
    first_rows: Sequence[int],
    terms: int,
    name: str,
) -> dict[str, npt.NDArray[np.generic]]:
    counts = [_sizes(field.offsets) for field in fields]
    every = np.zeros(terms, dtype=np.int64)
    for positions, number in zip(places, counts, strict=True):
        every[positions] += number
    offsets = np.concatenate(([0], np.cumsum(every)))
    rows = np.zeros(int(offsets[-1]), dtype=np.uint32)
    few = np.zeros(len(rows), dtype=np.uint8)
    often: list[_Ints] = [np.zeros(0, np.int64)]
    frequent: list[npt.NDArray[np.uint16]] = [np.zeros(0, np.uint16)]
    cursor = offsets[:-1].copy()
    for field, positions, number, first in zip(fields, places, counts, first_rows, strict=True):
        targets = _spread(cursor[positions], number)
        cursor[positions] += number
        rows[targets] = field.rows.astype(np.uint32) + np.uint32(first)
        values = field.counts(0, len(field.rows))
        few[targets] = np.minimum(values, _MANY)
        many = np.flatnonzero(values >= _MANY)
        often.append(targets[many])
        frequent.append(values[many].astype(np.uint16))
    places_often = np.concatenate(often)
    order = np.argsort(places_often)
    return {
        name % "offsets": offsets.astype(np.uint32),
        name % "rows": rows,
        name % "counts": few,
        name % "often": places_often[order].astype(np.uint32),
        name % "frequent": np.concatenate(frequent)[order],
    }


def _sizes(offsets: npt.NDArray[np.uint32]) -> _Ints:
    plain = offsets.astype(np.int64)
    return plain[1:] - plain[:-1]


def _spread(starts: _Ints, lengths: _Ints) -> _Ints:
    """Return all positions in the ranges, one range after the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))

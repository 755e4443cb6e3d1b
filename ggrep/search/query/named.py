"""Computes from postings how well rows define the names that a query spells.

Names are compared as they are spelled: `Timeout` is not `timeout`. The row's own name counts more
than names of members in the row; a class or a function counts more than a constant. The postings'
symbol and spelled fields and the row's type contain this information, so no table is read.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.index.lexical.layout import CRUMB, PATH, SPELLED, SYMBOL
from ggrep.index.lexical.postings import Postings, Rows, union
from ggrep.index.lexical.tokens import folded_name, whole_terms
from ggrep.model.files import DEFINING
from ggrep.search.query.segments import SearchableSegment

Scores = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

_MEANING: Final = frozenset(DEFINING) - {"constant"}
"""Types of rows that define a name's meaning, such as classes and functions."""

EXACT_DEFINITION: Final = 1.0
"""Share of a row that is the name's definition, in the query's letter case."""
EXACT_MEMBER: Final = 0.6
"""Share of a constant with the name, or of a row with a member of the name."""
FOLDED_DEFINITION: Final = 0.4
"""Share of a definition in another letter case, which is another name or a typing error."""
FOLDED_MEMBER: Final = 0.2
_PARTS: Final = 0.25
"""Factor of the shares of rows that define only a part of the name."""
_UNOWNED: Final = 0.4
"""Factor of a definition of `b` outside of any `a`, if the query is `a.b`."""
_MOST_PARTS: Final = 16
"""Last parts of a qualified name that are compared; each costs several lookups in a segment."""


class Defining(Struct, frozen=True):
    """Rows that define a name.

    Attributes:
        rows: ascending.
        shares: how well each row defines the name, above 0 to 1.
        exact: whether each row is the definition, in the query's spelling.
    """

    rows: Places
    shares: Scores
    exact: npt.NDArray[np.bool_]


def defining(segment: SearchableSegment, name: str) -> Defining:
    """Return the rows that define a name, in any letter case, and how well.

    For `a.b`, rows that define `b` have a higher share if the owner `a` encloses them, is defined
    in the same row or occurs in their path.
    """
    *owners, last = name.split(".")[-_MOST_PARTS:]
    rows, counts = _entries(segment.row_postings, folded_name(last), SYMBOL)
    if not len(rows):
        return Defining(rows, np.zeros(0), np.zeros(0, np.bool_))
    image = segment.image
    spelled, spelled_counts = _entries(segment.row_postings, last, SPELLED)
    same = np.isin(rows, spelled)
    is_named = counts > 1
    is_named_exactly = np.isin(rows, spelled[spelled_counts > 1])
    kinds = np.array([kind in _MEANING for kind in image.types] or [False])
    defines = kinds[image.row_types[rows]]
    shares = np.where(is_named & defines, FOLDED_DEFINITION, FOLDED_MEMBER)
    shares[same] = EXACT_MEMBER
    exact = is_named_exactly & defines
    shares[exact] = EXACT_DEFINITION
    if owners:
        share = _owned(segment, rows, owners)
        share[np.isin(rows, _entries(segment.row_postings, name, SPELLED)[0])] = 1.0
        shares *= _UNOWNED + (1.0 - _UNOWNED) * share
        exact &= share == 1.0
    return Defining(rows, shares, exact)


def _owned(segment: SearchableSegment, rows: Places, owners: Sequence[str]) -> Scores:
    """Return, for each row, the share of `owners` that enclose it or that its path contains."""
    counts = np.zeros(len(rows), dtype=np.float64)
    files = segment.image.row_files[rows]
    for owner in owners:
        name = folded_name(owner)
        in_owner = np.isin(rows, segment.row_postings.rows_with(name, range(SYMBOL, SYMBOL + 1)))
        for places, postings, field in (
            (rows, segment.row_postings, CRUMB),
            (files, segment.file_postings, PATH),
        ):
            terms = whole_terms(owner) or (name,)
            lists = [postings.rows_with(term, range(field, field + 1)) for term in terms]
            in_owner |= np.logical_and.reduce([np.isin(places, each) for each in lists])
        counts += in_owner
    return counts / len(owners)


def _entries(postings: Postings, term: str, field: int) -> tuple[Places, Places]:
    place = postings.find(term)
    if place is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows, counts = postings.entries(place, field)
    return rows.astype(np.int64), counts.astype(np.int64)


class RowShares(Struct, frozen=True):
    """Rows, ascending, with shares above 0 to 1; the share of all other rows is 0."""

    rows: Places
    shares: Scores

    def among(self, rows: Places) -> Scores:
        """Return the share of each of some ascending rows."""
        shares = np.zeros(len(rows))
        places = np.searchsorted(rows, self.rows)
        present = places < len(rows)
        present[present] = rows[places[present]] == self.rows[present]
        shares[places[present]] = self.shares[present]
        return shares


def summed(shares: Sequence[tuple[Rows, float]]) -> RowShares:
    """Return the sum of each row's shares, added in the passed order; the rows are ascending."""
    shares = [each for each in shares if len(each[0])]
    every = union([rows for rows, _ in shares]) if shares else np.zeros(0, np.uint32)
    scores = np.zeros(len(every))
    for rows, share in shares:
        scores[np.searchsorted(every, rows)] += share
    return RowShares(every.astype(np.int64), scores)


def name_scores(segment: SearchableSegment, name: str, parts: RowShares) -> RowShares:
    """Return how well rows define a whole name; rows that define only parts of the name count less.

    Args:
        segment: the segment of the rows.
        name: the name, its parts joined by dots.
        parts: idf of the query's names that each row defines, as a share of all terms' idf.
    """
    definitions = defining(segment, name)
    rows = np.union1d(parts.rows, definitions.rows)
    shares = _PARTS * parts.among(rows)
    shares[np.searchsorted(rows, definitions.rows)] = definitions.shares
    return RowShares(rows, shares)


def files_defining(segment: SearchableSegment, names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the files that define a name in its exact spelling; a file can occur repeatedly."""
    files = [np.zeros(0, np.int64)]
    for name in names:
        rows = defining(segment, name)
        files.append(segment.image.row_files[rows.rows[rows.exact]].astype(np.int64))
    return np.concatenate(files)

"""How well rows define the names that a query spells, by their postings alone.

A name is compared as it is spelled: `Timeout` is another one than `timeout`. What a row itself is
called counts more than what it holds beside, and a class or a function more than a constant. All
of that stands in the symbol and spelled fields and in the row's type, so that no table is read.
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
"""Types of rows that define what a name means; a constant, a field or a heading only bears it."""

SPELLED_OWN: Final = 1.0
"""Share of a row that is the definition, in the letter case of the query."""
SPELLED_HELD: Final = 0.6
"""A constant of that name, or a row that holds a member of it."""
FOLDED_OWN: Final = 0.4
"""The definition of the name in another letter case: another name, or one typed in haste."""
FOLDED_HELD: Final = 0.2
_PARTS: Final = 0.25
"""What a row counts that defines an owner alone."""
_UNOWNED: Final = 0.4
"""What is left of `a.b` where a `b` is defined, and not in any `a`."""


class Defining(Struct, frozen=True):
    """Rows that define a name.

    Attributes:
        rows: ascending.
        shares: of each row, how well it does, above 0 to 1.
        exact: of each row, whether it is that definition, in the spelling asked for.
    """

    rows: Places
    shares: Scores
    exact: npt.NDArray[np.bool_]


def defining(segment: SearchableSegment, name: str) -> Defining:
    """Return the rows that define a name, whatever its letter case, and how well.

    Of `a.b` the rows that define `b` count by the share of owners that enclose them, lie in the
    row beside it or name a directory or the file.
    """
    *owners, last = name.split(".")
    rows, counts = _entries(segment.row_postings, folded_name(last), SYMBOL)
    if not len(rows):
        return Defining(rows, np.zeros(0), np.zeros(0, np.bool_))
    image = segment.image
    spelled, held = _entries(segment.row_postings, last, SPELLED)
    same = np.isin(rows, spelled)
    own = counts > 1
    own_spelled = np.isin(rows, spelled[held > 1])
    kinds = np.array([kind in _MEANING for kind in image.types] or [False])
    defines = kinds[image.row_types[rows]]
    shares = np.where(own & defines, FOLDED_OWN, FOLDED_HELD)
    shares[same] = SPELLED_HELD
    exact = own_spelled & defines
    shares[exact] = SPELLED_OWN
    if owners:
        share = _owned(segment, rows, owners)
        share[np.isin(rows, _entries(segment.row_postings, name, SPELLED)[0])] = 1.0
        shares *= _UNOWNED + (1.0 - _UNOWNED) * share
        exact &= share == 1.0
    return Defining(rows, shares, exact)


def _owned(segment: SearchableSegment, rows: Places, owners: Sequence[str]) -> Scores:
    """Return, for each row, the share of `owners` that it is defined in."""
    found = np.zeros(len(rows), dtype=np.float64)
    files = segment.image.row_files[rows]
    for owner in owners:
        name = folded_name(owner)
        held = np.isin(rows, segment.row_postings.rows_with(name, range(SYMBOL, SYMBOL + 1)))
        for places, postings, field in (
            (rows, segment.row_postings, CRUMB),
            (files, segment.file_postings, PATH),
        ):
            terms = whole_terms(owner) or (name,)
            lists = [postings.rows_with(term, range(field, field + 1)) for term in terms]
            held |= np.logical_and.reduce([np.isin(places, each) for each in lists])
        found += held
    return found / len(owners)


def _entries(postings: Postings, term: str, field: int) -> tuple[Places, Places]:
    place = postings.find(term)
    if place is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows, counts = postings.entries(place, field)
    return rows.astype(np.int64), counts.astype(np.int64)


class RowShares(Struct, frozen=True):
    """Rows, ascending, with shares above 0 to 1; all others have none."""

    rows: Places
    shares: Scores

    def among(self, rows: Places) -> Scores:
        """Return the shares of ascending rows, of which these are some."""
        shares = np.zeros(len(rows))
        places = np.searchsorted(rows, self.rows)
        present = places < len(rows)
        present[present] = rows[places[present]] == self.rows[present]
        shares[places[present]] = self.shares[present]
        return shares


def summed(shares: Sequence[tuple[Rows, float]]) -> RowShares:
    """Return the sums of the shares of ascending rows, added in the order given."""
    shares = [each for each in shares if len(each[0])]
    every = union([rows for rows, _ in shares]) if shares else np.zeros(0, np.uint32)
    scores = np.zeros(len(every))
    for rows, share in shares:
        scores[np.searchsorted(every, rows)] += share
    return RowShares(every.astype(np.int64), scores)


def name_scores(segment: SearchableSegment, name: str, parts: RowShares) -> RowShares:
    """Return how well rows define the name that a query is; all else is its parts'.

    Args:
        segment: whose rows are looked at.
        name: its parts joined by dots.
        parts: how much of the query's weight rows define.
    """
    found = defining(segment, name)
    rows = np.union1d(parts.rows, found.rows)
    shares = _PARTS * parts.among(rows)
    shares[np.searchsorted(rows, found.rows)] = found.shares
    return RowShares(rows, shares)


def files_defining(segment: SearchableSegment, names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the files that define one of the names as it is spelled; some of them twice."""
    found = [np.zeros(0, np.int64)]
    for name in names:
        rows = defining(segment, name)
        found.append(segment.image.row_files[rows.rows[rows.exact]].astype(np.int64))
    return np.concatenate(found)

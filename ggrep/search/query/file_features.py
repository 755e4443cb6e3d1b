"""The features of a file for the learned correction, from the query, the file and the collection.

No feature depends on another file or on filters, so a feature is the same however the collection is
divided into segments or repositories. Features are computed by sums, products and quotients in a
fixed order, so their bits are the same on every processor.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.cache import CacheKey
from ggrep.index.lexical.bm25 import inverse_document_frequency
from ggrep.index.lexical.layout import (
    BODY,
    CRUMB,
    DOC,
    FILE_FIELDS,
    NAME,
    PATH,
    SCORED_FIELDS,
    STEM,
)
from ggrep.index.lexical.postings import PostingField, Postings
from ggrep.index.lexical.tokens import spelled_words
from ggrep.model.files import TEST
from ggrep.model.request import CollectionStatistics
from ggrep.search.query.score import DECIMALS, DEFINITIONS, SegmentScores
from ggrep.search.query.segments import SearchableSegment, spread
from ggrep.search.query.understand import ParsedQuery

Figures = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

PARTS: Final = ("text", "file", "path", "stem", "symbol", "dense", "dense_file", "prior")
"""Parts of the score that are features: for each part, the highest value among the file's rows."""
_ALIKE: Final = frozenset({"file", "path", "stem", "dense_file"})
"""Parts with the same value for all rows of a file."""

_OF_WORDS: Final = (
    *("held", "held_name", "held_crumb", "held_doc", "held_path", "held_stem"),
    *("held_anywhere", "held_count", "held_rarest", "held_row", "held_row_count", "held_header"),
    *("hit_rows", "naming_rows", "whole_file", "spelt", "spelt_name"),
)
_OF_FILE: Final = (
    *("rows", "bytes", "definitions", "definition_share", "depth", "path_words", "stem_words"),
    *("unasked_stem", "entrance", "test"),
)
_OF_QUERY: Final = ("query_words", "query_rarity", "query_names")

FEATURES: Final = ("base", "raw", *PARTS, *_OF_WORDS, *_OF_FILE, *_OF_QUERY)
"""The columns, in order. Shares are shares of the weight of the query's words; rare words weigh
more.

base, raw: the highest score of the file's rows, without the factors `further` and `passage`; `raw`
    also lacks the factor `prior`.
held: share of the query's words that the file contains; `held_name` to `held_stem`: that one field
    contains; `held_anywhere`: that the file or its path contains; `held_count`: by number instead
    of weight; `held_rarest`: the weight of the rarest word in the file, divided by that of the
    rarest word in the query; `held_row` and `held_row_count`: that the best row contains;
    `held_header`: that the header chunk contains.
hit_rows: share of the file's rows that contain any word; `naming_rows`: the weighted number of rows
    with a word in a name; `whole_file`: BM25 of the file as one text.
spelt: share of the query's words that the bodies of rows contain in the same spelling;
    `spelt_name`: that the names of rows contain.
unasked_stem: number of words in the file's stem that the query does not contain; `entrance`: 1 if
    the stem is the directory's name or usual for a main file, like `index`; `test`: 1 for a test
    if the query does not mention tests.
query_rarity: mean weight of the query's words; `query_names`: number of words written as
    identifiers.
"""

_WHOLE_K: Final = 1.5
_WHOLE_B: Final = 0.5
_NAMED: Final = 2.0
"""Weight of a word in a name or a crumb for `whole_file`; elsewhere it is 1."""
_SPOKEN: Final = (BODY, NAME, CRUMB)
_BOOSTS: Final = np.array(
    [_NAMED if field in (NAME, CRUMB) else 1.0 for field in range(SCORED_FIELDS)]
)[:, None]
_ENTRANCES: Final = frozenset({b"index", b"mod", b"lib", b"main", b"__init__"})


class FileFeatures:
    """Computes the features of files for one query over one collection."""

    def __init__(self, query: ParsedQuery, statistics: CollectionStatistics) -> None:
        self._query = query
        self._weights = {
            term: query.share(term)
            * inverse_document_frequency(statistics.chunks, statistics.frequency(term).chunks)
            for term in query.terms
        }
        self._roots = [term for term in query.terms if term not in query.spellings]
        self._shares = [query.share(term) for term in self._roots]
        self._words = sum(self._shares)
        self._total = sum(self._weights[term] for term in self._roots)
        self._rarest = max((self._weights[term] for term in self._roots), default=0.0)
        self._spelt = [term for term in query.terms if term in query.spellings]
        self._names = float(sum(map(_is_identifier, spelled_words(query.text))))
        spoken = sum(statistics.lengths[field] for field in _SPOKEN)
        self._mean_length = max(spoken / max(statistics.files, 1), 1.0)

    def of(self, segment: SearchableSegment, scores: SegmentScores, files: Places) -> Figures:
        """Return float64 (files, FEATURES), rounded to DECIMALS.

        Args:
            segment: the segment of the files.
            scores: the scores of the segment's rows.
            files: ascending; each has a row with a score.
        """
        runs = _Runs.of_files(segment, files)
        totals = _file_totals(segment)
        figures: dict[str, Figures | float] = {
            **_scored(scores, runs),
            **self._of_words(segment, files, runs, totals.spoken[files]),
            **_of_files(segment, files, runs, totals.definitions[files]),
            "query_words": float(self._words),
            "query_rarity": self._total / (self._words or 1.0),
            "query_names": self._names,
        }
        figures["unasked_stem"] = figures["stem_words"] * (1.0 - scores.stems[files])
        if self._query.wants_tests:
            figures["test"] = 0.0
        columns = np.empty((len(FEATURES), len(files)))
        for column, name in zip(columns, FEATURES, strict=True):
            column[:] = figures[name]
        rounded: Figures = np.round(columns, DECIMALS).T
        return rounded

    def _of_words(
        self, segment: SearchableSegment, files: Places, runs: "_Runs", spoken: Figures
    ) -> dict[str, Figures | float]:
        roots, terms = len(self._roots), [*self._roots, *self._spelt]
        rows = holdings(segment.row_postings, terms, SCORED_FIELDS, runs.starts, runs.ends)
        paths = holdings(segment.file_postings, self._roots, FILE_FIELDS, files, files + 1)
        weights, of_spelt = (
            np.array([self._weights[term] for term in each])[:, None]
            for each in (self._roots, self._spelt)
        )
        shares = np.array(self._shares)[:, None]
        total, number = self._total or 1.0, self._words or 1.0
        spelt_total = sum(self._weights[term] for term in self._spelt) or 1.0
        in_fields = rows.numbers > 0
        contained, spelt = in_fields[:roots], in_fields[roots:]
        inside: npt.NDArray[np.bool_] = np.logical_or.reduce(contained, axis=1)
        in_path = paths.numbers > 0
        anywhere = inside | np.logical_or.reduce(in_path, axis=1)
        by_field = _added(weights[:, :, None] * contained) / total
        by_path = _added(weights[:, :, None] * in_path) / total
        by_spelling = _added(of_spelt[:, :, None] * spelt) / spelt_total
        in_row, counted = rows.in_rows(runs, roots)
        norm = _WHOLE_K * (1.0 - _WHOLE_B + _WHOLE_B * (spoken / self._mean_length))
        share = _added(weights * in_row) / total
        rarest = (weights * inside).max(axis=0, initial=0.0)
        count_of_row = _added(shares * in_row)
        headed = segment.image.row_anchors[runs.starts] != 0
        return {
            "held": _added(weights * inside) / total,
            "held_name": by_field[NAME],
            "held_crumb": by_field[CRUMB],
            "held_doc": by_field[DOC],
            "held_path": by_path[PATH],
            "held_stem": by_path[STEM],
            "held_anywhere": _added(weights * anywhere) / total,
            "held_count": _added(shares * inside) / number,
            "held_rarest": rarest / (self._rarest or 1.0),
            "held_row": runs.highest(share),
            "held_row_count": runs.highest(count_of_row) / number,
            "held_header": share[runs.begins] * headed,
            "hit_rows": runs.sums(count_of_row > 0.0) / runs.lengths,
            "naming_rows": _added(weights * rows.numbers[:roots, NAME]) / total,
            "whole_file": _added(weights * (counted / (counted + norm))) / total,
            "spelt": by_spelling[BODY],
            "spelt_name": by_spelling[NAME],
        }


class _Runs(Struct, frozen=True):
    """Rows of some files, one file after the other.

    Attributes:
        starts: first row of each file; `ends` is the row after the file's last row.
        lengths: number of rows of each file; at least 1.
        begins: position of each file's first row among the rows of all the files.
    """

    starts: Places
    ends: Places
    lengths: Places
    begins: Places

    @classmethod
    def of(cls, starts: Places, ends: Places) -> "_Runs":
        lengths = ends - starts
        return cls(starts, ends, lengths, lengths.cumsum() - lengths)

    @classmethod
    def of_files(cls, segment: SearchableSegment, files: Places) -> "_Runs":
        """Return the rows of some files of a segment."""
        bounds = segment.image.file_rows
        return cls.of(bounds[files].astype(np.int64), bounds[files + 1].astype(np.int64))

    def highest(self, values: Figures) -> Figures:
        """Return the highest of each file's values, float64 (files,)."""
        best: Figures = np.maximum.reduceat(values, self.begins)
        return best

    def sums(self, values: npt.NDArray[np.generic]) -> Figures:
        """Return the sum of each file's values, float64 (files,)."""
        total: Figures = np.add.reduceat(values.astype(np.float64), self.begins)
        return total


class Holdings(Struct, frozen=True):
    """The occurrences of some terms in some ranges of rows.

    Attributes:
        numbers: int64 (terms, fields, ranges): the number of rows that contain the term.
        firsts: same shape: the position of the first of these rows in the postings.
        fields: the postings of each term and field; None for an unknown term.
    """

    numbers: Places
    firsts: Places
    fields: list[PostingField | None]

    def in_rows(self, runs: _Runs, terms: int) -> tuple[npt.NDArray[np.bool_], Figures]:
        """Return which rows contain the first `terms` terms, and how often each file contains them.

        The results are bool (terms, rows of the runs), and float64 (terms, files): weighted counts,
        where the count in one row is at most 255.
        """
        numbers = self.numbers[:terms]
        rows, files = int(runs.lengths.sum()), len(runs.starts)
        holds: npt.NDArray[np.bool_] = np.zeros((terms, rows), dtype=np.bool_)
        lengths = numbers.ravel()
        entries = spread(self.firsts[:terms].ravel(), lengths)
        if not len(entries):
            return holds, np.zeros((terms, files))
        bounds = numbers.sum(axis=2).ravel().cumsum().tolist()
        parts = zip(self.fields, [0, *bounds[:-1]], bounds, strict=False)
        gathered = [
            (field.rows[entries[start:end]], field.counts8[entries[start:end]])
            for field, start, end in parts
            if field is not None and end > start
        ]
        row = np.concatenate([rows for rows, _ in gathered])
        counts = np.concatenate([counts for _, counts in gathered])
        first_places = (np.arange(terms) * rows)[:, None, None] + (runs.begins - runs.starts)
        shifts = np.broadcast_to(first_places, numbers.shape).ravel()
        holds.ravel()[np.repeat(shifts, lengths) + row] = True
        places = np.repeat(np.arange(len(lengths)), lengths)
        by_field = np.bincount(places, counts, len(lengths)).reshape(numbers.shape)
        return holds, np.add.reduce(by_field * _BOOSTS, axis=1)


def holdings(
    postings: Postings,
    terms: Sequence[str],
    fields: int,
    starts: npt.NDArray[np.integer],
    ends: npt.NDArray[np.integer],
) -> Holdings:
    """Return the occurrences of terms in ranges of rows, in the first `fields` of postings."""
    ranges = len(starts)
    bounds = np.zeros((len(terms) * fields, 2 * ranges), dtype=np.int64)
    # Keys of the rows' type avoid a copy of all rows. Row numbers of two bytes are below 65,535.
    keys = np.concatenate((starts, ends))
    narrow = np.minimum(keys, 0xFFFF).astype(np.uint16)
    wide = keys.astype(np.uint32)
    known: list[PostingField | None] = []
    for number, term in enumerate(terms):
        place = postings.find(term)
        if place is None:
            known += [None] * fields
            continue
        for field, data in enumerate(postings.fields[:fields]):
            known.append(data)
            start, end = data.offsets[place : place + 2].tolist()
            if end > start:
                rows = data.rows[start:end]
                at = rows.searchsorted(narrow if rows.itemsize == 2 else wide)
                np.add(at, start, out=bounds[number * fields + field])
    shaped = bounds.reshape(len(terms), fields, 2, ranges)
    return Holdings(shaped[:, :, 1] - shaped[:, :, 0], shaped[:, :, 0], known)


def _added(values: Figures | npt.NDArray[np.bool_]) -> Figures:
    """Return the sums over the terms, added in order."""
    total: Figures = np.add.reduce(values, axis=0, dtype=np.float64)
    return total


def _scored(scores: SegmentScores, runs: _Runs) -> dict[str, Figures | float]:
    bounds = scores.rows.searchsorted(np.concatenate((runs.starts, runs.ends)))
    scored = _Runs.of(bounds[: len(runs.starts)], bounds[len(runs.starts) :])
    rows = spread(scored.starts, scored.lengths)

    def highest(name: str) -> Figures | float:
        part = scores.parts.get(name)
        if part is None:
            return 0.0
        return part.at(scored.starts) if name in _ALIKE else scored.highest(part.at(rows))

    total = scores.total[rows]
    further = scores.parts["further"].at(rows)
    np.divide(total, further, out=total, where=further > 0.0)
    if (passage := scores.parts.get("passage")) is not None:
        total /= passage.at(rows)
    return {
        "base": scored.highest(total),
        "raw": scored.highest(total / scores.parts["prior"].at(rows)),
        **{name: highest(name) for name in PARTS},
    }


class _FileTotals(Struct, frozen=True):
    """Sums over the rows of each file that do not depend on the query; float64 (files,).

    Attributes:
        spoken: number of terms in the fields of _SPOKEN.
        definitions: number of rows that define something.
    """

    spoken: Figures
    definitions: Figures


_TOTALS: Final = CacheKey[_FileTotals]()


def _file_totals(segment: SearchableSegment) -> _FileTotals:
    if (kept := segment.derived.get(_TOTALS)) is not None:
        return kept
    image = segment.image
    lengths = np.zeros(image.rows)
    for field in _SPOKEN:
        lengths += image.row_lengths(field)
    defining = np.array([name in DEFINITIONS for name in image.types] or [False])
    spoken, definitions = (
        np.bincount(image.row_files, figures, image.files).astype(np.float64, copy=False)
        for figures in (lengths, defining[image.row_types])
    )
    return segment.derived.keep(_TOTALS, _FileTotals(spoken, definitions))


def _of_files(
    segment: SearchableSegment, files: Places, runs: _Runs, definitions: Figures
) -> dict[str, Figures | float]:
    """Return the features of the files that do not depend on the query."""
    image = segment.image
    paths = image.paths_of(files)
    return {
        "rows": runs.lengths,
        "bytes": image.file_sizes[files],
        "definitions": definitions,
        "definition_share": definitions / runs.lengths,
        "depth": np.array([path.count(b"/") for path in paths]),
        "path_words": image.file_lengths(PATH)[files],
        "stem_words": image.file_lengths(STEM)[files],
        "entrance": np.array(list(map(_is_entrance, paths))),
        "test": (image.file_traits[files] & TEST) != 0,
    }


def _is_entrance(path: bytes) -> bool:
    """Return whether a file has its directory's name, or a usual name of a main file."""
    directories, _, name = path.lower().rpartition(b"/")
    stem = name.partition(b".")[0]
    return stem in _ENTRANCES or (bool(directories) and directories.rpartition(b"/")[2] == stem)


def _is_identifier(word: str) -> bool:
    """Return whether a word is written as only identifiers are written: `parse_url`, `parseUrl`."""
    inner = word.strip("_")
    return "_" in inner or (not inner.isupper() and any(map(str.isupper, inner[1:])))

"""What the learned correction knows of a file: figures of the query, the file and the collection.

Nothing here looks at another file, or at which rows may be shown, so a figure is the same in every
layout of segments and in every split of a collection into repositories. Only sums, products and
quotients are made, of values in a fixed order: the same bits on every processor.
"""

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

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
from ggrep.search.query.best_rows import spread
from ggrep.search.query.score import DECIMALS, DEFINITIONS, SegmentScores
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.query.understand import ParsedQuery

Figures = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

PARTS: Final = ("text", "file", "path", "stem", "symbol", "dense", "dense_file", "prior")
"""Parts of the score that are features: of the file's row that has most of each."""
_ALIKE: Final = frozenset({"file", "path", "stem", "dense_file"})
"""Parts that all rows of a file have alike."""

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
"""The columns, in order. Shares are of the weight of the query's words, by their rarity.

base, raw: the highest score of its rows, without the factors `further` and `passage`; the same
    without the factors of its prior.
held: share that the file holds; the same by field of its rows, its path, its stem;
    `anywhere`, in it or its path; `count`, of the number of words; `rarest`, the weight of the
    rarest word held over that of the rarest asked; `row` and `row_count`, that its best row
    holds; `header`, its header chunk.
hit_rows: share of its rows that hold any word; `naming_rows` is the weighted number of those that
    have one in a name; `whole_file` is BM25 of the file as one text.
spelt: share of the words as they are spelt, that its bodies hold; `spelt_name`, its names.
unasked_stem: number of the words of its stem that the query does not spell; `entrance` is 1 where
    the stem is its directory's name or stands for it; `test` is 1 for a test, where the query does
    not speak of tests.
query_rarity: mean weight of its words; `query_names` counts those written as identifiers are.
"""

_WHOLE_K: Final = 1.5
_WHOLE_B: Final = 0.5
_NAMED: Final = 2.0
"""How much more a word in a name or a crumb counts for `whole_file`."""
_SPOKEN: Final = (BODY, NAME, CRUMB)
_ENTRANCES: Final = frozenset({b"index", b"mod", b"lib", b"main", b"__init__"})


class FileFeatures:
    """Computes the figures of files for one query over one collection."""

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
        spoken = sum(statistics.lengths[field] for field in _SPOKEN)
        self._mean_length = max(spoken / max(statistics.files, 1), 1.0)

    def of(self, segment: SearchableSegment, scores: SegmentScores, files: Places) -> Figures:
        """Return float64 (files, FEATURES), rounded to DECIMALS.

        Args:
            segment: where the files are.
            scores: of its rows.
            files: ascending; each has a row that scores.
        """
        image = segment.image
        bounds = image.file_rows
        runs = _Runs.of(bounds[files].astype(np.int64), bounds[files + 1].astype(np.int64))
        found: dict[str, Figures | float] = {
            **_scored(scores, runs),
            **self._of_words(segment, files, runs),
            **_of_files(segment, files, runs),
            "query_words": float(self._words),
            "query_rarity": self._total / (self._words or 1.0),
            "query_names": float(sum(map(_is_identifier, spelled_words(self._query.text)))),
        }
        found["unasked_stem"] = found["stem_words"] * (1.0 - scores.stems[files])
        if self._query.wants_tests:
            found["test"] = 0.0
        columns = np.empty((len(FEATURES), len(files)))
        for column, name in zip(columns, FEATURES, strict=True):
            column[:] = found[name]
        rounded: Figures = np.round(columns, DECIMALS).T
        return rounded

    def _of_words(
        self, segment: SearchableSegment, files: Places, runs: "_Runs"
    ) -> dict[str, Figures | float]:
        """Return what of the query's words the files hold, and where."""
        rows = _holdings(segment.row_postings, self._roots, SCORED_FIELDS, runs)
        paths = _holdings(segment.file_postings, self._roots, FILE_FIELDS, _Runs.single(files))
        weights = np.array([self._weights[term] for term in self._roots])[:, None]
        shares = np.array(self._shares)[:, None]
        total, number = self._total or 1.0, self._words or 1.0
        held: npt.NDArray[np.bool_] = rows.numbers > 0
        inside: npt.NDArray[np.bool_] = np.logical_or.reduce(held, axis=1)
        in_path = paths.numbers > 0
        anywhere = inside | in_path.any(axis=1)
        in_row, counted = rows.in_rows(runs)
        norm = self._length_norm(segment, runs)
        share = _added(weights * in_row) / total
        anchors = segment.image.row_anchors[runs.rows] != 0
        rarest = (weights * inside).max(axis=0, initial=0.0)
        count_of_row = _added(shares * in_row)
        return {
            "held": _added(weights * inside) / total,
            "held_name": _added(weights * held[:, NAME]) / total,
            "held_crumb": _added(weights * held[:, CRUMB]) / total,
            "held_doc": _added(weights * held[:, DOC]) / total,
            "held_path": _added(weights * in_path[:, PATH]) / total,
            "held_stem": _added(weights * in_path[:, STEM]) / total,
            "held_anywhere": _added(weights * anywhere) / total,
            "held_count": _added(shares * inside) / number,
            "held_rarest": rarest / (self._rarest or 1.0),
            "held_row": runs.highest(share),
            "held_row_count": runs.highest(count_of_row) / number,
            "held_header": runs.highest(np.where(anchors, share, 0.0)),
            "hit_rows": runs.sums(count_of_row > 0.0) / runs.lengths,
            "naming_rows": _added(weights * rows.numbers[:, NAME]) / total,
            "whole_file": _added(weights * (counted / (counted + norm))) / total,
            **self._of_spellings(segment, runs),
        }

    def _of_spellings(self, segment: SearchableSegment, runs: "_Runs") -> dict[str, Figures]:
        """Return the share of the words as they are spelt that bodies hold, and names."""
        found = _holdings(segment.row_postings, self._spelt, NAME + 1, runs).numbers > 0
        weights = np.array([self._weights[term] for term in self._spelt])[:, None]
        total = sum(self._weights[term] for term in self._spelt) or 1.0
        return {
            "spelt": _added(weights * found[:, BODY]) / total,
            "spelt_name": _added(weights * found[:, NAME]) / total,
        }

    def _length_norm(self, segment: SearchableSegment, runs: "_Runs") -> Figures:
        """Return what stands beside a frequency in BM25 of whole files."""
        lengths = np.zeros(len(runs.rows))
        for field in _SPOKEN:
            lengths += segment.image.row_lengths(field)[runs.rows]
        norm: Figures = 1.0 - _WHOLE_B + _WHOLE_B * (runs.sums(lengths) / self._mean_length)
        return _WHOLE_K * norm


class _Runs(Struct, frozen=True):
    """Rows of some files, one file behind the other.

    Attributes:
        starts: first row of each file; `ends` the row behind its last.
        lengths: how many; at least 1.
        begins: place of each file's first row in `rows`.
        rows: of all the files.
    """

    starts: Places
    ends: Places
    lengths: Places
    begins: Places
    rows: Places

    @classmethod
    def of(cls, starts: Places, ends: Places) -> "_Runs":
        lengths = ends - starts
        return cls(starts, ends, lengths, np.cumsum(lengths) - lengths, spread(starts, lengths))

    @classmethod
    def single(cls, places: Places) -> "_Runs":
        """Return runs of one place each."""
        return cls.of(places, places + 1)

    def highest(self, values: Figures) -> Figures:
        """Return the highest of each file's values, float64 (files,)."""
        best: Figures = np.maximum.reduceat(values, self.begins)
        return best

    def sums(self, values: npt.NDArray[np.generic]) -> Figures:
        """Return the sum of each file's values, float64 (files,)."""
        total: Figures = np.add.reduceat(values.astype(np.float64), self.begins)
        return total


class _Holdings(Struct, frozen=True):
    """Where some files hold some terms.

    Attributes:
        numbers: int64 (terms, fields, files): how many rows hold the term.
        firsts: of the same shape: where in the postings those rows begin.
        fields: of each term and field its postings; None for a term that is unknown.
    """

    numbers: Places
    firsts: Places
    fields: list[PostingField | None]

    def in_rows(self, runs: "_Runs") -> tuple[npt.NDArray[np.bool_], Figures]:
        """Return which rows hold which terms, and how often the files do.

        bool (terms, rows of the runs), and float64 (terms, files): weighted, and of a row at most
        as often as one byte tells.
        """
        terms, fields, files = self.numbers.shape
        held: npt.NDArray[np.bool_] = np.zeros((terms, len(runs.rows)), dtype=np.bool_)
        counted: Figures = np.zeros((terms, files))
        lengths = self.numbers.ravel()
        entries = spread(self.firsts.ravel(), lengths)
        if not len(entries):
            return held, counted
        bounds = np.cumsum(self.numbers.sum(axis=2).ravel()).tolist()
        parts = zip(self.fields, [0, *bounds[:-1]], bounds, strict=True)
        found = [
            (field.rows[entries[start:end]], field.few[entries[start:end]])
            for field, start, end in parts
            if field is not None and end > start
        ]
        rows = np.concatenate([rows for rows, _ in found]).astype(np.int64)
        counts = np.concatenate([counts for _, counts in found]).astype(np.float64)
        place = np.repeat(np.arange(len(lengths)), lengths)
        term, file = place // (fields * files), place % files
        held[term, runs.begins[file] + rows - runs.starts[file]] = True
        boosts = np.array([_NAMED if field in (NAME, CRUMB) else 1.0 for field in range(fields)])
        counts *= boosts[place // files % fields]
        counted[:] = np.bincount(term * files + file, counts, terms * files).reshape(terms, files)
        return held, counted


def _holdings(postings: Postings, terms: list[str], fields: int, runs: _Runs) -> _Holdings:
    """Return where files hold terms, in the first fields of a posting set."""
    files = len(runs.starts)
    bounds = np.zeros((len(terms) * fields, 2 * files), dtype=np.int64)
    keys = np.concatenate((runs.starts, runs.ends))
    # Keys of the rows' own type: others would have all rows copied. No row is as large as 65,535.
    narrow, wide = (
        np.minimum(keys, np.iinfo(np.uint16).max).astype(np.uint16),
        keys.astype(np.uint32),
    )
    found: list[PostingField | None] = []
    for number, term in enumerate(terms):
        place = postings.find(term)
        for field in range(fields):
            if place is None:
                found.append(None)
                continue
            data = postings.fields[field]
            found.append(data)
            start, end = data.offsets[place : place + 2].tolist()
            if end > start:
                own = data.rows[start:end]
                at = own.searchsorted(narrow if own.itemsize == 2 else wide)
                bounds[number * fields + field] = at + start
    shaped = bounds.reshape(len(terms), fields, 2, files)
    return _Holdings(shaped[:, :, 1] - shaped[:, :, 0], shaped[:, :, 0], found)


def _added(values: Figures | npt.NDArray[np.bool_]) -> Figures:
    """Return the sums over the terms, added one after the other."""
    total: Figures = np.add.reduce(values, axis=0, dtype=np.float64)
    return total


def _scored(scores: SegmentScores, runs: _Runs) -> dict[str, Figures | float]:
    """Return the parts of the score that are features, and the whole of it."""
    rows = scores.rows
    own = _Runs.of(np.searchsorted(rows, runs.starts), np.searchsorted(rows, runs.ends))

    def highest(name: str) -> Figures | float:
        part = scores.parts.get(name)
        if part is None:
            return 0.0
        return part.at(own.starts) if name in _ALIKE else own.highest(part.at(own.rows))

    total = scores.total[own.rows]
    further = scores.parts["further"].at(own.rows)
    np.divide(total, further, out=total, where=further > 0.0)
    if (passage := scores.parts.get("passage")) is not None:
        total /= passage.at(own.rows)
    return {
        "base": own.highest(total),
        "raw": own.highest(total / scores.parts["prior"].at(own.rows)),
        **{name: highest(name) for name in PARTS},
    }


def _of_files(segment: SearchableSegment, files: Places, runs: _Runs) -> dict[str, Figures | float]:
    """Return what holds of the files whatever is asked."""
    image = segment.image
    defining = np.array([name in DEFINITIONS for name in image.types] or [False])
    definitions = runs.sums(defining[image.row_types[runs.rows]])
    paths = image.paths_of(files)
    return {
        "rows": runs.lengths.astype(np.float64),
        "bytes": image.file_sizes[files].astype(np.float64),
        "definitions": definitions,
        "definition_share": definitions / runs.lengths,
        "depth": np.array([path.count(b"/") for path in paths], dtype=np.float64),
        "path_words": image.file_lengths(PATH)[files].astype(np.float64),
        "stem_words": image.file_lengths(STEM)[files].astype(np.float64),
        "entrance": np.array([_is_entrance(path) for path in paths], dtype=np.float64),
        "test": ((image.file_traits[files] & TEST) != 0).astype(np.float64),
    }


def _is_entrance(path: bytes) -> bool:
    """Return whether a file is named as its directory is, or stands for it."""
    directories, _, name = path.lower().rpartition(b"/")
    stem = name.partition(b".")[0]
    return stem in _ENTRANCES or (bool(directories) and directories.rpartition(b"/")[2] == stem)


def _is_identifier(word: str) -> bool:
    """Return whether a word is written as only names are: `parse_url`, `parseUrl`."""
    inner = word.strip("_")
    return "_" in inner or (not inner.isupper() and any(map(str.isupper, inner[1:])))

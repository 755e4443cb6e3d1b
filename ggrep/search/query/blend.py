"""Blends the evidence for each row into one score; the only place that applies weights."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.search.query.segments import FileRuns
from ggrep.search.query.weights import Fusion, Weights

Scores = npt.NDArray[np.float64]


class Signals(Struct, frozen=True):
    """The unweighted evidence for some rows of a segment; each array is (n,).

    Attributes:
        rows: int64, ascending.
        files: int64: the number of each row's file.
        anchors: 1 for header chunks, else 0.
        lexical: BM25F of the row; `evidence` is the BM25F of its file.
        path: BM25 of the file's path.
        stem: share of the file name without ending that the query spells.
        symbol: idf of the query's names that the row defines, as a share of all terms' idf.
        location: how well the file's path fits a path in the query; None if the query contains no
            path.
        verbatim: 1 for rows that contain the query word for word; None if no row does, or the rows'
            text was not read.
        cosine: cosine between row and query, at least 0; zeros without an encoder.
        near: the part of the cosine above the encoder's floor, scaled to 0 to 1; `near_file` is the
            value of the file's best row. None without an encoder.
        prior: product of the factors of path, corpus and kind.
        substance: how good an answer the row alone can be, by its lines, names and type;
            None if the weights ignore it.
    """

    rows: npt.NDArray[np.int64]
    files: npt.NDArray[np.int64]
    anchors: npt.NDArray[np.uint8]
    lexical: Scores
    evidence: Scores
    path: Scores
    stem: Scores
    symbol: Scores
    location: Scores | None
    verbatim: Scores | None
    cosine: Scores
    near: Scores | None
    near_file: Scores | None
    prior: Scores
    substance: Scores | None = None


class Part(Struct, frozen=True):
    """A component of the rows' scores, in the order of the rows: `weight` times `values`."""

    weight: float
    values: Scores

    def at(self, places: npt.NDArray[np.int64]) -> Scores:
        """Return the component of the rows at some positions."""
        values: Scores = self.weight * self.values.take(places)
        return values


def blend(
    signals: Signals, runs: FileRuns, weights: Weights, fusion: Fusion
) -> tuple[Scores, dict[str, Part]]:
    """Return the rows' scores, float64 (n,), and their components by name.

    A row's score depends on the row, its file and the query alone.
    """
    parts = {
        "text": Part(weights.text, signals.lexical),
        "file": Part(weights.file, signals.evidence),
        "path": Part(weights.path, signals.path),
        "stem": Part(weights.stem, signals.stem),
        "symbol": Part(weights.symbol, signals.symbol),
    }
    if signals.near is not None and signals.near_file is not None:
        parts["dense"] = Part(weights.dense * fusion.row, signals.near)
        parts["dense_file"] = Part(weights.dense * fusion.file, signals.near_file)
    if signals.location is not None:
        parts["location"] = Part(weights.location, signals.location)
    if signals.verbatim is not None:
        parts["verbatim"] = Part(weights.verbatim, signals.verbatim)
    total, scaled = np.zeros(len(signals.rows)), np.empty(len(signals.rows))
    for part in parts.values():
        total += np.multiply(part.values, part.weight, out=scaled)
    total *= signals.prior
    figures = {"prior": signals.prior}
    shown = (signals.anchors == 0).astype(np.float64)
    if signals.substance is not None:
        words = np.sqrt(signals.lexical + weights.wordless)
        figures["passage"] = _passage(words, signals.substance, runs, total * shown)
        total *= figures["passage"]
    further = _further(runs, total, shown, weights.further)
    total *= further
    figures |= {"further": further, "lexical": signals.lexical, "cosine": signals.cosine}
    return total, parts | {name: Part(1.0, values) for name, values in figures.items()}


def _passage(words: Scores, substance: Scores, runs: FileRuns, shown: Scores) -> Scores:
    """Return a factor for each row: how well the row alone can be an answer.

    The factor orders the rows of a file. Between files, only the root of the best row's substance
    counts, because the score already includes the words of the rows. Header chunks are ignored, as
    in `_further`.

    Args:
        words: square roots of the rows' lexical evidence.
        substance: as in `Signals`.
        runs: the rows' files.
        shown: scores so far; 0 for header chunks.
    """
    passage: Scores = words * substance
    answering = shown * passage
    highest = runs.highest(answering)
    levels = np.sqrt(runs.highest(substance * (answering >= runs.repeated(highest))))
    levels *= np.divide(
        runs.highest(shown), highest, out=np.ones_like(highest), where=highest > 0.0
    )
    passage *= runs.repeated(levels)
    return passage


def _further(runs: FileRuns, total: Scores, shown: Scores, factor: float) -> Scores:
    """Return 1 for the best row of each file, else `factor`.

    Header chunks do not compete for the best row, because they are hardly ever shown.
    """
    best = runs.repeated(runs.highest(total * shown))
    further: Scores = (total < best).astype(np.float64) * factor
    further += total >= best  # `np.where` would take five times as long
    return further

"""Blends the evidence for each row into one score; the only place that applies weights."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.search.query.segments import FileRuns
from ggrep.search.query.weights import Fusion, Weights

Scores = npt.NDArray[np.float64]


class Signals(Struct, frozen=True):
    """The unweighted evidence for some rows of a segment, each (n,).

    Attributes:
        rows: int64, ascending; `files` likewise the place of each row's file.
        anchors: 1 for header chunks, else 0.
        lexical: BM25F of the row; `evidence` that of its file.
        path: BM25 of the file's path; `stem` the share of its stem that the query spells.
        symbol: share of the query's weight that the row defines.
        location: how well the file's path is the one that the query spells; None where it spells
            none.
        verbatim: 1 for rows that hold the query word for word; None where nobody looked.
        cosine: with the query, not below 0; zeros without an encoder.
        near: by how much the cosine counts, 0 to 1; `near_file` that of the file's best row.
            None without an encoder.
        prior: product of the factors of path, corpus and kind.
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


class Part(Struct, frozen=True):
    """A component of the rows' scores, in the order of the rows: `weight` times `values`."""

    weight: float
    values: Scores

    def at(self, places: npt.NDArray[np.int64]) -> Scores:
        """Return the component of some rows, by their places among all."""
        found: Scores = self.weight * self.values.take(places)
        return found


def blend(
    signals: Signals, runs: FileRuns, weights: Weights, fusion: Fusion
) -> tuple[Scores, dict[str, Part]]:
    """Return the rows' scores, float64 (n,), and their components by name.

    A row's figure depends on the row, its file and the query alone.
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
    further = _further(signals, runs, total, weights.further)
    total *= further
    figures = {"prior": signals.prior, "further": further}
    figures |= {"lexical": signals.lexical, "cosine": signals.cosine}
    return total, parts | {name: Part(1.0, values) for name, values in figures.items()}


def _further(signals: Signals, runs: FileRuns, total: Scores, factor: float) -> Scores:
    """Return 1 for the best row of its file, header chunks aside, else `factor`.

    Header chunks are not counted among the best: they are hardly ever shown.
    """
    best = runs.repeated(runs.highest(total * (signals.anchors == 0)))
    further: Scores = (total < best).astype(np.float64) * factor
    further += total >= best  # a choice between both would cost five times as much
    return further

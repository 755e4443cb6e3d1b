"""Blends the evidence for each row into one score; the only place that applies weights."""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.search.query.segments import run_starts
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


def blend(signals: Signals, weights: Weights, fusion: Fusion) -> tuple[Scores, dict[str, Scores]]:
    """Return the rows' scores, float64 (n,), and their components by name.

    A row's figure depends on the row, its file and the query alone.
    """
    parts = {
        "text": weights.text * signals.lexical,
        "file": weights.file * signals.evidence,
        "path": weights.path * signals.path,
        "stem": weights.stem * signals.stem,
        "symbol": weights.symbol * signals.symbol,
    }
    if signals.near is not None and signals.near_file is not None:
        parts["dense"] = (weights.dense * fusion.row) * signals.near
        parts["dense_file"] = (weights.dense * fusion.file) * signals.near_file
    if signals.location is not None:
        parts["location"] = weights.location * signals.location
    if signals.verbatim is not None:
        parts["verbatim"] = weights.verbatim * signals.verbatim
    total = sum(parts.values(), start=np.zeros(len(signals.rows)))
    total *= signals.prior
    further = _further(signals, total, weights.further)
    total *= further
    factors = {"prior": signals.prior, "further": further}
    return total, {**parts, **factors, "lexical": signals.lexical, "cosine": signals.cosine}


def _further(signals: Signals, total: Scores, factor: float) -> Scores:
    """Return, for rows in the order of their files, 1 for the best of its file, else `factor`.

    Header chunks are not counted among the best: they are hardly ever shown.
    """
    files = signals.files
    if not len(files):
        return np.zeros(0, dtype=np.float64)
    begins = run_starts(files)
    shown = np.where(signals.anchors == 0, total, 0.0)
    best = np.maximum.reduceat(shown, np.flatnonzero(begins))
    return np.where(total < best[np.cumsum(begins) - 1], factor, 1.0)

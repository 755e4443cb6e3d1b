"""Models of fewer pairs than the shipped one's, and packages that judge them all alike."""

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ggrep.index.embedding.static_model import StaticModel
from training.encoder.bags import Vocabulary, bagged, pairs_of
from training.encoder.contrast import Parameters
from training.encoder.train import train_model
from training.encoder.training import JUDGING_KINDS, reciprocal_rank


def train_on(files: Sequence[Path], model: Path) -> None:
    """Train on the pairs of some packages' files and write the model."""
    with TemporaryDirectory(prefix="ggrep-pairs-") as work:
        train_model(_linked(files, Path(work)), model, 1, _tell)


class Judges:
    """The pairs of packages that no model learnt from.

    Args:
        files: theirs.
        most: pairs of a package that judge at most; `least` at least, else none do.
    """

    def __init__(self, files: Sequence[Path], most: int, least: int) -> None:
        with TemporaryDirectory(prefix="ggrep-pairs-") as work:
            self._packages = bagged(_linked(files, Path(work)) / "pairs", 1)
        self._most, self._least = most, least

    def reciprocal_rank(self, model: StaticModel) -> float:
        """Return the mean over packages of MRR@10, cosines alone."""
        words = sorted(model.row_of, key=model.row_of.__getitem__)
        nothing = np.zeros(len(words), dtype=np.int64)
        pairs = pairs_of(self._packages, Vocabulary(tuple(words), nothing, 0))
        with np.errstate(divide="ignore"):  # a weight of 0 is one again when it is needed
            documents, queries = np.log(model.document_weights), np.log(model.query_weights)
        learnt = Parameters(
            model.vectors.astype(np.float32),
            documents.astype(np.float32),
            queries.astype(np.float32),
        )
        speaks = np.isin(pairs.kinds, JUDGING_KINDS)
        every = [
            np.flatnonzero((pairs.packages == place) & speaks) for place in range(len(pairs.names))
        ]
        judging = [
            places[np.linspace(0, len(places) - 1, min(self._most, len(places))).astype(np.intp)]
            for places in every
            if len(places) >= self._least
        ]
        return reciprocal_rank(learnt, pairs, judging)


def _linked(files: Sequence[Path], folder: Path) -> Path:
    """Return the folder, with links to the files in its `pairs`."""
    (folder / "pairs").mkdir()
    for file in files:
        (folder / "pairs" / file.name).symlink_to(file.resolve())
    return folder


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")

"""Fits the ranking's weights on a benchmark folder and says how far to trust them.

    python3 dev.py fit FOLDER                    print what the fit finds and what it is worth
    python3 dev.py fit FOLDER --write            and put it into docs/quality.md
    python3 dev.py fit FOLDER --encoder ENCODER  as the setting of that name: `static` unless said;
                                                 folders in it are absolute

Nothing is changed by it: who believes the figures writes them into search/query/weights.py. Indexes
lie in GGREP_HOME, else in the folder, and are used again; one process does it all. Equal sources
and encoders give equal tables.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean

import numpy as np

from ggrep.interfaces.evaluation.figures import interval
from ggrep.interfaces.evaluation.suite import read_kit
from training.quality_page import PAGE, put
from training.ranking.descent import SHUFFLINGS, Questions, fit, held_out
from training.ranking.flat import Flat, Scores
from training.ranking.gather import gather
from training.ranking.points import NONE, in_force, neutral
from training.ranking.tables import Fitted, Gain, table

SECTION = "fit"
CLOSE = 0.002
"""By how much the mean may differ from that of searches: ties are broken more simply."""


def main(arguments: Sequence[str]) -> int:
    """Fit, print, and write when told to."""
    parser = argparse.ArgumentParser(prog="dev.py fit")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--encoder", default="static")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    folder = given.folder.resolve()
    home = Path(os.environ.setdefault("GGREP_HOME", str(folder / ".ggrep-home")))  # noqa: TID251 - a program of its own
    suite = read_kit(folder, federated=False)
    name, known = gather(suite.cases, home, given.encoder)
    flat = Flat(known)
    check(float(flat.ndcg(in_force(name)).mean()), fmean(each.usual for each in known))
    text = table([fitted(flat, encoder) for encoder in dict.fromkeys((name, NONE))])
    sys.stdout.write(text + "\n")
    if given.write:
        put(PAGE, SECTION, text)
    return 0


def check(mean: float, searched: float) -> None:
    """Do nothing when the flat arithmetic ranks as searches do.

    Raises:
        SystemExit: it does not, so that a fit to it would say nothing.
    """
    if abs(mean - searched) > CLOSE:
        raise SystemExit(f"NDCG@10 is {mean:.4f} here and {searched:.4f} by searches")


def fitted(flat: Flat, encoder: str) -> Fitted:
    """Return what a fit finds with an encoder of that name, and what it is worth elsewhere.

    With `none` the cosines that were gathered are left out.
    """
    judge = cache(flat.ndcg)
    questions = Questions(judge, flat.repos, flat.names)
    everything = np.ones(len(flat.repos), dtype=np.bool_)
    points = (neutral(encoder), in_force(encoder), fit(questions, encoder, everything))
    start, usual, found = map(judge, points)
    tries = [held_out(questions, encoder, seed) for seed in SHUFFLINGS]
    elsewhere = np.mean([each.values for each in tries], axis=0)

    def gain(values: Scores) -> Gain:
        change = values - start
        bounds = interval(change.tolist(), flat.repos.tolist())
        return Gain(float(change.mean()), bounds)

    return Fitted(
        encoder=encoder,
        questions=len(flat.repos),
        repos=len(set(flat.repos.tolist())),
        points=points,
        means=(float(start.mean()), float(usual.mean()), float(found.mean())),
        held_out=tuple(float(each.values.mean()) for each in tries),
        gains=(gain(usual), gain(found), gain(elsewhere)),
        of_folds=tuple(point for each in tries for point in each.points),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

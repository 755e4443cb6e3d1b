"""Fits the figures of `ggrep/model/confidence.py` and says what they are worth.

    python -m training.confidence COMMITS PEOPLE fit      coefficients and bounds
    python -m training.confidence COMMITS PEOPLE choose   what the figures in force do

COMMITS is what `python -m training.changes build` writes, and PEOPLE what its `ask` writes. `fit`
goes by the part `fit` of the one and the part `choose` of the other, `choose` looks at
the part `choose` of both; the parts that judge are never asked. Indexes lie in GGREP_HOME, else in
COMMITS. Nothing is changed by it: who believes the figures writes them into the module.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ggrep.model.confidence import Confidence, Wording
from training.confidence.asking import Asked, ask
from training.confidence.fitting import balanced, bound, coefficients, highest
from training.confidence.questions import (
    BODY,
    DOMAIN,
    ELSEWHERE,
    FOREIGN,
    HALVES,
    PEOPLE,
    RANDOM,
    SHORT,
    SUBJECT,
    people_ask,
    questions,
)

SHARES: Final = {
    SUBJECT: 0.35,
    BODY: 0.1,
    SHORT: 0.25,
    PEOPLE: 0.3,
    "domain": 0.1,
    "nonsense": 0.1,
    "wrong_repo": 0.15,
    RANDOM: 0.03,
    FOREIGN: 0.12,
    DOMAIN: 0.15,
    ELSEWHERE: 0.35,
}
"""What each kind weighs: questions with an answer and questions without one weigh the same."""
DOUBTED: Final = 0.03
"""Share below the bound of `strong` of the questions whose first hit answers."""
COST: Final = 0.0005
"""Of the recall of what commits say: what answers below the bound of `weak` may lose of it."""


def main(arguments: Sequence[str]) -> int:
    """Ask, then fit or measure, and print."""
    parser = argparse.ArgumentParser(prog="training.confidence")
    parser.add_argument("commits", type=Path)
    parser.add_argument("people", type=Path)
    parser.add_argument("part", choices=sorted(HALVES))
    given = parser.parse_args(arguments)
    commits, people = given.commits.resolve(), given.people.resolve()
    home = Path(os.environ.setdefault("GGREP_HOME", str(commits / ".ggrep-home")))  # noqa: TID251 - a program of its own
    asked = ask(questions(commits, given.part), commits / "sources", home)
    asked += ask(people_ask(people, "choose"), people / "sources", home)
    sys.stdout.write(fitted(asked) if given.part == "fit" else table(asked))
    return 0


def fitted(asked: Sequence[Asked]) -> str:
    """Return the coefficients and the bounds."""
    rows = [
        each
        for each in asked
        if each.question.kind in SHARES and each.leading.wording is Wording.PLAIN
    ]
    kinds = [each.question.kind for each in rows]
    signals = np.array([[*each.leading.signals(), 1.0] for each in rows])
    answerable = np.array([each.question.answerable for each in rows])
    found = coefficients(signals, answerable, balanced(kinds, SHARES)).round(1)
    logits = signals @ found
    right = logits[np.array([each.first for each in rows])]
    losses = np.array([each.recall - each.least for each in rows])
    commits = np.array([kind in {SUBJECT, BODY} for kind in kinds])
    nothing = highest(logits[commits], losses[commits], COST)
    names = ("evidence", "row", "topic", "unknown", "offset")
    lines = [f"{name} {value:g}" for name, value in zip(names, found.tolist(), strict=True)]
    lines += [f"strong from {bound(right, DOUBTED):g}", f"weak from {nothing:g}"]
    return "\n".join([*lines, ""])


def table(asked: Sequence[Asked]) -> str:
    """Return how often each kind is doubted and what the cut costs, as Markdown."""
    lines = [
        "| questions | number | strong | weak | none | doubted | right first, doubted |"
        " recall@10 | cut costs |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for kind in dict.fromkeys(each.question.kind for each in asked):
        own = [each for each in asked if each.question.kind == kind]
        levels = [sum(each.confidence is level for each in own) for level in Confidence]
        cells = [str(number) for number in (len(own), *levels)]
        cells.append(f"{100 * (1 - levels[0] / len(own)):.1f} %")
        if any(each.question.answers for each in own):
            recall = np.mean([each.recall for each in own])
            cost = recall - np.mean([each.shown for each in own])
            first = [each.confidence is not Confidence.STRONG for each in own if each.first]
            cells += [f"{100 * np.mean(first):.1f} %", f"{recall:.3f}", f"{cost:.4f}"]
        else:
            cells += ["", "", ""]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

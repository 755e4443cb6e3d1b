"""How often an answer is doubted: over questions that have one, and over questions that have none.

    python3 dev.py quality FOLDER --confidence       the table, for docs/quality.md
    python3 dev.py quality FOLDER --fit-confidence   coefficients fitted on the even half

The suites and the rule of their halves: tests/quality/README.md. Repositories of the folder and
folders of the running Python's library are asked, each with an index of its own.
"""

import shutil
import sysconfig
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ggrep.base import stable_json
from ggrep.base.deadline import Deadline
from ggrep.base.errors import NoIndex
from ggrep.config.home import Home
from ggrep.model.confidence import Confidence, Leading, confidence_of
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query.pipeline import leading, rank

ROOT = Path(__file__).resolve().parents[2]
SUITES = ROOT / "tests" / "quality"
SHIPPED = "static"
REGULARISATION = 0.3
"""Of the fit: the weight of a Gaussian prior around 0."""

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with what its confidence was judged by.

    Attributes:
        suite: which list it is of.
        kind: why it has no answer; empty for one that has.
        even: it is of the half that may be tuned on.
    """

    suite: str
    kind: str
    even: bool
    leading: Leading

    @property
    def confidence(self) -> Confidence:
        """Return what an answer would say."""
        return confidence_of(self.leading)

    def signals(self) -> list[float]:
        """Return evidence, stem, found, rarity, lead and a one."""
        leaders = self.leading.leaders
        first = leaders[:3]
        return [
            leaders[0].evidence if leaders else 0.0,
            max((leader.stem for leader in first), default=0.0),
            max((leader.found for leader in first), default=0.0),
            self.leading.rarity,
            self.leading.lead,
            1.0,
        ]


def ask(folder: Path, home: Path) -> list[Asked]:
    """Return all questions of all suites, asked."""
    repos = stable_json.loads((folder / "repos.json").read_bytes())

    @cache
    def engine(repo: str) -> Engine:
        if repo in repos:
            root = folder / "sources" / repo / (repos[repo].get("benchmark_root") or "")
        else:
            root = _installed(repo, home / "trees")
        opened = Engine(root.resolve(), Home(home), flags={"encoder": SHIPPED})
        try:
            opened.view()
        except NoIndex:
            opened.sync()
        return opened

    found = []
    for suite, kind, even, repo, query in _questions(folder):
        opened = engine(repo)
        never = Deadline.never(opened.clock)
        request = SearchRequest(query)
        ranked = rank(
            opened.view(), request, encoder=opened.encoder, statistics=None, deadline=never
        )
        found.append(Asked(suite, kind, even, leading(ranked, never)))
    return found


def table(asked: Sequence[Asked]) -> str:
    """Return how often each suite's answers are doubted, as Markdown."""
    lines = [
        "## Doubt",
        "",
        "`weak` or `none` is doubt. It should be frequent over questions that the repository",
        "cannot answer and rare over those it can. The figures of `ggrep/model/confidence.py`",
        "were fitted on the benchmark's questions and the even half of the first suite; nothing",
        "was tuned on the odd halves and on the second suite. How they were made: tests/quality.",
        "",
        "| questions | number | strong | weak | none | doubted |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    groups: dict[str, list[Asked]] = {}
    for item in asked:
        half = "" if item.suite == "benchmark" else f", {'even' if item.even else 'odd'} half"
        label = "answerable" if not item.kind else "out of domain"
        groups.setdefault(f"{label}, {item.suite}{half}", []).append(item)
        if item.kind:
            groups.setdefault(f"- {item.suite}{half}: {item.kind}", []).append(item)
    for name in sorted(groups, key=lambda text: (text.startswith("-"), text)):
        counts = Counter(item.confidence for item in groups[name])
        number = len(groups[name])
        doubted = (number - counts[Confidence.STRONG]) / number
        levels = " | ".join(str(counts[level]) for level in Confidence)
        lines.append(f"| {name.removeprefix('- ')} | {number} | {levels} | {100 * doubted:.1f} % |")
    return "\n".join([*lines, ""])


def fitted(asked: Sequence[Asked]) -> str:
    """Return coefficients fitted on the benchmark and the even half, and what they would doubt."""
    rows = [
        item
        for item in asked
        if item.suite in {"benchmark", "first"} and (item.even or not item.kind)
    ]
    signals = np.array([item.signals() for item in rows])
    answerable = np.array([not item.kind for item in rows])
    weights = _logistic(signals, answerable).round(1)
    logits = signals @ weights
    names = ("evidence", "stem", "found", "rarity", "lead", "offset")
    lines = [", ".join(f"{name} {value:g}" for name, value in zip(names, weights, strict=True))]
    for threshold in np.arange(-5.0, 0.5, 0.1).round(1):
        low = logits < threshold
        shares = f"{low[answerable].mean():7.2%} {low[~answerable].mean():7.2%}"
        lines.append(f"below {threshold:5.1f}: answerable {shares} of the even half")
    return "\n".join(lines)


def _logistic(signals: Vector, answerable: npt.NDArray[np.bool_]) -> Vector:
    """Return the coefficients, both classes weighing the same, by Newton's method."""
    weights: Vector = np.zeros(signals.shape[1])
    share = np.where(answerable, 1.0 / answerable.sum(), 1.0 / (~answerable).sum())
    share /= share.mean()
    prior = np.full(signals.shape[1], REGULARISATION)
    prior[-1] = 1e-6
    for _ in range(60):
        odds = 1.0 / (1.0 + np.exp(-signals @ weights))
        gradient = signals.T @ (share * (odds - answerable)) + prior * weights
        spread = (signals * (share * odds * (1.0 - odds))[:, None]).T @ signals
        weights -= np.linalg.solve(spread + np.diag(prior), gradient)
    return weights


def _questions(folder: Path) -> Iterator[tuple[str, str, bool, str, str]]:
    """Yield suite, kind, whether it is of the even half, repository and query."""
    for item in _records(folder / "queries.jsonl"):
        yield "benchmark", "", False, item["repo"], item["query"]
    files = {
        "out_of_domain.jsonl": "first",
        "out_of_domain_installed.jsonl": "second",
        "answerable_installed.jsonl": "second",
    }
    for name, suite in files.items():
        for item in _records(SUITES / name):
            even = int(item["id"].rpartition("-")[2]) % 2 == 0
            yield suite, item.get("kind", ""), even, item["repo"], item["query"]


def _records(path: Path) -> list[dict[str, Any]]:
    return [stable_json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]


def _installed(repo: str, trees: Path) -> Path:
    """Return a copy of a fixture or of a folder of the library, outside of any repository."""
    target = trees / repo.replace(":", "-")
    if not target.exists():
        library = Path(sysconfig.get_path("stdlib"))
        kind, _, name = repo.rpartition(":")
        source = library / name if kind == "stdlib" else ROOT / "fixtures" / "repos" / repo
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target

"""How often an answer is doubted: over questions that have one, and over questions that have none.

    python3 dev.py quality FOLDER --confidence [--people ASKED]    the tables of docs/quality.md

The suites and the rule of their halves: tests/quality/README.md. Repositories of the folder and
folders of the running Python's library are asked, each with an index of its own. ASKED is what
`python -m training.changes ask` writes; questions without an answer are made of its own.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.model.confidence import Confidence, TopFiles, confidence_of
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query.pipeline import leading, rank
from training.confidence import asking as training_asking
from training.confidence.asking import installed_tree, opened
from training.confidence.questions import people_ask

ROOT = Path(__file__).resolve().parents[1]
SUITES = ROOT / "tests" / "quality"
KINDS = {"domain": "another domain", "wrong_repo": "another repository", "nonsense": "nonsense"}
"""What a question without an answer is about, by the name of its kind."""


class Asked(Struct, frozen=True):
    """One question with what its confidence was judged by.

    Attributes:
        suite: which list it is of.
        kind: why it has no answer; empty for one that has.
        even: it is of the half that may be tuned on.
    """

    suite: str
    kind: str
    even: bool
    leading: TopFiles

    @property
    def confidence(self) -> Confidence:
        """Return what an answer would say."""
        return confidence_of(self.leading)


def ask(folder: Path, home: Path) -> list[Asked]:
    """Return all questions of all suites, asked."""
    repos = stable_json.loads((folder / "repos.json").read_bytes())

    @cache
    def engine(repo: str) -> Engine:
        if repo in repos:
            root = folder / "sources" / repo / (repos[repo].get("benchmark_root") or "")
        else:
            root = installed_tree(repo, home / "trees")
        return opened(root, home)

    found = []
    for suite, kind, even, repo, query in _questions(folder):
        asked = engine(repo)
        never = Deadline.never(asked.clock)
        request = SearchRequest(query)
        ranked = rank(
            asked.view(),
            request,
            encoder=asked.encoder,
            statistics=None,
            deadline=never,
            files=request.limit,
        )
        found.append(Asked(suite, kind, even, leading(ranked, never)))
    return found


def table(asked: Sequence[Asked]) -> str:
    """Return how often each suite's answers are doubted, as Markdown."""
    lines = [
        "## Doubt",
        "",
        "An answer is doubted if its confidence is `weak` or `none`. Doubt should be frequent for",
        "questions that the repository cannot answer and rare for all others. The thresholds in",
        "`ggrep/model/confidence.py` were fitted by `training/confidence` to commits, to questions",
        "as people ask them, and to the questions with even numbers of the answerable suite and of",
        "the first unanswerable suite. Nothing was fitted to the benchmark or to questions with",
        "odd numbers. `tests/quality` describes the suites.",
        "",
        "| questions | number of questions | `strong` answers | `weak` answers | `none` answers "
        "| share of doubted answers |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    groups: dict[str, list[Asked]] = {}
    for item in asked:
        half = (
            "" if item.suite == "benchmark" else f" with {'even' if item.even else 'odd'} numbers"
        )
        label = f"{'unanswerable' if item.kind else 'answerable'} questions, {item.suite}{half}"
        groups.setdefault(label, []).append(item)
        if item.kind:
            groups.setdefault(f"- {label}: {KINDS[item.kind]}", []).append(item)
    for name in sorted(groups, key=lambda text: (text.startswith("-"), text)):
        counts = Counter(item.confidence for item in groups[name])
        number = len(groups[name])
        doubted = (number - counts[Confidence.STRONG]) / number
        levels = " | ".join(str(counts[level]) for level in Confidence)
        lines.append(f"| {name.removeprefix('- ')} | {number} | {levels} | {100 * doubted:.1f} % |")
    return "\n".join([*lines, ""])


def people_table(folder: Path, home: Path) -> str:
    """Return how questions as people ask them are doubted, and those made of them, as Markdown."""
    lines = [
        "## Doubt of questions as people ask them",
        "",
        "The table has 150 questions with known places, and questions without an answer about the",
        "same repositories. A name that does not exist combines two real names, omits a letter of",
        "a real name, or consists of words; it is queried alone and in a sentence. `strong` should",
        "be rare for questions without an answer, and doubt should be rare if the first hit shows",
        "a right place. Thresholds were fitted to the development repositories and measured once",
        "on the held-out repositories.",
        "",
        "| repositories: questions | number of questions | `strong` answers | `weak` answers "
        "| `none` answers | share of `strong` answers | answers whose first hit is right "
        "| doubted answers whose first hit is right |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for part, name in (("choose", "development"), ("judge", "held-out")):
        asked = training_asking.ask(people_ask(folder, part), folder / "sources", home)
        for kind in dict.fromkeys(each.question.kind for each in asked):
            of_kind = [each for each in asked if each.question.kind == kind]
            counts = Counter(each.confidence for each in of_kind)
            cells = [str(len(of_kind)), *(str(counts[level]) for level in Confidence)]
            cells.append(f"{100 * counts[Confidence.STRONG] / len(of_kind):.1f} %")
            right = [each for each in of_kind if each.first]
            doubted = sum(each.confidence is not Confidence.STRONG for each in right)
            cells += [str(len(right)), str(doubted)] if right else ["", ""]
            lines.append(f"| {name} repositories: {kind} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _questions(folder: Path) -> Iterator[tuple[str, str, bool, str, str]]:
    """Yield suite, kind, whether it is of the even half, repository and query."""
    for item in _records(folder / "queries.jsonl"):
        yield "benchmark", "", False, item["repo"], item["query"]
    files = {
        "out_of_domain.jsonl": "first suite",
        "out_of_domain_installed.jsonl": "second suite",
        "answerable_installed.jsonl": "second suite",
    }
    for name, suite in files.items():
        for item in _records(SUITES / name):
            even = int(item["id"].rpartition("-")[2]) % 2 == 0
            yield suite, item.get("kind", ""), even, item["repo"], item["query"]


def _records(path: Path) -> list[dict[str, Any]]:
    return [stable_json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]

"""How often an answer shows the place that answers: questions of a kit that name lines.

A hit answers if at least half of it, or half of the place, is shared: chunks are cut elsewhere than
places are.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, TypeAlias

import numpy as np
from msgspec import Struct

from bench.place_rankers import rankers_of
from bench.quality_tables import section
from ggrep.base import stable_json
from ggrep.interfaces.evaluation.visible_lines import LineRange
from ggrep.model.request import SearchRequest
from ggrep.model.response import Hit
from training.changes.asked_questions import shares_half
from training.changes.building import WHOLE
from training.ranking.gather import engine_of

DEPTH: Final = 10
_FIRST: Final = 5
_PARTS: Final = {
    "fit": "training repositories",
    "choose": "development repositories",
    "judge": "held-out repositories",
}
_DRAWS: Final = 4_000


class PlaceQuestion(Struct, frozen=True):
    """A question with the places that answer it.

    Attributes:
        repo: the folder's name below `sources`.
        part: training, development or held-out repositories.
        places: of which any one answers.
    """

    repo: str
    part: str
    language: str
    query: str
    places: tuple[LineRange, ...]


Ranked: TypeAlias = list[tuple[PlaceQuestion, int | None]]


def read_place_questions(folder: Path) -> list[PlaceQuestion]:
    """Return the questions of a kit whose answers have lines; bodies of commits are left out."""
    parts = stable_json.loads((folder / "repos.json").read_bytes())
    lines = (folder / "queries.jsonl").read_bytes().splitlines()
    return list(filter(None, (_question(stable_json.loads(line), parts) for line in lines)))


def _question(record: dict[str, Any], parts: dict[str, Any]) -> PlaceQuestion | None:
    places = tuple(
        LineRange(each["path"], each["start"], each["end"])
        for each in record["relevant"]
        if "start" in each
    )
    if not places or record["category"].startswith(WHOLE):
        return None
    repo = record["repo"]
    part = _PARTS[parts[repo]["part"]]
    return PlaceQuestion(repo, part, record["language"], record["query"], places)


def rank_of(hits: Sequence[LineRange], places: Sequence[LineRange]) -> int | None:
    """Return the rank of the first hit that answers, from 1; None without one."""
    return next((rank for rank, hit in enumerate(hits, 1) if shares_half(hit, places)), None)


def measured(folder: Path, home: Path) -> str:
    """Return a table of a kit's questions: of each part, and of each language of a part.

    Other rankers stand beside ggrep in each part.
    """
    questions = read_place_questions(folder)
    ranks: dict[str, Ranked] = {}
    for repo in dict.fromkeys(each.repo for each in questions):
        root = folder / "sources" / repo
        engine = engine_of(root, home, "static")
        others = rankers_of(root, engine.view())
        for each in (question for question in questions if question.repo == repo):
            response = engine.search(SearchRequest(each.query, timeout_ms=600_000, keep_weak=True))
            hits = [_lines_of(hit) for hit in response.hits[:DEPTH]]
            for name in (each.part, f"{each.part}, {each.language}"):
                ranks.setdefault(name, []).append((each, rank_of(hits, each.places)))
            for name, ranker in others.items():
                ranked = ranks.setdefault(f"{each.part}: {name}", [])
                if ranker is not None:
                    places = ranker.ranges(each.query, DEPTH)
                    ranked.append((each, rank_of(places, each.places)))
    rows = [_row(name, ranks[name]) for name in sorted(ranks)]
    return section(
        f"Places that answer, with other rankers ({folder.name})",
        "The lines that answer each question are known.",
        (
            "repositories: ranker (ggrep if none is named)",
            "number of questions",
            "answered by the first hit (share)",
            "answered by one of the first five hits (share)",
            "MRR@10",
            "95 % interval of MRR@10",
        ),
        rows,
    )


def _lines_of(hit: Hit) -> LineRange:
    return LineRange(hit.path, hit.start_line, hit.end_line)


def _row(name: str, ranked: Ranked) -> tuple[str, ...]:
    if not ranked:
        return name, "not installed", "", "", "", ""

    def mean(score: Callable[[int], float]) -> str:
        return f"{fmean(0.0 if rank is None else score(rank) for _, rank in ranked):.3f}"

    low, high = _interval(ranked)
    return (
        name,
        str(len(ranked)),
        mean(lambda rank: float(rank == 1)),
        mean(lambda rank: float(rank <= _FIRST)),
        mean(lambda rank: 1.0 / rank),
        f"{low:.3f} to {high:.3f}",
    )


def _interval(ranked: Ranked) -> tuple[float, float]:
    """Return bounds of 95 % of the means of MRR@10 over resampled repositories."""
    by_repo: dict[str, list[float]] = {}
    for each, rank in ranked:
        by_repo.setdefault(each.repo, []).append(0.0 if rank is None else 1.0 / rank)
    repos, rng = list(by_repo.values()), np.random.default_rng(0)
    drawn = rng.integers(0, len(repos), (_DRAWS, len(repos)))

    def means() -> Iterator[float]:
        for draw in drawn:
            chosen = [value for place in draw for value in repos[place]]
            yield fmean(chosen)

    low, high = np.percentile(list(means()), [2.5, 97.5])
    return float(low), float(high)

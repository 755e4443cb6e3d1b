"""Answers over a thousand real packages against those of one store of all their files.

Each question is asked of a host, which reads its stores' packs, and of one store; some are asked of
each repository by itself, too. Hits, order, scores, texts and confidence are to be the same.
"""

import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import anyio
from msgspec.structs import replace

from bench.federation_packages import QUESTIONS, run_ggrep
from bench.many_packages import lay_out
from bench.serving import CLOCK, load_average
from ggrep.base import stable_json
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.model.corpus import Mode
from ggrep.model.filters import Filter
from ggrep.model.request import Find, SearchRequest
from ggrep.search.query.pipeline import check_request
from ggrep.service.federator import Federator
from tests.fakes.coordinated import OneByOne
from tests.fakes.union import UnionStore, build_union
from tests.properties.workspaces import from_federation, from_union

ASKED: Final = 300
_BY_ITSELF_EVERY: Final = 20
"""Of so many questions one is asked of each repository by itself: that takes 15 s."""
_SEED: Final = 7
_FILTERS: Final = (
    (),
    (),
    (Filter("lang", "python"),),
    (Filter("path", "**/test*", negated=True),),
    (Filter("ext", "ts"),),
)


def measure_answers(folder: Path, number: int, asked: int = ASKED) -> list[str]:
    """Return lines: how many answers were the same, and what each way took."""
    lay_out(folder, number)
    environ = build(folder)
    workspace = load_workspace(folder / "ws.jsonc", resolve_root=canonical_root)
    roots = [repo.root_canonical for repo in workspace.repos]
    searches = [*questions(roots, asked)]
    for search in searches:
        check_request(search)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        union = build_union(Path(place).resolve(), roots, "static")
        try:
            return anyio.run(_measure, workspace, union, environ, searches)
        finally:
            run_ggrep(environ, "stop-all")


def build(folder: Path) -> dict[str, str]:
    """Index the packages that are laid out in a folder; return the environment of their home."""
    environ = {**os.environ, "GGREP_HOME": str(folder / "home")}
    run_ggrep(environ, "workspace", "build", str(folder / "ws.jsonc"))
    return environ


async def _measure(
    workspace: Workspace,
    union: UnionStore,
    environ: dict[str, str],
    searches: Sequence[SearchRequest],
) -> list[str]:
    home = Home(Path(environ["GGREP_HOME"]))
    together = Federator(home, environ, CLOCK)
    apart = Federator(home, environ, CLOCK, through=OneByOne)
    walls: dict[str, list[float]] = {"many": [], "one store": [], "one by one": []}
    others: list[str] = []
    unequal: list[str] = []
    for _ in range(3):
        await together.search(workspace, whole(SearchRequest("ready", deterministic=True)))
    for place, search in enumerate(searches):
        request = whole(search)
        begun = time.perf_counter()
        answer = await together.search(workspace, request)
        took = time.perf_counter() - begun
        begun = time.perf_counter()
        hits = union.search(search)
        if search.find is Find.AUTO:
            walls["many"].append(took)
            walls["one store"].append(time.perf_counter() - begun)
        same = from_federation(answer.hits) == from_union(hits)
        same &= answer.confidence is union.confidence(search)
        late = sum(report.status != "ok" for report in answer.reports)
        if late or not same:
            unequal.append(f"{search.query} ({search.find.value}; {late} failed)")
        if place % _BY_ITSELF_EVERY == 0:
            begun = time.perf_counter()
            other = await apart.search(workspace, request)
            walls["one by one"].append(time.perf_counter() - begun)
            if stable_json.dumps(other.to_json()) != stable_json.dumps(answer.to_json()):
                others.append(search.query)
    await together.aclose()
    await apart.aclose()
    head = f"answers: {len(workspace.repos)} repositories, {len(searches)} questions, "
    return [head + load_average(), *_lines(walls, len(searches), unequal, others)]


def _lines(
    walls: dict[str, list[float]], asked: int, unequal: Sequence[str], others: Sequence[str]
) -> list[str]:
    p50 = {name: 1000 * statistics.median(each) for name, each in walls.items()}
    apart = len(walls["one by one"])
    return [
        f"  as one store: {asked - len(unequal)} of {asked} the same {unequal or ''}",
        f"  as one by one: {apart - len(others)} of {apart} the same, byte for byte {others or ''}",
        f"  p50 of those found by words: {p50['many']:.0f} ms; one store {p50['one store']:.0f} ms"
        f" ({p50['many'] / p50['one store']:.2f}); one by one {p50['one by one']:.0f} ms",
    ]


def whole(search: SearchRequest) -> FederatedRequest:
    """Return the question whose answer is the one store's."""
    return FederatedRequest(
        search=search,
        top=search.limit,
        merge_strategy="global",
        snippet_bytes=1 << 30,
        fold=False,
        all_repos=True,
    )


def questions(roots: Sequence[Path], number: int) -> Iterator[SearchRequest]:
    """Yield questions of all kinds: written ones, names, words of names, paths, texts."""
    chance = random.Random(_SEED)
    paths = [path.relative_to(root) for root in roots for path in sorted(root.rglob("*.*s"))]
    for place in range(number):
        path = chance.choice(paths)
        stem = path.name.partition(".")[0]
        words = " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+", stem)) or stem
        written = chance.choice(QUESTIONS)
        kinds = (
            SearchRequest(written),
            SearchRequest(f"{written} {words}"),
            SearchRequest(words),
            SearchRequest(stem),
            SearchRequest(str(path)),
            SearchRequest(f'"{words}"'),
            SearchRequest(words.partition(" ")[0], find=Find.DEFINITION),
            SearchRequest(words, find=Find.EXACT_TEXT),
        )
        yield replace(
            kinds[place % len(kinds)],
            limit=chance.choice((1, 5, 10, 20)),
            per_file=chance.choice((0, 1, 3)),
            mode=chance.choice(tuple(Mode)),
            filters=chance.choice(_FILTERS),
            deterministic=True,
            keep_weak=True,
        )

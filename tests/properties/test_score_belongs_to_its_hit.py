"""Promise P3: a score follows from query, chunk, file and statistics, and from nothing else."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.model.corpus import CORPORA
from ggrep.model.filters import Filter
from ggrep.model.request import (
    CollectionStatistics,
    PoolRequest,
    SearchRequest,
    SnippetMode,
    StatisticsRequest,
)
from ggrep.model.response import Hit
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import indexed
from tests.properties.trees import PATHS, bodies, content, requests, texts

files = st.dictionaries(st.sampled_from(PATHS), bodies, min_size=1, max_size=8)
QUICK = settings(
    max_examples=3,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def store(base: Path, name: str, bodies_of: dict[str, list[str]], encoder: str) -> Engine:
    root = base / name
    root.mkdir()
    return indexed(
        root,
        base / f"{name}-home",
        {path: content(path, body) for path, body in bodies_of.items()},
        encoder=encoder,
    )


def everything(request: SearchRequest) -> SearchRequest:
    return replace(
        request,
        limit=200,
        per_file=0,
        corpora=CORPORA,
        scope="",
        filters=(),
        snippet=SnippetMode.NONE,
        include_anchors=True,
        explain=True,
        keep_weak=True,
    )


def ask(engine: Engine, request: SearchRequest, figures: CollectionStatistics) -> tuple[Hit, ...]:
    snapshot = engine.view().manifest.snapshot_id
    return engine.ask(PoolRequest(request, request.limit, figures, snapshot)).blended


def belonging(hit: Hit) -> tuple[object, ...]:
    return (hit.score, hit.lexical_score, hit.components)


def by_row(hits: tuple[Hit, ...]) -> dict[tuple[str, str], tuple[object, ...]]:
    return {(hit.path, hit.row_id): belonging(hit) for hit in hits}


def check_neighbours(
    mine: dict[str, list[str]],
    one: dict[str, list[str]],
    other: dict[str, list[str]],
    asked: list[SearchRequest],
    encoder: str,
) -> None:
    """Compare the hits of files that two stores share and that differ in all else."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        left = store(base, "left", one | mine, encoder)
        right = store(base, "right", other | mine, encoder)
        for request in map(everything, asked):
            figures = left.ask(StatisticsRequest(request)).statistics
            there = by_row(ask(right, request, figures))
            here = by_row(ask(left, request, figures))
            shared = {row for row in {*here, *there} if row[0] in mine}

            assert {row: here.get(row) for row in shared} == {
                row: there.get(row) for row in shared
            }, request


def check_cuts(
    mine: dict[str, list[str]], asked: list[tuple[str, SearchRequest]], encoder: str
) -> None:
    """Compare a narrow list with the widest one."""
    with tempfile.TemporaryDirectory() as folder:
        engine = store(Path(folder).resolve(), "repo", mine, encoder)
        for query, drawn in asked:
            narrow = replace(drawn, query=query, explain=True, snippet=SnippetMode.NONE)
            figures = engine.ask(StatisticsRequest(narrow)).statistics
            wide = by_row(ask(engine, everything(narrow), figures))
            part = by_row(engine.search(narrow).hits)

            assert {row: wide.get(row) for row in part} == part, narrow


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ["none", "static"])
@QUICK
@given(mine=files, one=files, other=files, asked=st.lists(requests, min_size=4, max_size=6))
def test_what_else_a_store_holds_leaves_a_score_as_it_is(
    encoder: str,
    mine: dict[str, list[str]],
    one: dict[str, list[str]],
    other: dict[str, list[str]],
    asked: list[SearchRequest],
) -> None:
    """Under one set of figures, lists of several stores can be merged by their scores alone."""
    check_neighbours(mine, one, other, asked, encoder)


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ["none", "static"])
@QUICK
@given(mine=files, asked=st.lists(st.tuples(texts, requests), min_size=8, max_size=12, unique=True))
def test_limits_filters_scopes_and_quotas_leave_a_score_as_it_is(
    encoder: str, mine: dict[str, list[str]], asked: list[tuple[str, SearchRequest]]
) -> None:
    """A narrower question may show fewer hits, never other figures."""
    check_cuts(mine, asked, encoder)


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("encoder", ["none", "static"])
@settings(QUICK, max_examples=200)
@given(
    mine=files,
    one=files,
    other=files,
    asked=st.lists(st.tuples(texts, requests), min_size=8, max_size=12, unique=True),
)
def test_scores_belong_to_their_hits_over_many_trees(
    encoder: str,
    mine: dict[str, list[str]],
    one: dict[str, list[str]],
    other: dict[str, list[str]],
    asked: list[tuple[str, SearchRequest]],
) -> None:
    """Both, over many more trees."""
    check_neighbours(mine, one, other, [request for _, request in asked], encoder)
    check_cuts(mine, asked, encoder)


def test_the_best_row_of_a_file_counts_where_a_filter_hides_it(root: Path, home: Path) -> None:
    """Which row is a file's best follows from the file, never from what is shown."""
    two = "def retry(queue):\n    return retry\n\n\nclass Other:\n    retry = 1\n"
    engine = indexed(root, home, {"a.py": two, "b.py": "x = 1\n"}, encoder="none")
    request = SearchRequest("retry", explain=True, deterministic=True, keep_weak=True)
    whole = engine.search(request).hits
    best, further = whole[0], whole[1]
    shown = engine.search(
        replace(request, filters=(Filter("kind", best.chunk_type, negated=True),))
    ).hits

    assert (dict(best.components)["further"], dict(further.components)["further"]) == (1.0, 0.75)
    assert [hit.row_id for hit in shown] == [further.row_id]
    assert belonging(shown[0]) == belonging(further)

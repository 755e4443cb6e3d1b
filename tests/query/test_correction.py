"""The learned correction: bounded, exact as deep as an answer goes, and for sources alone."""

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import fields, replace

from ggrep.base.clock import Deadline
from ggrep.model.request import Find, SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query.best_rows import CODE, BestRows, best_rows
from ggrep.search.query.correction import LEARNED, MOST, Correction, factor_of
from ggrep.search.query.pipeline import Ranked, rank
from ggrep.search.query.score import SegmentScores
from ggrep.search.query.trees import UNIT, Forest, ranking_forest
from ggrep.search.query.weights import DEFAULT_WEIGHTS
from tests.fakes.repos import open_engine, write_tree

LEAST = 1 / 7
QUERY = "retry the queue when a worker is lost"
WORDS = ("retry", "queue", "worker", "lost", "cache", "socket", "parse")


def file_of(number: int) -> str:
    """Return a module whose words depend on its number."""
    picked = [word for place, word in enumerate(WORDS) if (number >> place) & 1]
    functions = [f"def {word}_{number}(item):\n    return {word}(item)\n" for word in picked]
    return "\n\n".join(functions) or "pass\n"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Return an engine over more files than are corrected, in two segments."""
    base = tmp_path_factory.mktemp("correction").resolve()
    root = base / "repo"
    root.mkdir()
    opened = open_engine(root, base / "home")
    write_tree(root, {f"src/m{n:03}.py": file_of(n) for n in range(0, 128, 2)})
    opened.sync()
    write_tree(root, {f"src/m{n:03}.py": file_of(n) for n in range(1, 128, 2)})
    write_tree(root, {f"tests/test_m{n:03}.py": file_of(n) for n in range(8)})
    write_tree(root, {"docs/queue.md": "# Queue\n\nRetry the queue when a worker is lost.\n"})
    opened.sync()
    return opened


def ranked(engine: Engine, files: int, query: str = QUERY, learned: int = 1) -> Ranked:
    never = Deadline.never(engine.clock)
    return rank(
        engine.view(),
        SearchRequest(query, per_file=1),
        encoder=engine.encoder,
        statistics=None,
        deadline=never,
        files=files,
        weights=replace(DEFAULT_WEIGHTS, learned=learned),
    )


def best_files(found: Ranked, number: int) -> list[tuple[float, str]]:
    """Return the best files with their scores."""
    best: dict[str, float] = {}
    for segment, each in zip(found.segments, found.best, strict=True):
        for file, score in zip(each.runs.files.tolist(), each.best.max(axis=0), strict=True):
            path = str(segment.image.path(file))
            best[path] = max(best.get(path, 0.0), float(score))
    return sorted(((-score, path) for path, score in best.items()))[:number]


class Wild(Forest):
    """Trees that say anything of any file, far apart for files that hardly differ."""

    def sums(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        mixed = (np.round(rows * 1000.0).astype(np.int64) * np.arange(1, rows.shape[1] + 1)).sum(1)
        result: npt.NDArray[np.int64] = (mixed * 2_654_435_761) % (4 * UNIT) - 2 * UNIT
        return result


class Named:
    """Features that name the file and say nothing else."""

    def of(
        self, _segment: object, _scored: object, files: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        return files


class Said:
    """A forest that was told what to say of each file."""

    def __init__(self, sums: npt.NDArray[np.int64]) -> None:
        self._sums = sums

    def sums(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return self._sums[rows]


def top(scored: SegmentScores, best: BestRows, number: int) -> list[tuple[float, int]]:
    """Return the best files of a segment's code with their best scores, row by row."""
    results: dict[int, float] = {}
    total = best.scores(scored, *best.rows_of(np.ones(len(best.runs.files), np.bool_)))
    for file, corpus, score in zip(
        scored.files[best.places].tolist(), best.corpora.tolist(), total.tolist(), strict=True
    ):
        if corpus == CODE:
            results[file] = max(results.get(file, 0.0), score)
    return sorted((-score, file) for file, score in results.items())[:number]


@pytest.mark.parametrize("files", [10, 17, 40])
@pytest.mark.parametrize("wild", [False, True])
def test_an_answer_is_what_it_would_be_if_every_file_were_corrected(
    many: Engine, files: int, wild: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if wild:
        shipped = ranking_forest()
        forest = Wild(*(getattr(shipped, each.name) for each in fields(Forest)))
        monkeypatch.setattr("ggrep.search.query.pipeline.ranking_forest", lambda: forest)
    whole = best_files(ranked(many, 100_000), files)
    assert best_files(ranked(many, files), files) == whole
    uncorrected = best_files(ranked(many, files, learned=0), files)
    assert ({path for _, path in whole} != {path for _, path in uncorrected}) or not wild


def test_answers_are_exact_however_far_scores_lie_apart(
    many: Engine,
) -> None:
    """Scores of six orders and sums within and beyond the bounds, drawn anew two hundred times."""
    result = ranked(many, 100_000, learned=0)
    segment, scored = result.segments[0], result.scores[0]
    mask, number = result.eligible[0], len(best_files(result, 1000))
    chance = np.random.default_rng(7)
    for _ in range(200):
        spread = np.exp(chance.uniform(0.0, chance.choice([0.5, 2.0, 6.0]), len(scored.total)))
        drawn = replace(scored, total=np.where(scored.total > 0.0, np.round(spread, 9), 0.0))
        sums = chance.integers(-3 * UNIT, 3 * UNIT, segment.image.files)
        correction = Correction(Said(sums), Named(), Deadline.never(many.clock))  # type: ignore[arg-type]
        files = int(chance.integers(1, 30))
        best = [best_rows(drawn, mask)]
        whole = correction.corrected([segment], [drawn], best, 10 * number)[0]
        shown = correction.corrected([segment], [drawn], best, files)[0]
        assert top(drawn, shown, files) == top(drawn, whole, files)


def test_not_every_file_is_looked_at(many: Engine) -> None:
    def learned(files: int) -> int:
        result = ranked(many, files)
        return sum(int((each.factors != 1.0).sum()) for each in result.best)

    assert 0 < learned(10) < learned(100_000)


def test_the_factor_is_bounded_and_grows_with_the_sum() -> None:
    factors = factor_of(np.array([-(1 << 40), -600, -1, 0, 1, 300, 1 << 40]))
    assert factors[0] == pytest.approx(LEAST, abs=0.01)
    assert factors[3] == 1.0
    assert factors[-1] == MOST
    assert (np.diff(factors) > 0.0).all()


def test_a_score_is_what_it_was_times_its_factor(many: Engine) -> None:
    result = ranked(many, 100)
    for before, after, scored in zip(
        ranked(many, 100, learned=0).best, result.best, result.scores, strict=True
    ):
        assert after.best[CODE].tolist() == np.round(before.best[CODE] * after.factors, 9).tolist()
        assert ((after.factors >= LEAST - 0.01) & (after.factors <= MOST)).all()
        assert (after.factors != 1.0).any()
        numbers, files = after.rows_of(np.ones(len(after.factors), np.bool_))
        code = after.corpora == CODE
        expected = before.scores(scored, numbers, files)
        expected[code] = np.round(expected[code] * after.factors[files[code]], 9)
        assert after.scores(scored, numbers, files).tolist() == expected.tolist()
        assert after.best.max() == expected.max()


def test_prose_is_left_as_it_is(many: Engine) -> None:
    response = many.search(SearchRequest(QUERY, limit=30, explain=True))
    (prose,) = (hit for hit in response.hits if hit.path == "docs/queue.md")
    assert dict(prose.components)[LEARNED] == 1.0
    assert not [name for name, _ in prose.components if name.startswith(f"{LEARNED}.")]


@pytest.mark.parametrize(
    ("query", "find"),
    [("retry_1", Find.AUTO), ("retry", Find.EXACT_TEXT), ("src/m001.py", Find.AUTO)],
)
def test_names_paths_and_text_are_left_to_their_rules(many: Engine, query: str, find: Find) -> None:
    response = many.search(SearchRequest(query, find=find, explain=True))
    assert response.hits
    assert not [name for hit in response.hits for name, _ in hit.components if LEARNED in name]


def test_an_explanation_names_what_moved_a_file_most(many: Engine) -> None:
    response = many.search(SearchRequest(QUERY, limit=30, explain=True))
    for hit in response.hits:
        if hit.corpus.value == "code":
            moved = [value for name, value in hit.components if name.startswith(f"{LEARNED}.")]
            assert 0 < len(moved) <= 3
            assert moved == sorted(moved, key=abs, reverse=True)

"""Each figure of a file is what its words, names and rows make it."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.index.lexical.bm25 import inverse_document_frequency
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query.file_features import FEATURES, FileFeatures
from ggrep.search.query.pipeline import Ranked, rank
from ggrep.search.query.weights import Weights
from tests.fakes.repos import open_engine, write_tree
from training.ranking.gather import UNCORRECTED

QUERY = "cobalt lantern walnut"
ALL = ("cobalt", "lantern", "walnut")
LONG = "".join(f"    x = step_{n}(x, {n})\n" for n in range(60))
"""Keeps what stands around it in chunks of their own."""
FILES = {
    "src/alpha.py": f"def alpha(x):\n{LONG}    return cobalt(x)\n\n\n"
    f"def other(x):\n{LONG}    return lantern(x)\n",
    "src/kiln.py": "def lanterns(x):\n    return x\n",
    "src/beta.py": "def beta(x):\n    return cobalt(lantern(x))\n\n\ndef more(x):\n    return x\n",
    "src/cobalt.py": "def cobalt(x):\n    return x\n",
    "src/often.py": "def often(x):\n    return cobalt(cobalt(cobalt(x)))\n",
    "src/gamma/gamma.py": "def gamma(x):\n    return walnut(x)\n",
    "src/gamma/index.py": "def first(x):\n    return walnut(x)\n",
    "walnut/depths.py": "def depths(x):\n    return lantern(x)\n",
    "src/plural.py": "def plural(x):\n    return lanterns(x)\n",
    "tests/test_walnut.py": "def test_walnut():\n    assert walnut(1)\n",
    "src/omega_delta.py": "def name(x):\n    return cobalt(x)\n",
    **{f"pad/p{n}.py": f"def pad{n}(x):\n    return cobalt(x)\n" for n in range(6)},
}
Row = Mapping[str, float]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Return an engine over the files, in two segments."""
    base = tmp_path_factory.mktemp("features").resolve()
    root = base / "repo"
    root.mkdir()
    opened = open_engine(root, base / "home")
    for half in (0, 1):
        write_tree(root, dict(list(FILES.items())[half::2]))
        opened.sync()
    return opened


def ranked(engine: Engine, query: str = QUERY, weights: Weights = UNCORRECTED) -> Ranked:
    return rank(
        engine.view(),
        SearchRequest(query),
        encoder=engine.encoder,
        statistics=None,
        deadline=Deadline.never(engine.clock),
        files=100,
        weights=weights,
    )


def scoring(found: Ranked, place: int) -> npt.NDArray[np.int64]:
    """Return the files of a segment that have a row that scores."""
    scored = found.scores[place]
    files: npt.NDArray[np.int64] = np.unique(scored.files[scored.total > 0])
    return files


def figures(found: Ranked) -> dict[str, Row]:
    """Return the figures of every file that scores, by path."""
    features = FileFeatures(found.query, found.statistics)
    every: dict[str, Row] = {}
    for place, segment in enumerate(found.segments):
        files = scoring(found, place)
        if len(files):
            rows = features.of(segment, found.scores[place], files)
            for file, row in zip(files.tolist(), rows.tolist(), strict=True):
                every[str(segment.image.path(file))] = dict(zip(FEATURES, row, strict=True))
    return every


@pytest.fixture(scope="module")
def rows(store: Engine) -> dict[str, Row]:
    return figures(ranked(store))


@pytest.fixture(scope="module")
def weights(store: Engine) -> dict[str, float]:
    """Return the weight of each word of the query, by the chunks that hold it."""
    result = ranked(store)
    terms = [term for term in result.query.terms if term not in result.query.spellings]
    statistics = result.statistics
    return {
        word: inverse_document_frequency(statistics.chunks, statistics.frequency(term).chunks)
        for word, term in zip(ALL, terms, strict=True)
    }


@pytest.mark.parametrize(
    ("feature", "path", "words"),
    [
        ("held", "src/alpha.py", ("cobalt", "lantern")),
        ("held", "src/gamma/gamma.py", ("walnut",)),
        ("held_anywhere", "walnut/depths.py", ("lantern", "walnut")),
        ("held_row", "src/alpha.py", ("lantern",)),
        ("held_row", "src/beta.py", ("cobalt", "lantern")),
        ("held_name", "src/cobalt.py", ("cobalt",)),
        ("held_name", "src/alpha.py", ()),
        ("held_path", "walnut/depths.py", ("walnut",)),
        ("held_path", "src/alpha.py", ()),
        ("held_stem", "src/cobalt.py", ("cobalt",)),
        ("held_stem", "walnut/depths.py", ()),
    ],
)
def test_a_share_is_the_weight_of_the_words_that_are_there(
    rows: dict[str, Row],
    weights: dict[str, float],
    feature: str,
    path: str,
    words: tuple[str, ...],
) -> None:
    share = sum(weights[word] for word in words) / sum(weights.values())
    assert rows[path][feature] == pytest.approx(share, abs=1e-8)


def test_the_rarest_word_held_is_weighed_against_the_rarest_asked(
    rows: dict[str, Row], weights: dict[str, float]
) -> None:
    most = max(weights.values())
    assert weights["cobalt"] < weights["lantern"] < most
    assert rows["src/often.py"]["held_rarest"] == pytest.approx(weights["cobalt"] / most, abs=1e-8)
    lantern = pytest.approx(weights["lantern"] / most, abs=1e-8)
    assert rows["src/alpha.py"]["held_rarest"] == lantern
    assert rows["src/gamma/gamma.py"]["held_rarest"] == 1.0


def test_words_count_as_they_are_spelt(store: Engine) -> None:
    result = figures(ranked(store, "cobalt lanterns"))
    assert result["src/plural.py"]["held"] == result["walnut/depths.py"]["held"] > 0.0
    assert result["src/plural.py"]["spelt"] > result["walnut/depths.py"]["spelt"] == 0.0
    assert result["src/kiln.py"]["spelt_name"] > result["src/plural.py"]["spelt_name"] == 0.0


def test_a_file_that_stands_for_its_directory_is_its_entrance(rows: dict[str, Row]) -> None:
    entrances = {path for path, row in rows.items() if row["entrance"]}
    assert entrances == {"src/gamma/gamma.py", "src/gamma/index.py"}


def test_a_test_is_one_unless_tests_are_asked_for(store: Engine, rows: dict[str, Row]) -> None:
    assert {path for path, row in rows.items() if row["test"]} == {"tests/test_walnut.py"}
    assert not any(row["test"] for row in figures(ranked(store, f"tests of {QUERY}")).values())


def test_words_of_the_stem_that_nobody_asked_for_are_counted(rows: dict[str, Row]) -> None:
    assert rows["src/cobalt.py"]["unasked_stem"] == 0.0
    assert rows["src/alpha.py"]["unasked_stem"] == 1.0
    assert rows["src/omega_delta.py"]["unasked_stem"] == 3.0  # and the whole


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("cobalt lantern walnut", 0.0),
        ("how cobalt_lantern walnut", 1.0),
        ("what cobaltLantern and walnut_x are", 2.0),
        ("HTTP cobalt _lantern Walnut", 0.0),
    ],
)
def test_words_written_as_names_are_counted(store: Engine, query: str, names: float) -> None:
    result = figures(ranked(store, query))
    assert result
    assert {row["query_names"] for row in result.values()} == {names}


def test_a_file_that_says_a_word_more_often_has_more_as_a_whole(rows: dict[str, Row]) -> None:
    assert rows["src/often.py"]["whole_file"] > rows["src/omega_delta.py"]["whole_file"] > 0.0
    assert rows["src/beta.py"]["whole_file"] > rows["src/often.py"]["whole_file"]
    assert rows["src/cobalt.py"]["whole_file"] > rows["src/omega_delta.py"]["whole_file"]


def test_a_files_figures_do_not_depend_on_what_else_is_asked_for(store: Engine) -> None:
    result = ranked(store)
    features = FileFeatures(result.query, result.statistics)
    compared = 0
    for place, segment in reversed(list(enumerate(result.segments))):
        scored, files = result.scores[place], scoring(result, place)
        together = features.of(segment, scored, files)
        for number in range(len(files)):
            alone = features.of(segment, scored, files[number : number + 1])
            assert alone.tobytes() == together[number : number + 1].tobytes()
            compared += 1
        assert features.of(segment, scored, files[::2]).tobytes() == together[::2].tobytes()
    assert compared == len(FILES)
    assert len([part for part in result.scores if len(part.rows)]) == 2


def test_rows_whose_scores_are_switched_off_have_figures(store: Engine) -> None:
    """An evaluation may leave out all rows of a file but the best."""
    result = ranked(store, weights=replace(UNCORRECTED, further=0.0))
    features = FileFeatures(result.query, result.statistics)
    for segment, scored, best in zip(result.segments, result.scores, result.best, strict=True):
        figures = features.of(segment, scored, best.runs.files)

        assert np.isfinite(figures).all()
        assert (figures[:, FEATURES.index("base")] > 0.0).all()

"""Lists to learn from: the first files of code by uncorrected score, and which of them answer."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from ggrep.interfaces.evaluation.measures import Expectation
from ggrep.interfaces.evaluation.questions import CaseQuery, QueriedPath
from ggrep.interfaces.evaluation.suite import Case
from ggrep.search.query.trees import ranking_forest
from tests.fakes.repos import write_tree
from training.ranking import lists
from training.ranking.lists import Listed, lists_of, shortened

QUERY = "retry the queue when a worker is lost"
FILES = {
    "src/queue.py": "def retry_queue(worker):\n    return 'lost worker'\n",
    "src/worker.py": "def lost(worker):\n    return worker\n",
    "src/retry.py": "def retry(call):\n    return call()\n",
    "src/other.py": "def parse(text):\n    return text\n",
    "docs/queue.md": "# Retry the queue when a worker is lost\n",
}


def case(*relevant: str, query: str = QUERY, root: Path = Path()) -> Case:
    return Case(CaseQuery("1", query), QueriedPath(root), Expectation(relevant), "one")


@pytest.fixture
def found(tmp_path: Path) -> dict[str, list[Listed]]:
    """Return the lists of one question by what answers it."""
    root = tmp_path / "repo"
    root.mkdir()
    write_tree(root, FILES)

    def listed(*relevant: str) -> list[Listed]:
        return list(lists_of([case(*relevant, root=root)], tmp_path / "home"))

    return {
        "one": listed("src/retry.py"),
        "none": listed("src/missing.py"),
        "all": listed("src/queue.py", "src/worker.py", "src/retry.py", "src/other.py"),
        "prose": listed("docs/queue.md"),
    }


def test_a_list_is_ordered_and_marks_what_answers(found: dict[str, list[Listed]]) -> None:
    assert len(found["one"]) == 2, "with vectors and without"
    for each in found["one"]:
        assert each.repo == "one"
        assert each.answers.sum() == 1
        assert not each.answers[0], "the better file does not answer"
        assert (np.diff(each.scores) <= 0.0).all()
        assert each.features.shape == (len(each.scores), len(ranking_forest().features))


def test_what_answers_nothing_or_everything_teaches_nothing(
    found: dict[str, list[Listed]],
) -> None:
    assert found["none"] == []
    assert not [each for each in found["all"] if each.answers.all()]


def test_prose_is_in_no_list(found: dict[str, list[Listed]]) -> None:
    assert found["prose"] == []


def test_lists_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MOST_FILES", 2)
    write_tree(tmp_path / "repo", FILES)
    asked = case("src/queue.py", root=tmp_path / "repo")
    assert [len(each.scores) for each in lists_of([asked], tmp_path / "home")] == [2, 2]


def test_a_sentence_is_asked_in_three_to_five_of_its_words_in_their_order() -> None:
    sentence = "Refuse requests whose signature expired before the server could verify them again"
    short = shortened(case("a.py", query=sentence))
    assert short is not None
    asked = short.question.query.split()
    assert 3 <= len(asked) <= 5
    places = [sentence.lower().split().index(word.lower()) for word in asked]
    assert places == sorted(places)
    assert short == shortened(case("a.py", query=sentence)), "the lot is the sentence's own"
    assert replace(short, question=case("a.py", query=sentence).question) == case(
        "a.py", query=sentence
    )


def test_what_is_short_stays_as_it_is() -> None:
    assert shortened(case("a.py", query="retry queue")) is None

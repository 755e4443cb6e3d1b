"""A hit answers if it shares half of its lines, or of a place's, with the place."""

from pathlib import Path

import pytest

from bench.passages import is_answer, measured, rank_of, read_place_questions
from ggrep.base import stable_json
from ggrep.interfaces.evaluation.visible_lines import LineRange
from ggrep.model.response import Hit
from tests.fakes.repos import write_tree
from tests.fakes.searchers import hit as searched

PLACE = LineRange("a.py", 10, 19)


def hit(path: str, first: int, last: int) -> Hit:
    return searched("r", path, first, end_line=last)


@pytest.mark.parametrize(
    ("first", "last", "answers"),
    [(10, 19, True), (1, 14, True), (1, 13, False), (12, 13, True), (20, 29, False), (1, 99, True)],
)
def test_half_of_the_shorter_one_is_enough(first: int, last: int, *, answers: bool) -> None:
    """A chunk may be a part of a long function, and a short one lie in a chunk with others."""
    assert is_answer(hit("a.py", first, last), [PLACE]) is answers


def test_another_file_is_no_answer() -> None:
    assert not is_answer(hit("b.py", 10, 19), [PLACE])


def test_the_first_hit_that_answers_counts() -> None:
    hits = [hit("b.py", 10, 19), hit("a.py", 10, 19), hit("a.py", 10, 12)]

    assert rank_of(hits, [PLACE]) == 2
    assert rank_of(hits[:1], [PLACE]) is None


def test_questions_without_lines_are_left_out(tmp_path: Path) -> None:
    """They say which file answers, not where."""
    write_tree(tmp_path / "sources" / "r", {"a.py": "def take(queue):\n    return queue.pop()\n"})
    (tmp_path / "repos.json").write_bytes(stable_json.dumps({"r": {"part": "judge"}}))
    record = {"qid": "1", "repo": "r", "query": "take from the queue", "category": "how"}
    record["language"] = "python"
    with_lines = {"path": "a.py", "start": 1, "end": 2}
    (tmp_path / "queries.jsonl").write_bytes(
        b"\n".join(
            stable_json.dumps({**record, "relevant": [relevant], "secondary": []})
            for relevant in (with_lines, {"path": "a.py"})
        )
    )

    assert len(read_place_questions(tmp_path)) == 1
    text = measured(tmp_path, tmp_path / "home")
    assert "| judge, python | 1 | 1.000 | 1.000 | 1.000 | 1.000 to 1.000 |" in text

"""A hit answers if it shares half of its lines, or of a place's, with the place."""

import shutil
from pathlib import Path

import pytest

from bench import semble_lexical
from bench.passages import measured, rank_of, read_place_questions
from bench.place_rankers import RarestWords
from bench.reference_bm25 import ReferenceBm25, windows_of
from ggrep.base import stable_json
from ggrep.interfaces.evaluation.visible_lines import LineRange
from tests.fakes.repos import write_tree

PLACE = LineRange("a.py", 10, 19)


@pytest.mark.parametrize(
    ("first", "last", "answers"),
    [(10, 19, True), (1, 14, True), (1, 13, False), (12, 13, True), (20, 29, False), (1, 99, True)],
)
def test_half_of_the_shorter_one_is_enough(first: int, last: int, *, answers: bool) -> None:
    """A chunk may be a part of a long function, and a short one lie in a chunk with others."""
    assert (rank_of([LineRange("a.py", first, last)], [PLACE]) == 1) is answers


def test_another_file_is_no_answer() -> None:
    assert rank_of([LineRange("b.py", 10, 19)], [PLACE]) is None


def test_the_first_hit_that_answers_counts() -> None:
    hits = [LineRange(*each) for each in (("b.py", 10, 19), ("a.py", 10, 19), ("a.py", 10, 12))]

    assert rank_of(hits, [PLACE]) == 2
    assert rank_of(hits[:1], [PLACE]) is None


def test_questions_without_lines_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They say which file answers, not where; other rankers stand beside ggrep in the others."""
    monkeypatch.setattr(semble_lexical, "version", lambda: None)
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
    assert "| held-out repositories, python | 1 | 1.000 | 1.000 | 1.000 | 1.000 to 1.000 |" in text
    assert "| held-out repositories: BM25 with boosts over the same chunks | 1 | 1.000 |" in text
    assert "| held-out repositories: semble without its model | not installed |" in text
    assert "| held-out repositories: rg with the two rarest words | " in text


@pytest.mark.skipif(shutil.which("rg") is None, reason="without rg nothing is printed")
def test_files_with_both_rare_words_come_first_and_near_lines_are_read_at_once(
    tmp_path: Path,
) -> None:
    far = "\n" * 30
    texts = {
        "a.py": "queue = take()\n",
        "b.py": f"the_queue = 1\nlocked = take()\n{far}queue = 3\n",
        "c.py": "take()\n",
    }
    write_tree(tmp_path, texts)
    ranker = RarestWords(tmp_path, ReferenceBm25(windows_of(tmp_path)))

    found = ranker.ranges("take from the locked queue")

    assert found == [
        LineRange("b.py", 1, 12),
        LineRange("b.py", 23, 43),
        LineRange("a.py", 1, 11),
    ]

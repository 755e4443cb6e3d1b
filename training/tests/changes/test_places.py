"""Lines that answer: of commits, of comments and of questions that were annotated."""

import subprocess
from pathlib import Path

from ggrep.interfaces.evaluation.visible_lines import LineRange
from training.changes.asked_questions import QUESTIONS, read_asked
from training.changes.places import changed_functions, definitions_of, described_function

BEFORE = b"""class Queue:
    def take(self):
        return self.jobs.pop()

    def lost(self):
        return []


LIMIT = 3
"""
AFTER = BEFORE.replace(b"self.jobs.pop()", b"self.jobs.pop(0)").replace(b"LIMIT = 3", b"LIMIT = 4")


def git(repo: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repo), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_changed_function_is_known_by_its_name_in_an_earlier_revision(tmp_path: Path) -> None:
    """Lines move between the base and the commit; a constant is no function."""
    git(tmp_path, "init", "-q")
    file = tmp_path / "queue.py"
    for text in (BEFORE, AFTER):
        file.write_bytes(text)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", "a change")
    base = b"# a line more\n" + BEFORE

    found = changed_functions(tmp_path, git(tmp_path, "rev-parse", "HEAD"), "queue.py", base)

    assert [(each.name, each.start, each.end) for each in found] == [("Queue.take", 3, 4)]


def test_a_function_that_a_stored_history_lacks_is_none(tmp_path: Path) -> None:
    """Histories may be stored without their largest objects."""
    git(tmp_path, "init", "-q")

    assert changed_functions(tmp_path, "0" * 40, "queue.py", BEFORE) == []


def test_a_comment_describes_the_next_function_or_the_one_around_it() -> None:
    """A comment stands in front of its function, a docstring inside."""
    data = b"\n\ndef take(queue):\n    \n    return queue\n"

    for first, last in ((1, 1), (4, 4)):
        described = described_function("a.py", data, first, last)
        assert described is not None
        assert (described.start, described.end) == (3, 5)
    assert described_function("a.py", b"\nLIMIT = 3\n", 1, 1) is None


def test_a_file_without_a_grammar_has_no_definitions() -> None:
    assert definitions_of("notes.txt", BEFORE) == []


def test_questions_name_lines_and_a_third_is_held_out() -> None:
    """Fifteen repositories, ten questions each; five repositories only judge."""
    questions = read_asked()
    repos = {each.repo: each.part for each in questions}

    assert len(questions) == len({each.id for each in questions}) == 150
    assert len(repos) == 15
    assert [*repos.values()].count("judge") == 5
    assert all(isinstance(place, LineRange) for each in questions for place in each.ranges())
    assert QUESTIONS.read_bytes().endswith(b"\n")

"""Suites in a folder of JSON lines."""

import json
from pathlib import Path

import pytest

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.suite_files import is_kit, read_kit

QUERIES = [
    {
        "qid": "one#0",
        "repo": "one",
        "language": "python",
        "category": "symbol",
        "query": "a name",
        "relevant": [{"path": "src/one/a.py"}],
        "secondary": [{"path": "src/one/b/c.py"}],
    },
    {
        "qid": "two#0",
        "repo": "two",
        "language": "go",
        "category": "semantic",
        "query": "what it does",
        "relevant": [{"path": "main.go"}],
        "secondary": [],
    },
]


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """Return a folder of two repositories."""
    repos = {"one": {"benchmark_root": "src/one"}, "two": {"benchmark_root": None}}
    (tmp_path / "repos.json").write_text(json.dumps(repos))
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUERIES))
    asked = [{"workspace": "both", "qid": "one#0", "names_repo": False}]
    text = "".join(json.dumps(each) + "\n" for each in asked)
    (tmp_path / "federated_queries.jsonl").write_text(text)
    return tmp_path


def test_labels_are_counted_from_the_root_that_is_searched(kit: Path) -> None:
    """They are written from the top of the sources."""
    one, two = read_kit(kit, federated=False).cases

    assert one.expected.relevant == ("a.py", "b/c.py")
    assert (one.target.path, one.target.alone) == (kit / "sources/one/src/one", True)
    assert (one.language, one.category, one.repo) == ("python", "symbol", "one")
    assert two.expected.relevant == ("main.go",)


def test_all_sources_can_be_asked(kit: Path) -> None:
    """Tests and documents beside the root then compete with what answers."""
    one, _ = read_kit(kit, federated=False, whole=True).cases

    assert one.target.path == kit / "sources/one"
    assert one.expected.relevant == ("src/one/a.py", "src/one/b/c.py")


def test_in_a_workspace_labels_begin_with_the_alias(kit: Path) -> None:
    """Equal paths stand in many repositories."""
    suite = read_kit(kit, federated=True)

    assert suite.task == "federated"
    assert [case.expected.relevant for case in suite.cases] == [("one/a.py", "one/b/c.py")]
    assert suite.cases[0].target.path == kit / "workspaces/both.workspace.jsonc"
    assert suite.cases[0].key == ("both", "one#0")


def test_the_digest_moves_with_the_questions(kit: Path) -> None:
    """Reports of other questions must not be taken for each other."""
    before = read_kit(kit, federated=False).digest
    (kit / "queries.jsonl").write_text(json.dumps(QUERIES[0]) + "\n")

    assert read_kit(kit, federated=False).digest != before


@pytest.mark.parametrize(
    ("name", "text"),
    [("queries.jsonl", "{"), ("queries.jsonl", '{"qid": "x"}'), ("repos.json", "{}")],
)
def test_a_broken_folder_is_refused(kit: Path, name: str, text: str) -> None:
    """With the name of the folder or the file."""
    (kit / name).write_text(text)

    with pytest.raises(UsageError, match=kit.name):
        read_kit(kit, federated=False)


def test_a_folder_is_known_by_its_files(kit: Path) -> None:
    """Any other folder was named by mistake."""
    assert is_kit(kit)
    assert not is_kit(kit / "sources")


def test_a_question_that_stands_twice_is_refused(kit: Path) -> None:
    """Else the later one would take the place of the first without a word."""
    lines = (kit / "queries.jsonl").read_text()
    (kit / "queries.jsonl").write_text(lines + lines)

    with pytest.raises(UsageError, match=r"queries\.jsonl: two questions are named 'one#0'"):
        read_kit(kit, federated=False)

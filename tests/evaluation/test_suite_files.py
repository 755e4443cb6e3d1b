"""Suites of a TOML file, and of a folder."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.suite import is_kit, read_kit, read_suite
from ggrep.interfaces.evaluation.toml_file import toml_lines

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
    repos = {"one": {"benchmark_root": "src/one"}, "two": {"benchmark_root": None}}
    (tmp_path / "repos.json").write_text(json.dumps(repos))
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUERIES))
    asked = [{"workspace": "both", "qid": "one#0", "names_repo": False}]
    text = "".join(json.dumps(each) + "\n" for each in asked)
    (tmp_path / "federated_queries.jsonl").write_text(text)
    return tmp_path


def test_labels_are_counted_from_the_root_that_is_searched(kit: Path) -> None:
    """They are written from the top of the sources."""
    first, two = read_kit(kit, federated=False).cases

    assert first.expected.relevant == ("a.py", "b/c.py")
    assert (first.target.path, first.target.alone) == (kit / "sources/one/src/one", True)
    assert (first.language, first.category, first.repo) == ("python", "symbol", "one")
    assert two.expected.relevant == ("main.go",)


def test_in_a_workspace_labels_begin_with_the_alias(kit: Path) -> None:
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


def test_a_kit_is_a_folder_whose_sources_can_be_asked(kit: Path) -> None:
    assert is_kit(kit)
    assert not is_kit(kit / "sources")

    first, _ = read_kit(kit, federated=False, whole=True).cases

    assert first.target.path == kit / "sources/one"
    assert first.expected.relevant == ("src/one/a.py", "src/one/b/c.py")


def test_a_question_that_stands_twice_is_refused(kit: Path) -> None:
    lines = (kit / "queries.jsonl").read_text()
    (kit / "queries.jsonl").write_text(lines + lines)

    with pytest.raises(UsageError, match=r"queries\.jsonl: two questions have the id 'one#0'"):
        read_kit(kit, federated=False)


SUITE = """\
version = 1

[defaults]
k = 20
mode = "discovery"
category = "semantic"

[[cases]]
id = "one"
query = "where is one"
relevant = ["a.py", "b.py"]
secondary = ["./b.py", "c.py"]

[[cases]]
id = "two"
query = "where is two"
repo = "../other"
mode = "debug"
per_file = 1
expect_any_path_contains = "lease"
expect_all_path_regex = ['^src/.*\\.py$']

[[cases]]
id = "three"
query = "where is three"
workspace = "team.jsonc"
expect_confidence = "none"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def written(folder: Path, text: str) -> Path:
    """Return the path of a suite of this text."""
    path = folder / "own.eval.toml"
    path.write_text(text)
    return path


def test_a_suite_is_read(folder: Path) -> None:
    suite = read_suite(written(folder, SUITE))
    first, two, three = suite.cases

    assert (suite.form, suite.task, len(suite.digest)) == ("toml", "mixed", 64)
    assert first.expected.relevant == ("a.py", "b.py", "c.py")
    assert (first.question.limit, first.question.mode, first.category) == (
        20,
        "discovery",
        "semantic",
    )
    assert (first.target.path, first.target.is_workspace) == (folder / ".", False)
    assert (two.target.path, two.question.mode, two.question.per_file) == (
        folder / "../other",
        "debug",
        1,
    )
    assert two.expected.any_contains == ("lease",)
    assert (three.target.is_workspace, three.workspace) == (True, "team.jsonc")
    assert three.expected.confidence == "none"


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        ("version = 1", "version = 2", ":1: version must be 1"),
        ("k = 20", "kk = 20", ":4: unknown key 'kk'"),
        ('id = "one"', 'id = ""', ":9: id must be a non-empty string"),
        ('id = "one"', "", ":8: the key id of a case is missing"),
        (
            'id = "two"',
            'id = "one"',
            ":15: two cases or checks have the name 'one'; the first is in line 8",
        ),
        ('mode = "debug"', 'mode = "bug"', ":18: mode must be one of"),
        ("per_file = 1", "per_file = -1", ":19: per_file must be a whole number"),
        ("per_file = 1", "per_file = true", ":19: per_file must be a whole number"),
        ("^src/", "^(src/", ":21: expect_all_path_regex"),
        ('"none"', '"sure"', ":27: expect_confidence must be one of"),
        ('expect_confidence = "none"', "", ":23: case 'three' expects nothing"),
        ('["a.py", "b.py"]', "[]", ":11: relevant is an empty list"),
        ('["a.py", "b.py"]', "[1]", ":11: relevant must be a list of non-empty strings"),
        ("[defaults]", "[cases]", "not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    folder: Path, was: str, becomes: str, message: str
) -> None:
    """A suite of hundreds of cases is not read again from the top."""
    assert was in SUITE

    with pytest.raises(UsageError) as caught:
        read_suite(written(folder, SUITE.replace(was, becomes, 1)))
    assert message in str(caught.value)
    assert caught.value.exit_status == 2


def test_a_missing_file_or_one_without_cases_is_refused(folder: Path) -> None:
    """A suite without cases would pass."""
    with pytest.raises(UsageError, match=r"has no table \[\[cases\]\]"):
        read_suite(written(folder, "version = 1\n"))

    with pytest.raises(UsageError, match=r"gone\.toml: No such file"):
        read_suite(folder / "gone.toml")


def test_lines_are_found_behind_strings_and_lists() -> None:
    text = (
        'version = 1\nnote = """\n[[cases]]\nid = 3\n"""\nlist = [\n  "[x]", # ]\n  "y",\n]\n'
        "[[cases]]\nid = '''\n[[cases]]'''\nq = 2\n[[cases]] # [[cases]]\n\"id\" = 5\na.b = 1\n"
    )
    lines = toml_lines(text)

    tomllib.loads(text)
    assert lines.tables == {("cases", 0): 10, ("cases", 1): 14}
    assert lines.line_of(("", 0), "list") == 6
    assert (lines.line_of(("cases", 0), "id"), lines.line_of(("cases", 0), "q")) == (11, 13)
    assert (lines.line_of(("cases", 1), "id"), lines.line_of(("cases", 1), "a")) == (15, 16)
    assert (lines.line_of(("cases", 1), "gone"), lines.line_of(("gone", 0))) == (14, 1)


@given(st.text())
def test_any_text_has_lines(text: str) -> None:
    """Looking for a line must not fail where the parser did not."""
    toml_lines(text)

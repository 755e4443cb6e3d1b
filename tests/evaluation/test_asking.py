"""Questions put to real indexes."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest

from ggrep.base.errors import NoIndex
from ggrep.interfaces.evaluation.check_file import read_checks
from ggrep.interfaces.evaluation.check_rules import CheckResult, run_checks
from ggrep.interfaces.evaluation.questions import CaseQuery, QueriedPath
from ggrep.interfaces.evaluation.suite_questions import open_asker, stated_confidence
from tests.fakes.evaluations import silent
from tests.fakes.repos import write_tree

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def environ(home: Path) -> MappingProxyType[str, str]:
    """Return an environment that has nothing but a home."""
    return MappingProxyType({"GGREP_HOME": str(home), "HOME": str(home.parent)})


@pytest.fixture
def nested(root: Path) -> Path:
    """Return a directory inside of a larger repository."""
    write_tree(root, {".ggrep.toml": "", "part/a.py": "needle = 1\n", "b.py": "needle = 2\n"})
    return root / "part"


def asked(
    target: QueriedPath, environ: MappingProxyType[str, str], question: CaseQuery
) -> list[str]:
    """Return the files of an answer over a fresh index."""
    asker = open_asker(target, environ)
    asker.sync(silent)
    return list(asker.ask(question).files)


@pytest.mark.slow
@pytest.mark.parametrize(("alone", "path"), [(False, "part/a.py"), (True, "a.py")])
def test_a_directory_inside_a_repository_narrows_it_or_is_measured_alone(
    nested: Path, environ: MappingProxyType[str, str], alone: bool, path: str
) -> None:
    question = CaseQuery("q", "needle")

    assert asked(QueriedPath(nested, alone=alone), environ, question) == [path]


def test_without_an_index_there_is_nothing_to_ask(
    root: Path, environ: MappingProxyType[str, str]
) -> None:
    """An empty answer would fail every check for the wrong reason."""
    asker = open_asker(QueriedPath(root), environ)

    with pytest.raises(NoIndex):
        asker.require_index()
    assert "no index yet" in asker.ask(CaseQuery("q", "needle")).error


def test_confidence_is_read_in_whatever_form() -> None:
    """A word, or a value that has one; none where an answer states none."""

    @dataclass
    class Stated:
        confidence: object = None
        level: str = "weak"

    assert stated_confidence(Stated()) is None
    assert stated_confidence(Stated("strong")) == "strong"
    assert stated_confidence(Stated(Stated())) == "weak"


def run(file: Path, environ: MappingProxyType[str, str]) -> CheckResult:
    """Return what becomes of a file of checks over fresh indexes."""

    def opened(target: QueriedPath) -> object:
        asker = open_asker(target, environ)
        asker.sync(silent)
        return asker

    return run_checks(read_checks(file), opened)  # type: ignore[arg-type] # it is an asker


@pytest.mark.slow
def test_the_example_over_two_services_holds(
    tmp_path: Path, environ: MappingProxyType[str, str]
) -> None:
    for name in ("workspaces", "fixtures"):
        shutil.copytree(PROJECT / name, tmp_path / name)
    outcome = run(tmp_path / "workspaces" / "two-services.check.toml", environ)

    assert [verdict.misses for verdict in outcome.verdicts if not verdict.holds] == []


RETRY = """\
def retry(call):
    for _ in range(5):
        if call():
            return True
    return False
"""


@pytest.mark.slow
@pytest.mark.parametrize("at", ["", "shop/"])
def test_a_check_asks_for_a_slate(root: Path, environ: MappingProxyType[str, str], at: str) -> None:
    write_tree(
        root, {"queue.py": RETRY, "docs/retry.md": "# Retry\n\nHow a call is tried again.\n"}
    )
    write_tree(
        root,
        {
            "w.jsonc": '{"schemaVersion": 1, "repos": [{"root": ".", "alias": "shop"}]}',
            "own.toml": f"""
version = 1
[[checks]]
id = "one"
query = "how often is a call retried"
{'workspace = "w.jsonc"' if at else ""}
place = ["{at}queue.py:1-4", ["{at}docs/retry.md:1-1", "{at}queue.py:2-3"]]
section = {{ "{at}docs/*.md" = "docs", "{at}queue.py" = "code" }}
max_bytes = 4096
[[checks]]
id = "two"
query = "how often is a call retried"
{'workspace = "w.jsonc"' if at else ""}
place = "{at}queue.py:100-101"
section = {{ "{at}queue.py" = "tests" }}
""",
        },
    )
    first, second = run(root / "own.toml", environ).verdicts

    assert first.misses == ()
    assert [miss.rule for miss in second.misses] == ["place", "section"]
    assert [miss.came for miss in second.misses] == [
        "the file has 5 lines",
        f"{at}queue.py in code",
    ]


@pytest.mark.deep
def test_these_sources_answer_what_contributors_ask(environ: MappingProxyType[str, str]) -> None:
    outcome = run(PROJECT / ".ggrep-check.toml", environ)

    assert len(outcome.verdicts) >= 12
    failed = {v.check.question.id: v.misses for v in outcome.verdicts if not v.holds}
    assert outcome.ok, failed

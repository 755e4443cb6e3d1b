"""A repository whose index is read in this process."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ggrep
from ggrep.base import stable_json
from ggrep.service.repository_handle import RepositoryHandle
from tests.fakes.repos import write_tree
from tests.journeys.command import WORDS, Command

pytestmark = pytest.mark.slow


@pytest.fixture
def words(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small tree with an index, which this process's environment leads to."""
    monkeypatch.setenv("GGREP_HOME", str(home))
    write_tree(root, WORDS)
    with ggrep.open(root) as repo:
        repo.sync()
    return root


def test_what_a_sync_did_is_told(root: Path, home: Path) -> None:
    """A second one finds nothing to do."""
    write_tree(root, WORDS)
    with ggrep.open(root, daemon="never", environ={"GGREP_HOME": str(home)}) as repo:
        first, second = repo.sync(), repo.sync()

    assert (first.indexed, first.published, first.to_dict()["indexed"]) == (2, True, 2)
    assert (second.indexed, second.unchanged, second.published) == (0, 2, False)


QUESTIONS: dict[str, tuple[Callable[[ggrep.Repository], Any], tuple[str, ...]]] = {
    "search": (
        lambda repo: repo.search(
            "needle", limit=3, mode="debug", filters=["-lang:c"], path="docs", deterministic=True
        ),
        ("search", "needle", "docs", "-m", "3", "--debug", "--filter", "-lang:c"),
    ),
    "explained": (
        lambda repo: repo.search("alpha", explain=True, deterministic=True, include_anchors=True),
        ("search", "alpha", "--explain", "--anchors"),
    ),
    "slate": (
        lambda repo: repo.slate("needle", level=2, graph=False, files=3, deterministic=True),
        ("slate", "needle", "--level", "2", "--no-graph", "--max-files", "3"),
    ),
    "symbol": (
        lambda repo: repo.symbol("alpha_needle", limit=2, deterministic=True),
        ("symbol", "alpha_needle", "-m", "2"),
    ),
    "references": (
        lambda repo: repo.references("needle", strings=True, comments=True, deterministic=True),
        ("refs", "needle", "--strings", "--comments"),
    ),
    "expand": (
        lambda repo: repo.expand("a.py:1", boundary="file", deterministic=True),
        ("expand", "a.py:1", "--boundary", "file"),
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_is_the_command_lines_document(
    name: str,
    words: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ask, typed = QUESTIONS[name]
    monkeypatch.chdir(words)
    with ggrep.open(".") as repo:
        answer = ask(repo)

    printed = Command(capsys)(*typed, "--json", "--deterministic").out
    assert stable_json.dumps(answer.to_dict()).decode() + "\n" == printed


def test_the_status_is_the_command_lines_document(
    words: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The value holds what matters, the document all of it."""
    monkeypatch.chdir(words)
    with ggrep.open(".") as repo:
        result = repo.status()

    assert result.to_dict() == Command(capsys)("status", "--json").document
    assert (result.snapshot.files, result.daemon.running, result.warnings) == (2, False, ())


def test_without_an_index_a_scan_answers(root: Path, home: Path) -> None:
    write_tree(root, WORDS)
    with ggrep.open(root, daemon="never", environ={"GGREP_HOME": str(home)}) as repo:
        answer = repo.search("alpha needle")
        with pytest.raises(ggrep.NoIndex, match="ggrep index"):
            repo.search("alpha needle", deterministic=True)
        with pytest.raises(ggrep.NoIndex, match="ggrep index"):
            repo.symbol("alpha_needle")

    assert answer.hits[0].path == "a.py"
    assert [notice.code for notice in answer.warnings] == ["scan"]
    assert not home.joinpath("data").exists()


def test_the_nearest_index_above_answers(words: Path) -> None:
    with ggrep.open(words / "docs") as repo:
        assert repo.root == words
        assert {hit.path for hit in repo.search("needle").hits} == {"a.py", "docs/b.md"}


def test_paths_are_taken_however_they_are_written(words: Path) -> None:
    with ggrep.open(words) as repo:
        assert repo.expand(f"{words}/a.py:1").path == repo.expand("a.py:1").path == "a.py"
        narrowed = repo.search("needle", path=words / "docs")

    assert [hit.path for hit in narrowed.hits] == ["docs/b.md"]


def test_what_was_closed_says_so(words: Path) -> None:
    """Once or twice; an answer that was given stays."""
    repo = ggrep.open(words)
    answer = repo.search("needle")
    repo.close()
    repo.close()

    for ask in (lambda: repo.search("needle"), repo.status, repo.sync, repo.__enter__):
        with pytest.raises(ggrep.Closed, match="was closed"):
            ask()
    assert answer.hits


def test_what_cannot_be_opened_is_named(root: Path, home: Path) -> None:
    environ = {"GGREP_HOME": str(home)}
    with pytest.raises(ggrep.InvalidRequest, match="no such file or directory"):
        ggrep.open(root / "gone", environ=environ)
    with pytest.raises(
        ggrep.InvalidRequest, match="daemon: unknown value 'maybe'; use one of auto"
    ):
        ggrep.open(root, daemon="maybe", environ=environ)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ggrep.InvalidRequest, match=r"unknown profile .fast.; \.ggrep\.toml has"):
        ggrep.open(root, profile="fast", environ=environ)
    with pytest.raises(ggrep.InvalidRequest, match="GGREP_HOME: 'h' is not an absolute path"):
        ggrep.open(root, environ={"GGREP_HOME": "h"})


def test_settings_that_change_are_followed(words: Path) -> None:
    """A repository may stay open for days."""
    with ggrep.open(words) as repo:
        before = repo.search("needle", explain=True)
        (words / ".ggrep.toml").write_text('[profiles.docs]\nexclude = ["*.py"]\n')
        with ggrep.open(words, profile="docs") as narrowed:
            after = narrowed.search("needle")

    assert {hit.path for hit in before.hits} == {"a.py", "docs/b.md"}
    assert {hit.path for hit in after.hits} == {"docs/b.md"}


@pytest.mark.parametrize("start", ["GGREP_OFFLINE", "GGREP_START_DAEMON"])
def test_a_daemon_that_is_required_and_forbidden_is_not_started(
    start: str, root: Path, home: Path
) -> None:
    value = {"GGREP_OFFLINE": "1", "GGREP_START_DAEMON": "false"}[start]
    environ = {"GGREP_HOME": str(home), start: value}
    (root / ".ggrep.toml").write_text("")
    with ggrep.open(root, daemon="require", environ=environ) as repo:
        reported = "GGREP_OFFLINE is set" if start == "GGREP_OFFLINE" else "no daemon runs"
        with pytest.raises(ggrep.NotStarted, match=reported):
            repo.search("needle")


def test_nothing_is_indexed_that_nobody_asked_for(root: Path, home: Path) -> None:
    """A daemon would index it; in this process a scan leaves nothing behind."""
    write_tree(root, WORDS)
    environ = {"GGREP_HOME": str(home)}
    repo = ggrep.open(root, environ=environ)
    machine = ggrep.open("/tmp", environ=environ, daemon="never")  # noqa: S108 - not written

    with pytest.raises(ggrep.Unasked, match="not a repository and is not indexed yet"):
        repo.search("needle")
    with pytest.raises(ggrep.Unasked, match="a system directory"):
        machine.sync()

    assert not home.exists()


def test_one_engine_serves_all_threads_of_a_process(words: Path) -> None:
    """An encoder is loaded once; other settings have another engine."""
    from ggrep.service.repository_handle import surroundings

    opened = RepositoryHandle(words, surroundings("never", None, {}), index=False)
    address = opened.address()
    first = opened.engine(address)
    (words / ".ggrep.toml").write_text("query_timeout_ms = 1234\n")

    assert opened.engine(address) is first
    assert opened.engine(opened.address()) is not first
    assert opened.engine(opened.address()).settings.query_timeout_ms == 1234
    opened.close()


_CHILD_S = 60
"""After which a child that hangs is ended."""


def in_a_child(work: Callable[[], str]) -> str:
    reading, writing = os.pipe()
    if not (pid := os.fork()):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_CHILD_S)
        try:
            os.write(writing, work().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        output = pipe.read().decode()
    os.waitpid(pid, 0)
    return output


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_does_not_wait_for_threads_that_are_not_there(words: Path) -> None:
    """LanceDB's are its parent's; a reader would hang for ever."""

    def ask() -> str:
        try:
            return str(len(repo.search("needle").hits))
        except ggrep.Forked as error:
            return str(error)

    with ggrep.open(words) as repo:
        assert len(repo.search("needle").hits) == 2
        output = in_a_child(ask)
        assert len(repo.search("needle").hits) == 2

    assert "was forked from a process that had opened an index" in output

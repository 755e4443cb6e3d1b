"""What is no repository is indexed when somebody says so, and not before."""

from pathlib import Path

import pytest

from tests.fakes.git import Git
from tests.journeys.command import Command

ASKING = ["search needle", "slate needle", "symbol needle", "refs needle", "expand a.py:1"]


@pytest.fixture
def unhindered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches start daemons, were they to."""
    monkeypatch.delenv("GGREP_OFFLINE")

    def start(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("ggrep.protocol.client.starting._run", start)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the person at the terminal types; there is one."""
    lines: list[str] = []
    monkeypatch.setattr("ggrep.interfaces.cli.terminal._is_interactive", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: lines.pop() == "y")
    return lines


@pytest.mark.parametrize("line", ASKING)
def test_a_plain_directory_is_not_indexed_unasked(
    ggrep: Command, repo: Path, home: Path, unhindered: None, line: str
) -> None:
    shown, robot = ggrep(*line.split()), ggrep(*line.split(), "--json")

    assert (shown.status, robot.status, shown.out) == (2, 2, "")
    assert f"to index it: ggrep index --path {repo}; to index it and" in shown.err
    assert robot.error()["code"] == "no_index"
    assert not home.exists()


@pytest.mark.parametrize("line", ["search needle --sync", "search needle --sync --yes"])
def test_a_sync_without_daemon_asks_too(ggrep: Command, repo: Path, home: Path, line: str) -> None:
    """Nothing depends on whether a daemon does it."""
    assert ggrep(*line.split()).status == (0 if "--yes" in line else 2)
    assert home.exists() == ("--yes" in line)


def test_the_command_that_is_named_does_it(ggrep: Command, repo: Path, unhindered: None) -> None:
    """And it counts as the word for whatever follows, under other settings too."""
    assert ggrep("index", repo).status == 0

    assert ggrep("needle", "--sync", "--offline", "--encoder", "none").status == 0


@pytest.mark.parametrize("mark", [".git", ".ggrep.toml"])
def test_a_repository_is_indexed_as_ever(ggrep: Command, repo: Path, git: Git, mark: str) -> None:
    if mark == ".git":
        git(repo, "init", "-q")
    else:
        (repo / mark).touch()

    assert ggrep("needle", "--sync").status == 0


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 2)])
def test_on_a_terminal_the_person_is_asked(
    ggrep: Command, repo: Path, typed: list[str], answer: str, status: int
) -> None:
    """One letter, and not the letter is a no."""
    typed.append(answer)

    assert ggrep("needle", "--sync").status == status
    assert typed == []


@pytest.mark.parametrize("command", [["index"], ["serve", "--path"]])
def test_a_directory_of_the_system_is_asked_for_twice(
    ggrep: Command, home: Path, unhindered: None, command: list[str]
) -> None:
    shown = ggrep(*command, "/etc")

    assert shown.status == 2
    assert "to index it: ggrep index --path /etc --yes" in shown.err
    assert not home.exists()

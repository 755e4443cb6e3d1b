"""What the journeys share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.repos import write_tree
from tests.journeys.command import WORDS, Command, CommandOver
from tests.journeys.household import Household, household


@pytest.fixture
def ggrep(home: Path, command_over: CommandOver) -> Command:
    """Return the command with a home of its own, no colours and the process left as it was."""
    return command_over(home)


@pytest.fixture
def repo(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small tree, which is the current directory."""
    write_tree(root, WORDS)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def indexed(ggrep: Command, repo: Path) -> Path:
    """Return the small tree, indexed."""
    assert ggrep("index").status == 0
    return repo


@pytest.fixture
def house() -> Iterator[Household]:
    """Return a home that nothing was done in; none of its processes outlives the test."""
    with household() as result:
        yield result

"""Teams for the tests of servers."""

from collections.abc import Iterator

import pytest

from ggrep.server import node
from tests.fakes.mentions import InProcessMentions
from tests.fakes.team import Team, some_team


@pytest.fixture(scope="session")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with some_team(tmp_path_factory.mktemp("team")) as made:
        yield made


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "OccurrencePool", InProcessMentions)

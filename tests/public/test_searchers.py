"""Where a daemon cannot be had, the index is read here: every question, slates among them."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from ggrep.base.errors import GgrepError
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.link import NoReply
from ggrep.protocol.client.starting import NotStarted
from ggrep.service.searchers import FallbackSearchers
from tests.fakes.clocks import ManualClock
from tests.fakes.coordinated import calls, searcher
from tests.fakes.searchers import FakeSearcher, factory, repo, workspace


@dataclass
class Household:
    """Daemons of some repositories, and what stands in for each of them.

    Attributes:
        told: every line that was said.
    """

    daemons: list[FakeSearcher]
    here: list[FakeSearcher]
    told: list[str] = field(default_factory=list)

    async def slate(self) -> FederatedSlate:
        """Return the slate of all of them."""
        ours = FallbackSearchers(factory(*self.daemons), factory(*self.here), self.told.append)
        return await federated_slate(
            workspace(*(repo(fake.name) for fake in self.daemons)),
            FederatedRequest(SearchRequest("token")),
            SlateShape(),
            ours,
            ManualClock(datetime(2025, 1, 1, tzinfo=UTC)),
        )


def shown(found: FederatedSlate) -> list[str]:
    """Return the files of a slate."""
    assert found.slate is not None
    return sorted(f"{each.repo}:{each.path}" for _, packs in found.slate.sections for each in packs)


@pytest.mark.parametrize("error", [NotStarted("no daemon"), NoReply("it says nothing")])
@pytest.mark.parametrize("step", ["describe", "search", "slate"])
async def test_a_slate_is_read_here_from_where_its_daemon_was_lost(
    step: str, error: Exception
) -> None:
    lost, here = searcher("b", fail={step: [error]}), searcher("b")
    home = Household([searcher("a"), lost], [here])
    result = await home.slate()

    assert shown(result) == ["a:a0.py", "a:a1.py", "b:b0.py", "b:b1.py"]
    assert result.errors == ()
    assert home.told == [f"{error}; reading the index without a daemon"]
    assert calls(here, "slate") == 1


async def test_a_daemon_that_answers_gives_its_slate_itself() -> None:
    """Nothing is read twice."""
    here = searcher("a")
    home = Household([searcher("a")], [here])

    assert shown(await home.slate()) == ["a:a0.py", "a:a1.py"]
    assert here.asked == []
    assert home.told == []


async def test_a_daemon_that_fails_otherwise_is_not_gone_around() -> None:
    """Its failure is an answer: reading here would fail as well, or hide it."""
    here = searcher("a")
    home = Household([searcher("a", fail={"slate": [GgrepError("damaged")]})], [here])
    result = await home.slate()

    assert [item.message for item in result.errors] == ["no slate: damaged"]
    assert here.asked == []

"""A repository behind its daemon: the same values come out as the engine puts in."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import InvalidRequest, NoIndex, SnapshotGone
from ggrep.config.declarations import MAX_QUERY_TIMEOUT_MS
from ggrep.config.home import Home
from ggrep.federation.daemon_searcher import DaemonSearcher, DaemonSearchers
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.request import (
    EncodeRequest,
    PoolRequest,
    SearchRequest,
    StatisticsRequest,
)
from ggrep.model.response import RepoDescription
from ggrep.protocol.client.channels import Channels, Start
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.messages import Describe, Message
from ggrep.protocol.wire.replies import Reply
from tests.fakes.hosts import FLAGS, Served, served
from tests.fakes.navigations import SLATE, slate_response
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.scripted import Peer, ScriptedDaemon, scripted
from tests.fakes.searchers import repo

CLOCK = SystemClock()
DESCRIPTION = RepoDescription("s", "c", "i", "S1", False, "e", "l", "k", ())


def soon(milliseconds: float = 20_000.0) -> Deadline:
    return Deadline.after(CLOCK, milliseconds)


@pytest.fixture
def home() -> Iterator[Path]:
    """Return where sockets lie: a path short enough for them."""
    with short_directory() as base:
        yield base / "home"


@pytest.fixture
def address(root: Path, home: Path) -> DaemonAddress:
    """Return where the daemon of an empty root is met."""
    return arrange(root, Home(home), environ={}, flags=FLAGS)


@pytest.fixture
def daemon(address: DaemonAddress) -> Iterator[ScriptedDaemon]:
    with scripted(address) as result:
        yield result


@pytest.fixture
async def channels() -> AsyncIterator[Channels]:
    result = Channels(CLOCK, {}, starts=False)
    yield result
    await result.aclose()


@pytest.fixture
def searcher(address: DaemonAddress, channels: Channels) -> DaemonSearcher:
    return DaemonSearcher(channels, lambda: address)


async def test_what_a_daemon_says_of_itself_arrives(
    searcher: DaemonSearcher, daemon: ScriptedDaemon
) -> None:
    """With the time that is left, so that the daemon stops by itself."""
    daemon.script = lambda peer, each: peer.answer(each, description=to_builtins(DESCRIPTION))

    assert await searcher.describe(soon(5_000)) == DESCRIPTION
    assert 0 < daemon.seen[0]["timeout_ms"] <= 5_000


async def test_a_slate_arrives_with_its_facts(
    searcher: DaemonSearcher, daemon: ScriptedDaemon
) -> None:
    daemon.script = lambda peer, each: peer.answer(each, value=to_builtins(slate_response()))

    assert await searcher.ask(SLATE, soon(5_000)) == slate_response()
    assert daemon.seen[0]["values"] is True
    assert 0 < daemon.seen[0]["request"]["search"]["timeout_ms"] <= 5_000


async def test_a_query_is_encoded_where_there_is_an_encoder(
    searcher: DaemonSearcher, daemon: ScriptedDaemon
) -> None:
    """Without one there is no vector, which is no failure."""
    vectors = iter([None, {"values": [1, -2], "scale": 0.5}])
    daemon.script = lambda peer, each: peer.answer(each, encode={"vector": next(vectors)})

    assert (await searcher.ask(EncodeRequest("text"), soon())).vector is None
    vector = (await searcher.ask(EncodeRequest("text"), soon(5_000))).vector
    assert vector is not None
    assert (vector.values, vector.scale) == ((1, -2), 0.5)
    asked = daemon.seen[1]["request"]
    assert asked["text"] == "text"
    assert 0 < asked["timeout_ms"] <= 5_000


async def test_a_request_without_an_end_has_the_longest_there_is(
    searcher: DaemonSearcher, daemon: ScriptedDaemon
) -> None:
    """Zero would leave it to the daemon's settings."""
    daemon.script = lambda peer, each: peer.answer(each, description=to_builtins(DESCRIPTION))
    await searcher.describe(Deadline.never(CLOCK))

    assert daemon.seen[0]["timeout_ms"] == MAX_QUERY_TIMEOUT_MS


async def test_an_answer_without_sense_is_the_daemons_failure(
    searcher: DaemonSearcher, daemon: ScriptedDaemon
) -> None:
    daemon.script = lambda peer, each: peer.answer(each, description={"store_id": 5}, encode=[1])

    with pytest.raises(Unreachable, match="invalid reply from the daemon"):
        await searcher.describe(soon())
    with pytest.raises(Unreachable, match="invalid reply from the daemon"):
        await searcher.ask(EncodeRequest("text"), soon())


async def test_what_a_daemon_refuses_is_raised(
    searcher: DaemonSearcher, daemon: ScriptedDaemon
) -> None:
    """The coordinator prepares anew when a snapshot is gone."""
    daemon.script = lambda peer, each: peer.refuse(each, "snapshot_gone")

    with pytest.raises(SnapshotGone):
        await searcher.ask(PoolRequest(SearchRequest("a"), 5), soon())


def wrong(_: WorkspaceRepo) -> DaemonAddress:
    raise InvalidRequest("settings: wrong")


async def test_settings_are_read_once_for_a_request(
    address: DaemonAddress, channels: Channels
) -> None:
    """They may have changed at the next request, and may be wrong by then."""
    read: list[str | None] = []
    right = True

    def meet(asked: WorkspaceRepo) -> DaemonAddress:
        read.append(asked.alias)
        return address if right else wrong(asked)

    searchers = DaemonSearchers(channels, meet)
    await searchers.prepare([repo("a")], soon())
    for _ in range(2):
        with pytest.raises(NoIndex):
            await searchers.open(repo("a")).describe(soon())
    assert read == ["a"]

    right = False
    await searchers.prepare([repo("a")], soon())
    assert read == ["a", "a"]
    with pytest.raises(InvalidRequest, match="settings: wrong"):
        await searchers.open(repo("a")).describe(soon())


async def test_who_was_not_prepared_is_met_when_asked(
    address: DaemonAddress, daemon: ScriptedDaemon, channels: Channels
) -> None:
    read: list[str | None] = []

    def script(peer: Peer, message: dict[str, Any]) -> None:
        peer.answer(message, description=to_builtins(DESCRIPTION))

    def meet(asked: WorkspaceRepo) -> DaemonAddress:
        read.append(asked.alias)
        return address

    daemon.script = script
    result = DaemonSearchers(channels, meet).open(repo("a"))
    await result.describe(soon())
    await result.describe(soon())

    assert read == ["a"]


@pytest.fixture
def host(root: Path, home: Path) -> Iterator[Served]:
    """Return a real daemon of a small tree."""
    write_tree(root, {"pay.py": "def settle_invoice():\n    return 1\n", "b.md": "# Settle\n"})
    open_engine(root, home).sync()
    with served(root, home) as result:
        result.settled()
        yield result


@pytest.mark.slow
async def test_a_daemon_answers_as_its_engine_would(
    host: Served, root: Path, home: Path, channels: Channels
) -> None:
    """Floats to the bit: answers must not depend on where the engine runs."""
    result = DaemonSearcher(channels, lambda: host.address)
    engine = open_engine(root, home)
    search = SearchRequest("settle invoice")
    description = await result.describe(soon())
    counted = await result.ask(StatisticsRequest(search), soon())
    encoded = await result.ask(EncodeRequest("settle invoice"), soon())
    request = PoolRequest(
        search, 10, counted.statistics, counted.snapshot_id, vector=encoded.vector
    )
    pool = await result.ask(request, soon())
    ours = engine.ask(request, soon())

    assert description.snapshot_id == counted.snapshot_id
    assert counted == engine.ask(StatisticsRequest(search), soon())
    assert encoded == engine.ask(EncodeRequest("settle invoice"), soon())
    assert pool == replace(ours, provenance=pool.provenance)
    assert [hit.path for hit in pool.blended] == ["pay.py", "b.md"]


class LastMoment(Channels):
    """Has next to no time left."""

    said: list[Message]

    async def ask_within(
        self,
        address: DaemonAddress,
        said: Callable[[float], Message],
        deadline: Deadline,
        start: Start = "published",
    ) -> Reply:
        self.said = [said(0.4)]
        raise NoIndex("none")


async def test_next_to_no_time_is_not_all_the_time_there_is(address: DaemonAddress) -> None:
    """Zero would leave it to the daemon's settings."""
    channels = LastMoment(CLOCK, {})
    with pytest.raises(NoIndex):
        await DaemonSearcher(channels, lambda: address).describe(soon())

    assert channels.said == [Describe(1)]

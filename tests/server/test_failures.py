"""Lost nodes: the other copy answers; without one, the answer is partial and says so."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event, Semaphore
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, DeadlineExceeded, GgrepError
from ggrep.base.stable_json import Json
from ggrep.protocol.client.link import Unreachable
from ggrep.server.node import NodeMessage
from ggrep.server.node_searchers import NodeSearcher
from ggrep.server.nodes import LINES, THREADS, Nodes
from ggrep.server.placement import placed
from tests.fakes.team import CLOCK, NEVER, TREES, Link, Team, answer, follow_ups, search

REQUESTS = {
    "folded": search(merge_strategy="global"),
    "unfolded": search(merge_strategy="global", fold=False),
    "rrf": search(merge_strategy="rrf"),
    "exact": search("retry", merge_strategy="global", search_vectors=False, max_repos=3),
}


@pytest.fixture
def links(team: Team) -> dict[str, Link]:
    return team.filled_nodes(3)


@pytest.fixture(autouse=True)
def _alive(links: Mapping[str, Link]) -> Iterator[None]:
    yield
    for link in links.values():
        link.killed = link.lies = False
        link.stopped, link.kill_after = None, -1


@pytest.mark.parametrize("name", sorted(REQUESTS))
async def test_a_node_killed_at_any_message_changes_no_byte(
    team: Team, links: dict[str, Link], name: str
) -> None:
    workspace, request = team.workspace(), REQUESTS[name]
    whole = await answer(team.here(), workspace, request)
    deaths = 0
    for lost in links.values():
        for message in range(1, 6):
            lost.killed, lost.kill_after = False, message
            over_nodes = await answer(team.far(Nodes(links), team.epoch()), workspace, request)
            deaths += lost.killed
            lost.killed, lost.kill_after = False, -1

            assert _plain(over_nodes, request.max_repos) == _plain(whole, request.max_repos)
    assert deaths >= 4


async def test_names_and_slates_survive_the_death_of_a_node(
    team: Team, links: dict[str, Link]
) -> None:
    whole = await follow_ups(team.here(), team.workspace())
    lost = links["node-1"]  # it is preferred for three repositories
    for message in (3, 8, 11, 14):
        lost.kill_after = message
        assert await follow_ups(team.far(Nodes(links), team.epoch()), team.workspace()) == whole
        assert lost.killed
        lost.killed = False


async def test_a_node_that_answers_nonsense_is_not_asked_again(
    team: Team, links: dict[str, Link]
) -> None:
    nodes, workspace = Nodes(links), team.workspace()
    links["node-1"].lies = True
    request = REQUESTS["folded"]

    assert await answer(team.far(nodes, team.epoch()), workspace, request) == await answer(
        team.here(), workspace, request
    )
    assert nodes.answering() == {"node-0": True, "node-1": False, "node-2": True}


async def test_a_stopped_node_costs_no_more_than_its_check(
    team: Team, links: dict[str, Link]
) -> None:
    """The check lets the waiting calls go to the other node."""
    nodes, request = Nodes(links), REQUESTS["folded"]
    whole = await answer(team.here(), team.workspace(), request)
    links["node-0"].stopped = going_on = Event()
    async with anyio.create_task_group() as group:
        group.start_soon(nodes.check)
        with pytest.raises(Unreachable), anyio.fail_after(30):
            await nodes.ask("node-0", NodeMessage(), NEVER)
    nodes = Nodes(links)
    async with anyio.create_task_group() as group:
        group.start_soon(nodes.check)
        over_nodes = await answer(team.far(nodes, team.epoch()), team.workspace(), request)
    going_on.set()

    assert over_nodes == whole
    assert not nodes.answering()["node-0"]


async def test_a_node_that_answers_a_check_is_asked_again(
    team: Team, links: dict[str, Link]
) -> None:
    nodes, request = Nodes(links), REQUESTS["folded"]
    links["node-1"].killed = True
    await answer(team.far(nodes, team.epoch()), team.workspace(), request)
    assert not nodes.answering()["node-1"]
    links["node-1"].killed = False
    links["node-1"].sent.clear()
    figures = await nodes.check()

    assert figures["node-1"]["trees"] > 0
    await answer(team.far(nodes, team.epoch()), team.workspace(), request)
    assert len(links["node-1"].sent) > 1


@pytest.mark.parametrize("name", sorted(REQUESTS))
@pytest.mark.parametrize("message", [1, 2, 3, 4])
async def test_without_both_copies_an_answer_is_partial_and_says_so(
    team: Team, links: dict[str, Link], name: str, message: int
) -> None:
    """The lost repositories have no hit, an error, and no verdict that they could not matter."""
    workspace, request = team.workspace(), REQUESTS[name]
    links["node-1"].killed, links["node-0"].kill_after = True, message
    lost = {
        repo.repo_id
        for key, repo in team.epoch().repos.items()
        if {*placed(key, links)} == {"node-0", "node-1"}
    }
    assert lost
    partial: Any = stable_json.loads(
        await answer(team.far(Nodes(links), team.epoch()), workspace, request)
    )
    if not links["node-0"].killed:
        pytest.skip("the question took fewer messages")
    rows = {row["repoId"]: row for row in partial["repos"]}
    failed = {repo for repo, row in rows.items() if row["status"] not in {"ok", "skipped"}}

    # Lists that arrived before the death remain in the answer.
    assert failed <= lost
    assert not failed & {hit["repoId"] for hit in partial["results"]}
    for repo in failed:
        assert rows[repo]["error"]["message"]
        assert rows[repo]["couldChange"]["verdict"] in {"unknown", "yes"}
    if message == 1:
        assert failed == lost
    left = [key for key, repo in team.epoch().repos.items() if repo.repo_id not in failed]
    if name == "unfolded" and message == 1:
        alone: Any = stable_json.loads(await answer(team.here(), team.workspace(left), request))
        assert [_local(hit) for hit in partial["results"]] == [
            _local(hit) for hit in alone["results"]
        ]


class Stuck:
    """A link that does not return before it is released."""

    def __init__(self, reply: bytes = b"{}") -> None:
        self.reply, self.released, self.waiting = reply, Event(), 0

    def send(self, data: bytes, timeout_s: float) -> bytes:
        self.waiting += 1
        self.released.wait(60)
        return self.reply


async def _until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(60):
        while not holds():  # noqa: ASYNC110 - nothing announces it
            await anyio.sleep(0.01)


async def test_abandoned_questions_to_a_node_leave_a_limited_number_of_threads(
    team: Team, links: dict[str, Link]
) -> None:
    """The other copies answer while all threads wait for a node."""
    stuck, workspace, request = Stuck(), team.workspace(), REQUESTS["folded"]
    nodes = Nodes({**links, "node-0": stuck})

    async def ask() -> None:
        with suppress(GgrepError):
            await nodes.ask("node-0", NodeMessage(), Deadline.after(CLOCK, 10))

    async def ask_often() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(LINES):
                group.start_soon(ask)

    with anyio.fail_after(60):
        while stuck.waiting < THREADS:
            await ask_often()
    await ask_often()
    assert stuck.waiting == THREADS
    with pytest.raises(Busy):
        await nodes.ask("node-0", NodeMessage(), NEVER)
    with anyio.fail_after(30):
        over_nodes = await answer(team.far(nodes, team.epoch()), workspace, request)
    assert over_nodes == await answer(team.here(), workspace, request)
    with pytest.raises(DeadlineExceeded):  # fetches have threads of their own
        await nodes.ask("node-0", NodeMessage(hold=()), Deadline.after(CLOCK, 10))

    stuck.released.set()
    await _until(lambda: nodes._nodes["node-0"].threads._value == THREADS)
    await nodes.ask("node-0", NodeMessage(), NEVER)


async def test_a_repository_whose_nodes_have_no_free_thread_is_busy(
    team: Team, links: dict[str, Link]
) -> None:
    """Clients try again after `busy`, and not after an internal error."""
    nodes, epoch = Nodes(links), team.epoch()
    repo = next(iter(epoch.repos.values()))
    for name in placed(repo.key, nodes.names):
        nodes._nodes[name].threads = Semaphore(0)

    with pytest.raises(Busy, match="too many calls wait for a node"):
        await NodeSearcher(nodes, repo).describe(NEVER)


async def test_checks_of_a_stopped_node_leave_a_single_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ggrep.server.nodes.CHECK_S", 0.01)
    stuck = Stuck()
    nodes = Nodes({"node-0": stuck})
    for _ in range(3):
        await nodes.check()
    stuck.released.set()

    assert stuck.waiting == 1
    assert not nodes.answering()["node-0"]


async def test_a_lost_node_goes_on_fetching_until_it_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A node that is too busy to answer a check would otherwise begin again and again."""
    monkeypatch.setattr("ggrep.server.nodes.CHECK_S", 0.01)
    monkeypatch.setattr("ggrep.server.nodes._HUNG", 3)
    replies: list[Any] = []

    async def hold(nodes: Nodes) -> None:
        try:
            reply = await nodes.ask("node-0", NodeMessage(hold=()), NEVER)
            replies.append(reply.body["failed"])
        except Unreachable:
            replies.append("unreachable")

    for checks, expected in ((2, []), (3, "unreachable")):
        stuck = Stuck(b'{"failed": []}')
        nodes = Nodes({"node-0": stuck})
        async with anyio.create_task_group() as group:
            group.start_soon(hold, nodes)
            await _until(lambda stuck=stuck: stuck.waiting == 1)
            for _ in range(checks):
                await nodes.check()
            assert not nodes.answering()["node-0"]
            if checks == 3:
                await _until(lambda: len(replies) == 2)
            stuck.released.set()

        assert replies[-1] == expected


def test_a_node_starts_again_with_the_trees_on_its_disk(team: Team, tmp_path: Path) -> None:
    (link,) = team.nodes(1, "again").values()
    trees = [*team.epoch().repos.values()]
    assert not link.node.hold(trees)
    link.node.close()
    (again,) = team.nodes(1, "again").values()
    assert not again.node.hold(trees)

    figures: Any = stable_json.loads(again.node.answer(b"{}"))
    assert figures["figures"]["trees"] == len(TREES)
    assert figures["figures"]["fetched_bytes"] == 0
    again.node.close()


def _local(hit: Mapping[str, Json]) -> Json:
    return [hit["repoId"], hit["file"], hit["start"], hit["score"]]


def _plain(data: bytes, most: int) -> Any:
    document: Any = stable_json.loads(data)
    for row in document["repos"] if most else ():
        row.pop("couldChange", None)
    return document

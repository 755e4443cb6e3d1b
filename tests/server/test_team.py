"""The coordinator: new pushes become current once nodes hold them, and failures leave an epoch."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from ggrep.base import stable_json
from ggrep.base.errors import Busy, Forbidden, InvalidRequest
from ggrep.federation.workspace_slates import SlateShape
from ggrep.model.navigation import ExpandRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SessionRequest
from ggrep.server.access import Identity
from ggrep.server.nodes import Nodes
from ggrep.server.placement import placed
from ggrep.server.team import Team as Coordinator
from tests.fakes.team import CLOCK, TREES, Link, Team, search, some_team

ALICE = Identity("alice@example.com", frozenset({"staff"}))
EVERYTHING = '{"rules": [{"repos": ["*"], "users": ["*"]}]}'
TWO = {key: TREES[key] for key in ("acme/mail", "tools/log")}


class Served:
    """A team with a coordinator over three nodes."""

    def __init__(self, team: Team, label: str) -> None:
        self.team = team
        self.links: dict[str, Link] = team.nodes(3, label)
        self.access = team.base / f"access{label}.jsonc"
        self.access.write_text(EVERYTHING)
        self.nodes = Nodes(self.links)
        self.coordinator = Coordinator(
            "team", self.nodes, team.refs, self.access, team.settings(), CLOCK
        )

    async def files(self, query: str, identity: Identity = ALICE) -> list[str]:
        """Return the files of a user's answer."""
        service = self.coordinator.service(identity)
        answer = await service.search(service.seen.workspace, search(query))
        return sorted(f"{hit.repo_alias}/{hit.hit.path}" for hit in answer.hits)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with some_team(tmp_path, TWO) as team:
        made = Served(team, "team")
        yield made
        for link in made.links.values():
            link.node.close()


async def test_questions_before_the_first_epoch_are_refused(served: Served) -> None:
    """An answer from no repositories would look like one without hits."""
    with pytest.raises(Busy, match="starting"):
        served.coordinator.service(ALICE)
    await served.coordinator.sweep()
    assert served.coordinator.service(ALICE).seen.repos


async def test_a_server_over_an_empty_remote_starts(tmp_path: Path) -> None:
    with some_team(tmp_path, {}) as team:
        served = Served(team, "team")
        await served.coordinator.sweep()
        assert served.coordinator.service(ALICE).seen.repos == {}


async def test_a_push_is_visible_after_a_sweep_and_a_question_keeps_its_epoch(
    served: Served,
) -> None:
    await served.coordinator.sweep()
    before = served.coordinator.service(ALICE)
    name = served.coordinator.epoch.name
    served.team.push("tools/log", {"new.py": "def rotate_log(file):\n    return file\n"})
    assert "log/new.py" not in await served.files("rotate_log")

    await served.coordinator.sweep()
    assert served.coordinator.epoch.name != name
    assert "log/new.py" in await served.files("rotate_log")
    answer = await before.search(before.seen.workspace, search("rotate_log"))
    assert not [report for report in answer.reports if report.status != "ok"]
    assert "new.py" not in {hit.hit.path for hit in answer.hits}


async def test_nodes_keep_two_epochs_and_drop_older_trees(served: Served) -> None:
    for number in range(4):
        served.team.push("tools/log", {"n.py": f"def f{number}():\n    return {number}\n"})
        await served.coordinator.sweep()
    await served.coordinator.check()

    trees = sum(figures["trees"] for figures in served.coordinator.figures.values())
    assert trees == 2 * (len(TWO) + 1)


async def test_a_failing_remote_leaves_the_epoch_and_shows_its_age(served: Served) -> None:
    await served.coordinator.sweep()
    state = served.coordinator.state()
    assert (state.problems, state.repos) == ((), 2)
    refs = served.team.base / "remote" / "refs"
    refs.rename(refs.with_name("hidden"))
    await served.coordinator.sweep()
    after = served.coordinator.state()

    assert (after.read_at, after.epoch) == (state.read_at, state.epoch)
    assert after.problems == ("remote: the remote team lists no repository",)
    assert "log/log.py" in await served.files("log")


async def test_the_last_repository_can_be_withdrawn(served: Served) -> None:
    await served.coordinator.sweep()
    for repo in [*served.coordinator.epoch.repos]:
        for stat in [*served.team.refs.objects.list(f"refs/{repo}")]:
            served.team.refs.objects.delete(stat.key)
        await served.coordinator.sweep()
        assert repo not in served.coordinator.epoch.repos

    assert (served.coordinator.state().repos, served.coordinator.state().problems) == (0, ())


async def test_a_tree_that_no_node_can_fetch_leaves_the_tree_before(served: Served) -> None:
    await served.coordinator.sweep()
    served.team.push("tools/log", {"new.py": "def rotate_log(file):\n    return file\n"})
    wanted = served.team.epoch().repos["tools/log"].tree
    place = served.team.base / "remote" / "trees" / wanted.sha256
    tree = place.read_bytes()
    place.write_bytes(tree[:-1] + b" ")
    await served.coordinator.sweep()

    assert "log/log.py" in await served.files("log")
    assert "log/new.py" not in await served.files("rotate_log")
    assert any(problem.startswith("tools/log: ") for problem in served.coordinator.state().problems)
    place.write_bytes(tree)
    await served.coordinator.sweep()
    assert "log/new.py" in await served.files("rotate_log")
    assert served.coordinator.state().problems == ()


async def test_a_node_that_lost_its_trees_fetches_them_after_a_check(served: Served) -> None:
    await served.coordinator.sweep()
    (fresh,) = served.team.nodes(1, "fresh").values()
    lost = placed("tools/log", served.links)[0]
    served.links[lost].node.close()
    served.links[lost].node = fresh.node
    assert "log/log.py" in await served.files("write a line")
    await served.coordinator.check()
    await served.coordinator.mend()
    await served.coordinator.check()

    assert served.coordinator.figures[lost]["trees"] > 0


async def test_a_withdrawn_right_takes_effect_with_the_next_sweep(served: Served) -> None:
    served.access.write_text(
        '{"rules": [{"repos": ["tools/"], "groups": ["staff"]}, // a comment\n'
        '{"repos": ["acme/mail"], "groups": ["post"]}],'
        ' "groups": {"post": ["alice@example.com"]}}'
    )
    await served.coordinator.sweep()
    assert len(served.coordinator.view(ALICE).repos) == 2
    assert len(served.coordinator.view(Identity("bob@example.com")).repos) == 0

    served.access.write_text('{"rules": [{"repos": ["tools/"], "groups": ["staff"]}]}')
    await served.coordinator.sweep()
    assert [repo.key for repo in served.coordinator.view(ALICE).repos.values()] == ["tools/log"]


async def until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(60):
        while not holds():  # noqa: ASYNC110 - nothing announces it
            await anyio.sleep(0.01)


async def withdrawn(served: Served, *, waiting: int = 0) -> None:
    """Withdraw all rights while the server watches; return when they are gone.

    They are withdrawn when so many tasks wait for the nodes.
    """
    coordinator = served.coordinator
    async with anyio.create_task_group() as group:
        group.start_soon(coordinator.watch, 0.01, lambda _: None)
        await until(lambda: coordinator._sweeping.statistics().tasks_waiting == waiting)
        assert coordinator.view(ALICE).repos
        served.access.write_text('{"rules": []}')
        await until(lambda: not coordinator.view(ALICE).repos)
        group.cancel_scope.cancel()


async def test_a_withdrawn_right_does_not_wait_for_nodes_that_fetch(served: Served) -> None:
    await served.coordinator.sweep()
    async with served.coordinator._sweeping:
        await withdrawn(served, waiting=1)


async def test_an_error_of_a_check_does_not_end_the_sweeps(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await served.coordinator.sweep()

    async def fails() -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(served.nodes, "check", fails)
    await withdrawn(served)

    assert any("no more processes" in line for line in served.coordinator.state().problems)


@pytest.mark.parametrize(
    "rules", ["{", '{"rules": [{"repo": ["*"]}]}', '{"rules": [{"repos": "*"}]}', '{"rule": []}']
)
async def test_invalid_rules_close_the_server(served: Served, rules: str) -> None:
    await served.coordinator.sweep()
    served.access.write_text(rules)
    await served.coordinator.sweep()

    with pytest.raises(Forbidden):
        served.coordinator.view(ALICE)
    assert served.coordinator.state().problems
    served.access.write_text(EVERYTHING)
    await served.coordinator.sweep()
    assert served.coordinator.view(ALICE).repos


async def test_a_repository_alone_answers_as_its_engine(served: Served) -> None:
    await served.coordinator.sweep()
    service = served.coordinator.service(ALICE)
    document: Any = await service.ask_repo(Path("/tools/log"), SearchRequest("log"))
    place = await service.ask_repo(Path("/tools/log"), ExpandRequest("log.py:1"))

    assert document["results"][0]["path"] == "log.py"
    assert "def log" in stable_json.dumps(place).decode()
    with pytest.raises(Forbidden):
        await service.ask_repo(Path("/tools/absent"), SearchRequest("log"))


async def test_a_repository_alone_whose_nodes_are_lost_is_busy(served: Served) -> None:
    await served.coordinator.sweep()
    for link in served.links.values():
        link.killed = True

    with pytest.raises(Busy, match="no node that holds this repository answers"):
        await served.coordinator.service(ALICE).ask_repo(Path("/tools/log"), SearchRequest("log"))


async def test_a_session_is_refused(served: Served) -> None:
    await served.coordinator.sweep()
    service = served.coordinator.service(ALICE)

    with pytest.raises(InvalidRequest, match="has no sessions"):
        await service.slate(
            service.seen.workspace, search("log"), SlateShape(session=SessionRequest())
        )

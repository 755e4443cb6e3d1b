"""A workspace of daemons, some of which die or hang: the others answer, and in time."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from ggrep.base.clock import Deadline, SystemClock
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.federation.coordinator import federated_search
from ggrep.federation.daemon_searcher import DaemonSearchers
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.request import (
    EncodeRequest,
    PoolRequest,
    Request,
    SearchRequest,
    StatisticsRequest,
)
from ggrep.protocol.client.channels import Channels
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.search.engine.engine import Engine
from tests.fakes.coordinated import OneByOne, files, statuses
from tests.fakes.hosts import FLAGS, served
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.scripted import Peer, ScriptedDaemon, scripted
from tests.fakes.searchers import repo, workspace

pytestmark = pytest.mark.slow

CLOCK = SystemClock()
TIMEOUT_MS = 3_000
SLACK_MS = 2_000
WELL = ("anvil", "bellows", "crucible")
ILL = ("dross", "embers")


class Workshop:
    """Five indexed repositories, three of which real daemons serve.

    Attributes:
        ill: scripted daemons of the other two, by name; healthy until a test says otherwise.
    """

    def __init__(self, directory: Path, home: Path, stack: ExitStack) -> None:
        self.roots = {name: directory / name for name in (*WELL, *ILL)}
        self.home = home
        self.ill: dict[str, ScriptedDaemon] = {}
        for name, root in self.roots.items():
            write_tree(root, {f"{name}.py": f"def forge_{name}():\n    return 'forge'\n"})
            open_engine(root, home).sync()
        for name in WELL:
            stack.enter_context(served(self.roots[name], home)).settled()

    def address(self, repo: WorkspaceRepo) -> DaemonAddress:
        """Return where a repository's daemon is met."""
        root = self.roots[repo.alias or ""]
        return arrange(root, Home(self.home), environ={}, flags=FLAGS)

    def engine(self, name: str) -> Engine:
        return open_engine(self.roots[name], self.home)

    async def search(
        self, *, at_once: bool = False, timeout_ms: int = 60_000, **wanted: Any
    ) -> FederatedResponse:
        channels = Channels(CLOCK, {}, starts=False)
        daemons = DaemonSearchers(channels, self.address)
        search = SearchRequest("forge", timeout_ms=timeout_ms)
        try:
            return await federated_search(
                workspace(*(repo(name) for name in self.roots)),
                FederatedRequest(search, concurrency=8, **wanted),
                daemons if at_once else OneByOne(daemons),
                CLOCK,
            )
        finally:
            await channels.aclose()


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """Return the daemons that serve all tests."""
    directory = tmp_path_factory.mktemp("w").resolve()
    with (
        short_directory() as base,
        ExitStack() as stack,
    ):
        yield Workshop(directory, base / "home", stack)


@pytest.fixture
def workshop(lasting: Workshop) -> Iterator[Workshop]:
    """Return the workshop with both of the others healthy."""
    with ExitStack() as stack:
        for name in ILL:
            address = lasting.address(repo(name))
            result = stack.enter_context(scripted(address, healthy(lasting.engine(name))))
            lasting.ill[name] = result
        yield lasting


def healthy(engine: Engine) -> Callable[[Peer, dict[str, Any]], None]:
    """Return the script of a daemon that answers as its engine does."""
    request, deadline = SearchRequest("forge"), Deadline.after(CLOCK, 60_000)

    def answered(asked: Request[Any]) -> object:
        return to_builtins(engine.ask(asked, deadline))

    bodies: Mapping[str, Mapping[str, Any]] = {
        "describe": {"description": to_builtins(engine.describe(deadline))},
        "term_stats": {"term_stats": answered(StatisticsRequest(request))},
        "pool": {"pool": answered(PoolRequest(request, 10))},
        "encode": {"encode": answered(EncodeRequest("forge"))},
        "cancel": {"cancelled": False},
    }
    return lambda peer, message: peer.answer(message, **bodies[message["message"]])


def falls_ill(daemon: ScriptedDaemon, at: str, how: Callable[[], object]) -> None:
    """Have a daemon do something else with messages of one kind."""
    well = daemon.script

    def script(peer: Peer, message: dict[str, Any]) -> None:
        if message["message"] == at:
            how()
        else:
            well(peer, message)

    daemon.script = script


def well_or(status: str) -> dict[str, str]:
    """Return what is to become of each repository when the other two fall ill."""
    return {**dict.fromkeys(WELL, "ok"), **dict.fromkeys(ILL, status)}


@pytest.mark.parametrize("strategy", ["rrf", "global"])
async def test_daemons_that_are_well_all_answer(workshop: Workshop, strategy: str) -> None:
    answer = await workshop.search(merge_strategy=strategy)

    assert statuses(answer) == well_or("ok")
    assert set(files(answer)) == {f"{name}.py" for name in (*WELL, *ILL)}


@pytest.mark.parametrize(
    ("at", "strategy"),
    [
        ("describe", "rrf"),
        ("pool", "rrf"),
        ("describe", "global"),
        ("term_stats", "global"),
        ("pool", "global"),
    ],
)
async def test_daemons_that_are_killed_leave_the_others_answer(
    workshop: Workshop, at: str, strategy: str
) -> None:
    """At whatever step; the dead are named as failed."""
    for daemon in workshop.ill.values():
        falls_ill(daemon, at, daemon.die)
    answer = await workshop.search(merge_strategy=strategy)

    assert statuses(answer) == well_or("error")
    assert set(files(answer)) == {f"{name}.py" for name in WELL}


@pytest.mark.parametrize("at", ["greeting", "pool"])
async def test_daemons_that_hang_cost_no_more_than_the_deadline(
    workshop: Workshop, at: str
) -> None:
    for daemon in workshop.ill.values():
        daemon.greets = at != "greeting"
        falls_ill(daemon, at, lambda: None)
    started_ms = CLOCK.monotonic_ms()
    answer = await workshop.search(timeout_ms=TIMEOUT_MS, merge_strategy="rrf")
    elapsed_ms = CLOCK.monotonic_ms() - started_ms

    assert statuses(answer) == well_or("timeout")
    assert set(files(answer)) == {f"{name}.py" for name in WELL}
    assert elapsed_ms < TIMEOUT_MS + SLACK_MS
    if at != "greeting":
        for daemon in workshop.ill.values():
            assert daemon.heard("cancel")


async def test_a_repository_without_an_index_is_named_as_such(workshop: Workshop) -> None:
    """Nothing is started for it, and the others answer."""
    address = workshop.address(repo("dross"))
    pointer = store_files.active_file(address.identity.store)
    kept = pointer.read_bytes()
    workshop.ill["dross"].die()
    pointer.unlink()
    try:
        answer = await workshop.search()
    finally:
        pointer.write_bytes(kept)

    assert statuses(answer) == {**well_or("ok"), "dross": "missing_index"}


async def test_what_a_dead_daemon_served_another_process_reads(workshop: Workshop) -> None:
    """A question to all is answered from snapshots; none of them is gone with its daemon."""
    for name in ILL:
        falls_ill(workshop.ill[name], "describe", workshop.ill[name].die)
    answer = await workshop.search(at_once=True, timeout_ms=0, merge_strategy="global")

    assert statuses(answer) == dict.fromkeys(workshop.roots, "ok")
    assert {merged.repo_alias for merged in answer.hits} == set(workshop.roots)

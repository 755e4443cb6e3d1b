"""What surfaces ask daemons through: one process' connections, and the same bytes for all."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest, NoIndex, Unasked
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.fanout_session import RepoDone
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.daemon_client import IndexingProgress
from ggrep.protocol.client.link import Link, NoReply
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire.endpoint import parse_record, record_path
from ggrep.protocol.wire.messages import Shutdown
from ggrep.service.federator import Federator
from tests.contract.test_schemas import validator
from tests.fakes.hosts import CLOCK, FLAGS, Served, served
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree

pytestmark = pytest.mark.slow

TREES = {
    "anvil": {"anvil.py": "def forge_anvil():\n    return 'forge'\n", "docs/a.md": "# Forge\n"},
    "bellows": {"bellows.py": "def forge_bellows():\n    return 'forge'\n"},
}


@dataclass
class Smithy:
    """Two served repositories, one that is indexed and not served, and one that is neither."""

    base: Path
    home: Path
    daemons: dict[str, Served]

    def root(self, name: str) -> Path:
        return self.base / name

    def workspace(self, *names: str) -> Workspace:
        entries = ",".join(f'{{"root": "{self.root(n)}", "alias": "{n}"}}' for n in names)
        file = self.base / "w.jsonc"
        file.write_text(f'{{"schemaVersion": 1, "repos": [{entries}]}}')
        return load_workspace(file, resolve_root=lambda path: path)

    @asynccontextmanager
    async def federator(self, *, starts: bool = False, **more: object) -> AsyncIterator[Federator]:
        made = Federator(
            Home(self.home),
            {} if starts else {"GGREP_OFFLINE": "1"},
            CLOCK,
            **({"flags": FLAGS} | more),  # type: ignore[arg-type]  # named by each test
        )
        try:
            yield made
        finally:
            await made.aclose()


@pytest.fixture(scope="module")
def smithy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Smithy]:
    base = tmp_path_factory.mktemp("f").resolve()
    with (
        short_directory() as short,
        ExitStack() as stack,
    ):
        home, daemons = short / "home", {}
        for repo, tree in (*TREES.items(), ("cold", {"cold.py": "def forge_cold(): pass\n"})):
            write_tree(base / repo, tree)
            open_engine(base / repo, home).sync()
        write_tree(base / "bare", {"bare.py": "def forge_bare(): pass\n"})
        for repo in TREES:
            daemons[repo] = stack.enter_context(served(base / repo, home))
            daemons[repo].settled()
        yield Smithy(base, home, daemons)


@pytest.fixture
async def federator(smithy: Smithy) -> AsyncIterator[Federator]:
    async with smithy.federator() as result:
        yield result


def asked(**fields: object) -> FederatedRequest:
    return FederatedRequest(SearchRequest("forge", deterministic=True), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", ["rrf", "global"])
async def test_daemons_of_a_workspace_answer_together(
    smithy: Smithy, federator: Federator, strategy: str
) -> None:
    seen: list[RepoDone] = []
    known = smithy.workspace("anvil", "bellows")
    answer = await federator.search(known, asked(merge_strategy=strategy), seen.append)

    assert {merged.hit.path for merged in answer.hits} == {"anvil.py", "docs/a.md", "bellows.py"}
    assert answer.strategy == strategy
    assert sorted((a.alias, a.status, a.total) for a in seen) == [
        ("anvil", "ok", 2),
        ("bellows", "ok", 2),
    ]


async def test_those_that_cannot_answer_are_named(smithy: Smithy, federator: Federator) -> None:
    """One has no index; one has no daemon, and none may be started."""
    answer = await federator.search(smithy.workspace("anvil", "bare", "cold"), asked())

    assert {r.repo.alias: r.status for r in answer.reports} == {
        "anvil": "ok",
        "bare": "missing_index",
        "cold": "error",
    }
    assert answer.ok


async def test_what_was_asked_before_is_not_searched_again(smithy: Smithy) -> None:
    """A federator lives as long as its process, and gives the same bytes."""
    known = smithy.workspace("anvil", "bellows")
    async with smithy.federator() as federator:
        first = await federator.search(known, asked())
        second = await federator.search(known, asked())
    async with smithy.federator() as other:
        third = await other.search(known, asked())

    assert [item.from_memory for item in (first, second, third)] == [False, True, False]
    assert len({stable_json.dumps(item.to_json()) for item in (first, second, third)}) == 1


async def test_a_forbidden_repository_fails_alone(smithy: Smithy, federator: Federator) -> None:
    known = smithy.workspace("anvil", "bellows")
    ids: dict[str | None, RepoId] = {repo.alias: repo.repo_id for repo in known.repos}
    answer = await federator.search(known, asked(), forbidden=frozenset({ids["anvil"]}))

    assert {r.repo.alias: r.error and r.error.code for r in answer.reports} == {
        "anvil": "forbidden",
        "bellows": None,
    }
    assert [merged.hit.path for merged in answer.hits] == ["bellows.py"]


async def test_a_closed_federator_asks_nobody(smithy: Smithy) -> None:
    async with smithy.federator() as federator:
        await federator.ask_repo(smithy.root("anvil"), SearchRequest("forge"))

    with pytest.raises(GgrepError):
        await federator.ask_repo(smithy.root("anvil"), SearchRequest("forge"))


def printed(smithy: Smithy, *flags: str) -> bytes:
    environ = {key: value for key, value in os.environ.items() if key != "GGREP_OFFLINE"}
    environ |= {"GGREP_HOME": str(smithy.home)}
    words: Sequence[str] = ("forge", "--json", "--deterministic", "--encoder", "hashed", *flags)
    done = subprocess.run(
        [sys.executable, "-m", "ggrep", "search", *words, "--repo", str(smithy.root("anvil"))],
        env=environ,
        capture_output=True,
        check=True,
    )
    return done.stdout


async def test_a_repository_s_answer_is_the_command_line_s_to_the_byte(
    smithy: Smithy, federator: Federator
) -> None:
    request = SearchRequest("forge", limit=2, per_file=1, deterministic=True)
    result = await federator.ask_repo(smithy.root("anvil"), request)
    output = printed(smithy, "--max", "2", "--per-file", "1")

    assert stable_json.dumps(result) + b"\n" == output


async def navigate(federator: Federator, root: Path, name: str) -> dict[str, Any]:
    """Ask what leads on from a search."""
    requests: dict[str, Any] = {
        "search": SearchRequest("forge"),
        "slate": SlateRequest(SearchRequest("forge", deterministic=True)),
        "symbol": SymbolRequest("forge_anvil", deterministic=True),
        "references": ReferencesRequest("forge_anvil", deterministic=True),
        "expand": ExpandRequest("anvil.py:1", deterministic=True),
        "outline": OutlineRequest(("anvil.py",), deterministic=True),
        "tour": TourRequest(deterministic=True),
    }
    return await federator.ask_repo(root, requests[name])


@pytest.mark.parametrize("name", ["slate", "symbol", "references", "expand", "outline", "tour"])
async def test_what_leads_on_from_a_search_is_answered_as_a_document(
    smithy: Smithy, federator: Federator, name: str
) -> None:
    """The same bytes each time, and from this very repository."""
    first = await navigate(federator, smithy.root("anvil"), name)
    second = await navigate(federator, smithy.root("anvil"), name)

    validator(f"{name}_success").validate(first)
    assert stable_json.dumps(first) == stable_json.dumps(second)
    assert "anvil.py" in stable_json.dumps(first).decode() or name in {"references", "tour"}


@pytest.mark.parametrize(
    ("root", "name", "error"),
    [
        *(
            ("bare", name, NoIndex)
            for name in (
                *("slate", "symbol", "references", "expand", "outline", "tour"),
                *("search", "health"),
            )
        ),
        ("cold", "search", NotStarted),
    ],
)
async def test_without_an_index_or_a_daemon_there_is_no_answer(
    smithy: Smithy, federator: Federator, root: str, name: str, error: type[GgrepError]
) -> None:
    place = smithy.root(root)
    asking = federator.health(place) if name == "health" else navigate(federator, place, name)

    with pytest.raises(error):
        await asking


async def test_a_first_search_starts_a_daemon_and_waits_for_its_index(smithy: Smithy) -> None:
    source = "def forge_fresh():\n    return 'forge'\n"
    write_tree(smithy.root("fresh"), {"fresh.py": source, ".ggrep.toml": ""})
    flags = {"encoder": "hashed"}
    request = SearchRequest("forge", timeout_ms=60_000)
    address = arrange(smithy.root("fresh"), Home(smithy.home), environ={}, flags=flags)
    try:
        async with smithy.federator(starts=True, flags=flags) as federator:
            result = await federator.ask_repo(smithy.root("fresh"), request)
            status = await federator.status(smithy.root("fresh"))
    finally:
        ended(address)

    assert [hit["path"] for hit in result["results"]] == ["fresh.py"]  # type: ignore[index,union-attr]
    assert status["running"] is True


@pytest.mark.parametrize("question", ["search", "symbol", "health", "sync"])
async def test_nothing_is_started_for_what_is_no_repository(smithy: Smithy, question: str) -> None:
    """A caller names any directory; that alone does not have it read and kept."""
    root = smithy.root("bare")
    async with smithy.federator(starts=True) as federator:
        asking = {
            "search": lambda: federator.ask_repo(root, SearchRequest("forge")),
            "symbol": lambda: federator.ask_repo(root, SymbolRequest("forge")),
            "health": lambda: federator.health(root),
            "sync": lambda: federator.sync_repo(root),
        }
        with pytest.raises(Unasked, match=f"to index it: ggrep index --path {root}$"):
            await asking[question]()
        status = await federator.status(root)

    assert (status["running"], status["indexed"]) == (False, False)


def ended(address: DaemonAddress) -> None:
    """End the process that serves a root, and wait for it."""
    record = parse_record(record_path(address.socket).read_bytes())
    process = psutil.Process(record.pid)
    with Link.connect(address.socket, address.hello, CLOCK) as link:
        link.ask(Shutdown("the test is over"), Deadline.after(CLOCK, 20_000))
    process.wait(300)


async def test_wrong_settings_are_said(
    smithy: Smithy, federator: Federator, tmp_path: Path
) -> None:
    (tmp_path / ".ggrep.toml").write_text("max_file_size_bytes = 'many'\n")
    with pytest.raises(InvalidRequest, match="max_file_size_bytes"):
        await federator.ask_repo(tmp_path, SearchRequest("forge"))


async def test_a_running_daemon_tells_its_status_and_health(
    smithy: Smithy, federator: Federator
) -> None:
    result = await federator.status(smithy.root("anvil"))

    assert result["running"] is True
    assert result["schema_version"]
    assert result["store_id"] == str(smithy.daemons["anvil"].daemon.identity.store_id)

    quick = await federator.health(smithy.root("anvil"))
    deep = await federator.health(smithy.root("anvil"), deep=True)

    assert quick["schema_version"] == deep["schema_version"]
    assert quick != deep


@pytest.mark.parametrize(("name", "indexed"), [("cold", True), ("bare", False)])
async def test_without_a_daemon_it_is_told_what_lies_there(
    smithy: Smithy, name: str, indexed: bool
) -> None:
    async with smithy.federator(starts=True) as federator:
        result = await federator.status(smithy.root(name))

    assert result["running"] is False
    assert result["indexed"] is indexed
    assert result["root"] == str(smithy.root(name))


async def test_a_sync_takes_in_what_changed_and_tells_how_far_it_is(
    smithy: Smithy, federator: Federator
) -> None:
    daemon, heard = smithy.daemons["bellows"], list[str]()
    (smithy.root("bellows") / "tongs.py").write_text("def forge_tongs(): pass\n")
    daemon.syncs.gate.clear()

    def hear(found: IndexingProgress) -> None:
        heard.append(found.stage)
        daemon.syncs.gate.set()

    await federator.sync_repo(smithy.root("bellows"), hear)
    found = await federator.ask_repo(smithy.root("bellows"), SearchRequest("forge_tongs"))
    (smithy.root("bellows") / "tongs.py").unlink()
    await federator.sync_repo(smithy.root("bellows"))

    assert set(heard) == {"scan"}
    assert found["results"][0]["path"] == "tongs.py"


async def test_a_wait_for_a_sync_ends_in_time_and_is_called_off_at_the_daemon(
    smithy: Smithy,
) -> None:
    daemon = smithy.daemons["anvil"]
    daemon.syncs.gate.clear()
    try:
        async with smithy.federator() as federator:
            with pytest.raises((DeadlineExceeded, NoReply)):
                await federator.sync_repo(smithy.root("anvil"), timeout_ms=1)
            with anyio.CancelScope() as scope:
                await federator.sync_repo(smithy.root("anvil"), lambda _: scope.cancel())
            await anyio.to_thread.run_sync(daemon.eventually, lambda: not daemon.daemon.requests)
    finally:
        daemon.syncs.gate.set()

    assert scope.cancelled_caught
    daemon.settled()


@pytest.mark.parametrize(("environ", "starts"), [({}, True), ({"GGREP_OFFLINE": "1"}, False)])
def test_an_offline_machine_starts_no_daemon(
    home: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], starts: bool
) -> None:
    given: list[object] = []
    monkeypatch.setattr(
        "ggrep.service.federator.Channels", lambda *_, **more: given.append(more["starts"])
    )
    Federator(Home(home), environ, CLOCK)

    assert given == [starts]

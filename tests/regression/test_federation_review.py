"""What a review of the federation found: time given up too early, answers of old settings."""

import resource
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.coordinator import federated_search
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.fanout import RepoOutcome, fan_out
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.request import PoolRequest, SearchRequest
from ggrep.protocol.client.channel import dial
from ggrep.service.daemon_addresses import DaemonAddresses
from ggrep.service.federator import Federator
from tests.fakes.coordinated import ask, calls, request, searcher, statuses
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.searchers import FakeSearcher, factory, repo, workspace
from tests.fakes.virtual_time import VirtualClock, run_virtually

TIMEOUT_MS = 60_000


def takes(seconds: float) -> Callable[[], Awaitable[str]]:
    async def call() -> str:
        await anyio.sleep(seconds)
        return "answered"

    return call


def fanned(
    calls: dict[str, Callable[[], Awaitable[str]]], *, concurrency: int, timeout_ms: float
) -> dict[str, str]:
    """Return what each call came to, in virtual time."""

    async def run() -> dict[RepoId, RepoOutcome[str]]:
        return await fan_out(
            {RepoId(name): call for name, call in calls.items()},
            concurrency=concurrency,
            deadline=Deadline.after(VirtualClock(), timeout_ms),
        )

    result = run_virtually(run)
    return {name: o.error.code if o.error else str(o.value) for name, o in result.items()}


def answered(fakes: list[FakeSearcher], **fields: object) -> FederatedResponse:
    asked = request(search={"timeout_ms": TIMEOUT_MS}, **fields)

    async def run() -> FederatedResponse:
        return await ask(fakes, asked, clock=VirtualClock())

    return run_virtually(run)


def test_those_who_never_answer_leave_time_for_those_who_wait() -> None:
    """As long as somebody waits, a share is all that one gets."""
    result = fanned(
        {"a": takes(99.0), "b": takes(99.0), "c": takes(4.0)}, concurrency=2, timeout_ms=10_000
    )

    assert result == {"a": "timeout", "b": "timeout", "c": "answered"}


@pytest.mark.slow
def test_many_cold_repositories_may_each_take_a_while_to_say_what_they_are() -> None:
    """What one step may take at most is meant for one repository, not for a queue of them."""

    async def cold(method: str) -> None:
        await anyio.sleep(1.2 if method == "describe" else 0.01)

    fakes = [searcher(f"r{number:03}", pause=cold) for number in range(160)]

    assert set(statuses(answered(fakes)).values()) == {"ok"}


@pytest.mark.parametrize("more", [{"cohort": ("of-a",)}, {"cohort_policy": "strict"}])
async def test_under_strict_a_failure_comes_before_any_cohort(more: dict[str, object]) -> None:
    """A cohort whose only repository is late is not unknown: the exit status says `timeout`."""
    fakes = [searcher("a"), searcher("b", keys=("m", "lex", "1")), searcher("c")]
    fakes[0].fail["describe"] = [DeadlineExceeded("late")]
    answer = await ask(fakes, request(strict=True, **more))

    assert answer.error is not None
    assert (answer.error.code, answer.exit_status) == ("timeout", 11)


async def test_a_bug_while_encoding_takes_no_answer_away() -> None:
    """As everywhere else: the next one encodes, and the search goes on."""
    fakes = [searcher(name, has_vectors=True) for name in "ab"]
    fakes[0].fail["encode"] = [RuntimeError("a bug")]
    answer = await ask(fakes)

    assert statuses(answer) == {"a": "ok", "b": "ok"}
    assert [calls(fake, "encode") for fake in fakes] == [1, 1]


async def test_a_bug_while_making_ready_takes_no_answer_away() -> None:
    """What cannot be made ready fails when it is asked; this one can be asked."""
    fake = searcher("a")
    inner = factory(fake)

    class Broken:
        async def prepare(self, repos: object, deadline: Deadline) -> None:
            raise OSError(24, "Too many open files")

        def open(self, asked: WorkspaceRepo) -> FakeSearcher:
            return inner.open(asked)  # type: ignore[return-value]  # it is ours

        def joint(self, repos: object) -> None:
            return None

    answer = await federated_search(workspace(repo("a")), request(), Broken(), VirtualClock())

    assert statuses(answer) == {"a": "ok"}


async def test_no_more_open_files_is_no_missing_daemon() -> None:
    """A workspace of a thousand meets the usual limit of 1,024; no daemon is started for that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with short_directory() as base:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
        try:
            with pytest.raises(GgrepError, match="open files") as failed:
                await dial(base / "d.sock")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert failed.value.code == "budget_exceeded"


def test_a_federator_may_connect_to_a_thousand_daemons(home: Path) -> None:
    """It keeps a connection to each; the host that serves them allows itself as much."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard - 1, hard))
    try:
        Federator(Home(home), {}, VirtualClock())

        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
def test_a_description_tells_settings_that_shape_answers_apart(root: Path, home: Path) -> None:
    """A process that keeps lists would else show those of settings that are no longer in force."""
    write_tree(root, {"a.py": "def retry():\n    return 1\n"})
    engine = open_engine(root, home)
    engine.sync()
    before = engine.describe()
    (root / ".ggrep.toml").write_text("max_query_per_file = 1\n")
    after = open_engine(root, home).describe()

    assert after.snapshot_id == before.snapshot_id
    assert after.config_fingerprint == before.config_fingerprint
    assert after.answers_key != before.answers_key


async def test_lists_of_other_settings_are_not_remembered() -> None:
    """Nothing was published, and the answer is another one."""
    fake, memory = searcher("a"), CoordinatorCache()
    await ask([fake], memory=memory)
    fake.answers_key = "other"
    await ask([fake], memory=memory)

    assert calls(fake, "search") == 2


def test_settings_behind_a_link_of_the_user_s_are_read_again(home: Path, root: Path) -> None:
    """People keep them in a folder of their own and link them; the link itself never changes."""
    home.mkdir()
    ours = home.parent / "dotfiles.toml"
    ours.write_text("max_query_results = 5\n")
    Home(home).config_file.symlink_to(ours)
    kept = DaemonAddresses(Home(home), {}, flags={"encoder": "hashed"})
    before = kept.of(root)
    ours.write_text("max_query_results = 17\n")

    assert dict(before.budgets)["max_query_results"] == 5
    assert dict(kept.of(root).budgets)["max_query_results"] == 17


@pytest.mark.slow
def test_a_pool_reports_no_cut_that_nobody_made(root: Path, home: Path) -> None:
    """`limit` is not read there: a repository's own bound on it cuts nothing."""
    write_tree(root, {f"{name}.py": f"def retry_{name}():\n    return 1\n" for name in "abc"})
    (root / ".ggrep.toml").write_text("max_query_results = 2\n")
    engine = open_engine(root, home)
    engine.sync()
    pool = engine.ask(PoolRequest(SearchRequest("retry", limit=10), per_list=10))

    assert len({hit.path for hit in pool.blended}) == 3
    assert pool.limits_hit == ()

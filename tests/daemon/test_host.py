"""One process carries many daemons: what is wrong with one concerns no other."""

import logging
from pathlib import Path

import anyio
import pytest

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Cancelled, GgrepError, InvalidRequest, StoreError
from ggrep.config.home import Home
from ggrep.config.settings import load_settings
from ggrep.daemon.daemon_tasks import DaemonTasks
from ggrep.daemon.endpoint_files import AlreadyServed, Endpoint
from ggrep.daemon.host import _Host, serve
from ggrep.model.navigation import SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.parse.workers.jobs import OccurrenceRequest
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.protocol.client.daemon_control import adopted
from ggrep.protocol.wire.endpoint import parse_record, record_path
from ggrep.protocol.wire.messages import Ask, Search, Shutdown, Status
from tests.fakes.hosts import BUILD, CLOCK, FLAGS
from tests.fakes.processes import Hosted, hosted
from tests.fakes.repos import write_tree
from tests.journeys.household import eventually

ENCODER = str(FLAGS["encoder"])


@pytest.fixture
def roots(tmp_path: Path) -> list[Path]:
    """Return two small trees."""
    results = [tmp_path.resolve() / name for name in ("one", "two")]
    for root in results:
        write_tree(root, {"pay.py": f"def settle_{root.name}():\n    return 1\n"})
    return results


def test_each_root_is_answered_by_its_own_daemon(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its own socket; one process stands behind all of them."""
    results, hosts = [], set()

    def act(host: Hosted) -> None:
        for root in roots:
            hits = host.ask(root, Search(SearchRequest("settle"))).body["response"]["results"]
            results.append(hits[0]["name"] if "name" in hits[0] else hits[0]["path"])
            record = parse_record(record_path(host.address(root).socket).read_bytes())
            assert record is not None
            hosts.add(record.host_id)

    reason = hosted(monkeypatch, roots, home, act)

    assert len(results) == 2
    assert len(hosts) == 1
    assert reason == "all its daemons have ended"
    assert list((home / "daemon").iterdir()) == []


@pytest.mark.slow
def test_engines_of_a_host_look_for_names_by_one_pool_which_ends_with_it(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its processes are bounded for all of them together."""
    pools: list[OccurrencePool] = []
    open_pool = _Host._occurrence_pool

    def opened(host: _Host) -> OccurrencePool:
        pools.append(open_pool(host))
        return pools[-1]

    def act(host: Hosted) -> None:
        for root in roots:
            host.ask(root, Ask(SymbolRequest("settle")))

    monkeypatch.setattr(_Host, "_occurrence_pool", opened)
    hosted(monkeypatch, roots, home, act)

    assert len(pools) >= 2
    assert len(set(map(id, pools))) == 1
    with pytest.raises(Cancelled):
        list(pools[0].find([OccurrenceRequest("a.py", b"x = 1", "x")], Deadline.never(CLOCK)))


@pytest.mark.slow
def test_a_process_takes_in_another_root(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that one process serves all repositories of a home; each ends alone."""
    first, two = roots
    served, hosts = [], set()

    def act(host: Hosted) -> None:
        served.append(adopted(Home(home), [two], ENCODER, {}, BUILD, CLOCK))
        for root in roots:
            record = parse_record(record_path(host.address(root).socket).read_bytes())
            hosts.add(record and (record.host_id, host.serves(root)))
        host.ask(first, Shutdown("reinit"))
        eventually(lambda: not record_path(host.address(first).socket).exists())
        served.append(adopted(Home(home), [first], ENCODER, {}, BUILD, CLOCK))
        served.append(host.serves(first) and host.serves(two))
        host.ask(two, Shutdown("the test is over"))

    hosted(monkeypatch, [first], home, act)

    assert served == [[], [], True]
    assert len(hosts) == 1


@pytest.mark.parametrize(
    ("build", "environ", "most_files"),
    [("another", {}, 5_000), (BUILD, {"GGREP_STRUCTURE": "0"}, 5_000), (BUILD, {}, -1)],
)
def test_a_process_takes_in_no_root_that_needs_another(
    roots: list[Path],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    build: str,
    environ: dict[str, str],
    most_files: int,
) -> None:
    """Its build and variables are those of the process, and its syncs would not wait long."""
    monkeypatch.setattr("ggrep.daemon.host._LONG_SYNC_FILES", most_files)
    messages = []

    def act(host: Hosted) -> None:
        messages.append(adopted(Home(home), roots[1:2], ENCODER, environ, build, CLOCK))
        messages.append(host.serves(roots[0]))

    hosted(monkeypatch, roots[:1], home, act)

    assert messages == [roots[1:2], True]


def test_a_fault_in_one_leaves_the_other_serving(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault is logged by its kind, and the place is free again."""
    first, two = roots
    seen = []
    warm = DaemonTasks._warm

    async def break_one(service: DaemonTasks) -> None:
        if service.daemon.identity.root == first:
            raise RuntimeError("a fault with a secret in it")
        await warm(service)

    monkeypatch.setattr(DaemonTasks, "_warm", break_one)

    def act(host: Hosted) -> None:
        eventually(lambda: not host.address(first).socket.exists())
        seen.append(host.serves(two))

    hosted(monkeypatch, roots, home, act)
    log = b"".join(path.read_bytes() for path in (home / "logs").iterdir())

    assert seen == [True]
    assert b'"event":"fault"' in log
    assert b"secret" not in log


def test_a_root_that_cannot_be_served_is_told_and_the_rest_served(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typing error in one repository's settings must not take a workspace down."""
    first, two = roots
    write_tree(first, {".ggrep.toml": "max_query_results = 'many'\n"})
    outcomes, seen = [], []

    def act(host: Hosted) -> None:
        outcomes.extend(host.outcomes)
        seen.append(host.serves(two))

    hosted(monkeypatch, roots, home, act)

    assert [outcome.root for outcome in outcomes] == roots
    assert isinstance(outcomes[0].error, InvalidRequest)
    assert outcomes[1].error is None
    assert seen == [True]


def test_a_root_that_is_served_already_is_told(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its daemon goes on; the rest is served here."""
    first, two = roots
    other = Endpoint(Home(home), Hosted(home, ()).address(first).socket)
    outcomes = []

    def act(host: Hosted) -> None:
        outcomes.extend(host.outcomes)

    hosted(monkeypatch, roots, home, act)
    left = [path.name for path in (home / "daemon").iterdir()]
    other.release()

    assert isinstance(outcomes[0].error, AlreadyServed)
    assert outcomes[1].root == two
    assert outcomes[1].error is None
    assert left == [other.path.with_suffix(".lock").name]


def test_nothing_to_serve_at_all_is_an_error(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(roots[0], {".ggrep.toml": "max_query_results = 'many'\n"})

    with pytest.raises(InvalidRequest, match="max_query_results"):
        hosted(monkeypatch, roots[:1], home, lambda _: None)


def test_a_socket_that_cannot_be_bound_is_told(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A root that is not served must not be reported as served."""
    first, two = roots
    bind, outcomes, seen = anyio.create_unix_listener, [], []

    async def refuse_one(path: Path, *, mode: int) -> object:
        if path == Hosted(home, ()).address(first).socket:
            raise OSError(28, "No space left on device")
        return await bind(path, mode=mode)

    monkeypatch.setattr("ggrep.daemon.accept_loop.anyio.create_unix_listener", refuse_one)

    def act(host: Hosted) -> None:
        outcomes.extend(host.outcomes)
        seen.append(host.serves(two))

    hosted(monkeypatch, roots, home, act)

    assert seen == [True]
    assert isinstance(outcomes[0].error, GgrepError)


def test_all_daemons_of_a_host_share_its_handles(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system counts open files by process."""
    budgets = []

    def act(host: Hosted) -> None:
        for root in roots:
            status = host.ask(root, Status()).body["status"]
            budgets.append(status["resources"]["open_handles"]["segments_budget"])

    hosted(monkeypatch, roots, home, act, {"GGREP_MAX_OPEN_SEGMENTS_GLOBAL": "9"})

    assert budgets == [9, 9]


@pytest.mark.slow
def test_a_host_that_nobody_asks_anything_ends(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = []

    def act(host: Hosted) -> None:
        eventually(lambda: not list((home / "daemon").iterdir()))
        left.extend((home / "daemon").iterdir())

    reason = hosted(monkeypatch, roots, home, act, {"GGREP_IDLE_TIMEOUT_SECS": "1"})

    assert reason == "idle for too long"
    assert left == []


@pytest.mark.parametrize(("stores", "poll_s"), [(1, 0.5), (10, 0.5), (25, 1.25), (100, 5.0)])
def test_a_host_of_many_stores_polls_less_often(home: Path, stores: int, poll_s: float) -> None:
    """So that a large workspace at rest costs no more than a small one."""
    settings = load_settings(Home(home), home, environ={}).settings
    shared = _Host(Home(home), {}, {}, CLOCK, "", awaited=False)._share(settings)
    shared.watcher.close()
    shared.stores.update({(str(number), ""): object() for number in range(stores)})

    assert shared.look_s == poll_s


def test_a_host_whose_daemons_have_all_failed_fails(
    roots: list[Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A supervisor must see that this was no orderly end; the first root's failure is reported."""

    async def fail(_: DaemonTasks) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(DaemonTasks, "_warm", fail)

    with pytest.raises(StoreError, match=rf"the daemon of {roots[0]} failed: RuntimeError"):
        hosted(monkeypatch, roots, home, lambda _: None)
    assert list((home / "daemon").iterdir()) == []


def test_warnings_of_a_host_are_in_its_log(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> str:
        logging.getLogger("ggrep.daemon.sync_loop").warning("segments could not be merged")
        return "ended"

    monkeypatch.setattr("ggrep.daemon.host.anyio.run", run)
    monkeypatch.setattr("ggrep.daemon.host.raise_descriptors", lambda: None)
    monkeypatch.setattr("ggrep.daemon.host.sys.setswitchinterval", lambda _: None)

    assert serve([], Home(home), environ={}) == "ended"
    (line,) = (home / "logs" / "host.jsonl").read_text().splitlines()
    assert stable_json.loads(line)["reason"] == "segments could not be merged"

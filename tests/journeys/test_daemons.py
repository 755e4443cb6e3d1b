"""Daemons come when they are needed, follow the tree, and leave nothing when they go."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.interfaces.entry import main
from ggrep.protocol.client.starting import start_all
from ggrep.protocol.wire.locator import locator_name
from ggrep.protocol.wire.messages import Ping, Status
from tests.entry import fake_daemon
from tests.entry.fake_daemon import packed
from tests.fakes.repos import write_tree
from tests.journeys.command import Outcome
from tests.journeys.household import TREE, Household, ask, eventually, finish, household

pytestmark = pytest.mark.slow


SEARCH = ("settle invoice", "--compact")


def ask_at_once(house: Household, root: Path, clients: int) -> list[Outcome]:
    """Return the outcomes of first searches, as one agent's tools run them together."""
    running = [house.start(*SEARCH, cwd=root, GGREP_CLIENT_ID="agent") for _ in range(clients)]
    return [finish(process) for process in running]


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Household, Path, list[Outcome]]]:
    """Return a repository whose daemon runs, and the outcomes of its first searches."""
    with household() as house:
        root = house.repo()
        first = ask_at_once(house, root, 3)
        house.settle(root)
        yield house, root, first


@pytest.fixture(scope="module")
def paused() -> Iterator[tuple[Household, Path, int]]:
    """Return a repository whose first index does not end, and the worker that is stopped."""
    with household() as house:
        root = house.repo()
        assert house.run("serve", "--background", cwd=root).status == 0
        eventually(lambda: house.processes("sync_worker"))
        (worker,) = house.processes("sync_worker")
        os.kill(worker, signal.SIGSTOP)
        yield house, root, worker


@pytest.fixture(scope="module")
def many() -> Iterator[tuple[Household, list[Path], Outcome]]:
    """Return the repositories of a workspace, and the outcome of its first search."""
    with household() as house:
        roots = [
            house.repo(f"repo{n:02}", {"pay.py": f"def pay_{n}():\n    pass\n"}) for n in range(18)
        ]
        file = house.base / "w.jsonc"
        entries = ", ".join(f'{{"root": "{root}"}}' for root in roots)
        file.write_text(f'{{"schemaVersion": 1, "repos": [{entries}]}}')
        house.index(*roots)
        result = house.run("search", "--workspace", file, "pay", "--json", cwd=house.base)
        eventually(lambda: len(house.records()) == len(roots))
        yield house, roots, result


def found_in(outcome: Outcome) -> list[str]:
    assert outcome.status == 0, outcome.err
    return outcome.out.split()


def connections(house: Household, root: Path) -> int:
    """Return how many clients a daemon has, this one included."""
    document: Any = house.ask(root, Status()).body["status"]
    count: int = document["daemon"]["connections"]
    return count


def fake_at(house: Household, root: Path, daemon: fake_daemon.FakeDaemon) -> None:
    """Let a fake answer the command line for a repository; `tests/entry` has the fast path."""
    address = house.address(root)
    daemon.greeting = fake_daemon.says(
        fake_daemon.welcome(
            store_id=address.identity.store_id,
            config_fingerprint=address.identity.config_fingerprint,
            supported_schema_versions={"query_success": [1], "status": [1], "health": [1]},
        )
    )
    address.socket.parent.mkdir(parents=True, exist_ok=True)
    address.socket.symlink_to(daemon.address)


def is_served_by_one(house: Household, root: Path, outcomes: list[Outcome]) -> None:
    """Fail unless one daemon serves the repository: two would index it twice."""
    assert all(found_in(outcome)[0] == "src/pay.py" for outcome in outcomes)
    assert any("there is no index yet: " in outcome.err for outcome in outcomes)
    assert [(record.root, record.pid) for record in house.records()] == [
        (str(root), *house.hosts())
    ]
    assert len(house.events("started")) == 1


def test_clients_at_once_start_one_daemon(served: tuple[Household, Path, list[Outcome]]) -> None:
    is_served_by_one(*served)


@pytest.mark.deep
def test_eight_clients_at_once_start_one_daemon(house: Household) -> None:
    root = house.repo()
    is_served_by_one(house, root, ask_at_once(house, root, 8))


def test_an_edit_is_found_without_any_command(
    served: tuple[Household, Path, list[Outcome]],
) -> None:
    """The daemon follows the work tree."""
    house, root, _ = served

    write_tree(root, {"src/late.py": "def reconcile_ledger():\n    return 1\n"})

    eventually(
        lambda: (
            "src/late.py" in found_in(house.run_light("reconcile ledger", "--compact", cwd=root))
        )
    )


def test_a_saved_script_without_an_ending_is_found(
    served: tuple[Household, Path, list[Outcome]],
) -> None:
    """Its first line makes it one, so events are told of files of any name."""
    house, root, _ = served
    question = ("reverse chargeback", "--compact")

    write_tree(root, {"bin/chargeback": "#!/bin/sh\nreverse_chargeback() { :; }\n"})

    eventually(lambda: "bin/chargeback" in found_in(house.run_light(*question, cwd=root)))


def test_an_ignored_file_leaves_the_same_store(
    served: tuple[Household, Path, list[Outcome]],
) -> None:
    house, root, _ = served
    write_tree(root, {"secret/key.py": "def unlock_vault():\n    return 1\n"})
    search = ("unlock vault", "--compact", "--keep-weak")
    eventually(lambda: "secret/key.py" in found_in(house.run_light(*search, cwd=root)))
    before = house.address(root).identity.store_id

    write_tree(root, {".gitignore": TREE[".gitignore"] + "secret/\n"})
    eventually(lambda: "secret/key.py" not in found_in(house.run_light(*search, cwd=root)))

    assert house.address(root).identity.store_id == before
    assert [path.name for path in (house.home / "data").iterdir()] == [before]
    assert [record.store_id for record in house.records()] == [before]


def test_client_variables_count(served: tuple[Household, Path, list[Outcome]]) -> None:
    """They were set for this search, whatever the daemon was started under."""
    house, root, _ = served

    def ask(**variables: str) -> Outcome:
        return house.run_inside(*SEARCH, cwd=root, **variables)

    assert len(found_in(ask())) > 1
    assert len(found_in(ask(GGREP_MAX_QUERY_RESULTS="1"))) == 1
    assert ask(GGREP_QUERY_TIMEOUT_MS="1").status == 11
    assert "many" in ask(GGREP_MAX_QUERY_RESULTS="many").err


def test_a_hint_to_another_root_is_not_followed(
    served: tuple[Household, Path, list[Outcome]],
) -> None:
    """Files get copied and restored; an answer of another repository would look like ours."""
    house, root, _ = served
    other = house.repo("other", {"elsewhere.py": "def settle_invoice():\n    return 2\n"})
    expected = found_in(house.run_inside(*SEARCH, cwd=root))
    assert found_in(house.run(*SEARCH, cwd=other)) == ["elsewhere.py"]
    ours, theirs = (
        house.home / "daemon" / locator_name(os.fsencode(each)) for each in (root, other)
    )
    kept = ours.read_bytes()

    forged = theirs.read_bytes().replace(os.fsencode(other), os.fsencode(root))
    answers = []
    for content in (theirs.read_bytes(), forged):
        ours.write_bytes(content)
        answers.append(found_in(house.run_inside(*SEARCH, cwd=root)))
    ours.write_bytes(kept)
    stopped = house.run_here(main, "stop", "--path", other, cwd=root)

    assert answers == [expected, expected]
    assert (
        f"stopped other-{house.address(other).identity.store_id.partition('-')[2]}" in stopped.err
    )
    assert [record.root for record in house.records()] == [str(root)]


def test_index_settings_lead_to_a_successor(
    served: tuple[Household, Path, list[Outcome]],
) -> None:
    """The old daemon answers nobody who knows better, and says of itself that it is stale."""
    house, root, _ = served
    old = house.address(root)

    write_tree(root, {".ggrep.toml": "max_file_size_bytes = 50\n"})
    answer = house.run("settle invoice", "--compact", cwd=root)
    new = house.address(root)

    eventually(lambda: ask(old, Ping()).body["stale"])
    assert "src/pay.py" not in found_in(answer)
    assert new.identity.config_fingerprint != old.identity.config_fingerprint
    assert {record.socket for record in house.records()} == {str(old.socket), str(new.socket)}
    assert not house.ask(root, Ping()).body["stale"]


def test_a_deleted_index_takes_its_daemon_along(
    served: tuple[Household, Path, list[Outcome]],
) -> None:
    """A daemon would otherwise go on answering from files that are gone."""
    house, _, _ = served
    root = house.repo("deleted")
    others = {record.store_id for record in house.records()}
    assert house.run("settle", "--sync", cwd=root).status == 0
    store = house.address(root).identity.store_id
    assert {record.store_id for record in house.records()} == {*others, store}

    cleaned = house.run_here(main, "clean", cwd=root)

    assert cleaned.status == 0
    assert f"removed {store}" in cleaned.err
    assert {record.store_id for record in house.records()} == others
    assert not (house.home / "data" / store).exists()
    assert not [path for path in (house.home / "daemon").iterdir() if store in path.name]


def test_a_running_host_adopts_all_roots_of_one_start(
    served: tuple[Household, Path, list[Outcome]],
) -> None:
    """A search may start one daemon while another process starts the others."""
    house, _, _ = served
    hosts = house.hosts()
    roots = [house.repo(f"repo{n}", {"pay.py": f"def pay_{n}():\n    pass\n"}) for n in range(3)]

    start_all([house.address(root) for root in roots], house.environ())

    assert {str(root) for root in roots} < {record.root for record in house.records()}
    assert {record.pid for record in house.records()} == hosts == house.hosts()


def test_offline_starts_nothing(house: Household) -> None:
    """For who must not leave processes behind."""
    root = house.repo()

    outcome = house.run_here(main, "settle", "--offline", cwd=root)

    assert outcome.status == 0
    assert "there is no index yet: " in outcome.err
    assert not house.processes()
    assert house.records() == []


@pytest.mark.parametrize(("code", "status"), [("busy", 10), ("timeout", 11)])
def test_a_refusal_is_final(house: Household, code: str, status: int) -> None:
    """Reading the index beside a busy daemon would defeat what it is busy for."""
    root = house.repo()

    with fake_daemon.running() as daemon:
        fake_at(house, root, daemon)
        daemon.reply = lambda asked: packed(
            {
                "request_id": asked.get("request_id", "r"),
                "error": {"code": code, "message": "no", "retry_after_ms": 5},
            }
        )
        outcome = house.run_inside("settle", cwd=root)

    assert (outcome.status, outcome.out) == (status, "")
    assert len(daemon.seen) == 2
    assert not house.processes()


def test_an_interrupt_ends_a_search_at_once(house: Household) -> None:
    """Ctrl-C means now, however long the daemon would take."""
    root, over = house.repo(), Event()

    with fake_daemon.running() as daemon:
        fake_at(house, root, daemon)
        daemon.reply = lambda _: packed(over.wait(30))
        process = house.start("settle", cwd=root)
        assert daemon.asked.wait(60)
        process.send_signal(signal.SIGINT)
        outcome = finish(process)
        over.set()

    assert outcome.status == 12
    assert "interrupted" in outcome.err
    assert "Traceback" not in outcome.err


_ATTEMPTS = 8
"""Searches that are interrupted until one of them had been asked."""


def test_an_interrupted_search_is_cancelled_at_the_daemon(
    paused: tuple[Household, Path, int],
) -> None:
    house, root, _ = paused  # the search waits for the first index

    def is_cancelled() -> bool:
        return [event["status"] for event in house.events("query")][-1:] == ["cancelled"]

    statuses = []
    for _ in range(_ATTEMPTS):
        process = house.start("settle", "--deterministic", cwd=root)
        for _ in range(2):  # connected, and a look later: asked
            eventually(lambda: connections(house, root) > 1)
        process.send_signal(signal.SIGINT)
        statuses.append(finish(process).status)
        with suppress(AssertionError):  # interrupted between the two, it has asked for nothing
            eventually(is_cancelled, 5.0)
            break

    assert is_cancelled()
    assert set(statuses) == {12}


def test_a_worker_that_is_killed_is_replaced(paused: tuple[Household, Path, int]) -> None:
    """The memory killer takes the one that indexes; the next sync starts over."""
    house, root, worker = paused
    os.kill(worker, signal.SIGKILL)

    outcome = house.run_inside("settle invoice", "--sync", "--compact", cwd=root)

    assert found_in(outcome)[0] == "src/pay.py"
    assert house.processes("sync_worker") != {worker}


def test_daemons_of_many_are_started_behind_an_answer(
    many: tuple[Household, list[Path], Outcome],
) -> None:
    """To start very many takes longer than to read all their indexes: nobody waits for them."""
    house, _, result = many

    assert {row["status"] for row in stable_json.loads(result.out)["repos"]} == {"ok"}
    eventually(lambda: len(house.hosts()) == 1)  # the process that started it ends behind it
    eventually(lambda: not list((house.home / "daemon").glob("*.starting")))


def test_stopping_names_what_it_stopped_and_leaves_nothing(
    many: tuple[Household, list[Path], Outcome],
) -> None:
    """An operator who ends everything relies on it; more than 16 are counted."""
    house, roots, _ = many

    stopped = house.run_here(main, "stop", cwd=roots[0])
    left = {record.root for record in house.records()}
    rest = house.run_here(main, "stop-all", cwd=roots[0])

    assert re.fullmatch(rf"stopped repo00-\S+  {roots[0]}\n", stopped.err)
    assert left == set(map(str, roots[1:]))
    *lines, last = rest.err.splitlines()
    named = [re.fullmatch(r"stopped repo(\d\d)-\S+  (.*)", line) for line in lines]
    assert len({match[2] for match in named if match} & left) == len(lines) == 16
    assert last == "stopped 1 more"
    assert house.run_here(main, "stop-all", cwd=roots[0]) == Outcome(0, "", "no daemon runs\n")
    house.become_empty()


PROFILES = {
    ".ggrep.toml": """
[profiles.data]
include = ["Datasets/**"]
max_bytes_indexed = 1_000_000
max_file_size_bytes = 100_000
max_store_bytes = 50_000_000
[profiles.docs.view]
paths = ["docs"]
""",
    "Datasets/invoices.csv": "settle,invoice\n1,2\n",
    "docs/pay.md": "# Settling\n\nHow to settle an invoice.\n",
    "pay.py": "def settle_invoice():\n    return 1\n",
}
PROFILE_SEARCH = ("settle invoice", "--compact", "--keep-weak")


def shown(outcome: Outcome) -> set[str]:
    assert outcome.status == 0, outcome.err
    return set(outcome.out.splitlines())


def test_profiles_in_turn_each_keep_their_daemon(house: Household) -> None:
    """A view shares the default's; neither takes the other's way to it."""
    root = house.repo(files=PROFILES)
    plain = {"docs/pay.md", "pay.py"}

    for run in (house.run, house.run_inside):
        assert shown(run(*PROFILE_SEARCH, cwd=root, GGREP_PROFILE="docs")) == {"docs/pay.md"}
        assert shown(run(*PROFILE_SEARCH, cwd=root)) == plain
        assert shown(run(*PROFILE_SEARCH, "--profile", "docs", cwd=root)) == {"docs/pay.md"}
        result = shown(run(*PROFILE_SEARCH, "--profile", "data", cwd=root))
        assert result == plain | {"Datasets/invoices.csv"}
    house.settle(root)

    assert len(house.records()) == 2
    assert shown(house.run_light(*PROFILE_SEARCH, cwd=root)) == plain
    line = "ggrep.interfaces.cli.app"
    under_data = house.run_inside(*PROFILE_SEARCH, cwd=root, without=line, GGREP_PROFILE="data")
    assert shown(under_data) == plain | {"Datasets/invoices.csv"}

    # The profile that a file chooses holds for plain searches.
    files = PROFILES | {".ggrep.toml": 'profile = "docs"\n' + PROFILES[".ggrep.toml"]}
    other = house.repo("other", files)
    for run in (house.run, house.run_inside):
        assert shown(run(*PROFILE_SEARCH, cwd=other)) == {"docs/pay.md"}

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
from ggrep.protocol.client.starting import start_all
from ggrep.protocol.wire.locator import locator_name
from ggrep.protocol.wire.messages import Ping, Status
from tests.entry import fake_daemon
from tests.entry.fake_daemon import packed
from tests.fakes.repos import write_tree
from tests.journeys.command import Outcome
from tests.journeys.household import TREE, Household, ask, eventually, finish, household

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Household, Path, Outcome]]:
    """Return a repository whose daemon runs, and what the first search of it said."""
    with household() as house:
        root = house.repo()
        first = house.run("settle invoice", "--compact", cwd=root)
        house.settle(root)
        yield house, root, first


def found_in(outcome: Outcome) -> list[str]:
    assert outcome.status == 0, outcome.err
    return outcome.out.split()


def connections(house: Household, root: Path) -> int:
    """Return how many clients a daemon has, this one included."""
    document: Any = house.ask(root, Status()).body["status"]
    count: int = document["daemon"]["connections"]
    return count


def fake_at(house: Household, root: Path, daemon: fake_daemon.FakeDaemon, *, leads: bool) -> None:
    """Let a fake answer for a repository: the fast path if it leads, else the command line."""
    address = house.address(root)
    schemas = {"query_success": [1], "status": [1], "health": [1]}
    if leads:
        daemon.lead(house.home, root)
        return
    daemon.greeting = fake_daemon.says(
        fake_daemon.welcome(
            store_id=address.identity.store_id,
            config_fingerprint=address.identity.config_fingerprint,
            supported_schema_versions=schemas,
        )
    )
    address.socket.parent.mkdir(parents=True, exist_ok=True)
    address.socket.symlink_to(daemon.address)


def test_the_first_search_starts_a_daemon(
    served: tuple[Household, Path, Outcome],
) -> None:
    house, root, first = served

    assert "there is no index yet: " in first.err
    assert found_in(first)[0] == "src/pay.py"
    assert [(record.root, record.pid) for record in house.records()] == [
        (str(root), *house.hosts())
    ]


def test_an_edit_is_found_without_any_command(served: tuple[Household, Path, Outcome]) -> None:
    """The daemon follows the work tree."""
    house, root, _ = served

    write_tree(root, {"src/late.py": "def reconcile_ledger():\n    return 1\n"})

    eventually(
        lambda: "src/late.py" in found_in(house.run("reconcile ledger", "--compact", cwd=root))
    )


def test_a_saved_script_without_an_ending_is_found(
    served: tuple[Household, Path, Outcome],
) -> None:
    """Its first line makes it one, so events are told of files of any name."""
    house, root, _ = served
    question = ("reverse chargeback", "--compact")

    write_tree(root, {"bin/chargeback": "#!/bin/sh\nreverse_chargeback() { :; }\n"})

    eventually(lambda: "bin/chargeback" in found_in(house.run(*question, cwd=root)))


def test_an_ignored_file_leaves_the_same_store(
    served: tuple[Household, Path, Outcome],
) -> None:
    house, root, _ = served
    write_tree(root, {"secret/key.py": "def unlock_vault():\n    return 1\n"})
    search = ("unlock vault", "--compact", "--keep-weak")
    eventually(lambda: "secret/key.py" in found_in(house.run(*search, cwd=root)))
    before = house.address(root).identity.store_id

    write_tree(root, {".gitignore": TREE[".gitignore"] + "secret/\n"})
    eventually(lambda: "secret/key.py" not in found_in(house.run(*search, cwd=root)))

    assert house.address(root).identity.store_id == before
    assert [path.name for path in (house.home / "data").iterdir()] == [before]
    assert [record.store_id for record in house.records()] == [before]


def test_client_variables_count(served: tuple[Household, Path, Outcome]) -> None:
    """They were set for this search, whatever the daemon was started under."""
    house, root, _ = served
    search = ("settle invoice", "--compact")

    assert len(found_in(house.run(*search, cwd=root))) > 1
    assert len(found_in(house.run(*search, cwd=root, GGREP_MAX_QUERY_RESULTS="1"))) == 1
    assert house.run(*search, cwd=root, GGREP_QUERY_TIMEOUT_MS="1").status == 11
    assert "many" in house.run(*search, cwd=root, GGREP_MAX_QUERY_RESULTS="many").err


def test_a_hint_to_another_root_is_not_followed(
    served: tuple[Household, Path, Outcome],
) -> None:
    """Files get copied and restored; an answer of another repository would look like ours."""
    house, root, _ = served
    other = house.repo("other", {"elsewhere.py": "def settle_invoice():\n    return 2\n"})
    search = ("settle invoice", "--compact")
    expected = found_in(house.run(*search, cwd=root))
    assert found_in(house.run(*search, cwd=other)) == ["elsewhere.py"]
    ours, theirs = (
        house.home / "daemon" / locator_name(os.fsencode(each)) for each in (root, other)
    )
    kept = ours.read_bytes()

    forged = theirs.read_bytes().replace(os.fsencode(other), os.fsencode(root))
    answers = []
    for content in (theirs.read_bytes(), forged):
        ours.write_bytes(content)
        answers.append(found_in(house.run(*search, cwd=root)))
    ours.write_bytes(kept)
    stopped = house.run("stop", "--path", other, cwd=root)

    assert answers == [expected, expected]
    assert (
        f"stopped other-{house.address(other).identity.store_id.partition('-')[2]}" in stopped.err
    )
    assert [record.root for record in house.records()] == [str(root)]


def test_index_settings_lead_to_a_successor(
    served: tuple[Household, Path, Outcome],
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


@pytest.mark.parametrize("clients", [3, pytest.param(8, marks=pytest.mark.deep)])
def test_clients_at_once_start_one_daemon(house: Household, clients: int) -> None:
    """One agent's tools run together; two daemons of one store would index it twice."""
    root = house.repo()
    search = ("settle invoice", "--compact")

    running = [house.start(*search, cwd=root, GGREP_CLIENT_ID="agent") for _ in range(clients)]
    outcomes = [finish(process) for process in running]

    assert all("src/pay.py" in found_in(outcome) for outcome in outcomes)
    assert house.hosts() == {record.pid for record in house.records()}
    assert len(house.hosts()) == 1
    assert len(house.events("started")) == 1


def test_stopping_names_what_it_stopped_and_leaves_nothing(house: Household) -> None:
    """An operator who ends everything relies on it; more than 16 are counted."""
    roots = [house.repo(f"repo{n:02}") for n in range(19)]
    paths = [word for root in roots for word in ("--path", root)]
    assert house.run("serve", "--background", *paths, cwd=roots[0]).status == 0

    stopped = house.run("stop", cwd=roots[0])
    left = {record.root for record in house.records()}
    rest = house.run("stop-all", cwd=roots[0])

    assert re.fullmatch(rf"stopped repo00-\S+  {roots[0]}\n", stopped.err)
    assert left == set(map(str, roots[1:]))
    *lines, last = rest.err.splitlines()
    named = [re.fullmatch(r"stopped repo(\d\d)-\S+  (.*)", line) for line in lines]
    assert len({match[2] for match in named if match} & left) == len(lines) == 16
    assert last == "stopped 2 more"
    assert house.run("stop-all", cwd=roots[0]) == Outcome(0, "", "no daemon runs\n")
    house.become_empty()


def test_a_deleted_index_takes_its_daemon_along(served: tuple[Household, Path, Outcome]) -> None:
    """A daemon would otherwise go on answering from files that are gone."""
    house, _, _ = served
    root = house.repo("deleted")
    others = {record.store_id for record in house.records()}
    assert house.run("settle", "--sync", cwd=root).status == 0
    store = house.address(root).identity.store_id
    assert {record.store_id for record in house.records()} == {*others, store}

    cleaned = house.run("clean", cwd=root)

    assert cleaned.status == 0
    assert f"removed {store}" in cleaned.err
    assert {record.store_id for record in house.records()} == others
    assert not (house.home / "data" / store).exists()
    assert not [path for path in (house.home / "daemon").iterdir() if store in path.name]


def test_offline_starts_nothing(house: Household) -> None:
    """For who must not leave processes behind."""
    root = house.repo()

    outcome = house.run("settle", "--offline", cwd=root)

    assert outcome.status == 0
    assert "there is no index yet: " in outcome.err
    assert not house.processes()
    assert house.records() == []


@pytest.mark.parametrize("leads", [True, False], ids=["fast", "whole"])
@pytest.mark.parametrize(("code", "status"), [("busy", 10), ("timeout", 11)])
def test_a_refusal_is_final(house: Household, code: str, status: int, *, leads: bool) -> None:
    """Reading the index beside a busy daemon would defeat what it is busy for."""
    root = house.repo()
    rendered = {"out": "", "err": f"error: the daemon said {code}\n", "exit_status": status}

    with fake_daemon.running() as daemon:
        fake_at(house, root, daemon, leads=leads)
        daemon.reply = lambda asked: packed(
            {
                "request_id": asked.get("request_id", "r"),
                "error": {"code": code, "message": "no", "retry_after_ms": 5, "rendered": rendered},
            }
        )
        outcome = house.run("settle", cwd=root)

    assert (outcome.status, outcome.out) == (status, "")
    assert len(daemon.seen) == 2
    assert not house.processes()


@pytest.mark.parametrize("leads", [True, False], ids=["fast", "whole"])
def test_an_interrupt_ends_a_search_at_once(house: Household, *, leads: bool) -> None:
    """Ctrl-C means now, however long the daemon would take."""
    root, over = house.repo(), Event()

    with fake_daemon.running() as daemon:
        fake_at(house, root, daemon, leads=leads)
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


def test_an_interrupted_search_is_cancelled_at_the_daemon(house: Household) -> None:
    root = house.repo()
    assert house.run("serve", "--background", cwd=root).status == 0
    eventually(lambda: house.processes("sync_worker"))
    (worker,) = house.processes("sync_worker")
    os.kill(worker, signal.SIGSTOP)  # the search waits for the first index

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
    os.kill(worker, signal.SIGCONT)

    assert is_cancelled()
    assert set(statuses) == {12}


def test_a_worker_that_is_killed_is_replaced(house: Household) -> None:
    """The memory killer takes the one that indexes; the next sync starts over."""
    root = house.repo()
    assert house.run("serve", "--background", cwd=root).status == 0
    eventually(lambda: house.processes("sync_worker"))
    (worker,) = house.processes("sync_worker")
    os.kill(worker, signal.SIGKILL)

    outcome = house.run("settle invoice", "--sync", "--compact", cwd=root)

    assert found_in(outcome)[0] == "src/pay.py"
    assert house.processes("sync_worker") != {worker}


def test_a_running_host_adopts_all_roots_of_one_start(house: Household) -> None:
    """A search may start one daemon while another process starts the others."""
    roots = [house.repo(f"repo{n}", {"pay.py": f"def pay_{n}():\n    pass\n"}) for n in range(4)]
    assert house.run("serve", "--background", cwd=roots[0]).status == 0
    (host,) = {record.pid for record in house.records()}
    start_all([house.address(root) for root in roots[1:]], house.environ())

    assert {record.root: record.pid for record in house.records()} == {
        str(root): host for root in roots
    }


def test_daemons_of_many_are_started_behind_an_answer(house: Household) -> None:
    """To start very many takes longer than to read all their indexes: nobody waits for them."""
    roots = [
        house.repo(f"repo{n:02}", {"pay.py": f"def pay_{n}():\n    pass\n"}) for n in range(18)
    ]
    file = house.base / "w.jsonc"
    entries = ", ".join(f'{{"root": "{root}"}}' for root in roots)
    file.write_text(f'{{"schemaVersion": 1, "repos": [{entries}]}}')
    house.index(*roots)
    result = house.run("search", "--workspace", file, "pay", "--json", cwd=house.base)

    assert {row["status"] for row in stable_json.loads(result.out)["repos"]} == {"ok"}
    eventually(lambda: len(house.records()) == len(roots))
    eventually(lambda: len(house.hosts()) == 1)  # the process that started it ends behind it
    eventually(lambda: not list((house.home / "daemon").glob("*.starting")))

"""A new build takes the place of the one that serves, while clients ask and the tree changes."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.fakes.repos import write_tree
from tests.journeys.command import SOURCE, Outcome
from tests.journeys.household import Household, eventually, household

pytestmark = [pytest.mark.deep, pytest.mark.timeout(900)]

CLIENTS = 8
UPGRADES = 3
ASKED = 3
"""Questions of each client before, between and after upgrades."""

MANY = {
    f"src/part{number}.py": f"def part_{number}():\n    return {number}\n" for number in range(300)
}


@pytest.fixture
def house() -> Iterator[Household]:
    """Return a home whose commands run from an installation of their own."""
    with household() as result:
        library = result.base / "lib"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(SOURCE / "ggrep", library / "ggrep", ignore=ignored)
        result.variables["PYTHONPATH"] = str(library)
        yield result


def install(house: Household) -> None:
    """Write the installation's files anew, the one that names the build last."""
    file = house.base / "lib" / "ggrep" / "__init__.py"
    fresh = file.with_name("fresh")
    shutil.copyfile(file, fresh)
    os.utime(fresh, ns=(0, file.stat().st_mtime_ns + 1_000_000_000))
    fresh.replace(file)


class Client(threading.Thread):
    """Asks one question over and over, each time as a command of its own."""

    def __init__(self, house: Household, root: Path, ended: threading.Event) -> None:
        super().__init__()
        self.outcomes: list[Outcome] = []
        self._house, self._root, self._ended = house, root, ended

    def run(self) -> None:
        """Ask until it is said to end."""
        while not self._ended.is_set():
            result = self._house.run("settle invoice", "--compact", "-m", "1", cwd=self._root)
            self.outcomes.append(result)


def test_an_upgrade_under_clients_is_not_noticed(house: Household) -> None:
    """Every answer is right, one successor serves, and the builds before it are gone."""
    root = house.repo()
    assert house.run("settle invoice", cwd=root).status == 0
    pids = {record.pid for record in house.records()}
    ended = threading.Event()
    clients = [Client(house, root, ended) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        for upgrade in range(UPGRADES):
            wait_for_answers(clients)
            write_tree(root, {f"u{upgrade}/{path}": text for path, text in MANY.items()})
            install(house)
            wait_for_answers(clients)
            before = set(pids)
            eventually(lambda before=before: serving(house) - before, 120.0)  # type: ignore[misc] # bound now
            pids |= serving(house)
    finally:
        ended.set()
        for client in clients:
            client.join()

    outcomes = [outcome for client in clients for outcome in client.outcomes]
    assert {(outcome.status, outcome.out) for outcome in outcomes} == {(0, "src/pay.py\n")}
    eventually(lambda: len([pid for pid in pids if psutil.pid_exists(pid)]) == 1, 120.0)
    assert len(house.records()) == 1
    house.settle(root)
    last = house.run("part_299", "--compact", "-m", "50", cwd=root)
    assert {f"u{number}/src/part299.py" for number in range(UPGRADES)} <= set(last.out.split())


def serving(house: Household) -> set[int]:
    return {record.pid for record in house.records()}


def wait_for_answers(clients: list[Client]) -> None:
    """Wait until each client has some more answers."""
    wanted = [len(client.outcomes) + ASKED for client in clients]
    eventually(
        lambda: all(
            len(client.outcomes) >= most for client, most in zip(clients, wanted, strict=True)
        ),
        300.0,
    )

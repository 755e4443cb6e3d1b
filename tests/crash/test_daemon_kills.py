"""Daemons that are killed under load: every client is answered all the same."""

import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ggrep.base.errors import GgrepError
from ggrep.config.home import Home
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.protocol.client.connect_or_start import Connector
from ggrep.protocol.client.daemon_client import DaemonClient
from ggrep.render.printed import render_answer
from ggrep.search.engine.engine import Engine
from tests.journeys.household import CLOCK, Household, eventually, household

pytestmark = pytest.mark.slow

CLIENTS = 4
QUERIES = ("settle invoice", "send reminder", "how is an invoice settled")
PRINT = ViewOptions(json=True, columns=80)


@pytest.fixture
def house() -> Iterator[Household]:
    """Return a home that nothing was done in."""
    with household() as result:
        yield result


@dataclass
class Load:
    """Clients that ask without a pause, and what became of each question.

    Attributes:
        wrong: answers that are not the expected ones, and failures.
    """

    house: Household
    root: Path
    expected: dict[str, str]
    answered: int = 0
    wrong: list[str] = field(default_factory=list)
    enough: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Ask for the length of the block."""
        threads = [threading.Thread(target=self.ask, args=(each,)) for each in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.enough.set()
            for thread in threads:
                thread.join(90)

    def ask(self, number: int) -> None:
        """Be one client."""
        environ = self.house.environ(GGREP_CLIENT_ID=f"client-{number}")
        address = self.house.address(self.root, GGREP_CLIENT_ID=f"client-{number}")
        asking = DaemonClient(address, Connector(address, CLOCK, environ), CLOCK)
        turn = number
        while not self.enough.is_set():
            query = QUERIES[turn % len(QUERIES)]
            turn += 1
            try:
                output = asking.search(SearchRequest(query, deterministic=True), PRINT).out
            except GgrepError as error:
                output = f"{type(error).__name__}: {error}"
            with self.lock:
                self.answered += 1
                if output != self.expected[query]:
                    self.wrong.append(output)

    def more_answers(self, count: int) -> None:
        wanted = self.answered + count
        eventually(lambda: self.answered >= wanted)


def load_of(house: Household) -> Load:
    """Return the load of a repository whose right answers are known: those without a daemon."""
    root = house.repo()
    engine = Engine(root, Home(house.home), environ=house.environ())
    engine.sync()
    requests = {query: SearchRequest(query, deterministic=True) for query in QUERIES}
    expected = {
        query: render_answer(engine.search(request), root, PRINT).out
        for query, request in requests.items()
    }
    return Load(house, root, expected)


def kill_daemons(load: Load, moments: int, seed: int) -> None:
    """Kill the daemon under load that many times."""
    chance, house = random.Random(seed), load.house
    killed, hasty = set[int](), False
    for _ in range(moments):
        # Now and then as soon as it is there, when it may not even listen; not three times
        # running, which is what one client bears.
        hasty = not hasty and chance.random() < 0.4
        if not hasty:
            load.more_answers(chance.randrange(1, 60))
        eventually(lambda: house.hosts() - killed)
        for pid in house.hosts() - killed:
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
    load.more_answers(2 * CLIENTS)
    assert len(killed) >= moments


def kill_query_workers(load: Load) -> None:
    """Kill two query workers; the daemon answers, and starts the next ones under load."""
    house, killed = load.house, set[int]()
    for _ in range(2):
        eventually(lambda: house.processes("ggrep.daemon.query_worker") - killed)
        for pid in house.processes("ggrep.daemon.query_worker") - killed:
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        load.more_answers(5 * CLIENTS)
    eventually(lambda: house.processes("ggrep.daemon.query_worker") - killed)


def test_every_client_outlives_the_daemons(house: Household) -> None:
    """An answer that was asked for arrives, from any daemon that lives to give it."""
    load = load_of(house)
    with load.running():
        if os.cpu_count() != 1:  # one core has no query workers
            kill_query_workers(load)
        kill_daemons(load, 2, seed=22)
        assert house.run("stop-all", cwd=load.root).status == 0
        load.more_answers(2 * CLIENTS)

    assert load.wrong == []
    assert len(house.hosts()) == 1
    assert house.run("stop-all", cwd=load.root).status == 0
    house.become_empty()


@pytest.mark.deep
def test_every_client_outlives_fifty_daemons(house: Household) -> None:
    """The same at moments that two do not hit."""
    load = load_of(house)
    with load.running():
        kill_daemons(load, 50, seed=12)

    assert load.wrong == []
    assert house.run("stop-all", cwd=load.root).status == 0
    house.become_empty()

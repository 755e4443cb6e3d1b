"""What a daemon that was killed left behind keeps nobody from coming after it."""

import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.daemon.endpoint_files import Endpoint
from ggrep.daemon.leftovers import sweep
from ggrep.protocol.wire.endpoint import DaemonRecord
from ggrep.protocol.wire.locator import locator_name
from ggrep.protocol.wire.message_types import Ping
from tests.fakes.hosts import served


@pytest.fixture
def place(home: Path) -> Path:
    """Return the directory of the sockets."""
    (home / "daemon").mkdir(parents=True, mode=0o700)
    return home / "daemon"


@pytest.fixture
def bound() -> Iterator[list[socket.socket]]:
    """Return a list of sockets to close at the end."""
    sockets: list[socket.socket] = []
    yield sockets
    for one in sockets:
        one.close()


def leave(directory: Path, stem: str) -> list[Path]:
    """Lay the names of a daemon that died; return them."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(directory / f"{stem}.sock"))
    for suffix in ("json", "lock"):
        (directory / f"{stem}.{suffix}").write_text("")
    return sorted(directory.glob(f"{stem}.*"))


def record_of(path: Path) -> DaemonRecord:
    """Return a record of a daemon at a path."""
    return DaemonRecord("s-0", "f", "/r", str(path), 1, 1, "", "", "b", (1,), "h", "none")


def test_names_without_a_living_daemon_go(place: Path, home: Path) -> None:
    """Who lists daemons must not list the dead."""
    assert len(leave(place, "dead")) == 3
    sweep(Home(home))

    assert list(place.iterdir()) == []


def test_names_of_a_living_daemon_stay(place: Path, home: Path) -> None:
    """Its lock says that it lives, whatever is wrong with the rest."""
    leave(place, "dead")
    alive = Endpoint(Home(home), place / "alive.sock")
    alive.publish(record_of(alive.path))
    sweep(Home(home))
    left = sorted(path.name for path in place.iterdir())
    alive.release()

    assert left == ["alive.json", "alive.lock"]


def test_a_locator_that_leads_nowhere_goes(place: Path, home: Path) -> None:
    """Damaged ones as well; that of a living daemon stays."""
    alive = Endpoint(Home(home), place / "alive.sock")
    alive.lead(Path("/r"), record_of(place / "alive.sock"))
    (place / "00000000.locator").write_bytes(b"nonsense")
    (place / "alive.sock").touch()
    sweep(Home(home))

    assert [path.name for path in place.glob("*.locator")] == [locator_name(b"/r")]
    alive.release()
    assert list(place.iterdir()) == []


def test_a_daemon_takes_its_own_locator_away_only(place: Path, home: Path) -> None:
    """A successor of other settings may lead the root's searches by now."""
    old = Endpoint(Home(home), place / "old.sock")
    new = Endpoint(Home(home), place / "new.sock")
    old.lead(Path("/r"), record_of(old.path))
    new.lead(Path("/r"), record_of(new.path))
    old.release()
    left = [path.name for path in place.glob("*.locator")]
    new.release()

    assert left == [locator_name(b"/r")]
    assert list(place.iterdir()) == []


def test_a_daemon_comes_where_one_was_killed(indexed: Path, home: Path) -> None:
    """Its socket is there and nobody listens."""
    with served(indexed, home) as host:
        stem = host.address.socket.stem
    assert len(leave(home / "daemon", stem)) == 3

    with served(indexed, home) as host:
        assert host.address.socket.stem == stem
        assert host.ask(Ping()).name == "ping"
    assert list((home / "daemon").iterdir()) == []


def test_who_sweeps_leaves_a_place_alone_that_is_just_taken(place: Path, home: Path) -> None:
    """The lock is what counts, from the first moment."""
    leave(place, "taken")
    descriptor = os.open(place / "taken.lock", os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    sweep(Home(home))
    left = len(list(place.iterdir()))
    os.close(descriptor)

    assert left == 3


def test_a_home_without_daemons_is_swept_as_well(home: Path) -> None:
    """The first daemon of all finds nothing there."""
    sweep(Home(home))

    assert not home.exists()

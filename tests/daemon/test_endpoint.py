"""Where a daemon listens: one daemon for each store, and nobody's business but its user's."""

import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.base.durable import SHARED, open_lock
from ggrep.base.errors import StoreError
from ggrep.base.linux import peer_of
from ggrep.config.home import Home
from ggrep.daemon import endpoint_files as endpoint
from ggrep.daemon.endpoint_files import AlreadyServed, Endpoint, is_welcome, sweep
from ggrep.protocol.wire.endpoint import MAX_SOCKET_PATH_BYTES, DaemonRecord, place_of_socket
from ggrep.protocol.wire.handshake import hello_json
from ggrep.protocol.wire.locator import locator_name
from ggrep.protocol.wire.messages import Ping
from tests.fakes.hosts import served
from tests.fakes.places import short_directory
from tests.fakes.wires import Wire


@pytest.fixture
def short() -> Iterator[Path]:
    """Return a directory whose name is short enough for a shared home's socket."""
    with short_directory() as base:
        yield base


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_its_user_can_reach_it(indexed: Path, home: Path) -> None:
    before = os.umask(0)
    try:
        with served(indexed, home) as host:
            path = host.address.socket

            assert stat.S_ISSOCK(path.stat().st_mode)
            assert mode_of(path) == 0o600
            assert mode_of(path.parent) == 0o700
            assert mode_of(path.with_suffix(".json")) == 0o600
    finally:
        os.umask(before)


def test_in_a_shared_home_its_group_can(short: Path) -> None:
    home = Home(short / "home")
    home.base.mkdir()
    home.base.chmod(SHARED.directory)
    claimed = Endpoint(home, home.daemon / "a.sock")
    try:
        assert mode_of(home.daemon) == SHARED.directory
        assert claimed.mode == 0o660
        assert is_welcome(os.geteuid() + 1, claimed.path)
    finally:
        claimed.release()


def test_the_second_daemon_of_a_store_is_told_that_there_is_one(home: Path) -> None:
    """Two would sync against each other; after the first ended the next may come."""
    first = Endpoint(Home(home), home / "daemon" / "a.sock")
    with pytest.raises(AlreadyServed):
        Endpoint(Home(home), home / "daemon" / "a.sock")
    other = Endpoint(Home(home), home / "daemon" / "b.sock")
    other.release()
    first.release()
    again = Endpoint(Home(home), home / "daemon" / "a.sock")
    again.release()
    again.release()

    assert list((home / "daemon").iterdir()) == []


def test_a_daemon_that_ends_leaves_the_names_of_its_successor(home: Path) -> None:
    old = Endpoint(Home(home), home / "daemon" / "a.sock")
    old.path.with_suffix(".lock").unlink()
    new = Endpoint(Home(home), home / "daemon" / "a.sock")
    new.path.touch()
    old.release()
    left = sorted(path.name for path in (home / "daemon").iterdir())
    new.release()

    assert left == ["a.lock", "a.sock"]


def test_a_lock_without_its_file_is_retaken(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def open_and_lose(path: Path) -> int:
        opened.append(path)
        descriptor = open_lock(path)
        if len(opened) == 1:
            path.unlink()
        return descriptor

    monkeypatch.setattr("ggrep.base.durable.open_lock", open_and_lose)
    claimed = Endpoint(Home(home), home / "daemon" / "a.sock")
    is_there = claimed.path.with_suffix(".lock").exists()
    claimed.release()

    assert (len(opened), is_there) == (2, True)


def test_a_long_home_listens_in_a_directory_of_its_user(indexed: Path, tmp_path: Path) -> None:
    """The kernel takes a hundred bytes of path."""
    home = tmp_path.resolve() / ("h" * 100)
    with served(indexed, home) as host:
        path = host.address.socket

        assert len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES
        assert path.parent == Path(f"/tmp/ggrep-{os.getuid()}")  # noqa: S108 - the fallback
        assert mode_of(path.parent) == 0o700
        assert host.ask(Ping()).name == "ping"
    assert not list(path.parent.glob(f"{path.stem}.*"))


def test_a_daemon_of_a_home_with_a_long_name_leads_searches_from_below_it(tmp_path: Path) -> None:
    """Its socket lies elsewhere, and nothing else had made the directory of the hints."""
    home = Home(tmp_path.resolve() / ("h" * 100))
    home.base.mkdir(mode=0o700)
    root = tmp_path / "repo"
    place = place_of_socket(home, "store-0", "f" * 64)
    claimed = Endpoint(home, place)
    try:
        reported = DaemonRecord("s-0", "f", str(root), str(place), 1, 1, "", "", "b", (1,), "h", "")
        claimed.lead(root, reported)

        assert place.parent != home.daemon
        assert (home.daemon / locator_name(os.fsencode(root))).is_file()
        assert mode_of(home.daemon) == 0o700
    finally:
        claimed.release()


def test_the_place_is_named_by_home_store_and_configuration(tmp_path: Path) -> None:
    """Daemons of two configurations of one repository stand side by side, as do those of homes."""
    places = {
        place_of_socket(Home(tmp_path / home), store, fingerprint)
        for home in ("home", "a" * 100, "b" * 100)
        for store in ("shop-0", "shop-1")
        for fingerprint in ("a" * 64, "b" * 64)
    }

    assert len(places) == 12


@pytest.mark.parametrize(
    ("unsafe", "message"),
    [("owner", "belongs to another user"), ("mode", "all users can write"), ("link", None)],
)
def test_an_unsafe_directory_is_refused(
    short: Path, monkeypatch: pytest.MonkeyPatch, unsafe: str, message: str | None
) -> None:
    """Another user could put a socket in our place."""
    directory = short / "daemon"
    if unsafe == "link":
        (short / "elsewhere").mkdir(mode=0o700)
        directory.symlink_to(short / "elsewhere")
    else:
        directory.mkdir(mode=0o700)
    if unsafe == "mode":
        directory.chmod(0o777)
    elif unsafe == "owner":
        monkeypatch.setattr(endpoint.os, "geteuid", lambda: os.getuid() + 4711)
        if os.getuid() == 0:
            os.chown(directory, 12345, 12345)

    with pytest.raises(StoreError, match=message):
        Endpoint(Home(short), directory / "a.sock")


def test_the_kernel_says_who_connects() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert peer_of(ours) == (os.getpid(), os.getuid())


def test_who_is_another_user_is_not_welcome(home: Path) -> None:
    """Even where the file system let him in; root is."""
    home.mkdir(mode=0o700)

    assert is_welcome(os.geteuid(), home / "a.sock")
    assert is_welcome(0, home / "a.sock")
    assert not is_welcome(os.geteuid() + 1, home / "a.sock")


def test_another_user_is_closed(indexed: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing he sends is read."""
    with served(indexed, home) as host:
        monkeypatch.setattr("ggrep.daemon.accept_loop.is_welcome", lambda uid, path: False)
        with Wire(host.address.socket) as wire:
            wire.send(hello_json(host.address.hello))
            assert wire.ends()
        monkeypatch.undo()

        assert host.ask(Ping()).name == "ping"


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
    for each in sockets:
        each.close()


def leave(directory: Path, stem: str) -> list[Path]:
    """Lay the names of a daemon that died; return them."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(directory / f"{stem}.sock"))
    for suffix in ("json", "lock"):
        (directory / f"{stem}.{suffix}").write_text("")
    return sorted(directory.glob(f"{stem}.*"))


def record_of(path: Path) -> DaemonRecord:
    return DaemonRecord("s-0", "f", "/r", str(path), 1, 1, "", "", "b", (1,), "h", "none")


def test_names_of_a_living_daemon_stay(place: Path, home: Path) -> None:
    """Its lock says that it lives; the dead go, and a home without daemons is left alone."""
    leave(place, "dead")
    alive = Endpoint(Home(home), place / "alive.sock")
    alive.publish(record_of(alive.path))
    sweep(Home(home))
    left = sorted(path.name for path in place.iterdir())
    alive.release()

    assert left == ["alive.json", "alive.lock"]
    sweep(Home(home.parent / "other"))
    assert not (home.parent / "other").exists()


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


def test_a_retaken_place_is_kept(place: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that was opened is a dead daemon's; the name is a living one's by now."""
    leave(place, "taken")
    lock = fcntl.flock

    def late(descriptor: int, operation: int) -> None:
        (place / "taken.lock").unlink()
        (place / "taken.lock").write_text("")
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    sweep(Home(home))

    assert len(list(place.iterdir())) == 3


def test_a_vanished_lock_stays(place: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the lock nothing shows that the daemon is dead, so its socket stays."""
    leave(place, "gone")
    lock = place / "gone.lock"
    listed = Path.glob

    def late(directory: Path, pattern: str) -> list[Path]:
        names = list(listed(directory, pattern))
        lock.unlink(missing_ok=True)
        return names

    monkeypatch.setattr(Path, "glob", late)
    sweep(Home(home))
    monkeypatch.undo()

    assert sorted(path.name for path in place.iterdir()) == ["gone.json", "gone.sock"]

"""One daemon a place, whoever looks, however many places a process holds."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from ggrep.daemon.endpoint_files import AlreadyServed, DaemonLocks, HeldLock
from tests.daemon.conftest import descriptors

NAMES = ("a.lock", "b.lock", "c.lock")


def is_free(name: Path) -> bool:
    """Return whether the lock can be had, as a build finds that knows nothing of links."""
    descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def claimed(directory: Path, locks: DaemonLocks) -> dict[Path, HeldLock]:
    return {directory / name: locks.claim(directory / name) for name in NAMES}


def die(held: dict[Path, HeldLock]) -> None:
    for name, lock in held.items():
        lock.release(name)


@pytest.mark.parametrize(
    ("joined", "dead", "links", "expected"),
    [
        (True, None, True, 1),
        (False, None, True, 3),
        (True, True, True, 1),
        (True, False, True, 1),
        (True, False, False, 3),
    ],
)
def test_many_daemons_hold_one_descriptor_and_all_their_locks(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    joined: bool,
    dead: bool | None,
    links: bool,
    expected: int,
) -> None:
    """Names of dead daemons, joined or not, change nothing; without links each has its own."""

    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted", str(self), str(target))

    monkeypatch.setattr("ggrep.daemon.endpoint_files._TRY_S", 0.001)
    if dead is not None:
        die(claimed(tmp_path, DaemonLocks(joined=dead)))
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    kept = claimed(tmp_path, DaemonLocks(joined=joined))
    free = [is_free(name) for name in kept]
    at_home = [lock.is_at(name) for name, lock in kept.items()]
    count = descriptors(tmp_path)
    for name in kept:
        for locks in (DaemonLocks(), DaemonLocks(joined=True)):
            with pytest.raises(AlreadyServed):
                locks.claim(name)
    die(kept)

    assert (free, at_home, count) == ([False] * 3, [True] * 3, expected)
    assert descriptors(tmp_path) == 0


def test_a_daemon_that_ends_gives_its_place_away_alone(tmp_path: Path) -> None:
    """Its neighbours go on and keep theirs, also where it was the first of them."""
    kept = claimed(tmp_path, DaemonLocks(joined=True))
    first, *others = kept
    first.unlink()
    kept[first].release(first)
    successor = DaemonLocks().claim(first)
    free = [is_free(name) for name in others]
    successor.release(first)
    for name in others:
        kept[name].release(name)

    assert free == [False, False]
    assert descriptors(tmp_path) == 0


@pytest.mark.parametrize("joined", [True, False])
def test_a_claim_beside_dead_locks_leaves_others_free(tmp_path: Path, *, joined: bool) -> None:
    """They are names of one file: held by one of them, all of them would seem served."""
    die(claimed(tmp_path, DaemonLocks(joined=True)))
    first, *others = (tmp_path / name for name in NAMES)
    kept = DaemonLocks(joined=joined).claim(first)
    free = [is_free(first), *map(is_free, others)]
    kept.release(first)

    assert free == [False, True, True]


def test_a_file_that_took_the_place_of_ours_is_not_linked(tmp_path: Path) -> None:
    locks = DaemonLocks(joined=True)
    first, second = tmp_path / "a.lock", tmp_path / "b.lock"
    kept = locks.claim(first)
    first.unlink()
    other = DaemonLocks().claim(first)
    beside = locks.claim(second)

    assert first.stat().st_nlink == 1
    assert beside.is_at(second)
    assert not is_free(second)
    for name, lock in ((first, kept), (first, other), (second, beside)):
        lock.release(name)


def test_a_claim_that_fails_keeps_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every later claim would say that a daemon serves the store."""
    name = tmp_path / "a.lock"
    locks = DaemonLocks(joined=True)
    locks.claim(tmp_path / "b.lock")
    name.touch()

    def refuse(_: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, "no")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        with pytest.raises(PermissionError):
            locks.claim(name)

    assert is_free(name)

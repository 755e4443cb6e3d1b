"""The files of a daemon: its lock, socket, record and locator, and leftovers of dead daemons."""

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.base.durable import modes_in
from ggrep.base.errors import GgrepError, InvalidRequest, StoreError
from ggrep.config.home import Home
from ggrep.protocol.wire.endpoint import DaemonRecord, fallback_directory, record_bytes, record_path
from ggrep.protocol.wire.locator import Locator, locator_bytes, locator_name, parse_locator

_TRIES: Final = 5
_TRY_S: Final = 0.02


class AlreadyServed(GgrepError):
    """Another process serves this store under this configuration."""


class HeldLock:
    """A locked file; the lock is kept while the file has names of this process's daemons."""

    def __init__(self, descriptor: int, name: Path) -> None:
        """Keep the lock that `descriptor` has taken, for its first name."""
        self._descriptor = descriptor
        self._names = {name}

    def is_at(self, name: Path) -> bool:
        """Return whether the locked file has that name."""
        return self._descriptor >= 0 and is_file(self._descriptor, name)

    def join(self, name: Path) -> bool:
        """Give the file another name; return False if that is impossible."""
        existing = next(iter(self._names), None)
        if existing is None:
            return False
        try:
            name.hardlink_to(existing)
        except FileExistsError:
            raise
        except OSError:  # no links in this file system, too many, or our name was removed by hand
            return False
        if not self.is_at(name):  # the name belongs to another process's file now
            name.unlink(missing_ok=True)
            return False
        self._names.add(name)
        return True

    def release(self, name: Path) -> None:
        """Release that name, if it is ours."""
        self._names.discard(name)
        if not self._names and self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class DaemonLocks:
    """Takes the locks of one process's daemons; for one thread."""

    def __init__(self, *, joined: bool = False) -> None:
        """Take no lock yet; `joined` uses one descriptor for all locks of a directory."""
        self._joined = joined
        self._shared: dict[Path, HeldLock] = {}

    def claim(self, name: Path) -> HeldLock:
        """Take the lock of a name; `HeldLock.release` releases it."""
        while True:
            shared, joins = self._shared.get(name.parent), True
            try:
                if shared is not None and shared.join(name):
                    return shared
                joins = False
            except FileExistsError:
                pass  # the lock file of a dead daemon is removed below
            descriptor = durable.open_lock(name)
            lock = None
            try:
                lock = _taken(descriptor, name, clear=joins)
            finally:
                if lock is None:
                    os.close(descriptor)
            if lock is not None:
                if self._joined and shared is None:
                    self._shared[name.parent] = lock
                return lock


def _taken(descriptor: int, name: Path, *, clear: bool) -> HeldLock | None:
    """Return the lock of an opened lock file; None if the name must be tried again.

    `clear` only removes the file, so that a link can replace it.
    """
    locked = _is_locked(descriptor)
    # A daemon that ended in order has removed the file that we opened; others may still hold it.
    if not is_file(descriptor, name):
        return None
    if not locked:
        raise AlreadyServed("another daemon already serves this store")
    if clear or os.fstat(descriptor).st_nlink > 1:
        name.unlink()
        return None
    return HeldLock(descriptor, name)


def is_file(descriptor: int, name: Path) -> bool:
    """Return whether an open file has that name."""
    try:
        return os.path.samestat(os.fstat(descriptor), name.stat())
    except FileNotFoundError:
        return False


def _is_locked(descriptor: int) -> bool:
    """Return whether this process has the lock now.

    A sweep for dead daemons takes it for a moment.
    """
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_TRY_S)
        else:
            return True
    return False


class Endpoint:
    """The claimed files of one daemon."""

    def __init__(self, home: Home, path: Path, locks: DaemonLocks | None = None) -> None:
        """Claim `path` for this process, whose other daemons' locks are `locks`."""
        self.path = path
        self._home = home
        self._locator: Path | None = None
        self._released = False
        self._lock = _claim(path, home.daemon, locks or DaemonLocks())

    @property
    def mode(self) -> int:
        """Return the permission bits of the socket."""
        return modes_in(self.path.parent).file

    def publish(self, record: DaemonRecord) -> None:
        """Write the record of the listener, without fsync: a power cut ends the process too."""
        durable.replace_file(record_path(self.path), record_bytes(record), lasting=False)

    def lead(self, root: Path, record: DaemonRecord, profile: str = "") -> None:
        """Write the locator for plain searches below `root` with the profile; none if empty."""
        raw = os.fsencode(root)
        locator = Locator(
            root=raw,
            store_id=record.store_id,
            config_fingerprint=record.config_fingerprint,
            socket=self.path,
            build=record.build,
        )
        with suppress(InvalidRequest):  # a root with a newline in its name has no locator
            data = locator_bytes(locator)
            self._locator = self._home.daemon / locator_name(raw, profile)
            durable.replace_file(self._locator, data, lasting=False)

    def remove_locator(self) -> None:
        """Remove the locator, unless it already names another daemon."""
        if self._locator is None:
            return
        with suppress(OSError):
            if os.fsencode(self.path) in self._locator.read_bytes().split(b"\n"):
                self._locator.unlink()
        self._locator = None

    def is_ours(self) -> bool:
        """Return whether clients can find this daemon: its lock and socket exist.

        A user may have removed them, and another daemon may have replaced it.
        """
        return self._lock.is_at(_lock_path(self.path)) and self.path.is_socket()

    def is_announced(self) -> bool:
        """Return whether record and locator exist, if they were written."""
        led = self._locator is None or self._locator.exists()
        return led and record_path(self.path).exists()

    def release(self) -> None:
        """Remove all files of this daemon and release the lock; later calls do nothing."""
        if self._released:
            return
        self._released = True
        self.remove_locator()
        lock = _lock_path(self.path)
        # A successor may have created another lock file.
        if not lock.exists() or self._lock.is_at(lock):
            for path in (self.path, record_path(self.path), lock):
                with suppress(OSError):
                    path.unlink()
        self._lock.release(lock)


def is_welcome(uid: int, path: Path) -> bool:
    """Return whether that user may connect to the daemon at `path`.

    In a shared home the socket's mode admits only the group.
    """
    return uid in {os.geteuid(), 0} or modes_in(path.parent).file & stat.S_IWGRP != 0


def _claim(path: Path, hints: Path, locks: DaemonLocks) -> HeldLock:
    """Return the lock of a socket without a listener.

    The directory of `hints` is created too; it is another one if the home's path is long.
    """
    try:
        for directory in (path.parent, hints):
            durable.make_directory(directory, lasting=True)
        _require_trusted(path.parent)
        return locks.claim(_lock_path(path))
    except OSError as error:
        raise StoreError(f"{path.parent.name}: {error.strerror}") from error


def _lock_path(path: Path) -> Path:
    return path.with_suffix(".lock")


def _require_trusted(directory: Path) -> None:
    """Raise if other users could replace our socket with theirs."""
    status = directory.stat(follow_symlinks=False)
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid in {os.geteuid(), 0}
    if not ours and not modes_in(directory).file & stat.S_IWGRP:
        raise StoreError(f"the directory of sockets, {directory.name}, belongs to another user")
    if stat.S_IMODE(status.st_mode) & stat.S_IWOTH:
        raise StoreError(f"all users can write to the directory of sockets, {directory.name}")


def sweep(home: Home) -> None:
    """Remove the files of dead daemons, and locks that no process holds.

    A free lock belongs to a dead daemon. It is locked while the daemon's files are removed, so that
    no process binds its socket meanwhile. A waiter then notices that the file was removed, and
    starts over.
    """
    for directory in (home.daemon, fallback_directory()):
        for lock in sorted(directory.glob("*.lock")):
            with suppress(OSError), _locked(lock):
                socket = lock.with_suffix(".sock")
                for path in (socket, record_path(socket), lock):
                    path.unlink(missing_ok=True)
        for lock in sorted(directory.glob("*.starting")):
            with suppress(OSError), _locked(lock):
                lock.unlink(missing_ok=True)
    for locator in sorted(home.daemon.glob("*.locator")):
        with suppress(OSError):
            content = parse_locator(locator.read_bytes())
            if content is None or not content.socket.exists():
                locator.unlink(missing_ok=True)


@contextmanager
def _locked(lock: Path) -> Iterator[None]:
    """Lock a file while the block runs."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not is_file(descriptor, lock):  # a running daemon has replaced the file
            raise FileNotFoundError(lock)
        yield
    finally:
        os.close(descriptor)

"""The files of a daemon: its lock, socket, record and locator, and leftovers of dead daemons."""

import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.base.durable import modes_in
from ggrep.base.errors import GgrepError, InvalidRequest, StoreError
from ggrep.base.locks import HeldFile, read_only, take
from ggrep.config.home import Home
from ggrep.protocol.wire.endpoint import DaemonRecord, fallback_directory, record_bytes, record_path
from ggrep.protocol.wire.locator import Locator, locator_bytes, locator_name, parse_locator

_TRIES: Final = 5
_TRY_S: Final = 0.02


class AlreadyServed(GgrepError):
    """Another process serves this store under this configuration."""


class HeldLock:
    """A locked file; it stays locked as long as a daemon of this process uses one of its names."""

    def __init__(self, held: HeldFile, name: Path) -> None:
        """Keep a lock under its first name."""
        self._held: HeldFile | None = held
        self._names = {name}

    def is_at(self, name: Path) -> bool:
        """Return whether the locked file has that name."""
        return self._held is not None and self._held.is_at(name)

    def join(self, name: Path) -> bool:
        """Give the file another name; return False if that is impossible."""
        existing = next(iter(self._names), None)
        if existing is None:
            return False
        try:
            name.hardlink_to(existing)
        except FileExistsError:
            raise
        except OSError:  # no links in this file system, too many links, or our name is gone
            return False
        if not self.is_at(name):  # the name belongs to another process's file now
            name.unlink(missing_ok=True)
            return False
        self._names.add(name)
        return True

    def release(self, name: Path) -> None:
        """Release a name; release the lock with the last name."""
        self._names.discard(name)
        if not self._names and self._held is not None:
            self._held.release()
            self._held = None


class DaemonLocks:
    """Acquires the locks of a process's daemons. Not thread-safe."""

    def __init__(self, *, joined: bool = False) -> None:
        """Acquire no lock yet; `joined` uses a single descriptor for all locks of a directory."""
        self._joined = joined
        self._shared: dict[Path, HeldLock] = {}

    def claim(self, name: Path) -> HeldLock:
        """Acquire the lock of a name; `HeldLock.release` releases it."""
        while True:
            shared, joins = self._shared.get(name.parent), True
            try:
                if shared is not None and shared.join(name):
                    return shared
                joins = False
            except FileExistsError:
                pass  # the lock file of a dead daemon is removed below
            taken = _take(name)
            if _is_kept(taken, name, clear=joins):
                lock = HeldLock(taken, name)
                if self._joined and shared is None:
                    self._shared[name.parent] = lock
                return lock


def _is_kept(lock: HeldFile, name: Path, *, clear: bool) -> bool:
    """Return whether a lock can be kept; else release the lock and remove `name`.

    A lock file that has other names is not kept, and no file is kept if `clear` is set: the next
    attempt replaces `name` by a link to a shared lock file or by a new file.
    """
    try:
        if not clear and os.fstat(lock.descriptor).st_nlink == 1:
            return True
        name.unlink()
    except OSError:
        lock.release()
        raise
    lock.release()
    return False


def _take(name: Path) -> HeldFile:
    """Lock a file; try several times, because a sweep for dead daemons locks it for a moment."""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_TRY_S)
        if (lock := take(name)) is not None:
            return lock
    raise AlreadyServed("a daemon serves this store already")


class Endpoint:
    """The claimed files of a daemon."""

    def __init__(self, home: Home, path: Path, locks: DaemonLocks | None = None) -> None:
        """Claim `path` for this process; `locks` has the locks of the process's other daemons."""
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
        """Write the record of the listener without fsync: a power cut also ends the process."""
        durable.replace_file(record_path(self.path), record_bytes(record), lasting=False)

    def lead(self, root: Path, record: DaemonRecord, profile: str = "") -> None:
        """Write the locator of `root`; `profile` is the daemon's profile, empty for none."""
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

        The user may have removed the files, and another daemon may have replaced them.
        """
        return self._lock.is_at(_lock_path(self.path)) and self.path.is_socket()

    def is_announced(self) -> bool:
        """Return whether the record exists, and the locator if it was written."""
        led = self._locator is None or self._locator.exists()
        return led and record_path(self.path).exists()

    def release(self) -> None:
        """Remove all files of this daemon and release the lock; further calls do nothing."""
        if self._released:
            return
        self._released = True
        self.remove_locator()
        lock = _lock_path(self.path)
        # Another daemon may have created a new lock file.
        if not lock.exists() or self._lock.is_at(lock):
            for path in (self.path, record_path(self.path), lock):
                with suppress(OSError):
                    path.unlink()
        self._lock.release(lock)


def is_welcome(uid: int, path: Path) -> bool:
    """Return whether the user `uid` may connect to the daemon at `path`.

    In a shared home the socket's mode admits only the group.
    """
    return uid in {os.geteuid(), 0} or modes_in(path.parent).file & stat.S_IWGRP != 0


def _claim(path: Path, hints: Path, locks: DaemonLocks) -> HeldLock:
    """Acquire and return the lock of a socket.

    The directory `hints` is created too; it differs from the socket's directory if the home's path
    is long.
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
    """Raise if other users could replace the socket."""
    status = directory.stat(follow_symlinks=False)
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid in {os.geteuid(), 0}
    if not ours and not modes_in(directory).file & stat.S_IWGRP:
        raise StoreError(f"the directory of sockets, {directory.name}, belongs to another user")
    if stat.S_IMODE(status.st_mode) & stat.S_IWOTH:
        raise StoreError(f"all users can write to the directory of sockets, {directory.name}")


def sweep(home: Home) -> None:
    """Remove the files of dead daemons, and locks that no process holds.

    A free lock belongs to a dead daemon. The sweep acquires the lock while it removes the daemon's
    files, so that no other process binds the socket in between. A process that waits for the lock
    then notices that the file was removed, and tries again.
    """
    for directory in (home.daemon, fallback_directory()):
        for lock in sorted(directory.glob("*.lock")):
            socket = lock.with_suffix(".sock")
            _remove_unheld(lock, socket, record_path(socket), lock)
        for lock in sorted(directory.glob("*.starting")):
            _remove_unheld(lock, lock)
    for locator in sorted(home.daemon.glob("*.locator")):
        with suppress(OSError):
            content = parse_locator(locator.read_bytes())
            if content is None or not content.socket.exists():
                locator.unlink(missing_ok=True)


def _remove_unheld(lock: Path, *files: Path) -> None:
    """Remove files, unless a process holds their lock."""
    with suppress(OSError):
        if (taken := take(lock, open_file=read_only)) is not None:  # does not create the file
            try:
                for file in files:
                    file.unlink(missing_ok=True)
            finally:
                taken.release()

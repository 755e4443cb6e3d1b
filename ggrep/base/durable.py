"""Durable writes: after a crash a file has its old or its new bytes; crash points for tests."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final, NoReturn

from msgspec import Struct


class Modes(Struct, frozen=True):
    """The permission bits of directories and files."""

    directory: int
    file: int


PRIVATE: Final = Modes(0o700, 0o600)
SHARED: Final = Modes(0o2770, 0o660)
"""Modes in a shared home. The set-group-id bit gives new entries of a directory its group."""


def modes_in(directory: Path) -> Modes:
    """Return the modes of new entries of a directory.

    A directory counts as shared only if it has exactly the mode of shared directories, so that a
    group with partial access to a directory gets no access to new files.
    """
    return SHARED if is_shared(directory) else PRIVATE


def is_shared(directory: Path) -> bool:
    """Return whether a directory has the mode of directories that a group shares."""
    return stat.S_IMODE(directory.stat().st_mode) == SHARED.directory


POINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "lease.before_record": "the byte of a new epoch is locked, the record names the old one",
        "lease.during_takeover": "the same, over a writer that died or was stopped",
        "lease.after_record": "the record names a writer that has done nothing yet",
        "lease.after_heartbeat": "a fresh record of a dead writer",
        "lease.before_release": "all is published, and the record names a dead writer",
        "publish.after_preparation": "an empty store, or one without staging",
        "publish.before_segment": "nothing of the segment",
        "publish.after_table": "an unreferenced table",
        "publish.after_image": "an unreferenced table and its image",
        "publish.after_tombstones": "a staged directory with tombstones",
        "publish.after_segment_map": "the same, with the segment map",
        "publish.after_visibility": "the same, complete",
        "publish.after_move": "a snapshot directory without a manifest; the move may not last",
        "publish.before_manifest": "the same, durable",
        "publish.after_manifest": "a complete snapshot without a pointer to it",
        "publish.after_verification": "the same, recorded as verified",
        "publish.before_swap": "the same, with the guard locked",
        "publish.after_swap": "the new snapshot is active; the caches are of the old one",
        "publish.after_record": "the same, with the caches and records of the new one",
        "compaction.after_build": "an unreferenced merged segment",
        "compaction.before_publish": "the same, under a lease",
        "compaction.after_publish": "the merged snapshot is active",
        "gc.after_list": "nothing was changed",
        "gc.after_manifests": "snapshots are deleted, their segments are unreferenced",
        "gc.after_move": "all collected files are in the trash",
        "gc.after_delete": "some or all of the trash is deleted",
        "cache.before_write": "new vectors are not cached",
        "cache.after_write": "they are cached; the cache may exceed its bound until the next write",
        "cache.before_evict": "the same",
        "cache.after_evict": "the cache is within its bound",
        "rebuild.before_adoption": "the old index, and a complete new one in another directory",
        "rebuild.after_adoption": "the same, with unreferenced artifacts of the new one",
        "rebuild.after_swap": "the new index, with leftover artifacts of the old one",
        "clone.after_copy": "an unverified copy in another directory",
        "clone.before_move": "a complete copy in another directory",
        "removal.after_move": "the store is in the trash of its home",
        "remote.before_request": "the effect of the requests before it",
        "push.after_blobs": "blobs that no tree refers to",
        "push.after_tree": "an unreferenced tree",
        "push.after_states": "a tree that states refer to and the ref does not: it can be pulled",
        "push.before_ref": "the same, with the ref read",
        "push.after_ref": "all is pushed",
        "pull.after_fetch": "verified, unpacked blobs in the cache; the next pull uses them",
        "pull.after_placement": "the same, and unreferenced segments in the store",
        "remote.before_deletes": "nothing was deleted",
        "packs.before_write": "temporary files of dead writers are removed",
        "packs.after_write": "a complete pack without a name",
        "packs.after_move": "a pack and those that it replaces; the move may not last",
        "packs.before_removal": "the same, durable",
        "packs.after_removal": "some or all of the replaced packs are removed",
    }
)
"""Crash points, with the state of the store after a crash at each point."""

_SYNCED_AT_ONCE: Final = 8

Hook = Callable[[str], None]
_hooks: list[Hook] = []  # only tests add hooks


def reach(point: str) -> None:
    """Call the hooks of tests with the crash point that a write has reached."""
    if _hooks:
        for hook in _hooks:
            hook(point)


@contextmanager
def watched(hook: Hook) -> Iterator[None]:
    """Call `hook` with each crash point that is reached in the block."""
    _hooks.append(hook)
    try:
        yield
    finally:
        _hooks.remove(hook)


@contextmanager
def opened(path: Path, flags: int, mode: int = 0o600) -> Iterator[int]:
    """Open a file; yield its descriptor, which is closed after the block.

    If a system call in the block fails, the file's name is added to the error.
    """
    descriptor = os.open(path, flags | os.O_CLOEXEC, mode)
    try:
        yield descriptor
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise
    finally:
        os.close(descriptor)


def sync_directory(path: Path) -> None:
    """Sync the entries of one directory (names, renames), so that they survive a power cut."""
    with opened(path, os.O_RDONLY | os.O_DIRECTORY) as descriptor:
        os.fsync(descriptor)


def sync_tree(root: Path) -> None:
    """Sync every file and directory below `root`, and `root` itself, in any order.

    All files and directories get the modes of `root`'s parent directory. Many concurrent syncs take
    little longer than a single sync, because they share a write of the file system's journal.
    """
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and not needed by clients

    modes = modes_in(root.parent)
    entries: list[tuple[Path, int, int]] = []
    for directory, _, names in os.walk(root, onerror=_fail):
        entries += ((Path(directory, name), os.O_RDONLY, modes.file) for name in names)
        entries.append((Path(directory), os.O_RDONLY | os.O_DIRECTORY, modes.directory))
    with ThreadPoolExecutor(_SYNCED_AT_ONCE) as threads:
        for _ in threads.map(_settle, *zip(*entries, strict=True)):
            pass


def write_file(path: Path, data: bytes, *, mode: int | None = None, lasting: bool = True) -> None:
    """Write a new file and sync its bytes; the caller syncs the directory.

    Args:
        path: the file.
        data: the whole content.
        mode: permission bits; None for the mode of new files in the directory.
        lasting: False to omit the sync: the content after a power cut is undefined.
    """
    with new_file(path, mode=mode, lasting=lasting) as descriptor:
        write_all(descriptor, data)


@contextmanager
def new_file(path: Path, *, mode: int | None = None, lasting: bool = True) -> Iterator[int]:
    """Create a file; yield its descriptor for the block, then sync the file's bytes.

    The caller syncs the directory.
    """
    mode = modes_in(path.parent).file if mode is None else mode
    with opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode) as descriptor:
        os.fchmod(descriptor, mode)
        yield descriptor
        if lasting:
            os.fsync(descriptor)


def replace_file(path: Path, data: bytes, *, mode: int | None = None, lasting: bool = True) -> None:
    """Replace `path` with `data`, atomically, and durably unless `lasting` is False.

    The temporary file is in the same directory because rename is atomic only within one file
    system. The directory is synced last: otherwise a power cut may undo a reported rename.
    Concurrent callers use different temporary files, even in other processes and containers.
    """
    temporary = _fresh_file(path)
    try:
        write_file(temporary, data, mode=mode, lasting=lasting)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if lasting:
        sync_directory(path.parent)


def overwrite_file(path: Path, data: bytes) -> None:
    """Overwrite a file in place, which needs no free disk space; `data` must not be longer.

    Not atomic: after a power cut the file may have neither the old nor the new bytes.
    """
    with opened(path, os.O_WRONLY) as descriptor:
        write_all(descriptor, data)
        os.fsync(descriptor)


def replace_if_changed(path: Path, data: bytes) -> None:
    """Replace the content of `path` with `data` unless it is equal; create the directory.

    Not durable: after a power cut the content is undefined.
    """
    if path.is_file() and path.read_bytes() == data:
        return
    make_directory(path.parent)
    replace_file(path, data, lasting=False)


def sweep_leftovers(path: Path) -> None:
    """Remove temporary files for `path` that were left by `replace_file` in processes that died.

    Requires: `path` is not being replaced, as the replacement could fail.
    """
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        leftover.unlink(missing_ok=True)


def make_directory(path: Path, *, mode: int | None = None, lasting: bool = False) -> None:
    """Create `path` and its parents; existing directories are not changed.

    Args:
        path: the directory.
        mode: mode of each new directory; None for the mode of its parent.
        lasting: sync each new entry, so that a power cut does not remove a directory.
    """
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        with suppress(FileExistsError):  # another process has created it
            create_directory(directory, mode=mode)
        if lasting:
            sync_directory(directory.parent)


def create_directory(path: Path, *, mode: int | None = None) -> None:
    """Create one directory.

    Raises:
        FileExistsError: the directory exists.
    """
    mode = modes_in(path.parent).directory if mode is None else mode
    path.mkdir(mode=mode)
    path.chmod(mode)


def open_lock(path: Path) -> int:
    """Open a lock file, created if missing; return its descriptor."""
    modes = modes_in(path.parent)
    if modes is PRIVATE:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, modes.file)
    while True:
        with suppress(FileNotFoundError):
            return os.open(path, os.O_RDWR | os.O_CLOEXEC)
        # The file is created with its final mode, as another user may lock it at once.
        fresh = _fresh_file(path)
        try:
            fresh.chmod(modes.file)
            with suppress(FileExistsError):
                path.hardlink_to(fresh)
        finally:
            fresh.unlink(missing_ok=True)


def _fresh_file(path: Path) -> Path:
    """Create and return an empty temporary file with a unique name."""
    for number in count():
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{number}.tmp")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            os.close(os.open(temporary, flags, 0o600))
        except FileExistsError:
            continue
        return temporary
    raise AssertionError  # the loop never ends


def _settle(path: Path, flags: int, mode: int) -> None:
    """Set the mode of a file or directory that this user owns, and sync it."""
    with opened(path, flags) as descriptor:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, in as many calls as needed."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _fail(error: OSError) -> NoReturn:
    """Raise the error of a directory walk, which would otherwise skip an unreadable directory."""
    raise error

"""A model of a disk kept up to date by looking at the real one.

At each call that makes something durable, or moves or removes it, the whole tree is compared with
the model; so what native code wrote in the meantime is found as well.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import pytest

from tests.crash.power import Directory, File

_TICK_NS = 50_000_000
"""Longer than a tick of the file system's clock: a younger file may change and keep its stat."""
_SYNCING = ("fsync", "fdatasync")
_NAMING = ("replace", "rename", "link", "unlink", "remove", "mkdir", "rmdir")


class WatchedDisk:
    """The directory `top` and a model of it; what is there at first is durable.

    Every inode that was ever seen is kept open, so that no other gets its number.
    """

    def __init__(self, top: Path) -> None:
        self._top = top
        self._nodes: dict[int, File | Directory] = {}
        self._stats: dict[int, tuple[int, int, int]] = {}
        self._newest_ns = 0
        self._held: list[int] = []
        self._lock = threading.RLock()
        self.model = Directory()
        self._know(top, self.model)
        self._look(top, self.model)
        for node in self._nodes.values():
            node.sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._held:
            os.close(descriptor)

    @contextmanager
    def watched(self, moment: Callable[[], None]) -> Iterator[None]:
        """Call `moment` before each durable step of this process while the block runs.

        And once after it.
        """
        with pytest.MonkeyPatch.context() as patch:
            for name in _NAMING:
                patch.setattr(os, name, self._step(getattr(os, name), moment))
            for name in _SYNCING:
                patch.setattr(os, name, self._step(self._sync, moment))
            yield
        self._look(self._top, self.model)
        moment()

    def _step(self, act: Callable[..., Any], moment: Callable[[], None]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            with self._lock:
                self._look(self._top, self.model)
                moment()
                return act(*arguments, **options)

        return step

    def _sync(self, descriptor: int) -> None:
        """Make it durable in the model; what the real disk does is of no account."""
        node = self._nodes.get(os.fstat(descriptor).st_ino)
        if node is not None:
            node.sync()

    def _look(self, path: Path, directory: Directory) -> None:
        """Bring the model of a directory and all below it up to what is there."""
        results: dict[str, File | Directory] = {}
        with suppress(FileNotFoundError), os.scandir(path) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                with suppress(FileNotFoundError):  # another thread's temporary file
                    results[entry.name] = self._node(entry)
        for name in [*directory.entries, *results]:
            directory.put(name, results.get(name))

    def _node(self, entry: os.DirEntry[str]) -> File | Directory:
        stat = entry.stat(follow_symlinks=False)
        node = self._nodes.get(stat.st_ino)
        if node is None:
            node = Directory() if entry.is_dir(follow_symlinks=False) else File()
            self._know(Path(entry.path), node)
        if isinstance(node, Directory):
            self._look(Path(entry.path), node)
            return node
        seen = stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
        if self._stats.get(stat.st_ino) != seen or stat.st_mtime_ns > self._newest_ns - _TICK_NS:
            node.write(Path(entry.path).read_bytes())
            self._stats[stat.st_ino] = seen
            self._newest_ns = max(self._newest_ns, stat.st_mtime_ns)
        return node

    def _know(self, path: Path, node: File | Directory) -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._held.append(descriptor)
        self._nodes[os.fstat(descriptor).st_ino] = node

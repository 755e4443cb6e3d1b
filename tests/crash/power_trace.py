"""A model of a disk kept up to date by a log of system calls, as `strace -f -xx` writes it.

Nothing between two calls is missed here, and nothing of the order in which threads wrote. A call
that could change the disk in a way that is not modelled is an error.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from tests.crash.power import Directory, File

BEGINS, ACKNOWLEDGED = "mark:begins", "mark:acknowledged"
SHARED_MEMORY = "-shm"
"""SQLite's index of its log: written through memory, and made anew by who opens it first."""
STRACE = ("strace", "-f", "-xx", "-s", "1000000000", "-e", "signal=none")
_CALLS = (
    *("open", "openat", "creat", "close", "dup", "dup2", "dup3", "fcntl", "lseek"),
    *("write", "writev", "pwrite64", "pwritev", "ftruncate", "truncate", "fallocate", "mmap"),
    *("copy_file_range", "sendfile", "splice", "symlink", "symlinkat", "execve"),
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"),
    *("mkdir", "mkdirat", "rmdir", "fsync", "fdatasync", "io_uring_setup"),
)
TRACED = ("-e", f"trace={','.join(_CALLS)}")
_LINE = re.compile(r"^(\d+) +(.*)$")
_DONE = re.compile(r"^(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+|\?)")
_RESUMED = re.compile(r"^<\.\.\. \w+ resumed>(.*)$")
_UNFINISHED = " <unfinished ...>"
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


class Call(Struct, frozen=True):
    """A system call that succeeded; or one that has only begun, for `close`."""

    name: str
    arguments: list[str]
    result: int

    def text(self, index: int) -> str:
        return self.data(index).decode()

    def data(self, *indices: int) -> bytes:
        """Return the bytes of all strings in those arguments, or in all of them."""
        chosen = [self.arguments[index] for index in indices] or self.arguments
        result = "".join(part for each in chosen for part in _STRING.findall(each))
        return bytes.fromhex(result.replace("\\x", ""))

    def number(self, index: int) -> int:
        return -1 if self.arguments[index] == "AT_FDCWD" else int(self.arguments[index], 0)


@dataclass(slots=True)
class _Opened:
    node: File | Directory
    position: int = 0
    append: bool = False
    is_memory: bool = False


def calls(log: Iterable[str]) -> Iterator[Call]:
    """Yield the calls of a log in the order in which they ended.

    Only `close` counts from its begin: its descriptor may be another's before it is seen to end.
    """
    begun: dict[str, str] = {}
    for line in log:
        match = _LINE.match(line)
        if match is None:
            raise ValueError(f"not a line of strace: {line[:200]!r}")
        thread, text = match.groups()
        if text.endswith(_UNFINISHED):
            begun[thread] = text.removesuffix(_UNFINISHED)
            if text.startswith("close("):
                yield Call("close", [begun.pop(thread).removeprefix("close(")], 0)
            continue
        if resumed := _RESUMED.match(text):
            if thread not in begun:
                continue
            text = begun.pop(thread) + resumed[1]
        done = _DONE.match(text)
        if done and done[3] != "?" and (int(done[3], 0) >= 0 or done[1] == "openat"):
            yield Call(done[1], done[2].split(", "), int(done[3], 0))


class TracedDisk:
    """The directory `top`, empty at first, as a log of system calls leaves it."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._open: dict[int, _Opened] = {}
        self._programs = 0
        self.model = Directory()

    def take(self, call: Call) -> bool:
        """Make the call's change; return whether there was one.

        Raises:
            NotImplementedError: it may change the disk in a way that is not modelled.
        """
        known: dict[str, Callable[[Call], bool]] = {
            **dict.fromkeys(("open", "openat", "creat"), self._opens),
            **dict.fromkeys(("write", "writev", "pwrite64", "pwritev"), self._writes),
            **dict.fromkeys(("rename", "renameat", "renameat2", "link", "linkat"), self._names),
            **dict.fromkeys(("unlink", "unlinkat", "rmdir"), self._removes),
            **dict.fromkeys(("mkdir", "mkdirat"), self._makes),
            **dict.fromkeys(("dup", "dup2", "dup3", "fcntl"), self._copies),
            **dict.fromkeys(("fsync", "fdatasync"), self._syncs),
            "close": self._closes,
            "lseek": self._seeks,
            "ftruncate": self._truncates,
        }
        return known.get(call.name, self._unmodelled)(call)

    def _opens(self, call: Call) -> bool:
        first = int(call.name == "openat")
        if call.result < 0:
            return False
        self._open.pop(call.result, None)
        where = self._where(call, first)
        if where is None:
            return False
        directory, name = where
        flags = "O_CREAT|O_TRUNC" if call.name == "creat" else call.arguments[first + 1]
        node, before = directory if name == "." else directory.current().get(name), True
        if node is None:
            node, before = File(), False
            directory.put(name, node)
        opened = _Opened(node, 0, "O_APPEND" in flags, name.endswith(SHARED_MEMORY))
        self._open[call.result] = opened
        if before and "O_TRUNC" in flags and isinstance(node, File):
            node.write(b"")
        return not before or "O_TRUNC" in flags

    def _writes(self, call: Call) -> bool:
        opened = self._open.get(call.number(0))
        if opened is None:
            return False
        node = _file(opened.node)
        content, data = node.history[-1], call.data(*range(1, len(call.arguments)))[: call.result]
        start = len(content) if opened.append else opened.position
        if call.name.startswith("pwrite"):
            start = call.number(-1)
        else:
            opened.position = start + len(data)
        padded = content.ljust(start, b"\0")
        node.write(padded[:start] + data + padded[start + len(data) :])
        return True

    def _names(self, call: Call) -> bool:
        at = call.name in {"renameat", "renameat2", "linkat"}
        source, target = self._where(call, int(at)), self._where(call, 3 if at else 1)
        if source is None and target is None:
            return False
        if source is None or target is None or "RENAME_EXCHANGE" in call.arguments[-1]:
            return self._unmodelled(call)
        node = source[0].current()[source[1]]
        if call.name.startswith("rename"):
            if target[0].current().get(target[1]) is node:
                return False
            source[0].put(source[1], None)
        target[0].put(target[1], node)
        return True

    def _removes(self, call: Call) -> bool:
        where = self._where(call, int(call.name == "unlinkat"))
        if where is not None:
            where[0].put(where[1], None)
        return where is not None

    def _makes(self, call: Call) -> bool:
        where = self._where(call, int(call.name == "mkdirat"))
        if where is not None:
            where[0].put(where[1], Directory())
        return where is not None

    def _copies(self, call: Call) -> bool:
        if call.name != "fcntl" or call.arguments[1].startswith("F_DUPFD"):
            opened = self._open.get(call.number(0))
            self._open.pop(call.result, None)
            if opened is not None:
                self._open[call.result] = opened
        return False

    def _syncs(self, call: Call) -> bool:
        opened = self._open.get(call.number(0))
        if opened is not None:
            opened.node.sync()
        return opened is not None

    def _closes(self, call: Call) -> bool:
        self._open.pop(call.number(0), None)
        return False

    def _seeks(self, call: Call) -> bool:
        if opened := self._open.get(call.number(0)):
            opened.position = call.result
        return False

    def _truncates(self, call: Call) -> bool:
        opened = self._open.get(call.number(0))
        if opened is not None:
            size = call.number(1)
            node = _file(opened.node)
            node.write(node.history[-1][:size].ljust(size, b"\0"))
        return opened is not None

    def _unmodelled(self, call: Call) -> bool:
        if call.name == "execve":
            self._programs += 1
            harmless = self._programs == 1
        elif call.name == "mmap":
            shared = {"PROT_WRITE", "MAP_SHARED"} <= set(re.split(r"\W", " ".join(call.arguments)))
            opened = self._open.get(call.number(4))
            harmless = not shared or opened is None or opened.is_memory
        else:
            files = [each for each in call.arguments if each.isdigit()]
            inside = any(int(each) in self._open for each in files)
            harmless = not inside and str(self._top).encode() not in call.data()
            harmless = harmless and call.name != "io_uring_setup"
        if not harmless:
            raise NotImplementedError(f"{call.name}({', '.join(call.arguments)[:300]})")
        return False

    def _where(self, call: Call, index: int) -> tuple[Directory, str] | None:
        """Return the directory and the name in it that a path argument means; None elsewhere."""
        path = call.text(index)
        if not path.startswith("/"):
            base = self._open.get(call.number(index - 1)) if call.name.endswith("at") else None
            return _walk(base.node, path) if base else None
        inside = f"{path}/".removeprefix(f"{self._top}/")
        return None if inside == f"{path}/" else _walk(self.model, inside)


def _walk(node: File | Directory, path: str) -> tuple[Directory, str]:
    *parents, name = [part for part in path.split("/") if part] or ["."]
    for part in parents:
        node = _directory(node).current()[part]
    return _directory(node), name


def _directory(node: File | Directory) -> Directory:
    if not isinstance(node, Directory):
        raise TypeError("a file where a directory must be")
    return node


def _file(node: File | Directory) -> File:
    if not isinstance(node, File):
        raise TypeError("a directory where a file must be")
    return node

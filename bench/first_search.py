"""The first search of a small repository, against codegraph's index and its first query.

What is timed is the shell's: from the start of a command to its end. Each turn begins with nothing
there but the tree and the two installations, and times by turns

- *first*: `ggrep "question"` with no home and no daemon, answered from a scan;
- *full*: `ggrep index`, then the question, answered from the index by a daemon that has to start;
- *codegraph*: `codegraph init`, then `codegraph explore "question"`.

Turns are *warm*, all files in memory, or *cold*: what the kernel holds of the tree and of both
installations is given back first, as far as no other process has it open. Ratios are medians of
those of the turns. Every answer has to name the file that is asked for, so none is fast by being
empty. npm brings codegraph, and pip the tree where none is named.
"""

import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tarfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec import Struct

CODEGRAPH: Final = "@colbymchenry/codegraph@1.6.1"
SOURCES: Final = "werkzeug==3.1.9"
"""Some 250 files: Python, its tests, documents and the files that go with them."""
QUESTION: Final = "how is a multipart form parsed"
EXPECTED: Final = "src/werkzeug/formparser.py"
TURNS: Final = 7
GOAL: Final = 1.5
ROOT: Final = Path(__file__).resolve().parents[1]
_GIT: Final = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost")
_ALONE: Final = {"DO_NOT_TRACK": "1", "CODEGRAPH_TELEMETRY": "0", "CODEGRAPH_NO_UPDATE_CHECK": "1"}


class Asked(Struct, frozen=True):
    """What is asked of a tree, and the file that answers."""

    tree: Path
    question: str
    expected: str


@dataclass(slots=True)
class Taken:
    """Seconds of each turn: to make the index (none for *first*), and to be answered."""

    index_s: list[float] = field(default_factory=list)
    answer_s: list[float] = field(default_factory=list)

    def all_s(self) -> list[float]:
        """Return the seconds of whole turns."""
        return [sum(both) for both in zip(self.index_s, self.answer_s, strict=True)]

    def told(self) -> str:
        """Return the medians: `2.13 s (1.50 + 0.63)`."""
        index, answer = statistics.median(self.index_s), statistics.median(self.answer_s)
        parts = f" ({index:.2f} + {answer:.2f})" if index else ""
        return f"{statistics.median(self.all_s()):.2f} s{parts}"


class Wrong(Exception):
    """An answer does not name the file, or a command failed."""


def measure(work: Path, arguments: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of warm turns and of cold ones."""
    asked = _asked(work, arguments)
    codegraph = installed_codegraph(work / "codegraph") / "node_modules" / ".bin" / "codegraph"
    files = sum(1 for file in asked.tree.rglob("*") if file.is_file())
    bench = _Turns(asked, work, codegraph)
    bench.turn({kind: Taken() for kind in bench.KINDS}, cold=False)  # compiles and loads
    os.sync()  # what is not on disk yet stays in memory
    for name in ("warm", "cold"):
        taken = {kind: Taken() for kind in bench.KINDS}
        for turn in range(TURNS):
            bench.turn(taken, cold=name == "cold", backwards=turn % 2 == 1)
        yield from _lines(f"first-search: {name}, {files} files", taken)


def installed_codegraph(prefix: Path) -> Path:
    """Return where npm put codegraph, and nothing else."""
    prefix.mkdir(parents=True, exist_ok=True)
    line = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(prefix)]
    subprocess.run([*line, CODEGRAPH], check=True, stdout=subprocess.DEVNULL)
    return prefix


def _asked(work: Path, arguments: Sequence[str]) -> Asked:
    match arguments:
        case [folder, question, expected]:
            return Asked(Path(folder).resolve(), question, expected)
        case []:
            return Asked(_fetched(work / "sources"), QUESTION, EXPECTED)
    raise SystemExit("first-search [FOLDER QUESTION FILE]: the file that the answers have to name")


def _fetched(target: Path) -> Path:
    """Return the unpacked sources of a package."""
    line = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary=:all:"]
    subprocess.run([*line, "-d", str(target), SOURCES], check=True)
    (archive,) = target.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    (tree,) = (each for each in target.iterdir() if each.is_dir())
    return tree


class _Turns:
    """Both programs over copies of the tree, each in a git repository of its own."""

    KINDS = ("first", "full", "codegraph")

    def __init__(self, asked: Asked, work: Path, codegraph: Path) -> None:
        self._asked = asked
        self._home = work / "home"
        self._codegraph = str(codegraph)
        self._ggrep = str(Path(sys.executable).with_name("ggrep"))
        self._ours = _copied(asked.tree, work / "ours" / asked.tree.name)
        self._theirs = _copied(asked.tree, work / "theirs" / asked.tree.name)
        # Bytecode is kept, as where ggrep is installed, but apart from the checkout.
        bytecode = work / "bytecode"
        self._environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GGREP_")},
            **_ALONE,
            "HOME": str(work / "user"),
            "GGREP_HOME": str(self._home),
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(bytecode),
        }
        libraries = [sysconfig.get_path(name) for name in ("purelib", "stdlib")]
        self._read = [
            *(self._ours, self._theirs, bytecode, work / "codegraph", ROOT / "ggrep"),
            *map(Path, libraries),
        ]

    def turn(self, taken: Mapping[str, Taken], *, cold: bool, backwards: bool = False) -> None:
        """Time each kind once, in that order or the other way round."""
        for kind in self.KINDS[::-1] if backwards else self.KINDS:
            if cold:
                _forget(self._read)
            its = taken[kind]
            if kind == "codegraph":
                self._time_codegraph(its)
            else:
                self._time_ggrep(its, full=kind == "full")

    def _time_ggrep(self, taken: Taken, *, full: bool) -> None:
        try:
            indexed = self._timed(self._ours, self._ggrep, "index", "--plain") if full else 0.0
            taken.index_s.append(indexed)
            taken.answer_s.append(self._answered(self._ours, self._ggrep, self._asked.question))
        finally:
            self._timed(self._ours, self._ggrep, "stop-all")
            shutil.rmtree(self._home, ignore_errors=True)

    def _time_codegraph(self, taken: Taken) -> None:
        try:
            taken.index_s.append(self._timed(self._theirs, self._codegraph, "init", "--yes"))
            line = (self._codegraph, "explore", self._asked.question)
            taken.answer_s.append(self._answered(self._theirs, *line))
        finally:
            shutil.rmtree(self._theirs / ".codegraph", ignore_errors=True)

    def _answered(self, root: Path, *line: str) -> float:
        return self._timed(root, *line, names=self._asked.expected)

    def _timed(self, root: Path, *line: str, names: str = "") -> float:
        """Return the seconds that a command took.

        Raises:
            Wrong: it failed, or its answer does not name that file.
        """
        begun = time.perf_counter()
        done = subprocess.run(
            line,
            cwd=root,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        took = time.perf_counter() - begun
        if done.returncode or names not in done.stdout:
            told = (done.stderr or done.stdout)[-500:]
            raise Wrong(f"{' '.join(line)}: status {done.returncode}, without {names}: {told}")
        return took


def _copied(tree: Path, target: Path) -> Path:
    ignored = shutil.ignore_patterns(".git", ".codegraph")
    shutil.copytree(tree, target, symlinks=True, ignore=ignored)
    for command in (("init", "-q"), ("add", "--all", "--force"), ("commit", "-q", "-m", "all")):
        subprocess.run([*_GIT, *command], cwd=target, check=True)
    return target


def _forget(places: Sequence[Path]) -> None:
    """Have the kernel give back the pages of all files below."""
    for place in places:
        for file in place.rglob("*"):
            if file.is_file() and not file.is_symlink():
                descriptor = os.open(file, os.O_RDONLY)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(descriptor)


def _lines(begin: str, taken: Mapping[str, Taken]) -> Iterator[str]:
    theirs = taken["codegraph"].all_s()
    yield f"{begin}: codegraph, init and its first query: {taken['codegraph'].told()}"
    for kind, what in (("full", "index and its first query"), ("first", "from nothing")):
        pairs = zip(taken[kind].all_s(), theirs, strict=True)
        ratio = statistics.median(ours / its for ours, its in pairs)
        yield (
            f"{begin}: ggrep, {what}: {taken[kind].told()}, {ratio:.2f}x codegraph "
            f"(goal <= {GOAL}), {TURNS} turns, load {os.getloadavg()[0]:.1f} "
            f"on {os.cpu_count()} cores"
        )

"""A fresh checkout that pulls, against one that indexes; and what storage is asked and holds.

For each tree, from the shell, every turn with empty homes: `ggrep index` and a question in the
first checkout, `ggrep push`, then `ggrep pull` and the same question in another one at another
path. Both answers have to be the same bytes. A pull is *shown* once its files can be searched: from
then on a question is answered, while it looks for what differs. Then one file changes, is indexed
and pushed, and pulled. Trees are parts of the standard library, and repositories that are named.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ggrep.base import stable_json

TURNS: Final = 3
PARTS: Final = (100, 400, 1600)
GOAL: Final = 0.1
QUESTION: Final = "where is the timeout decided"
_STDLIB: Final = Path(os.__file__).resolve().parent
_GIT: Final = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost")
_GGREP: Final = str(Path(sys.executable).with_name("ggrep"))
"""The installed command: a tree may hold a module of that name."""


@dataclass(slots=True)
class Turns:
    """Seconds of each turn, and what the last one's documents said."""

    index_s: list[float] = field(default_factory=list)
    pull_s: list[float] = field(default_factory=list)
    shown_s: list[float] = field(default_factory=list)
    said: dict[str, Any] = field(default_factory=dict)


def measure(work: Path, folders: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines."""
    trees = [(f"{number} files of Python's library", _part(work, number)) for number in PARTS]
    trees += [(Path(folder).name, Path(folder).resolve()) for folder in folders]
    for name, tree in trees:
        yield from _measured(name, tree, work)


def _measured(name: str, tree: Path, work: Path) -> Iterator[str]:
    turns = Turns()
    for number in range(TURNS):
        _turn(turns, tree, work / "turn", number)
    index, pull, shown = map(statistics.median, (turns.index_s, turns.pull_s, turns.shown_s))
    first, change, came = (turns.said[key] for key in ("push", "change", "came"))
    pulled, held = turns.said["pull"], turns.said["held"]
    yield (
        f"travel: {name}: index {index:.2f} s; pull shown after {shown:.2f} s,"
        f" {shown / index:.3f} (goal {GOAL}), done after {pull:.2f} s; the same bytes"
    )
    yield (
        f"  remote: {held['objects']} objects, {held['bytes'] / 1e6:.2f} MB,"
        f" {held['bytes'] / max(1, turns.said['chunks']):.0f} bytes a chunk; push:"
        f" {_asked(first)}; pull: {_asked(pulled)}"
    )
    yield (
        f"  one file changed: push {_asked(change)}, {change['traffic']['bytes_up'] / 1e3:.0f} kB;"
        f" pull {_asked(came)}, {came['traffic']['bytes_down'] / 1e3:.0f} kB,"
        f" {came['pull_ms'] / 1000:.2f} s, {came['indexed']} indexed"
    )


def _turn(turns: Turns, tree: Path, work: Path, number: int) -> None:
    shutil.rmtree(work, ignore_errors=True)
    here, there = (
        _Checkout(work / "here", work / "home1"),
        _Checkout(work / "there", work / "home2"),
    )
    remote = f"file://{work}/remote"
    here.git("clone", "-q", str(tree), str(here.root), at=work)
    there.git("clone", "-q", str(tree), str(there.root), at=work)
    for one in (here, there):
        one.ggrep("remote", "add", "origin", remote)
    began = time.perf_counter()
    indexed = here.document("index")
    turns.index_s.append(time.perf_counter() - began)
    answer = here.answer()
    push = here.document("push")
    began = time.perf_counter()
    pull = there.document("pull")
    turns.pull_s.append(time.perf_counter() - began)
    turns.shown_s.append(turns.pull_s[-1] - (pull["duration_ms"] - pull["pull_ms"]) / 1000)
    assert there.answer() == answer, "another answer"
    assert pull["exact"]
    held = [path for path in (work / "remote").rglob("*") if path.is_file()]
    said = {"objects": len(held), "bytes": sum(path.stat().st_size for path in held)}
    (here.root / "a_change.py").write_text(f"def changed():\n    return {number}\n")
    here.git("add", "-A")
    here.git("commit", "-q", "-m", "change")
    here.document("index")
    change = here.document("push")
    there.git("pull", "-q", str(here.root))
    came = there.document("pull")
    assert there.answer() == here.answer(), "another answer after the change"
    turns.said = {
        "push": push,
        "pull": pull,
        "change": change,
        "came": came,
        "held": said,
        "chunks": indexed["chunks"],
    }


class _Checkout(Struct, frozen=True):
    root: Path
    home: Path

    def git(self, *words: str, at: Path | None = None) -> None:
        (at or self.root).mkdir(parents=True, exist_ok=True)
        subprocess.run([*_GIT, *words], cwd=at or self.root, check=True, env=_environ(self.home))

    def ggrep(self, *words: str) -> bytes:
        done = subprocess.run(
            [_GGREP, *words],
            cwd=self.root,
            check=True,
            capture_output=True,
            env=_environ(self.home),
        )
        return done.stdout

    def document(self, *words: str) -> dict[str, Any]:
        found: dict[str, Any] = stable_json.loads(self.ggrep(*words, "--json"))
        return found

    def answer(self) -> bytes:
        return self.ggrep("search", QUESTION, "--offline", "--json", "--deterministic")


def _environ(home: Path) -> Mapping[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GGREP_HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def _asked(document: Mapping[str, Any]) -> str:
    traffic = document["traffic"]
    parts = (f"{traffic[kind]} {kind}" for kind in ("puts", "gets", "heads") if traffic[kind])
    return " ".join(parts) or "nothing asked"


def _part(work: Path, number: int) -> Path:
    """Return a repository of the library's first files, by name."""
    tree = work / f"library{number}"
    files = sorted(path for path in _STDLIB.rglob("*.py") if "site-packages" not in path.parts)
    for path in files[:: max(1, len(files) // number)][:number]:
        goal = tree / path.relative_to(_STDLIB)
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, goal)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "library")):
        subprocess.run([*_GIT, *words], cwd=tree, check=True, env=_environ(work))
    return tree

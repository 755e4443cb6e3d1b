"""Publishing one changed file into a large index, against the same into a small one.

Both trees hold the same few packages, and the same file of them is changed in both, so that what
is read, cut, encoded and written is the same; what remains is what grows with the index.
"""

import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from ggrep.config.home import Home
from ggrep.index.sync import syncer
from ggrep.search.engine.engine import Engine

ROUNDS = 24
EDITED = ("dbm", "html", "http", "json", "logging", "urllib", "wsgiref")
"""Packages of the standard library that both trees hold: about 1,000 chunks."""


class Stand:
    """A tree, its index, and how long publishes into it took."""

    def __init__(self, tree: Path, home: Path) -> None:
        self.engine = Engine(tree.resolve(), Home(home), flags={"encoder": "hashed"})
        self.chunks = self.engine.sync().chunks
        self.publish_s: list[float] = []
        self.sync_s: list[float] = []

    def change(self, file: Path, number: int) -> None:
        """Add a function to one file and bring the index up to date."""
        with (self.engine.identity.root / file).open("a") as text:
            text.write(f"\n\ndef added_{number}(value):\n    return value + {number}\n")
        before = len(self.publish_s)
        self.sync_s.append(_time(self.engine.sync))
        if len(self.publish_s) != before + 1:
            raise SystemExit("publish: a change of one file was not one publish")

    def watch(self) -> Callable[..., object]:
        """Return `publish_changes` with its time written down."""
        inner = syncer.publish_changes

        def publish_changes(*arguments: object) -> object:
            found: list[object] = []
            self.publish_s.append(_time(lambda: found.append(inner(*arguments))))
            return found[0]

        return publish_changes


def measure(large_tree: Path, stdlib: Path, work: Path) -> list[str]:
    """Return one line for the publish and one for the whole sync around it.

    Args:
        large_tree: what the large index holds beside the packages that are changed.
        stdlib: where those packages are.
        work: takes the small tree and both indexes.
    """
    small_tree = work / "small"
    for tree in (small_tree, large_tree / "edited"):
        for name in EDITED:
            shutil.copytree(stdlib / name, tree / name, ignore=_unneeded)
    small = Stand(small_tree, work / "home-small")
    large = Stand(large_tree, work / "home-large")
    return compare(small, large, large_tree / "edited")


def compare(small: Stand, large: Stand, edited: Path, rounds: int = ROUNDS) -> list[str]:
    """Publish changes of the same files into both, back to back in either order."""
    below = edited.relative_to(large.engine.identity.root)
    files = sorted(path.relative_to(edited) for path in edited.rglob("*.py"))
    for number in range(rounds):
        file = files[number % len(files)]
        turns = [(small, file), (large, below / file)]
        for stand, path in turns[:: 1 if number % 2 else -1]:
            original = syncer.publish_changes
            syncer.publish_changes = stand.watch()  # type: ignore[assignment] # the same, timed
            try:
                stand.change(path, number)
            finally:
                syncer.publish_changes = original
    sizes = f"{large.chunks:,} chunks against {small.chunks:,}"
    return [
        f"publish: one changed file, {sizes}: {_ratios(large.publish_s, small.publish_s)} "
        "(goal < 1.5)",
        f"publish: the whole sync around it: {_ratios(large.sync_s, small.sync_s)}",
    ]


def _ratios(ours: list[float], theirs: list[float]) -> str:
    """Return the median of paired ratios, the first pair left out: it loads the database."""
    pairs = list(zip(ours, theirs, strict=True))[1:]
    median = statistics.median(a / b for a, b in pairs)
    whole = sum(a for a, _ in pairs) / sum(b for _, b in pairs)
    return f"median {median:.2f}x of {len(pairs)} pairs, {whole:.2f}x over all of them"


def _unneeded(folder: str, names: list[str]) -> set[str]:
    del folder
    return {name for name in names if not name.endswith((".py", ".rst", ".md")) and "." in name} | {
        "__pycache__"
    }


def _time(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun

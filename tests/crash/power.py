"""What a disk may hold after the power went: the synced part, and any of what was not.

A file keeps the content of its last sync, a directory the entries of its own. Whatever came later
survives or not, each piece by itself: the order in which things were done binds nothing. That is
more than real file systems do to their users, and so a proof over it holds on each of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeAlias

Tree: TypeAlias = "tuple[tuple[str, Tree | bytes], ...]"
"""A directory's entries by name: bytes for a file. Equal trees are equal values."""

CACHE = ("home", "cache")
"""Any of it may be lost, and it syncs much of its own that only a system-call trace can see: states
that differ in nothing else are one."""
_RATES = (0.0, 0.1, 0.5, 0.9, 1.0)
"""How likely an unsynced operation is to survive; all or none of them are states of their own."""


@dataclass(slots=True)
class Luck:
    """What survives: by chance, or all but one operation, or that one alone.

    Attributes:
        rates: how likely a change of an entry, and one of a content, is to survive.
        cuts: in how many places a content may be cut.
        odd: the number of the operation that fares otherwise, if any; from 1.
        asked: how many operations there were.
    """

    random: Random
    rates: tuple[float, float]
    cuts: int
    odd: int | None = None
    asked: int = 0

    def spares(self, *, content: bool) -> bool:
        self.asked += 1
        return (self.random.random() < self.rates[content]) != (self.asked == self.odd)


@dataclass(eq=False, slots=True)
class File:
    """A file: its content as of the last sync, then every content since."""

    history: list[bytes] = field(default_factory=lambda: [b""])

    def write(self, content: bytes) -> None:
        if content != self.history[-1]:
            self.history.append(content)

    def sync(self) -> None:
        self.history = self.history[-1:]

    def survivor(self, luck: Luck) -> bytes:
        """Return a content that may be found after the power went."""
        durable, *later = self.history
        if not later or not luck.spares(content=True):
            return durable
        random, content = luck.random, luck.random.choice(later)
        safe = len(durable) if content.startswith(durable) else 0
        shape = random.choice(("whole", "cut", "empty", "zeros"))
        if shape == "whole":
            return content
        if shape == "empty":
            return content[:safe]
        length = safe + (len(content) - safe) * random.randrange(luck.cuts) // luck.cuts
        return content[:length] + (bytes(len(content) - length) if shape == "zeros" else b"")


@dataclass(eq=False, slots=True)
class Directory:
    """A directory: for each name what it meant at the last sync, then every meaning since."""

    entries: "dict[str, list[Node]]" = field(default_factory=dict)

    def current(self) -> "dict[str, File | Directory]":
        last = {name: history[-1] for name, history in self.entries.items()}
        return {name: node for name, node in last.items() if node is not None}

    def put(self, name: str, node: "Node") -> None:
        """Change what a name means, None for nothing; not durable either."""
        history = self.entries.setdefault(name, [None])
        if node is not history[-1]:
            history.append(node)

    def sync(self) -> None:
        self.entries = {name: [node] for name, node in self.current().items()}

    def survivors(self, luck: Luck) -> Tree:
        """Return entries that may be found; a name survives only below a name that does."""
        results: list[tuple[str, Tree | bytes]] = []
        for name, (durable, *later) in sorted(self.entries.items()):
            changed = later and luck.spares(content=False)
            node = luck.random.choice(later) if changed else durable
            if isinstance(node, Directory):
                results.append((name, node.survivors(luck)))
            elif node is not None:
                results.append((name, node.survivor(luck)))
        return tuple(results)

    def tree(self) -> Tree:
        """Return everything as processes see it."""
        return tuple(
            (name, node.tree() if isinstance(node, Directory) else node.history[-1])
            for name, node in sorted(self.current().items())
        )


Node: TypeAlias = "File | Directory | None"


@dataclass(slots=True)
class Outage:
    """States of a disk that were drawn while something was published.

    Attributes:
        draws: how often to draw at each moment.
        cuts: in how many places a content may be cut: few leave more draws to what else may be.
        acknowledged: the publish returned: what is drawn from now on shows it.
        states: each state that was found, and whether it may be found after the acknowledgement;
            by what it holds outside of `CACHE`.
    """

    random: Random
    draws: int
    cuts: int = 3
    acknowledged: bool = False
    states: dict[Tree, tuple[Tree, bool]] = field(default_factory=dict)

    def strike(self, disk: Directory, times: int = 1) -> None:
        """Draw what the disk may hold if the power goes now."""
        for _ in range(self.draws * times):
            result = disk.survivors(self._luck(disk))
            key = _without(result, CACHE)
            if key not in self.states or self.acknowledged:
                self.states[key] = result, self.acknowledged

    def _luck(self, disk: Directory) -> Luck:
        if self.random.random() < 0.5:
            rates = self.random.choice(_RATES), self.random.choice(_RATES)
            return Luck(self.random, rates, self.cuts)
        counting = Luck(self.random, (1.0, 1.0), self.cuts)
        disk.survivors(counting)
        rate = self.random.choice((0.0, 1.0))
        odd = self.random.randint(1, counting.asked + 1)
        return Luck(self.random, (rate, rate), self.cuts, odd)

    def some(self, number: int) -> list[tuple[Tree, bool]]:
        """Return that many states, or all; half of them acknowledged as far as there are."""
        late = [state for state in self.states.values() if state[1]]
        early = [state for state in self.states.values() if not state[1]]
        late = self.random.sample(late, min(len(late), max(number // 2, number - len(early))))
        return late + self.random.sample(early, min(len(early), number - len(late)))


def _without(tree: Tree, path: tuple[str, ...]) -> Tree:
    """Return a tree without what lies at a path."""
    first, rest = path[0], path[1:]
    if not rest:
        return tuple(entry for entry in tree if entry[0] != first)
    return tuple(
        (name, _without(content, rest))
        if name == first and isinstance(content, tuple)
        else (name, content)
        for name, content in tree
    )


def materialise(tree: Tree, place: Path) -> None:
    """Write a tree into a new directory."""
    place.mkdir(mode=0o700)
    for name, content in tree:
        if isinstance(content, bytes):
            (place / name).write_bytes(content)
        else:
            materialise(content, place / name)


def read_tree(place: Path) -> Tree:
    """Return what lies in a directory."""
    return tuple(
        (path.name, read_tree(path) if path.is_dir() else path.read_bytes())
        for path in sorted(place.iterdir(), key=lambda each: each.name)
    )


def files(tree: Tree, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield each file of a tree with its path."""
    for name, content in tree:
        if isinstance(content, bytes):
            yield prefix + name, content
        else:
            yield from files(content, f"{prefix}{name}/")

"""Finds the selected file to which a path, a module's name or a link refers."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from ggrep.model.files import TEST, traits_of

Parts: TypeAlias = tuple[str, ...]
RootRule: TypeAlias = Callable[[str, Parts], bool]
"""Returns whether a file's imports can be relative to a directory."""

_ROOTS: Final = "src lib python java kotlin scala groovy php ruby include inc main app source"
SOURCE_ROOTS: Final = frozenset(_ROOTS.split())
"""Directories below which imports usually begin."""

_INDEX_NAMES: Final = ("__init__", "index", "mod", "init")


class SelectedPaths:
    """Finds files; there is no result if several files match equally well."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._by_module: defaultdict[str, list[tuple[Parts, str]]] = defaultdict(list)
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        self._by_directory: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            parts = module_parts(path)
            if parts:
                self._by_module[parts[-1].lower()].append((parts, path))
            self._by_name[posixpath.basename(path).lower()].append(path)
            self._by_directory[posixpath.dirname(path)].append(path)

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def beside(self, source: str, target: str, endings: Sequence[str]) -> str | None:
        """Return the file at `target`, relative to the directory of `source`; see `at`."""
        base = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        return self.at(base, endings)

    def at(self, base: str, endings: Sequence[str]) -> str | None:
        """Return the file `base`, or `base` with the first ending for which a file exists."""
        tried = (base + ending for ending in ("", *endings))
        return next((path for path in tried if path in self._paths), None)

    def module(
        self, source: str, parts: Parts, endings: frozenset[str], may_start: RootRule
    ) -> str | None:
        """Return the nearest file to `source` whose module path ends with `parts`."""
        called = self._by_module.get(parts[-1].lower(), ()) if parts else ()
        if not called:
            return None
        results = [
            path
            for names, path in called
            if names[-len(parts) :] == parts
            and ending_of(path) in endings
            and path != source
            and may_start(source, names[: -len(parts)])
        ]
        return nearest(source, results)

    def calls_a_module(self, *names: str) -> bool:
        """Return whether a file's module path ends with one of the names, in any letter case."""
        return not self._by_module.keys().isdisjoint(map(str.lower, names))

    def calls_a_file(self, tail: str) -> bool:
        """Return whether a file is named as the last component of `tail`, in any letter case."""
        return tail.rpartition("/")[2].lower() in self._by_name

    def named(self, name: str) -> str | None:
        """Return the file with this name; None if there are several."""
        result = self._by_name.get(name.lower(), ())
        return result[0] if len(result) == 1 else None

    def ending_with(self, tail: str, source: str = "") -> str | None:
        """Return the file with the path `tail`, or the nearest file whose path ends with it."""
        if tail in self._paths:
            return tail
        same_name = self._by_name.get(posixpath.basename(tail).lower(), ())
        return nearest(source, [path for path in same_name if path.endswith(f"/{tail}")])

    def directories(self) -> tuple[str, ...]:
        """Return the directories that contain selected files."""
        return tuple(self._by_directory)

    def inside(self, directory: str, endings: frozenset[str]) -> list[str]:
        """Return the files directly in a directory that have one of the endings."""
        names = self._by_directory.get(directory, ())
        return [path for path in names if ending_of(path) in endings]


def module_parts(path: str) -> Parts:
    """Return a path's directories and stem; only the directories for files such as `index.js`."""
    *directories, name = path.split("/")
    stem = name.partition(".")[0] if not name.startswith(".") else name
    return tuple(directories) if stem in _INDEX_NAMES else (*directories, stem)


@lru_cache(1 << 12)
def ending_of(path: str) -> str:
    """Return the last ending of a path in lower case, such as `.py`."""
    return posixpath.splitext(path)[1].lower()


def nearest(source: str, paths: Sequence[str]) -> str | None:
    """Return the path that shares most directories with `source`; None if two share as many."""
    ranked = sorted((-shared_directories(source, path), path) for path in paths)
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    return ranked[0][1]


def shared_directories(left: str, right: str) -> int:
    """Return how many leading directories two paths have in common."""
    return len(posixpath.commonprefix([left.split("/")[:-1], right.split("/")[:-1]]))


def from_source_root(source: str, root: Parts) -> bool:
    """Return whether `root` is the repository root, a usual source root or a parent of `source`."""
    inside = tuple(source.split("/")[: len(root)]) == root
    return not root or root[-1].lower() in SOURCE_ROOTS or inside


_DOCUMENTS: Final = (".md", ".rst", ".adoc", ".txt", "/README.md", "/index.md", "/index.rst")
_NAMELESS_WORDS: Final = (
    "readme index license changelog contributing makefile dockerfile settings setup config main app"
    " utils models views urls conf package pyproject __init__ conftest mod lib types constants test"
)
_NAMELESS: Final = frozenset(_NAMELESS_WORDS.split())
"""Stems that occur often in a repository, so the name without its directory is ambiguous."""


def plain(name: str) -> str:
    """Return a name for comparison: `order_service` and `Order Service` become `orderservice`."""
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def stem_of(path: str) -> str:
    """Return a file's name up to the first dot after its first character."""
    name = posixpath.basename(path)
    return name[:1] + name[1:].partition(".")[0]


def link_target(source: str, link: str, paths: SelectedPaths) -> str | None:
    """Return the selected file that is the target of a document's link."""
    bases = [link.lstrip("/")]
    if not link.startswith("/"):
        bases = [posixpath.normpath(posixpath.join(posixpath.dirname(source), link)), link]
    tried: list[tuple[str, Sequence[str]]] = [(base, _DOCUMENTS) for base in bases]
    tried += [(re.sub(r"\.(?:html?|md)$", "", base), _DOCUMENTS[:3]) for base in bases]
    result = next((path for base, endings in tried if (path := paths.at(base, endings))), None)
    tail = posixpath.normpath(link).lstrip("./")
    if result is None and "/" in tail:
        result = paths.ending_with(tail, source)
    elif result is None and stem_of(tail).lower() not in _NAMELESS:
        named = paths.named(tail)
        result = None if named is None or traits_of(named) & TEST else named
    return None if result == source else result

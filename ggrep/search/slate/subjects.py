"""The subject of a test: the code it imports, is named after, or alone names."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from ggrep.model.slate import FileFacts, Section
from ggrep.search.slate.import_targets import ENDINGS
from ggrep.search.slate.named_files import stem_of
from ggrep.search.slate.selected_paths import ending_of, nearest

_AFFIXES: Final = re.compile(
    r"^(?:test|tests|spec)[_-]|[_-](?:test|tests|spec|unittest|it)$|(?<=[a-z0-9])(?:Tests?|Spec|IT)$"
)
_INFIX: Final = re.compile(r"\.(?:test|tests|spec|e2e)\.")
_COMMON: Final = frozenset({"main", "init", "index", "mod", "lib", "util", "utils", "types", "app"})
_DISTINCT: Final = re.compile(r"\w_\w|[a-z0-9][A-Z]")
_LEAST_NAMES: Final = 2
_LEAST_NAMES_FAR: Final = 4
"""Names of another directory's file that a test must know to be about it."""

_MOST_IMPORTED: Final = 4
"""Code that a test may import and still be about all of it."""

_SERVING: Final = frozenset(
    {"__init__", "errors", "error", "exceptions", "constants", "config", "compat", "logging"}
) | (_COMMON - {"main", "app"})
"""Stems of files that tests import to get at something else."""

_HEADER: Final = re.compile(r"\.(?:h|hh|hpp|hxx|d\.ts)$")
_SHARED: Final = frozenset(
    {"conftest", "helpers", "helper", "mod", "__init__", "fixtures", "setup"}
)


class Subjects:
    """The selected code that tests may be about."""

    def __init__(self, facts: Sequence[FileFacts]) -> None:
        self._code = [item for item in facts if item.section is Section.CODE]
        self._defined = Counter(name for item in self._code for name in item.defines)
        self._alone = {
            name: item.path
            for item in self._code
            for name in item.defines
            if self._defined[name] == 1 and len(name) > 4 and _DISTINCT.search(name)
        }
        self._stems = {item.path: _bare(stem_of(item.path)) for item in self._code}

    def of(self, test: FileFacts, imported: dict[str, str]) -> dict[str, str]:
        """Return path and joining name of what `test` is about.

        `imported` are paths and names of what it imports. What bears the test's name goes first;
        without that all it imports is meant, and without imports what only one file defines.
        """
        named = self._named_after(test, imported)
        if named:
            return named
        if stem_of(test.path) in _SHARED:
            return {}
        brought = self._brought(test, imported)
        if brought:
            return brought if len(brought) <= _MOST_IMPORTED else {}
        return self._mentioned(test)

    def _brought(self, test: FileFacts, imported: dict[str, str]) -> dict[str, str]:
        """Return the code among the imports: a header is not what is tested, nor a Go package."""
        if ending_of(test.path) == ".go":
            return {}
        return {
            path: name
            for path, name in imported.items()
            if self._stems.get(path, "errors") not in _SERVING and not _HEADER.search(path)
        }

    def _named_after(self, test: FileFacts, imported: Iterable[str]) -> dict[str, str]:
        bare = subject_stem(test.path)
        if len(bare) < 3 or bare in _COMMON:
            return {}
        same = [path for path, stem in self._stems.items() if stem == bare and _may(test, path)]
        brought = [path for path in same if path in set(imported)]
        if not _is_marked(test.path):
            same = brought
        same = [path for path in same if path in brought or _reaches(test, path)]
        found = [path for path in brought or same if not _HEADER.search(path)] or same
        best = found[0] if len(found) == 1 else nearest(test.path, found)
        return {best: stem_of(best)} if best else {}

    def _mentioned(self, test: FileFacts) -> dict[str, str]:
        found: dict[str, list[str]] = {}
        for name in test.mentions:
            path = self._alone.get(name)
            if path is not None and _may(test, path):
                found.setdefault(path, []).append(name)
        return {
            path: min(names)
            for path, names in found.items()
            if len(names) >= (_LEAST_NAMES if _beside(test.path, path) else _LEAST_NAMES_FAR)
        }


def _is_marked(path: str) -> bool:
    """Say whether a file's own name marks it as a test."""
    return subject_stem(path) != _bare(stem_of(path)) or bool(_INFIX.search(path))


def subject_stem(path: str) -> str:
    """Return what a test's name says without the marks of a test, in lower case."""
    name = _INFIX.sub(".", path.rpartition("/")[2])
    return _bare(_AFFIXES.sub("", stem_of(name)))


def _bare(stem: str) -> str:
    return stem.lower().replace("-", "_")


def _reaches(test: FileFacts, path: str) -> bool:
    """Say whether a Python test that imports anything imports from the file's package."""
    package = tuple(path.split("/")[:-1])
    if not test.path.endswith(".py") or not test.imports or not package:
        return True
    modules = {tuple(name.split(".")) for name in test.imports}
    tails = [package[start:] for start in range(len(package))]
    return any(module[: len(tail)] == tail for module in modules for tail in tails)


def _may(test: FileFacts, path: str) -> bool:
    """Say whether the test's language lets it be about the file: its own, in Go its directory."""
    ending = ending_of(test.path)
    alike = ending_of(path) in ENDINGS.get(ending, {ending})
    return alike and (ending != ".go" or _beside(test.path, path))


def _beside(left: str, right: str) -> bool:
    return left.rpartition("/")[0] == right.rpartition("/")[0]

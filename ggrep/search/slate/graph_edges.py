"""Relations between the selected files of one repository: edges from their facts.

Imports and links lead to files; a test is about the code it imports, is named after, or alone
names; configuration is read by files that name its keys.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from ggrep.model.slate import FileFacts, GraphEdge, Section
from ggrep.search.slate.import_targets import ENDINGS, import_targets
from ggrep.search.slate.selected_files import (
    NamedFiles,
    SelectedPaths,
    ending_of,
    link_target,
    nearest,
    shared_directories,
    stem_of,
)
from ggrep.search.slate.text_names import last_part

_DOCUMENTS = frozenset({Section.DOCS, Section.DIAGRAMS})
_MOST_OF_PACKAGE = 3


def graph_edges(facts: Sequence[FileFacts]) -> tuple[GraphEdge, ...]:
    """Return the edges between these files, by kind, source, target; ends are their paths.

    There is one edge of a kind between two files, with the smallest name that joins them. What a
    test is about is not said a second time as an import.
    """
    ordered = sorted(facts, key=lambda item: item.path)
    paths = SelectedPaths(item.path for item in ordered)
    edges = [*_brought_in(ordered, paths), *_links(ordered, paths), *_relates(ordered)]
    if any(item.keys for item in ordered):
        edges += _configures(ordered)
    return unique_edges(edges)


def unique_edges(edges: Sequence[GraphEdge]) -> tuple[GraphEdge, ...]:
    """Return one edge for each kind, source and target, in that order: the smallest name's."""
    best: dict[tuple[str, str, str], GraphEdge] = {}
    for edge in edges:
        key = (edge.kind, edge.source, edge.target)
        held = best.get(key)
        if edge.source != edge.target and (held is None or edge.via < held.via):
            best[key] = edge
    return tuple(best[key] for key in sorted(best))


def _brought_in(facts: Sequence[FileFacts], paths: SelectedPaths) -> Iterator[GraphEdge]:
    """Yield imports, and what tests are about."""
    defines = {item.path: frozenset(item.defines) for item in facts}
    subjects = Subjects(facts)
    for item in facts:
        imported = _imported(item, paths, defines)
        about = subjects.of(item, imported) if item.section is Section.TESTS else {}
        for path, name in about.items():
            yield GraphEdge("tests", item.path, path, name)
        kind = "links" if item.section in _DOCUMENTS else "imports"
        for path, name in imported.items():
            if path not in about:
                yield GraphEdge(kind, item.path, path, name)


def _imported(
    item: FileFacts, paths: SelectedPaths, defines: dict[str, frozenset[str]]
) -> dict[str, str]:
    """Return path and smallest name of what a file imports."""
    found: dict[str, str] = {}
    for name in item.imports:
        targets: Sequence[str] = import_targets(item, name, paths)
        if targets:
            targets = [path for path in targets if _holds(path, name, defines[path])]
        if len(targets) > 1:
            used = [path for path in targets if not defines[path].isdisjoint(item.mentions)]
            targets = used or (targets if len(targets) <= _MOST_OF_PACKAGE else [])
        for path in targets:
            found.setdefault(path, name)
    return found


def _holds(path: str, name: str, defines: frozenset[str]) -> bool:
    """Say whether a package's own file holds a member: not one that is a module beside it."""
    directory, _, file = path.rpartition("/")
    last = name.rpartition(".")[2]
    if file != "__init__.py" or last == directory.rpartition("/")[2] or not last:
        return True
    return last in defines or last[:1].isupper()


def _links(facts: Sequence[FileFacts], paths: SelectedPaths) -> Iterator[GraphEdge]:
    for item in facts:
        for link in item.links:
            target = link_target(item.path, link, paths)
            if target is not None:
                yield GraphEdge("links", item.path, target, link)


def _relates(facts: Sequence[FileFacts]) -> Iterator[GraphEdge]:
    """Yield edges from a diagram to the files it names, and between those that it joins."""
    drawings = [item for item in facts if item.relations]
    if not drawings:
        return
    files = NamedFiles(facts)
    for item in drawings:
        for labels in item.relations:
            ends = [files.find(label) if label else None for label in labels]
            for end in ends:
                if end is not None:
                    yield GraphEdge("relates", item.path, end.path, end.name)
            left, right = ends
            if left is not None and right is not None:
                yield GraphEdge("relates", left.path, right.path, item.path)


def _configures(facts: Sequence[FileFacts]) -> Iterator[GraphEdge]:
    """Yield edges from configuration to its readers; of files that set one name, the nearest."""
    mentions = KeyMentions(facts)
    configs = [item for item in facts if item.keys]
    for reader in facts:
        if reader.section in _DOCUMENTS:
            continue
        named: defaultdict[str, list[str]] = defaultdict(list)
        for config in configs:
            name = mentions.joined(config, reader)
            if name is not None and config.path != reader.path:
                named[name].append(config.path)
        for name, held in named.items():
            closest = max(shared_directories(reader.path, path) for path in held)
            for path in held:
                if shared_directories(reader.path, path) == closest:
                    yield GraphEdge("configures", path, reader.path, name)


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
        self._stems = {item.path: _bare(stem_of(item.path)) for item in self._code}

    @cached_property
    def _alone(self) -> dict[str, str]:
        """Return the file of each distinct name that one file alone defines."""
        defined = Counter(name for item in self._code for name in item.defines)
        return {
            name: item.path
            for item in self._code
            for name in item.defines
            if defined[name] == 1 and len(name) > 4 and _DISTINCT.search(name)
        }

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


MOST_MENTIONING: Final = 3
"""Files that may name a key which is a plain word, and still mean it."""

_SPREAD: Final = 8
_LEAST_CHARACTERS: Final = 5
_DISTINCT_KEY: Final = re.compile(r"_|-|[a-z0-9][A-Z]|[A-Z][A-Z0-9]*_")
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_USUAL_KEYS: Final = (
    "name version description license authors author readme keywords classifiers dependencies"
    " scripts include exclude files value values default options config settings environment"
    " image build steps runs-on with uses command commands args ports volumes services restart"
    " type types format formats title index source target rules select ignore paths level"
    " depends_on container_name entrypoint working_dir env_file timeout-minutes continue-on-error"
    " fail-fast python-version node-version requires-python build-system build-backend"
    " optional-dependencies devDependencies peerDependencies python_requires install_requires"
    " apiVersion metadata matchLabels maxLength minLength additionalProperties operationId"
    " envlist testenv skip_missing_interpreters basepython passenv setenv allowlist_externals"
    " fetch-depth cache-dependency-path if-no-files-found default_language_version language_version"
    " per-file-ignores line-length target-version line_length testpaths addopts"
)
_USUAL: Final = frozenset(_USUAL_KEYS.split())
_RECORDS: Final = re.compile(
    r"\.(?:ini|toml|ya?ml|jsonc?|conf|cfg|cnf|properties|env|lock|xml|md|rst|adoc|txt|html?|csv|sql)$"
)
_SCHEMED: Final = re.compile(
    r"(?:^|/)(?:\.github|\.circleci|\.gitlab)/|(?:^|/)(?:docker-)?compose[^/]*\.ya?ml$|Dockerfile"
    r"|(?:^|/)(?:\.gitlab-ci|\.travis|azure-pipelines|openapi|swagger|package"
    r"|tsconfig|composer|Cargo|Gemfile|tox|setup|pytest|pyproject)[^/]*$"
)
"""Files whose keys another program prescribes: only their variables tell something."""


class KeyMentions:
    """How often the words of the selected files stand in files that could read a key."""

    def __init__(self, facts: Sequence[FileFacts]) -> None:
        self._words = {item.path: frozenset(item.mentions) for item in facts}
        self._holders = Counter(word for words in self._words.values() for word in words)

    def joined(self, config: FileFacts, reader: FileFacts) -> str | None:
        """Return the smallest name by which `reader` names a key of `config`."""
        if reader.section is Section.CONFIG or _RECORDS.search(reader.path):
            return None
        words = self._words[reader.path]
        own = self._words[config.path]
        schemed = _SCHEMED.search(config.path) is not None
        names = {
            name
            for key in config.keys
            if not schemed or _VARIABLE.fullmatch(key)
            for name in self._said(key, words, own)
        }
        return min(names, default=None)

    def _said(self, key: str, words: frozenset[str], own: frozenset[str]) -> list[str]:
        last = last_part(key)
        if "." in key and key in words and last not in _USUAL:
            return [key]
        for spelled in (last, last.replace("-", "_")):
            if spelled in words and self._tells(key, last, spelled, words, own):
                return [spelled]
        return []

    def _tells(
        self, key: str, last: str, spelled: str, words: frozenset[str], own: frozenset[str]
    ) -> bool:
        others = self._holders[spelled] - (spelled in own)
        if len(last) < _LEAST_CHARACTERS or last in _USUAL or others > _SPREAD:
            return False
        if _DISTINCT_KEY.search(last):
            return True
        parent = last_part(key.removesuffix(f".{last}")) if "." in key else ""
        return len(parent) > 2 and parent in words and others <= MOST_MENTIONING

"""Finds relations between the selected files of one repository.

Imports and links refer to files. A test tests the code that it is named after; else the code that
it imports; else the files whose unique names it mentions. A file that mentions a configuration key
reads the file that contains the key.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ggrep.model.slate import FileFacts, GraphEdge, Section
from ggrep.search.slate.import_targets import ENDINGS, import_targets
from ggrep.search.slate.selected_files import (
    SelectedPaths,
    ending_of,
    link_target,
    nearest,
    plain,
    shared_directories,
    stem_of,
)

_DOCUMENTS = frozenset({Section.DOCS, Section.DIAGRAMS})
_MOST_OF_PACKAGE = 3


def graph_edges(facts: Sequence[FileFacts]) -> tuple[GraphEdge, ...]:
    """Return the edges between these files, ordered by kind, source path and target path.

    There is one edge per kind between two files, with the alphabetically first common name. If a
    test imports the file that it tests, there is no edge for the import.
    """
    ordered = sorted(facts, key=lambda item: item.path)
    paths = SelectedPaths(item.path for item in ordered)
    edges = [*_imports(ordered, paths), *_relates(ordered), *_configures(ordered)]
    edges += [
        GraphEdge("links", item.path, target, link)
        for item in ordered
        for link in item.links
        if (target := link_target(item.path, link, paths)) is not None
    ]
    return unique_edges(edges)


def unique_edges(edges: Iterable[GraphEdge]) -> tuple[GraphEdge, ...]:
    """Return one edge for each kind, source and target: the edge with the first name in order."""
    best: dict[tuple[str, str, str], GraphEdge] = {}
    for edge in edges:
        key = (edge.kind, edge.source, edge.target)
        known = best.get(key)
        if edge.source != edge.target and (known is None or edge.via < known.via):
            best[key] = edge
    return tuple(best[key] for key in sorted(best))


def _imports(facts: Sequence[FileFacts], paths: SelectedPaths) -> Iterator[GraphEdge]:
    """Yield the edges of imports and tests."""
    defines = {item.path: frozenset(item.defines) for item in facts}
    code = [item for item in facts if item.section is Section.CODE]
    counts = Counter(name for item in code for name in item.defines)
    alone = {name: item.path for item in code for name in item.defines if counts[name] == 1}
    for item in facts:
        imported = _imported(item, paths, defines)
        is_test = item.section is Section.TESTS
        about = _subjects(item, imported, code, alone) if is_test else {}
        kind = "links" if item.section in _DOCUMENTS else "imports"
        for path, name in (imported | about).items():
            yield GraphEdge("tests" if path in about else kind, item.path, path, name)


def _imported(
    item: FileFacts, paths: SelectedPaths, defines: Mapping[str, frozenset[str]]
) -> dict[str, str]:
    """Return the path of each imported file with the first imported name."""
    imported: dict[str, str] = {}
    for name in item.imports:
        targets: Sequence[str] = import_targets(item, name, paths)
        if len(targets) > 1:
            used = [path for path in targets if not defines[path].isdisjoint(item.mentions)]
            targets = used or (targets if len(targets) <= _MOST_OF_PACKAGE else ())
        for path in targets:
            if _holds(path, name.rpartition(".")[2], defines[path]):
                imported.setdefault(path, name)
    return imported


def _holds(path: str, member: str, defines: frozenset[str]) -> bool:
    """Return whether an imported member is in `path`; a package's `__init__.py` must define it."""
    *_, directory, file = ("", *path.split("/"))
    is_whole = file != "__init__.py" or member in {"", directory}
    return is_whole or member in defines or member[:1].isupper()


_MARKS: Final = re.compile(
    r"^(?:tests?|spec)[_-]|[_-](?:tests?|spec|unittest|it)$|(?<=[a-z0-9])(?:Tests?|Spec|IT)$"
)
_COMMON: Final = frozenset({"main", "init", "index", "mod", "lib", "util", "utils", "types", "app"})
_SERVING: Final = frozenset(
    {"__init__", "errors", "error", "exceptions", "constants", "config", "compat", "logging"}
) | (_COMMON - {"main", "app"})
"""Stems of files that a test often imports without testing them."""

_SHARED: Final = frozenset({"conftest", "helpers", "helper", "mod", "__init__", "fixtures"})
_HEADERS: Final = frozenset({".h", ".hh", ".hpp", ".hxx"})
_LEAST_NAMES: Final = 2
"""Minimum number of names of a file that a test in the same directory must mention to test it."""

_MOST_IMPORTED: Final = 4
"""Maximum number of imported files of code; a test with more imports tests none of them."""


def _subjects(
    test: FileFacts,
    imported: Mapping[str, str],
    code: Sequence[FileFacts],
    alone: Mapping[str, str],
) -> dict[str, str]:
    """Return the path of each file that a test tests, with the name that relates it to the test.

    `alone` contains the names that exactly one file defines.
    """
    ending = ending_of(test.path)
    alike = ENDINGS.get(ending, frozenset({ending}))
    stems = {item.path: _bare(stem_of(item.path)) for item in code if ending_of(item.path) in alike}
    if ending == ".go":
        stems = {path: stem for path, stem in stems.items() if _beside(path, test.path)}
    subject = _bare(_MARKS.sub("", stem_of(test.path)))
    same = [path for path, stem in stems.items() if stem == subject not in _COMMON]
    same = [path for path in same if path in imported] or same
    best = nearest(test.path, [path for path in same if ending_of(path) not in _HEADERS] or same)
    if best is not None and len(subject) > 2:
        return {best: stem_of(best)}
    if stem_of(test.path) in _SHARED:
        return {}
    brought = {
        path: name
        for path, name in imported.items()
        if stems.get(path, "errors") not in _SERVING and ending_of(path) not in {".go", *_HEADERS}
    }
    if brought:
        return brought if len(brought) <= _MOST_IMPORTED else {}
    known: defaultdict[str, list[str]] = defaultdict(list)
    for name in test.mentions:
        if (path := alone.get(name, "")) in stems and _beside(path, test.path):
            known[path].append(name)
    return {path: min(names) for path, names in known.items() if len(names) >= _LEAST_NAMES}


def _bare(stem: str) -> str:
    return stem.lower().replace("-", "_")


def _beside(left: str, right: str) -> bool:
    return left.rpartition("/")[0] == right.rpartition("/")[0]


_NAMED: Final = frozenset({Section.CODE, Section.CONFIG})
_LEAST_LABEL: Final = 4
_NO_NAMES: Final = _COMMON | {
    "package",
    "readme",
    "start",
    "true",
    "false",
    "none",
    "error",
    "user",
}


def _relates(facts: Sequence[FileFacts]) -> Iterator[GraphEdge]:
    """Yield edges from diagrams to the files that they name, and between the named files."""
    drawings = [item for item in facts if item.relations]
    named: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item in facts if drawings else ():
        if item.section in _NAMED:
            for name in (*item.defines, stem_of(item.path)):
                named[plain(name)].setdefault(item.path, name)
    for item in drawings:
        for labels in item.relations:
            ends = [_end(label, named) for label in labels]
            for path, name in (end for end in ends if end):
                yield GraphEdge("relates", item.path, path, name)
            left, right = ends
            if left and right:
                yield GraphEdge("relates", left[0], right[0], item.path)


def _end(label: str, named: Mapping[str, Mapping[str, str]]) -> tuple[str, str] | None:
    """Return the only file that a label names, and the name as the file spells it; else None."""
    called = re.sub(r"\(.*|<.*", "", label).strip()
    for reading in (label, called, stem_of(called), called.partition("::")[0]):
        word = plain(reading)
        files = named.get(word, {}) if len(word) >= _LEAST_LABEL and word not in _NO_NAMES else {}
        if len(files) == 1:
            return next(iter(files.items()))
    return None


_SPREAD: Final = 8
"""Maximum number of files with a key; a more frequent key makes no edges."""

_DISTINCT: Final = re.compile(r"(?=.{5}).*(?:\w[_-]\w|[a-z0-9][A-Z])")
"""Keys with a spelling that no plain word has."""

_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_SCHEMED: Final = re.compile(
    r"(?:^|/)(?:\.github|\.circleci|\.gitlab)/|(?:^|/)(?:docker-)?compose[^/]*\.ya?ml$|Dockerfile"
    r"|(?:^|/)(?:\.gitlab-ci|\.travis|azure-pipelines|openapi|swagger|package"
    r"|tsconfig|composer|Cargo|Gemfile|tox|setup|pytest|pyproject)[^/]*$"
)
"""Files with keys that another program prescribes, so only variables in them count."""


def _configures(facts: Sequence[FileFacts]) -> Iterator[GraphEdge]:
    """Yield edges from configuration files to the files that mention their keys.

    If several files contain a key, edges begin only at the files nearest to the mention.
    """
    setters: defaultdict[str, list[str]] = defaultdict(list)
    for item in facts:
        pattern = _VARIABLE if _SCHEMED.search(item.path) else _DISTINCT
        for key in {key.rpartition(".")[2] for key in item.keys}:
            if pattern.match(key):
                setters[key.replace("-", "_")].append(item.path)
    readers = [item for item in facts if item.section not in {Section.CONFIG, *_DOCUMENTS}]
    named = [(item.path, name) for item in readers for name in item.mentions if name in setters]
    counts = Counter(name for _, name in named)
    for path, name in named:
        if counts[name] <= _SPREAD:
            closest = max(shared_directories(path, setter) for setter in setters[name])
            for setter in setters[name]:
                if shared_directories(path, setter) == closest:
                    yield GraphEdge("configures", setter, path, name)

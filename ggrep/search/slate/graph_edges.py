"""Relations between the selected files of one repository: edges from their facts."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ggrep.model.slate import FileFacts, GraphEdge, Section
from ggrep.search.slate.import_targets import import_targets
from ggrep.search.slate.key_mentions import KeyMentions
from ggrep.search.slate.named_files import NamedFiles, link_target
from ggrep.search.slate.selected_paths import SelectedPaths, shared_directories
from ggrep.search.slate.subjects import Subjects

_DOCUMENTS = frozenset({Section.DOCS, Section.DIAGRAMS})
_MOST_OF_PACKAGE = 3


def graph_edges(facts: Sequence[FileFacts]) -> tuple[GraphEdge, ...]:
    """Return the edges between these files, by kind, source, target; ends are their paths.

    There is one edge of a kind between two files, with the smallest name that joins them. What a
    test is about is not said a second time as an import.
    """
    ordered = sorted(facts, key=lambda item: item.path)
    edges = [*_brought_in(ordered), *_links(ordered), *_relates(ordered), *_configures(ordered)]
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


def _brought_in(facts: Sequence[FileFacts]) -> Iterator[GraphEdge]:
    """Yield imports, and what tests are about."""
    paths = SelectedPaths(item.path for item in facts)
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
        targets = [
            path for path in import_targets(item, name, paths) if _holds(path, name, defines[path])
        ]
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


def _links(facts: Sequence[FileFacts]) -> Iterator[GraphEdge]:
    paths = SelectedPaths(item.path for item in facts)
    for item in facts:
        for link in item.links:
            target = link_target(item.path, link, paths)
            if target is not None:
                yield GraphEdge("links", item.path, target, link)


def _relates(facts: Sequence[FileFacts]) -> Iterator[GraphEdge]:
    """Yield edges from a diagram to the files it names, and between those that it joins."""
    files = NamedFiles(facts)
    for item in facts:
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

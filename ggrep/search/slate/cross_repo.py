"""Finds edges between repositories: a file uses a name that a file elsewhere provides."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from ggrep.model.slate import FileFacts, GraphEdge, Section
from ggrep.search.slate.document import file_id

MOST_PROVIDERS: Final = 3
"""Maximum number of repositories that provide a name; more frequent names are ignored."""

MOST_EDGES: Final = 256
KINDS: Final = frozenset({"package", "type"})

_LESS_TELLING: Final = frozenset({Section.TESTS, Section.DOCS, Section.DIAGRAMS})
_Name: TypeAlias = tuple[str, str]
_Place: TypeAlias = tuple[str, str]


def cross_repo_edges(facts_by_repo: Mapping[str, Sequence[FileFacts]]) -> tuple[GraphEdge, ...]:
    """Return at most `MOST_EDGES` edges between `repo:path`, ordered by kind, source and target.

    If the using repository also provides the name, there is no edge. Interface types are an
    exception, because their descriptions are often copied into repositories that use them. A name
    that more than `MOST_PROVIDERS` repositories provide makes no edge.
    """
    provided = _provided(facts_by_repo)
    best: dict[tuple[str, str, str], str] = {}
    for repo in sorted(facts_by_repo):
        for item in facts_by_repo[repo]:
            for name in item.needs:
                for place in _providers(repo, name, provided):
                    key = (name[0], file_id(repo, item.path), file_id(*place))
                    best[key] = min(best.get(key, name[1]), name[1])
    return tuple(GraphEdge(*key, via=best[key]) for key in sorted(best)[:MOST_EDGES])


def _provided(facts_by_repo: Mapping[str, Sequence[FileFacts]]) -> dict[_Name, list[_Place]]:
    """Return the files that provide each name, sources before tests."""
    places: defaultdict[_Name, list[tuple[bool, str, str]]] = defaultdict(list)
    for repo, facts in facts_by_repo.items():
        for item in facts:
            for name in item.provides:
                places[name].append((item.section in _LESS_TELLING, repo, item.path))
    return {name: [place[1:] for place in sorted(listed)] for name, listed in places.items()}


def _providers(
    repo: str, name: _Name, provided: Mapping[_Name, Sequence[_Place]]
) -> Iterator[_Place]:
    """Yield one providing file of each repository except `repo`."""
    if name[0] not in KINDS:
        return
    by_repo: dict[str, _Place] = {}
    for place in provided.get(name, ()):
        by_repo.setdefault(place[0], place)
    at_home = by_repo.pop(repo, None) is not None
    if len(by_repo) <= MOST_PROVIDERS and (name[0] == "type" or not at_home):
        yield from by_repo.values()

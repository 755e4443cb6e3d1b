"""Which of a file's facts may be returned: only names that relate it to a selected file."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ggrep.model.slate import FileFacts
from ggrep.search.slate.import_targets import import_targets
from ggrep.search.slate.named_files import NamedFiles, known_labels, link_target, stem_of
from ggrep.search.slate.selected_paths import SelectedPaths


def published(
    facts: FileFacts, all_facts: Sequence[FileFacts], *, interfaces: bool = False
) -> FileFacts:
    """Return what of `facts` joins that file with another of `all_facts`.

    Words of strings, comments, prose and diagrams stay behind, for nothing else is called so.
    With `interfaces` all of what it provides and needs is kept, for whoever joins repositories:
    names of packages, routes, services, types and environment variables.
    """
    return published_all(all_facts, interfaces=interfaces, only=(facts,))[0]


def published_all(
    all_facts: Sequence[FileFacts],
    *,
    interfaces: bool = False,
    only: Sequence[FileFacts] | None = None,
) -> tuple[FileFacts, ...]:
    """Return `published` of all files, or of those in `only`, in their order."""
    joins = _Joins(all_facts)
    return tuple(
        joins.published(item, interfaces=interfaces)
        for item in (all_facts if only is None else only)
    )


class _Joins:
    """By name, which files say it: one path, or empty for several."""

    def __init__(self, facts: Sequence[FileFacts]) -> None:
        self._paths = SelectedPaths(item.path for item in facts)
        self._files = NamedFiles(facts)
        self._called = _holders((item.path, _called(item)) for item in facts)
        self._said = _holders((item.path, _said(item, self._files)) for item in facts)
        self._provided = _holders((item.path, map(_joined, item.provides)) for item in facts)
        self._needed = _holders((item.path, map(_joined, item.needs)) for item in facts)

    def published(self, item: FileFacts, *, interfaces: bool) -> FileFacts:
        path = item.path
        keys = (
            key for key in item.keys if any(_elsewhere(self._said, n, path) for n in _read(key))
        )
        needs, provides = item.needs, item.provides
        if not interfaces:
            needs = tuple(n for n in needs if _elsewhere(self._provided, _joined(n), path))
            provides = tuple(p for p in provides if _elsewhere(self._needed, _joined(p), path))
        return replace(
            item,
            imports=tuple(n for n in item.imports if import_targets(item, n, self._paths)),
            defines=tuple(n for n in item.defines if _elsewhere(self._said, n, path)),
            links=tuple(n for n in item.links if link_target(path, n, self._paths)),
            relations=known_labels(item.relations, self._files),
            keys=tuple(keys),
            mentions=tuple(n for n in item.mentions if _elsewhere(self._called, n, path)),
            provides=provides,
            needs=needs,
        )


def _holders(said: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    holders: dict[str, str] = {}
    for path, names in said:
        for name in set(names):
            holders[name] = "" if name in holders else path
    return holders


def _elsewhere(holders: dict[str, str], name: str, path: str) -> bool:
    return name in holders and holders[name] != path


def _called(item: FileFacts) -> Iterator[str]:
    """Yield what other files may call this one by."""
    yield from (item.path, stem_of(item.path), item.path.rpartition("/")[2])
    yield from item.defines
    for key in item.keys:
        yield from _read(key)
        yield from key.split(".")


def _said(item: FileFacts, files: NamedFiles) -> Iterator[str]:
    yield from item.mentions
    yield from item.defines
    for pair in known_labels(item.relations, files):
        yield from pair


def _read(key: str) -> tuple[str, ...]:
    """Return the spellings by which a key is read: whole, its last part, with underscores."""
    last = key.rpartition(".")[2]
    return key, last, re.sub("-", "_", last)


def _joined(pair: tuple[str, str]) -> str:
    return " ".join(pair)

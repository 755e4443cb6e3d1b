"""Which selected file a diagram's label or a document's link refers to."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ggrep.model.slate import FileFacts, Section
from ggrep.model.traits import TEST, traits_of
from ggrep.search.slate.selected_paths import SelectedPaths

_NAMED: Final = frozenset({Section.CODE, Section.CONFIG})
_COMMON_STEMS: Final = frozenset({"__init__", "index", "main", "init", "package", "readme"})
_PSEUDO: Final = frozenset({"start", "end", "true", "false", "none", "error", "test", "user"})
_SOUGHT_CHARACTERS: Final = 4
_LABEL_WORDS: Final = 4
_DOCUMENTS: Final = (".md", ".rst", ".adoc", ".txt", "/README.md", "/index.md", "/index.rst")
_NAMELESS_WORDS: Final = (
    "readme index license changelog contributing makefile dockerfile settings setup config main app"
    " utils models views urls conf package pyproject __init__ conftest mod lib types constants test"
)
_NAMELESS: Final = frozenset(_NAMELESS_WORDS.split())
"""Stems that a repository has many of: without its directory such a name means none."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file and the name it was found by, as the file itself spells it."""

    path: str
    name: str


class NamedFiles:
    """Files by what they define and how they are called, whatever the spelling."""

    def __init__(self, facts: Iterable[FileFacts]) -> None:
        self._defined: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._called: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for item in sorted(facts, key=lambda item: item.path):
            if item.section in _NAMED:
                for name in item.defines:
                    _put(self._defined, name, item.path)
                stem = stem_of(item.path)
                if stem.lower() not in _COMMON_STEMS:
                    _put(self._called, stem, item.path)

    def find(self, label: str) -> NamedFile | None:
        """Return the one file that a label names; None when there is none, or several."""
        if len(label.split()) > _LABEL_WORDS:
            return None
        for words in _readings(label):
            for held in (self._defined, self._called):
                found = held.get(plain(words), {})
                if len(found) == 1:
                    return NamedFile(*next(iter(found.items())))
        return None


def _put(held: defaultdict[str, dict[str, str]], name: str, path: str) -> None:
    if _is_sought(plain(name)):
        held[plain(name)].setdefault(path, name)


def _is_sought(word: str) -> bool:
    return len(word) >= _SOUGHT_CHARACTERS and word not in _PSEUDO


def _readings(label: str) -> Iterator[str]:
    """Yield the label, then what it says without call marks, ending, member or stereotype."""
    yield label
    called = re.sub(r"\(.*|<.*", "", label).strip()
    yield called
    if re.search(r"\.\w{1,5}$", called):
        yield stem_of(called)
    container, mark, _ = called.partition("." if "." in called else "::")
    if mark:
        yield container


def plain(name: str) -> str:
    """Return a name without case and marks: `order_service` and `Order Service` are one."""
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def stem_of(path: str) -> str:
    """Return a file's name up to its first dot behind the first character."""
    name = posixpath.basename(path)
    return name[:1] + name[1:].partition(".")[0]


def link_target(source: str, link: str, paths: SelectedPaths) -> str | None:
    """Return the selected file that a document's link leads to."""
    bases = [link.lstrip("/")] if link.startswith("/") else [_seen_from(source, link), link]
    stems = [re.sub(r"\.(?:html?|md)$", "", base) for base in bases]
    for base in bases:
        if (found := paths.at(base, _DOCUMENTS)) is not None:
            return _other(found, source)
    for stem in stems:
        if (found := paths.at(stem, _DOCUMENTS[:3])) is not None:
            return _other(found, source)
    return _other(_by_ending(source, link, paths), source)


def _by_ending(source: str, link: str, paths: SelectedPaths) -> str | None:
    tail = posixpath.normpath(link).lstrip("./")
    if "/" in tail:
        return paths.ending_with(tail, source)
    found = None if stem_of(tail).lower() in _NAMELESS else paths.named(tail)
    return None if found is None or traits_of(found) & TEST else found


def _seen_from(source: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def _other(found: str | None, source: str) -> str | None:
    return None if found == source else found


def known_labels(
    relations: Sequence[tuple[str, str]], files: NamedFiles
) -> tuple[tuple[str, str], ...]:
    """Return pairs with every label spelled as the file does, and empty where it names none."""
    pairs = {(_spelled(left, files), _spelled(right, files)) for left, right in relations}
    return tuple(sorted(pair for pair in pairs if any(pair)))


def _spelled(label: str, files: NamedFiles) -> str:
    found = files.find(label) if label else None
    return found.name if found else ""

"""What relates a selected file to others: names in its text, and which of them may be told."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.sanitise import sanitise_line
from ggrep.model.slate import FileFacts, Section
from ggrep.search.slate.import_targets import import_targets
from ggrep.search.slate.interface_names import (
    packages_asked,
    packages_imported,
    packages_provided,
    types_provided,
    types_used,
)
from ggrep.search.slate.selected_files import (
    NamedFiles,
    SelectedPaths,
    known_labels,
    link_target,
    stem_of,
)
from ggrep.search.slate.source_text import BareText, bare_text, listed_imports, text_imports
from ggrep.search.slate.text_names import (
    keys_in,
    links_in,
    named_words,
    relations_in,
    variables_set,
)

MOST_NAME_CHARACTERS: Final = 120
MOST_DEFINES: Final = 160
MOST_INTERFACES: Final = 200
MOST_TEXT_CHARACTERS: Final = 65_536
"""Of one text that is looked at."""

_IDENTIFIER: Final = re.compile(r"[\w$@.\\:#/?!-]{2,120}")
_IDENTIFIERS: Final = re.compile(rf"(?:{_IDENTIFIER.pattern}\n)*+")
_DETOUR: Final = re.compile(r"[^/.][^/]*/\.\.(?:/|$)")
"""A directory that a path enters and leaves: any word could stand there."""

_DOCUMENTS: Final = frozenset({Section.DOCS, Section.DIAGRAMS})


class SelectedText(Struct, frozen=True):
    """What a slate holds of one file.

    Attributes:
        anchor_extra: what its anchor lists as imported and defined.
        names: that its chunks define.
        texts: of its anchor and its evidence.
        extras: the sentences of its diagrams.
    """

    path: str
    section: Section
    language: str
    anchor_extra: str = ""
    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()


def facts_of(selected: SelectedText, *, interfaces: bool = True) -> FileFacts:
    """Return the names in a file, each list sorted and bounded; they do not leave as they are.

    `published` says which of them do. Without `interfaces` nobody joins
    repositories, and what the file provides and needs is not looked for.
    """
    texts = [text[:MOST_TEXT_CHARACTERS] for text in selected.texts]
    bare = [bare_text(text, selected.language) for text in texts]
    document = selected.section in _DOCUMENTS
    outward = interfaces and not document
    imports = _names(_imports(selected, bare))
    return FileFacts(
        path=selected.path,
        section=selected.section,
        language=selected.language,
        imports=imports,
        defines=() if document else _names(_defined(selected), MOST_DEFINES),
        links=_names(link for text in texts for link in links_in(text, selected.language))
        if document
        else (),
        relations=_relations(selected.extras),
        keys=_names(_keys(selected, bare)),
        mentions=_names(named_words(_words_of(selected, texts, bare), selected.section), 400),
        provides=_interfaces(_provided(selected, bare)) if outward else (),
        needs=_interfaces(_needed(selected, bare, imports)) if outward else (),
    )


def _words_of(
    selected: SelectedText, texts: Sequence[str], bare: Sequence[BareText]
) -> Sequence[BareText]:
    """Documents quote names in marks that source texts have for literals."""
    if selected.section in _DOCUMENTS:
        return [BareText("", text, ()) for text in texts]
    return bare


def _imports(selected: SelectedText, bare: Sequence[BareText]) -> Iterable[str]:
    yield from listed_imports(selected.anchor_extra)
    for part in bare:
        yield from text_imports(part.uncommented, selected.language)


def _defined(selected: SelectedText) -> Iterable[str]:
    for line in selected.anchor_extra.splitlines():
        if line.startswith("Defines: "):
            yield from _identifiers(line.removeprefix("Defines: ").split(", "))
    yield from _identifiers(selected.names)


def _identifiers(names: Sequence[str]) -> Iterable[str]:
    every = _IDENTIFIERS.fullmatch("\n".join((*names, "")))  # one by one takes its time
    return names if every else filter(_IDENTIFIER.fullmatch, names)


def _keys(selected: SelectedText, bare: Sequence[BareText]) -> Iterable[str]:
    if selected.section is not Section.CONFIG:
        return
    for part in bare:
        yield from keys_in(part.uncommented, selected.language)
        yield from variables_set(part.uncommented)


def _provided(selected: SelectedText, bare: Sequence[BareText]) -> Iterable[tuple[str, str]]:
    language = selected.language
    for text in (part.uncommented for part in bare):
        yield from (("package", name) for name in packages_provided(selected.path, text))
        if selected.section is not Section.TESTS:
            yield from (("type", name) for name in types_provided(text, language))


def _needed(
    selected: SelectedText, bare: Sequence[BareText], imports: Sequence[str]
) -> Iterable[tuple[str, str]]:
    language = selected.language
    yield from (("package", name) for name in packages_imported(imports, language))
    for text in (part.uncommented for part in bare):
        yield from (("package", name) for name in packages_asked(selected.path, text))
        if selected.section is not Section.TESTS:
            yield from (("type", name) for name in types_used(text, language))


def _relations(extras: Iterable[str]) -> tuple[tuple[str, str], ...]:
    pairs = relations_in(extras)
    return tuple((sanitise_line(left), sanitise_line(right)) for left, right in pairs)


def _names(words: Iterable[str], most: int = 200) -> tuple[str, ...]:
    """Return the first `most` words that are short and clean, sorted, each once."""
    distinct = list(dict.fromkeys(words))
    joined, lengths = "".join(distinct), {1, *map(len, distinct)}  # one by one takes its time
    fit = 0 not in lengths and max(lengths) <= MOST_NAME_CHARACTERS
    if not (fit and joined.isascii() and joined.isprintable() and "/.." not in joined):
        distinct = [word for word in distinct if _is_clean(word)]
    return tuple(sorted(distinct[:most]))


def _interfaces(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted({pair for pair in pairs if _is_clean(pair[1])})[:MOST_INTERFACES])


def _is_clean(word: str) -> bool:
    """Say whether a name is short, of one line, and says nothing that its meaning drops."""
    fits = 0 < len(word) <= MOST_NAME_CHARACTERS
    clean = (word.isascii() and word.isprintable()) or sanitise_line(word) == word
    return fits and clean and _DETOUR.search(word) is None


def published(facts: Sequence[FileFacts]) -> tuple[FileFacts, ...]:
    """Return what of each file's facts joins it with another of the files.

    Words of strings, comments, prose and diagrams stay behind, for nothing else is called so. Names
    of packages and types that the files provide or need are kept: they join repositories.
    """
    joins = _Joins(facts)
    return tuple(joins.published(item) for item in facts)


class _Joins:
    """By name, which files say it: one path, or empty for several."""

    def __init__(self, facts: Sequence[FileFacts]) -> None:
        self._paths = SelectedPaths(item.path for item in facts)
        self._files = NamedFiles(facts)
        self._called = _holders((item.path, _called(item)) for item in facts)
        self._said = _holders((item.path, _said(item, self._files)) for item in facts)

    def published(self, item: FileFacts) -> FileFacts:
        path = item.path
        keys = (
            key for key in item.keys if any(_elsewhere(self._said, n, path) for n in _read(key))
        )
        return replace(
            item,
            imports=tuple(n for n in item.imports if import_targets(item, n, self._paths)),
            defines=tuple(n for n in item.defines if _elsewhere(self._said, n, path)),
            links=tuple(n for n in item.links if link_target(path, n, self._paths)),
            relations=known_labels(item.relations, self._files),
            keys=tuple(keys),
            mentions=tuple(n for n in item.mentions if _elsewhere(self._called, n, path)),
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

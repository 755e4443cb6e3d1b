"""The facts of a selected file: names that may relate it to others."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ggrep.model.sanitise import sanitise_line
from ggrep.model.slate import FileFacts, Section
from ggrep.search.slate.bare_text import BareText, bare_text
from ggrep.search.slate.config_keys import keys_in, variables_read, variables_set
from ggrep.search.slate.document_links import links_in
from ggrep.search.slate.import_lines import listed_imports, text_imports
from ggrep.search.slate.named_words import named_words
from ggrep.search.slate.package_names import packages_asked, packages_imported, packages_provided
from ggrep.search.slate.relations import relations_in
from ggrep.search.slate.route_names import routes_called, routes_declared
from ggrep.search.slate.service_names import (
    services_provided,
    services_used,
    types_provided,
    types_used,
)

MOST_NAME_CHARACTERS: Final = 120
MOST_DEFINES: Final = 160
MOST_INTERFACES: Final = 200
MOST_TEXT_CHARACTERS: Final = 65_536
"""Of one text that is looked at."""

_IDENTIFIER: Final = re.compile(r"[\w$@.\\:#/?!-]{2,120}")
_DETOUR: Final = re.compile(r"[^/.][^/]*/\.\.(?:/|$)")
"""A directory that a path enters and leaves: any word could stand there."""

_DOCUMENTS: Final = frozenset({Section.DOCS, Section.DIAGRAMS})


@dataclass(frozen=True, slots=True)
class SelectedText:
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

    `ggrep.search.slate.published_facts` says which of them do. Without `interfaces` nobody joins
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
            yield from filter(_IDENTIFIER.fullmatch, line.removeprefix("Defines: ").split(", "))
    yield from filter(_IDENTIFIER.fullmatch, selected.names)


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
        if selected.section is Section.CONFIG:
            yield from (("environment", name) for name in variables_set(text))
        if selected.section is not Section.TESTS:
            yield from (("route", name) for name in routes_declared(text))
            yield from (("rpc", name) for name in services_provided(text, language))
            yield from (("type", name) for name in types_provided(text, language))


def _needed(
    selected: SelectedText, bare: Sequence[BareText], imports: Sequence[str]
) -> Iterable[tuple[str, str]]:
    language = selected.language
    yield from (("package", name) for name in packages_imported(imports, language))
    for text in (part.uncommented for part in bare):
        yield from (("package", name) for name in packages_asked(selected.path, text))
        if selected.section is not Section.TESTS:
            yield from (("environment", name) for name in variables_read(text, language))
            yield from (("route", name) for name in routes_called(text))
            yield from (("rpc", name) for name in services_used(text, language))
            yield from (("type", name) for name in types_used(text, language))


def _relations(extras: Iterable[str]) -> tuple[tuple[str, str], ...]:
    pairs = relations_in(extras)
    return tuple((sanitise_line(left), sanitise_line(right)) for left, right in pairs)


def _names(words: Iterable[str], most: int = 200) -> tuple[str, ...]:
    """Return the first `most` words that are short and clean, sorted, each once."""
    distinct = list(dict.fromkeys(words))
    joined = "".join(distinct)
    if not (joined.isascii() and joined.isprintable() and "/.." not in joined):
        distinct = [word for word in distinct if _is_clean(word)]  # one by one takes its time
    short = [word for word in distinct if 0 < len(word) <= MOST_NAME_CHARACTERS]
    return tuple(sorted(short[:most]))


def _interfaces(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted({pair for pair in pairs if _is_clean(pair[1])})[:MOST_INTERFACES])


def _is_clean(word: str) -> bool:
    """Say whether a name is short, of one line, and says nothing that its meaning drops."""
    fits = 0 < len(word) <= MOST_NAME_CHARACTERS
    clean = (word.isascii() and word.isprintable()) or sanitise_line(word) == word
    return fits and clean and _DETOUR.search(word) is None

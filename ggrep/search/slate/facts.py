"""Names in the selected text of a file that relate it to other files; never its lines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct

from ggrep.model.sanitise import sanitise_line
from ggrep.model.slate import FileFacts, Section
from ggrep.search.reading.bare_text import bare_text
from ggrep.search.slate.interface_names import (
    packages_asked,
    packages_imported,
    packages_provided,
    types_provided,
    types_used,
)
from ggrep.search.slate.source_text import listed_imports, text_imports
from ggrep.search.slate.text_names import keys_in, links_in, relations_in

MOST_NAME_CHARACTERS: Final = 120
MOST_NAMES: Final = 200
MOST_MENTIONS: Final = 400
MOST_TEXT_CHARACTERS: Final = 65_536
"""Of one text that is looked at."""

_DEFINED: Final = re.compile(r"[\w$@.\\:#/?!-]{2,120}")
_WORD: Final = re.compile(r"[A-Za-z_]\w{3,79}")
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

    Without `interfaces` the packages and types that join repositories are not looked for.
    """
    texts = [text[:MOST_TEXT_CHARACTERS] for text in selected.texts]
    language, section = selected.language, selected.section
    bare = [bare_text(text, language).uncommented for text in texts]
    is_document, is_config = section in _DOCUMENTS, section is Section.CONFIG
    listed = chain(*(text_imports(text, language) for text in bare))
    imports = _names(chain(listed_imports(selected.anchor_extra), listed))
    links = chain(*(links_in(text, language) for text in texts)) if is_document else ()
    words = (match for text in bare for match in _WORD.findall(text))
    outward = interfaces and not is_document
    return FileFacts(
        path=selected.path,
        section=section,
        language=language,
        imports=imports,
        defines=() if is_document else _names(filter(_DEFINED.fullmatch, _defined(selected))),
        links=_names(links),
        relations=tuple(
            (sanitise_line(left), sanitise_line(right))
            for left, right in relations_in(selected.extras)
        ),
        keys=_names(chain(*map(keys_in, bare))) if is_config else (),
        mentions=() if is_document or is_config else _names(words, MOST_MENTIONS),
        provides=_interfaces(_provided(selected, bare)) if outward else (),
        needs=_interfaces(_needed(selected, bare, imports)) if outward else (),
    )


def published(facts: Iterable[FileFacts]) -> tuple[FileFacts, ...]:
    """Return the facts that join repositories: no word of strings, comments or prose is left."""
    return tuple(
        FileFacts(each.path, each.section, each.language, provides=each.provides, needs=each.needs)
        for each in facts
    )


def _defined(selected: SelectedText) -> Iterator[str]:
    for line in selected.anchor_extra.splitlines():
        if line.startswith("Defines: "):
            yield from line.removeprefix("Defines: ").split(", ")
    yield from selected.names


def _provided(selected: SelectedText, bare: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in bare:
        yield from (("package", name) for name in packages_provided(selected.path, text))
        if selected.section is not Section.TESTS:
            yield from (("type", name) for name in types_provided(text, selected.language))


def _needed(
    selected: SelectedText, bare: Sequence[str], imports: Sequence[str]
) -> Iterator[tuple[str, str]]:
    yield from (("package", name) for name in packages_imported(imports, selected.language))
    for text in bare:
        yield from (("package", name) for name in packages_asked(selected.path, text))
        if selected.section is not Section.TESTS:
            yield from (("type", name) for name in types_used(text, selected.language))


def _names(words: Iterable[str], most: int = MOST_NAMES) -> tuple[str, ...]:
    """Return the first `most` words that are short and clean, sorted, each once."""
    distinct = sorted(set(words))
    joined = "".join(distinct)  # one by one takes its time
    if not (joined.isascii() and joined.isprintable() and "/.." not in joined):
        distinct = list(filter(_is_clean, distinct))
    return tuple([name for name in distinct if 0 < len(name) <= MOST_NAME_CHARACTERS][:most])


def _interfaces(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted({pair for pair in pairs if _is_clean(pair[1])})[:MOST_NAMES])


def _is_clean(word: str) -> bool:
    """Return whether a name is short, of one line and leaves no directory that it enters."""
    fits = 0 < len(word) <= MOST_NAME_CHARACTERS
    clean = (word.isascii() and word.isprintable()) or sanitise_line(word) == word
    return fits and clean and not re.search(r"[^/.][^/]*/\.\.(?:/|$)", word)

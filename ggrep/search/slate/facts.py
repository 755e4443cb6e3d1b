"""Collects names in the selected text of a file that can relate the file to other files."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from msgspec.structs import replace

from ggrep.model.sanitise import sanitise_line
from ggrep.model.slate import FileFacts, Section
from ggrep.model.slate_material import PackMaterial
from ggrep.search.reading.bare_text import bare_text
from ggrep.search.slate.interface_names import (
    packages_asked,
    packages_imported,
    packages_provided,
    types_provided,
    types_used,
)
from ggrep.search.slate.source_text import listed_imports, text_imports

MOST_NAME_CHARACTERS: Final = 120
MOST_NAMES: Final = 200
MOST_TEXT_CHARACTERS: Final = 65_536
"""Maximum number of characters of one text that are read."""

_DEFINED: Final = re.compile(r"[\w$@.\\:#/?!-]{2,120}")
_WORD: Final = re.compile(r"[A-Za-z_]\w{3,79}")
_DOCUMENTS: Final = frozenset({Section.DOCS, Section.DIAGRAMS})


def facts_of(material: PackMaterial, *, interfaces: bool = True) -> FileFacts:
    """Return the names in a file's header chunk and evidence, even if no line of them is shown.

    Without `interfaces`, packages and types that can relate repositories are omitted.
    """
    file, anchor = material.pick.candidate, material.anchor
    pieces = (*((anchor,) if anchor else ()), *material.evidence)
    texts = [piece.text[:MOST_TEXT_CHARACTERS] for piece in pieces]
    listed = anchor.extra if anchor else ""
    language, section = file.language, file.section
    bare = [bare_text(text, language).uncommented for text in texts]
    is_document, is_config = section in _DOCUMENTS, section is Section.CONFIG
    imports = _names(
        chain(listed_imports(listed), *(text_imports(text, language) for text in bare))
    )
    defined = chain(_listed_definitions(listed), *(piece.names for piece in pieces))
    links = chain(*(links_in(text, language) for text in texts)) if is_document else ()
    facts = FileFacts(
        path=file.path,
        section=section,
        language=language,
        imports=imports,
        defines=() if is_document else _names(filter(_DEFINED.fullmatch, defined)),
        links=_names(links),
        relations=tuple(relations_in(piece.extra for piece in material.evidence)),
        keys=_names(chain(*map(_KEY.findall, bare))) if is_config else (),
        mentions=frozenset(() if is_document or is_config else chain(*map(_WORD.findall, bare))),
    )
    return _with_interfaces(facts, bare) if interfaces and not is_document else facts


def published(facts: Iterable[FileFacts]) -> tuple[FileFacts, ...]:
    """Return only the packages and types that can relate repositories."""
    return tuple(
        FileFacts(each.path, each.section, each.language, provides=each.provides, needs=each.needs)
        for each in facts
    )


def _with_interfaces(facts: FileFacts, texts: Sequence[str]) -> FileFacts:
    """Return the facts, with the packages and types that the file provides and needs."""
    path, language = facts.path, facts.language
    provides, needs = set[tuple[str, str]](), set[tuple[str, str]]()
    needs |= {("package", name) for name in packages_imported(facts.imports, language)}
    for text in texts:
        provides |= {("package", name) for name in packages_provided(path, text)}
        needs |= {("package", name) for name in packages_asked(path, text)}
        if facts.section is not Section.TESTS:
            provides |= {("type", name) for name in types_provided(text, language)}
            needs |= {("type", name) for name in types_used(text, language)}
    offered, wanted = (tuple(sorted(names)[:MOST_NAMES]) for names in (provides, needs))
    return replace(facts, provides=offered, needs=wanted)


def _listed_definitions(extra: str) -> Iterator[str]:
    for line in extra.splitlines():
        if line.startswith("Defines: "):
            yield from line.removeprefix("Defines: ").split(", ")


def _names(words: Iterable[str]) -> tuple[str, ...]:
    """Return the first MOST_NAMES distinct words in sorted order.

    Words that are too long, or are not clean (see `_is_clean`), are omitted.
    """
    distinct = sorted(set(words))
    joined = "".join(distinct)  # checking each word would be slow
    if not (joined.isascii() and joined.isprintable() and "/.." not in joined):
        distinct = list(filter(_is_clean, distinct))
    return tuple([name for name in distinct if 0 < len(name) <= MOST_NAME_CHARACTERS][:MOST_NAMES])


def _is_clean(word: str) -> bool:
    """Return whether a name can be printed on one line and does not contain `directory/..`."""
    clean = (word.isascii() and word.isprintable()) or sanitise_line(word) == word
    return clean and not re.search(r"[^/.][^/]*/\.\.(?:/|$)", word)


_KEY: Final = re.compile(
    r"(?:^[ \t]*(?:-[ \t]+)?(?:export[ \t]+|set[ \t]+|ENV[ \t]+|ARG[ \t]+|const[ \t]+)*|[{,][ \t]*)"
    r"[\"']?([A-Za-z_][\w./-]{0,79})[\"']?[ \t]*(?::[ \t]*\w{1,40}[ \t]*)?(?:=(?!=)|:(?:[ \t]|$))",
    re.MULTILINE,
)
"""A configuration key."""

_LINKS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"\]\([ \t]*<?([^()\s<>]{1,200})",
        r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]*<?([^\s<>]{1,200})",
        r"""\b(?:href|src)[ \t]*=[ \t]*["']([^"'\s]{1,200})["']""",
        r"`{1,2}([\w@.][\w./@+-]{2,150}\.\w{1,12})(?::\d{1,7})?`{1,2}",
    )
)
_RST: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^[ \t]*\.\. (?:include|literalinclude|image|figure)::[ \t]+([^\s]{1,200})",
        r"`(?:[^`<\n]{0,200}<)?([^`<>\s]{1,200})>?`",
        r"^[ \t]+(?:[^:<\n]{1,80}<)?([\w./-]{1,200})>?[ \t]*$",
    )
)
_ASCIIDOC: Final = (re.compile(r"\b(?:include|image|xref|link):{1,2}([^\[\s]{1,200})\["),)
_BY_LANGUAGE: Final = {"rst": _RST, "asciidoc": _ASCIIDOC}
_EXTERNAL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|#|\?|\{\{|\$")
_TARGET: Final = re.compile(r"[\w@ .+~/%-]{1,120}")


def links_in(text: str, language: str) -> Iterator[str]:
    """Yield targets of links to local files, without fragments and queries."""
    for pattern in (*_LINKS, *_BY_LANGUAGE.get(language, ())):
        for target in pattern.findall(text):
            path = re.split(r"[#?]", target, maxsplit=1)[0].replace("%20", " ")
            if not _EXTERNAL.match(target) and _TARGET.fullmatch(path) and path.strip("./ "):
                yield path


MOST_RELATIONS: Final = 96
_LABELLED: Final = re.compile(r"(.{1,120}?) -\[[^\n]{0,200}?\]-> (.{1,120})")
_PLAIN: Final = re.compile(r"(.{1,120}?) -> (.{1,120})")
_LINKED: Final = re.compile(r"(.{1,120}?) links to (.{1,120})")


def relations_in(extras: Iterable[str]) -> list[tuple[str, str]]:
    """Return sorted pairs of labels that diagrams connect, without the texts on the arrows."""
    pairs = {pair for extra in extras for line in extra.splitlines() for pair in _pair(line)}
    return sorted(pairs)[:MOST_RELATIONS]


def _pair(line: str) -> Iterator[tuple[str, str]]:
    if line.startswith(("File: ", "Imports: ", "Defines: ", "group ", "step ", "if ")):
        return
    match = (
        _LABELLED.fullmatch(line)
        or _PLAIN.fullmatch(line.split(": ", maxsplit=1)[0])
        or _LINKED.fullmatch(line)
    )
    if match is not None:
        yield (sanitise_line(" ".join(match[1].split())), sanitise_line(" ".join(match[2].split())))

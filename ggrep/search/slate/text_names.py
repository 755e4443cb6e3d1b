"""Names that a text holds: keys of configuration, links of documents, labels of diagrams."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

_KEY: Final = re.compile(
    r"(?:^[ \t]*(?:-[ \t]+)?(?:export[ \t]+|set[ \t]+|ENV[ \t]+|ARG[ \t]+|const[ \t]+)*|[{,][ \t]*)"
    r"[\"']?([A-Za-z_][\w./-]{0,79})[\"']?[ \t]*(?::[ \t]*\w{1,40}[ \t]*)?(?:=(?!=)|:(?:[ \t]|$))",
    re.MULTILINE,
)


def keys_in(text: str) -> list[str]:
    """Return the configuration keys of a text as written."""
    return _KEY.findall(text)


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
    """Yield targets as written, without fragment and query; external ones are left out."""
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
    """Return pairs of labels, sorted; a label is one line and holds no message."""
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
        yield " ".join(match[1].split()), " ".join(match[2].split())

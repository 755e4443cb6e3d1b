"""The targets of documents inside their repository: links, includes, paths in code spans."""

import re
from collections.abc import Iterator
from typing import Final

MOST_LINKS: Final = 120

_MARKDOWN: Final = re.compile(r"\]\([ \t]*<?([^()\s<>]{1,200})>?(?:[ \t]+[\"'(][^\n]{0,200})?\)")
_REFERENCE: Final = re.compile(
    r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]*<?([^\s<>]{1,200})>?", re.MULTILINE
)
_HTML: Final = re.compile(r"""\b(?:href|src)[ \t]*=[ \t]*["']([^"'\s]{1,200})["']""")
_RST: Final = re.compile(
    r"^[ \t]*\.\. (?:include|literalinclude|image|figure|csv-table|graphviz|uml|mermaid)::"
    r"[ \t]+([^\s]{1,200})",
    re.MULTILINE,
)
_RST_ROLE: Final = re.compile(r":(?:doc|download|file):`(?:[^`<\n]{0,200}<)?([^`<>\s]{1,200})>?`")
_RST_LINK: Final = re.compile(r"`[^`<\n]{1,200}<([^`<>\s]{1,200})>`__?")
_TOCTREE: Final = re.compile(
    r"^([ \t]*)\.\. toctree::[^\n]*\n((?:\1[ \t]+[^\n]*\n|[ \t]*\n){1,80})", re.MULTILINE
)
_ENTRY: Final = re.compile(r"^[ \t]+(?:[^:<\n]{1,80}<)?([\w./-]{1,200})>?[ \t]*$", re.MULTILINE)
_ASCIIDOC: Final = re.compile(r"\b(?:include|image|xref|link):{1,2}([^\[\s]{1,200})\[")
_SPAN: Final = re.compile(r"`{1,2}([\w@.][\w./@+-]{2,150}\.\w{1,12})(?::\d{1,7})?`{1,2}")
_EXTERNAL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|#|\?|\{\{|\$")
_TARGET: Final = re.compile(r"[\w@ .+~/%-]{1,120}")
_BY_LANGUAGE: Final = {
    "markdown": (_MARKDOWN, _REFERENCE, _HTML, _SPAN),
    "rst": (_RST, _RST_ROLE, _RST_LINK, _SPAN),
    "asciidoc": (_ASCIIDOC, _SPAN),
    "html": (_HTML,),
}


def links_in(text: str, language: str) -> list[str]:
    """Return targets as written, without fragment and query; external ones are left out."""
    targets = (_plain(target) for target in _found(text, language))
    return list(dict.fromkeys(target for target in targets if target))[:MOST_LINKS]


def _found(text: str, language: str) -> Iterator[str]:
    for pattern in _BY_LANGUAGE.get(language, (_SPAN,)):
        yield from pattern.findall(text)
    if language == "rst":
        for _, body in _TOCTREE.findall(text):
            yield from _ENTRY.findall(body)


def _plain(target: str) -> str:
    """Return the path in a target; empty when it leads out of the repository or is no path."""
    if _EXTERNAL.match(target):
        return ""
    path = re.split(r"[#?]", target, maxsplit=1)[0].replace("%20", " ")
    return path if _TARGET.fullmatch(path) and path.strip("./ ") else ""

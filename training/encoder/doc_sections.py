"""Questions that a section of a document answers, taken from its headings or first sentence."""

import re
from typing import Final

from ggrep.model.files import Chunk
from training.encoder.phrases import clipped, is_phrase, plain, sentences, words_of

MIN_SECTION_WORDS: Final = 15

_SKIPPED_FILE: Final = re.compile(
    r"licen[sc]e|copying|notice|change|history|news\b|contribut|conduct|authors|security|release"
    r"|credits|maintainers|governance|todo|roadmap|migrat|upgrad",
    re.IGNORECASE,
)
_SKIPPED_HEADING: Final = re.compile(
    r"licen[sc]e|copyright|change ?log|release notes|contribut|credits|authors?\b|sponsor|backers"
    r"|table of contents|^contents$|^(?:version )?v?\d+\.\d+|code of conduct|maintainers"
    r"|thanks|acknowledg|donat|people|history|badges|companies|who uses|who is using|\bstats$"
    r"|\bstars\b|^\[",
    re.IGNORECASE,
)
_STOCK_WORDS: Final = """
    install installation installing usage use example examples features introduction overview
    api getting started quickstart quick start documentation docs requirements support
    description about notes note options configuration reference tutorial why basic simple faq
    guide readme testing tests development building build setup see also more other links
    methods properties parameters arguments returns return syntax summary background motivation
    how to status
"""
_STOCK: Final = frozenset(_STOCK_WORDS.split())
_RULE: Final = re.compile(r"^[\s=\-~^*+#\"'`.:_]*$")


def is_read(path_key: str) -> bool:
    """Return whether the document's sections may answer questions about the code."""
    return _SKIPPED_FILE.search(path_key.rpartition("/")[2]) is None


def section_pair(chunk: Chunk) -> tuple[str, str] | None:
    """Return a question and the text that answers it, or None."""
    headings = [plain(each) for each in (*chunk.breadcrumb, chunk.name)]
    if not chunk.name or any(map(_SKIPPED_HEADING.search, headings)):
        return None
    body = _body(chunk)
    query = _heading_query(headings)
    if not query:
        query, body = _opening(body)
    if not query or len(words_of(plain(body))) < MIN_SECTION_WORDS:
        return None
    return clipped(query), body


def _heading_query(headings: list[str]) -> str:
    """Return the heading behind its parents when it tells more than where one is."""
    own = [word for word in words_of(headings[-1]) if word.lower() not in _STOCK]
    if not own:
        return ""
    parts = [*headings[-3:-1], headings[-1]] if len(headings) > 1 else headings
    seen: dict[str, None] = dict.fromkeys(word for part in parts for word in part.split())
    query = " ".join(seen).strip()
    return query if is_phrase(query, 2) else ""


def _opening(body: str) -> tuple[str, str]:
    """Return the first sentence of a section and what is left of it."""
    for paragraph in re.split(r"\n\s*\n", body):
        said = plain(paragraph)
        if said and not paragraph.lstrip().startswith(
            ("```", "~~~", "|", "    ", "\t", "..", ">>>")
        ):
            first, _ = sentences(said)
            if not is_phrase(first, 5):
                return "", body
            rest = sentences(paragraph)[1]
            return first, body.replace(paragraph, rest, 1)
    return "", body


def _body(chunk: Chunk) -> str:
    """Return the section's text behind its heading."""
    lines = chunk.text.split("\n")
    while lines and (_RULE.match(lines[0]) or _is_heading(lines[0], chunk.name)):
        del lines[0]
    return "\n".join(lines).strip()


def _is_heading(line: str, name: str) -> bool:
    return line.startswith("#") or plain(line) == plain(name)

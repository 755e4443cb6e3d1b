"""Finds scripts in pages and components: `<script>` elements, Astro's opening block."""

import re
from collections.abc import Iterator
from itertools import islice
from types import MappingProxyType
from typing import Final

from msgspec import Struct

MAX_SCRIPTS: Final = 1_000
"""Maximum number of scripts of one file that are read; later scripts count as text."""

_OPENING: Final = re.compile(
    rb"<!--(?:[^-]|-(?!->))*+(?:-->)?"
    rb"|<script\b(?P<rest>(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+)>",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(rb"</script\s*>", re.IGNORECASE)
_KIND: Final = re.compile(rb"\b(?:lang|type)\s*=\s*[\"']?([\w./+-]+)", re.IGNORECASE)
_LANGUAGES: Final = MappingProxyType(
    {
        "application/ecmascript": "javascript",
        "application/javascript": "javascript",
        "application/typescript": "typescript",
        "application/x-javascript": "javascript",
        "babel": "javascript",
        "javascript": "javascript",
        "js": "javascript",
        "jsx": "javascript",
        "module": "javascript",
        "text/babel": "javascript",
        "text/ecmascript": "javascript",
        "text/javascript": "javascript",
        "text/jsx": "javascript",
        "text/typescript": "typescript",
        "ts": "typescript",
        "tsx": "tsx",
        "typescript": "typescript",
    }
)
_FENCE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*---[ \t]*\r?\n")
_FENCE_END: Final = re.compile(rb"^---[ \t]*\r?$", re.MULTILINE)


class Script(Struct, frozen=True):
    """A script in a page or component.

    Attributes:
        start: byte offset of the script's code.
        outer_start: byte offset of the element that contains the code, such as its tag.
    """

    language: str
    start: int
    end: int
    outer_start: int
    outer_end: int


def scripts_of(language: str, data: bytes) -> list[Script]:
    """Return the first scripts that are not blank, in order; takes linear time."""
    return list(islice(_scripts(language, data), MAX_SCRIPTS))


def _scripts(language: str, data: bytes) -> Iterator[Script]:
    position = 0
    fence = _FENCE.match(data) if language == "astro" else None
    closing = _FENCE_END.search(data, fence.end()) if fence else None
    if fence is not None and closing is not None:
        position = closing.end()
        if data[fence.end() : closing.start()].strip():
            yield Script("typescript", fence.end(), closing.start(), fence.start(), position)
    while True:
        tag = _OPENING.search(data, position)
        if tag is None:
            return
        position = tag.end()
        if tag["rest"] is None or tag["rest"].endswith(b"/"):
            continue
        closing = _CLOSING.search(data, position)
        end, position = (len(data),) * 2 if closing is None else closing.span()
        spoken = _spoken(language, tag["rest"])
        if spoken and data[tag.end() : end].strip():
            yield Script(spoken, tag.end(), end, tag.start(), position)


def _spoken(language: str, attributes: bytes) -> str:
    """Return the language that a script element declares; empty for templates and data."""
    kinds = [kind.decode().lower() for kind in _KIND.findall(attributes)]
    if not kinds:
        return "typescript" if language == "astro" else "javascript"
    known = [_LANGUAGES.get(kind, "") for kind in kinds]
    return next((name for name in reversed(known) if name != "javascript"), known[-1])

"""What code says when something goes wrong: the texts of its errors and log lines."""

import re
from typing import Final

from msgspec import Struct

from training.encoder.phrases import is_phrase, plain

_CALL: Final = re.compile(
    r"\b(?:raise|throw|panic\w*|[Ff]atal\w*|die|abort|bail|fail\w*|warn\w*|assert\w*|ensure\w*"
    r"|unreachable|expect|perror|invariant|\w*[Ee]rror\w*|\w*ERR\w*|\w*Exception"
    r"|\w*[Ll]og(?:ger)?(?:\.|->|::)\w+|LOG\w*|info|debug)\b"
    r"(?=[!\s(.:])[^\"'`;\n{}]{0,60}(?:\n\s*)?[^\"'`;\n{}]{0,30}?[\s(,]"
    r"(?P<literal>[fFrRbBuL$@]{0,2}(?:\"(?:\\.|[^\"\\\n]){12,}\"|'(?:\\.|[^'\\\n]){12,}'"
    r"|`(?:\\.|[^`\\\n]){12,}`)"
    r"(?:[ \t]*(?:\+|\.\.|\.|\\|<>)?[ \t]*\n?[ \t]*(?:\+|\.\.|\.|<>)?[ \t]*[fFrRbBuL$@]{0,2}"
    r"(?:\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'))*)"
)
_HOLES: Final = re.compile(
    r"\$\{[^{}]*\}|#\{[^{}]*\}|\{\{|\}\}|\{[^{}]*\}|\\\([^()]*\)"
    r"|%(?:\([^()]*\))?[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t|L)?[A-Za-z@]"
    r"|\\[nrt\"'\\]|\$\w+|:[a-z]\w*\b"
)
_SEAMS: Final = re.compile(r"[\"'`]\s*(?:\+|\.\.|\.|\\|<>)?\s*[fFrRbBuL$@]{0,2}[\"'`]")
_LEFTOVERS: Final = re.compile(r"[\"'()`]\s*[\"'()`]|\[\s*\]|\s[:=,;'\"]+(?=\s|$)")


class Message(Struct, frozen=True):
    """A message in a piece of source.

    Attributes:
        start: offset of its literal, in characters; `end` is exclusive.
        said: what it says, without what is filled in.
    """

    start: int
    end: int
    said: str


def message_in(text: str) -> Message | None:
    """Return the longest message that reads like a sentence."""
    found = [
        Message(match.start("literal"), match.end("literal"), _said(match["literal"]))
        for match in _CALL.finditer(text)
    ]
    spoken = [each for each in found if is_phrase(each.said, 4)]
    return max(spoken, key=lambda each: len(each.said), default=None)


def _said(literal: str) -> str:
    inner = literal.lstrip("fFrRbBuL$@")[1:-1]
    bare = _HOLES.sub(" ", _SEAMS.sub("", inner))
    return plain(_LEFTOVERS.sub(" ", bare))

"""A name as it is typed or pasted: `func run(x int)` asks for `run`."""

import re
from typing import Final

_KEYWORDS: Final = re.compile(
    r"(?:(?:abstract|async|class|const|def|enum|export|final|fn|fun|func|function|impl|interface|"
    r"let|macro|module|namespace|object|package|private|protected|protocol|pub|public|record|"
    r"static|struct|sub|trait|type|typedef|union|val|var)\s+)+"
    r"(?:\([^()]{0,200}\)\s*)?"
)
"""What declares a name, and the receiver of a method in Go."""

_NAME: Final = re.compile(r"[^\s(){}<;=,]+")


def declared_name(typed: str) -> str:
    """Return the name that the head of a definition declares; what is no head as it is."""
    typed = typed.strip()
    if not (head := _KEYWORDS.match(typed)):
        return typed
    name = _NAME.match(typed, head.end())
    return name.group().rstrip(":") if name else typed

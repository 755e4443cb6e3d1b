"""A name as it is typed or pasted: `func run(x int)` asks for `run`."""

import re
from typing import Final

from ggrep.base.scripts import nfc

_KEYWORDS: Final = re.compile(
    r"(?:(?:abstract|async|class|const|def|enum|export|final|fn|fun|func|function|impl|interface|"
    r"let|macro|module|namespace|object|package|private|protected|protocol|pub|public|record|"
    r"static|struct|sub|trait|type|typedef|union|val|var)\s+)+"
    r"(?:\([^()]{0,200}\)\s*)?"
)
"""What declares a name, and the receiver of a method in Go."""

_NAME: Final = re.compile(r"[^\s(){}<;=,]+")


_SEPARATORS: Final = re.compile(r"::|->|\\|[.#/]")
_ARITY: Final = re.compile(r"/\d+$")


def name_parts(typed: str) -> list[str]:
    """Return the parts of a name: `a.b`, `a::b`, `a#b` and `a/b` are `b` of `a`."""
    plain = _ARITY.sub("", declared_name(typed).removesuffix("()"))
    return [part for part in _SEPARATORS.split(plain) if part] or [plain]


def last_part(typed: str) -> str:
    """Return what is looked for of a name that may be qualified."""
    return name_parts(typed)[-1]


def declared_name(typed: str) -> str:
    """Return the name, in NFC, that the head of a definition declares; what is no head as it is."""
    typed = nfc(typed.strip())
    if not (head := _KEYWORDS.match(typed)):
        return typed
    name = _NAME.match(typed, head.end())
    return name.group().rstrip(":") if name else typed

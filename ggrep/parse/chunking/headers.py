"""Cleans signatures to one line, and documentation to prose without comment marks."""

import re
from typing import Final

MAX_SIGNATURE_CHARACTERS: Final = 240
MAX_DOC_CHARACTERS: Final = 1200

_MARKS: Final = re.compile(
    r"^[ \t]*(?:/\*+!?|\*+/|\*(?!\*)|//+!?|#+!?(?!\[)|--+ ?\|?|\{-+ ?\|?|;+|%+|'''|\"\"\")?[ \t]?",
    re.MULTILINE,
)
_RULES: Final = " \t\r-=*#~"
"""Characters that decorative lines in comments consist of."""
_CLOSING: Final = re.compile(r"(?:\*+/|-\}|\"\"\"|''')[ \t]*$", re.MULTILINE)
_SHEBANG: Final = re.compile(r"\A\ufeff?#![ \t]*/[^\n]*")
"""A line that names the interpreter of a script; it is not documentation."""
_QUOTE: Final = re.compile(r"\A[ \t]*[A-Za-z~@]{0,4}(?:\"\"\"|'''|\"|')")


def clean_signature(text: str) -> str:
    """Return the head of a definition on one line, without the opening of its body."""
    if not text:
        return ""
    line = " ".join(text[: 4 * MAX_SIGNATURE_CHARACTERS].split())
    return line[:MAX_SIGNATURE_CHARACTERS].rstrip(" {:=")


def clean_value(text: str, *, is_cut: bool = False) -> str:
    """Return a constant or a field with its value on one line; a cut value ends in `…`."""
    line = " ".join(text.split())
    if is_cut or len(line) > MAX_SIGNATURE_CHARACTERS:
        return line[:MAX_SIGNATURE_CHARACTERS].rstrip() + "…"
    return line.rstrip(" :=")


def clean_doc(text: str) -> str:
    """Return a comment or documentation string as prose; its lines are kept."""
    if not text:
        return ""
    text = _SHEBANG.sub("", text[: 2 * MAX_DOC_CHARACTERS])
    text = _CLOSING.sub("", _QUOTE.sub("", text))
    lines = (line.strip(_RULES) for line in _MARKS.sub("", text).split("\n"))
    return "\n".join(line for line in lines if line)[:MAX_DOC_CHARACTERS].strip(" \"'")

"""Rewrites Octave so that MATLAB's grammar, which parses both, reads it.

Comments that begin with `#` or `##`, `endfunction` and the like, `!`, `unwind_protect`, escaped
quotes and defaults of parameters are written as MATLAB has them. Every byte that is kept stays
where it is, and every line keeps its number.
"""

import re
from typing import Final

_TELLS: Final = re.compile(
    rb"^[ \t]*#|\bend(?:f|_|if|w|s)|\bunwind_protect\b|!=|![a-z(]", re.MULTILINE
)
_TOKEN: Final = re.compile(
    rb"(?P<skip>(?<![\w\])}'.])'[^'\n]{0,2000}'|%[^\n]*|\.\.\.[^\n]*)"
    rb"|(?P<text>\"(?:[^\"\\\n]|\\.){0,2000}\")"
    rb"|(?P<comment>#)[^\n]*"
    rb"|(?P<end>\bend(?:_try_catch|_unwind_protect|classdef|enumeration|events|for|function|if"
    rb"|methods|parfor|properties|switch|while)\b)"
    rb"|(?P<clean>\bunwind_protect_cleanup\b)|(?P<guard>\bunwind_protect\b)|(?P<no>!)"
)
_WORDS: Final = {"clean": b"catch", "end": b"end", "guard": b"try", "no": b"~"}
_ESCAPE: Final = re.compile(rb"\\.")
_SIGNATURE: Final = re.compile(
    rb"^([ \t]*function\b[^(\n%#]{0,400}\()([^)\n%#]{0,2000})", re.MULTILINE
)
_DEFAULT: Final = re.compile(rb"=[^,]*")


def as_matlab(data: bytes) -> bytes:
    """Return the text to parse, as long as `data`."""
    if _TELLS.search(data) is None:
        return data
    return _TOKEN.sub(_token, _SIGNATURE.sub(_signature, data))


def _signature(match: re.Match[bytes]) -> bytes:
    return match[1] + _DEFAULT.sub(lambda part: b" " * len(part[0]), match[2])


def _token(match: re.Match[bytes]) -> bytes:
    whole, kind = match[0], match.lastgroup or ""
    if kind == "text":
        return _ESCAPE.sub(b"  ", whole)
    if kind == "comment":
        return b"%" + whole[1:]
    return _WORDS[kind].ljust(len(whole)) if kind in _WORDS else whole

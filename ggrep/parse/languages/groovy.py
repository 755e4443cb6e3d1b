"""Simplifies Groovy for its grammar: words and blocks, literals blanked.

The grammar knows neither strings between slashes or triple quotes nor what is computed inside of
others, `import a.*` costs it all that follows, and a head ends with its line. So literals are
blanked between their quotes, and so are the star and the line's end in front of what goes on with
a head. Every byte that is kept stays where it is.
"""

import re
from typing import Final

_TOKEN: Final = re.compile(
    rb"(?P<comment>//[^\n]*\n?|/\*.*?(?:\*/|\Z))"
    rb"|(?P<long>\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z))"
    rb"|(?P<text>\"(?:[^\"\\\n$]|\\(?:.|\Z)|\$\{[^{}\n]{0,400}\}|\$)*+(?:\"|(?=\n)|\Z)"
    rb"|'(?:[^'\\\n]|\\(?:.|\Z))*+(?:'|(?=\n)|\Z))"
    rb"|(?P<before>[=(,\[:~?]\s{0,8}|\breturn[ \t]{1,8})(?P<pattern>/(?:[^/\\\n]|\\.){1,400}+/)"
    rb"|(?P<end>(?<=[\w)>\]])[ \t]{0,80}\r?\n)(?=[ \t]{0,80}(?:\{|(?:extends|implements|throws)\b))"
    rb"|(?P<star>(?:^|(?<=\n))import[ \t][\w. \t]{1,400}+\*)",
    re.DOTALL,
)
_NAMING: Final = re.compile(rb"\b(?:def|void)[ \t]+$")
"""A test may be named by a string, which then is kept."""
_KEPT: Final = re.compile(rb"[^\n]")


def as_words(data: bytes) -> bytes:
    """Return the text to parse, as long as `data`."""
    return _TOKEN.sub(_token, data)


def _token(match: re.Match[bytes]) -> bytes:
    whole = match[0]
    match match.lastgroup:
        case "comment":
            return whole
        case "end":
            return b" " * len(whole)
        case "star":
            return whole[:-2].ljust(len(whole)) if whole[-2:-1] == b"." else whole
        case "pattern":
            return match["before"] + _blank(match["pattern"])
        case _:
            before = match.string[max(0, match.start() - 40) : match.start()]
            return whole if _NAMING.search(before) else _blank(whole)


def _blank(literal: bytes) -> bytes:
    if len(literal) < 2 or literal[-1] not in b"\"'/":
        return literal  # it never ends
    return b'"' + _KEPT.sub(b" ", literal[1:-1]) + b'"'

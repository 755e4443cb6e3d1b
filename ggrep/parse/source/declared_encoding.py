"""Finds the encoding that a file itself declares: coding lines, headers, directives.

A declaration counts only at the position where programs expect it: in the first two lines, the last
lines or the head.
"""

import codecs
import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

_HEAD_BYTES: Final = 4_096
_TAIL_BYTES: Final = 3_000
"""Bytes at the end of a file in which Emacs searches for local variables."""
_FIRST_LINES: Final = 2
_MODE_LINES: Final = 5
_NAME: Final = rb"[\"'\[{(]?[ \t]*:?([A-Za-z][\w.:+-]*)"
_CODING_LINE: Final = re.compile(
    rb"[ \t\f]*(?:[#;%!*\"'=]|//|/\*|--|\(\*|<!--|REM\b).*?coding[ \t]*[:=][ \t]*" + _NAME
)
"""A comment with the encoding, in the forms of PEP 263, Ruby, Perl, Emacs and Vim."""
_VIM_LINE: Final = re.compile(
    rb"(?:^|[ \t])(?:vim?|ex):.*?\b(?:fenc|fileencoding)=" + _NAME, re.MULTILINE
)
_EMACS_VARIABLE: Final = re.compile(
    rb"Local Variables:.*?^.{0,20}?\bcoding:[ \t]*" + _NAME, re.MULTILINE | re.DOTALL
)
_STARTS: Final = tuple(
    re.compile(form)
    for form in (
        rb"\s*<\?xml\b[^>]{0,200}?\bencoding[ \t]*=[ \t]*" + _NAME,
        rb"@charset[ \t]+" + _NAME,
    )
)
_HEADS: Final = tuple(
    re.compile(form, re.IGNORECASE | re.MULTILINE)
    for form in (
        rb"<meta\b[^>]{0,300}?\bcharset[ \t]*=[ \t]*" + _NAME,
        rb"<%@[ \t]*page\b[^>]{0,300}?\b(?:pageEncoding|charset)[ \t]*=[ \t]*" + _NAME,
        rb"^[ \t]*\"?Content-Type:[^\n]{0,200}?\bcharset[ \t]*=[ \t]*" + _NAME,
        rb"^[ \t]*use[ \t]+(?:encoding|open)\b[^\n]{0,80}?[\"']:?(?:encoding\()?" + _NAME,
        rb"^=encoding[ \t]+" + _NAME,
        rb"^[^%\n]*\\usepackage[ \t]*\[([\w-]+)\][ \t]*\{inputenc\}",
        rb"^%[ \t]*!TEX[ \t]+encoding[ \t]*=[ \t]*" + _NAME,
        rb"^@documentencoding[ \t]+" + _NAME,
        rb"^(?::|%\\Vignette)?Encoding[:{][ \t]*" + _NAME,
    )
)
_OTHER_NAMES: Final = MappingProxyType(
    {
        "ansinew": "cp1252",
        "applemac": "mac-roman",
        "isolatin": "iso8859-1",
        "isolatin1": "iso8859-1",
        "isolatin2": "iso8859-2",
        "latin9": "iso8859-15",
        "nihongo": "euc_jp",
        "sjis": "cp932",
        "x-sjis": "cp932",
        "windows-31j": "cp932",
        "ms932": "cp932",
        "ks_c_5601-1987": "cp949",
        "x-euc-jp": "euc_jp",
        "x-gbk": "gb18030",
        "x-mac-roman": "mac-roman",
        "macintosh": "mac-roman",
        "x-mac-cyrillic": "mac-cyrillic",
        "windows-874": "cp874",
        "ascii": "utf-8",
        "us-ascii": "utf-8",
    }
)
"""Names of encodings in LaTeX, browsers and editors that Python does not support."""
_SUPERSETS: Final = MappingProxyType(
    {
        "iso8859-1": "cp1252",
        "iso8859-9": "cp1254",
        "iso8859-11": "cp874",
        "tis-620": "cp874",
        "shift_jis": "cp932",
        "euc_kr": "cp949",
        "gb2312": "gb18030",
        "gbk": "gb18030",
        "big5": "big5hkscs",
        "euc_jp": "euc_jis_2004",
        "iso2022_jp": "iso2022_jp_2",
    }
)
"""Encodings that are decoded as a superset, because files often contain further characters."""
_SUFFIXES: Final = re.compile(r"-(?:unix|dos|mac|bom)$")
"""Suffixes of Emacs for line ends, and of git and EditorConfig for the byte order mark."""


def codec_of(name: str) -> str:
    """Return the codec for an encoding's name; empty if the name is unknown or not for text."""
    plain = _SUFFIXES.sub("", name.lower().rstrip(".:"))
    try:
        info = codecs.lookup(_OTHER_NAMES.get(plain, plain))
    except (LookupError, ValueError):
        return ""
    if not getattr(info, "_is_text_encoding", True) or info.name in {"idna", "punycode"}:
        return ""
    return _SUPERSETS.get(info.name, info.name)


def declared_encodings(data: bytes) -> Iterator[str]:
    """Yield the codecs that a text declares for itself, in the order of precedence."""
    head = data[:_HEAD_BYTES]
    lines = head.split(b"\n", _MODE_LINES)[:_MODE_LINES]
    tail = data[-_TAIL_BYTES:]
    last = b"\n".join(tail.rstrip().rsplit(b"\n", _MODE_LINES)[-_MODE_LINES:])
    places = (
        *((form.match(head)) for form in _STARTS),
        *(_CODING_LINE.match(line) for line in lines[:_FIRST_LINES]),
        _VIM_LINE.search(b"\n".join(lines)),
        _VIM_LINE.search(last),
        _EMACS_VARIABLE.search(tail),
        *(form.search(head) for form in _HEADS),
    )
    for match in places:
        if match is not None and (codec := codec_of(match[1].decode("ascii", "replace"))):
            yield codec

"""Masks text that a parser must not see when a file is searched for names.

A grammar knows nothing of macros: `class EXPORTED Name {` or `void f() GUARDED(lock) {` costs it
the definition, and often all that follow. Words that by their place can only be such marks are
blanked, so every other byte stays where it is. Of Haskell only the lines that choose between parts
of a file are, so that it is read with all of its parts.
"""

import re
from typing import Final

from ggrep.parse.languages.syntax import shown

_MACRO: Final = rb"[A-Z][A-Z0-9_]{2,80}"
_TEXT: Final = rb"\"(?:[^\"\\\n]|\\.){0,400}\""
_GIVEN: Final = (
    rb"\((?:[^(){};\"]|" + _TEXT + rb"|\((?:[^(){};\"]|" + _TEXT + rb"){0,200}\)){0,400}\)"
)
_MARK: Final = _MACRO + rb"(?![\w.:<])(?:[ \t]?" + _GIVEN + rb")?"
_TYPE: Final = rb"[A-Za-z_][\w:]{0,120}(?:<[^;{}()]{0,200}>)?"

_PLACES: Final = (
    # class MARK Name ... {
    rb"\b(?:class|struct|union|enum)\s{1,8}(?P<hide>(?:" + _MARK + rb"\s{1,8}){1,3})"
    rb"(?=" + _TYPE + rb"\s{0,200}(?:final\s{0,8})?(?:\{|:[^:]))",
    # MARK Name(...) : member(...), MARK ~Name(), MARK operator Type(): nothing stands for a type.
    rb"(?P<hide>\b" + _MACRO + rb")(?=[ \t]{1,8}(?:~|operator\s{1,8}[A-Za-z]|\w{1,80}"
    rb"\([^;{}]{0,400}\)\s{0,80}(?:noexcept\s{0,80})?:[^:]))",
    # MARK type name(...), at a line's beginning or behind words like it
    rb"(?:^|\b(?:static|inline|extern|virtual|explicit|friend|constexpr)\s{1,8}|>[ \t])[ \t]{0,40}"
    rb"(?P<hide>(?:" + _MARK + rb"\s{1,80}){1,3})"
    rb"(?=(?:(?:static|inline|const|constexpr|virtual|extern|unsigned|typename)\s{1,8}){0,3}"
    rb"(?!operator\b|return\b|else\b)" + _TYPE + rb"[\s*&]{1,40}(?:~?[A-Za-z_][\w:]{0,120}|operator"
    rb"[^\w\s(]{1,3})\s?\()",
    # f(...) MARK {
    rb"\)\s{0,40}(?:(?:const|noexcept|override|final)\s{0,40}){0,3}"
    rb"(?P<hide>\b" + _MARK + rb"(?:\s{1,80}" + _MARK + rb"){0,4})(?=\s{0,80}(?:[{;=]|:[^:]))",
    # type name MARK(...);
    rb"[\w>*&][ \t]{1,8}[a-z]\w{0,80}(?<!_t)(?<!\bint)(?<!\bvoid)(?<!\bchar)(?<!\bbool)(?<!\blong)"
    rb"(?<!\bconst)(?<!\bdouble)(?<!\bfloat)(?<!\bshort)(?<!\bunsigned)(?<!\bauto)"
    rb"\s{1,80}(?P<hide>" + _MACRO + _GIVEN + rb")(?=\s{0,8}[;=])",
    # MARK and MARK(...); alone at the left margin
    rb"^(?P<hide>(?:" + _MACRO + rb"[ \t]?" + _GIVEN + rb"[ \t]*;?|[A-Z][A-Z0-9]*_[A-Z0-9_]{1,80}))"
    rb"[ \t]*(?://[^\n]{0,200})?$(?!\s{0,200}\{)",
)
_MARKS: Final = tuple(re.compile(place, re.MULTILINE) for place in _PLACES)
_CHOICES: Final = re.compile(
    rb"^#[ \t]*(?:if|ifdef|ifndef|elif|else|endif)\b(?:[^\n\\]|\\\n|\\)*", re.MULTILINE
)
_SIGNATURES: Final = re.compile(
    rb"(?<=[\w\])>}])(?<!=>)(?:[ \t]{0,80}(?://[^\n]{0,400}|/\*(?:[^*]|\*(?!/)){0,1000}\*/)?\n){1,9}"
    rb"[ \t]{0,80}[ \t](?=<[A-Z]\w{0,40}(?:\s|,|>\()|\(\w{1,40}\??:\s[^()\n]{1,200}\):\s)"
)
"""A blank in front of what calls an object: without a semicolon the line before would go on."""
_IMPORTED_TYPES: Final = re.compile(
    rb"\bimport\((?:'[^'\n]{1,300}'|\"[^\"\n]{1,300}\")\)\.(?=[A-Z]\w{0,80}\b(?!\s{0,8}\())"
)
"""What `import("./a").Type` names stands for itself."""
_PLAIN: Final = re.compile(rb"[^\n]")


def masked(language: str, data: bytes) -> bytes:
    """Return the text to parse: as long as `data`, line by line, some of it blank."""
    match language:
        case "c" | "cpp":
            data = shown(language, data)
            for marks in _MARKS:
                data = marks.sub(_without_mark, data)
            return data
        case "typescript":
            data = _IMPORTED_TYPES.sub(lambda match: _blank(match[0]), data)
            return _SIGNATURES.sub(lambda match: match[0][:-1] + b";", data)
        case "haskell":
            return _CHOICES.sub(lambda match: _blank(match[0]), data)
        case _:
            return shown(language, data)


def _without_mark(match: re.Match[bytes]) -> bytes:
    start, end = (at - match.start() for at in match.span("hide"))
    whole = match[0]
    return whole[:start] + _blank(whole[start:end]) + whole[end:]


def _blank(text: bytes) -> bytes:
    return _PLAIN.sub(b" ", text)

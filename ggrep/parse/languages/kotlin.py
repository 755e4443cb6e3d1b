"""Simplifies the heads of Kotlin declarations so that the grammar can parse them.

The grammar reads two consecutive annotations as operators, and the class after them as an operand.
For the grammar, a class head ends with its line, the body after `by x {` is an argument of a call,
and `context(A)` is a call. Therefore consecutive annotations become one annotation with blank
arguments. Delegates, contexts, and the line end before a constructor or `where` become blank.
"""

import re
from typing import Final

_TEXT: Final = rb"\"(?:[^\"\\\n]|\\.){0,400}+\""
_FLAT: Final = rb"(?:[^()\"]|" + _TEXT + rb"){0,400}+"
_NESTED: Final = rb"\((?:[^()\"]|" + _TEXT + rb"|\(" + _FLAT + rb"\)){0,400}+\)"
_GIVEN: Final = rb"\((?:[^()\"]|" + _TEXT + rb"|" + _NESTED + rb"){0,400}+\)"
_ANNOTATION: Final = rb"@(?!file:)(?:\w{1,40}:)?[\w.]{1,200}+"
_MODIFIERS: Final = rb"(?:[a-z]{1,20}\s{1,80}){0,8}"
_DECLARES: Final = _MODIFIERS + rb"(?:class|constructor|fun|interface|object|typealias|va[lr])\b"

_SIMPLER: Final = re.compile(
    rb"(?P<skip>//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|\"\"\"(?:[^\"]|\"(?!\"\"))*+(?:\"\"\")?"
    rb"|" + _TEXT + rb")"
    rb"|(?P<first>" + _ANNOTATION + rb")(?P<others>(?:" + _GIVEN + rb")?"
    rb"(?:\s{1,200}"
    + _ANNOTATION
    + rb"(?:"
    + _GIVEN
    + rb")?){1,20})(?=\s{1,200}"
    + _DECLARES
    + rb")"
    rb"|(?P<context>\bcontext\s?\((?:[^()]|\([^()]{0,200}\)){1,400}\))"
    rb"(?=\s{1,80}(?:@|" + _DECLARES + rb"))"
    rb"|(?<=[\w)>?])(?P<where>\s{0,80}\n\s{0,80})(?=where\s{1,8}\w{1,80}\s{0,8}:)"
    rb"|(?P<head>\bclass\s{1,8}\w{1,200}(?:\s{0,8}<[^{}()=]{1,400}>)?)(?P<end>\s{0,80}\n\s{0,80})"
    rb"(?=(?:" + _ANNOTATION + rb"(?:" + _GIVEN + rb")?\s{1,80}){0,8}(?:[a-z]{1,20}\s{1,8})?"
    rb"constructor\b)"
    rb"|(?P<by>\bby\s{1,80}[\w.]{1,200}(?:<[^{}()\n]{1,200}>)?(?:" + _GIVEN + rb")?)(?=\s{0,80}\{)"
)
_AROUND: Final = re.compile(rb"[()]|\b(?:class|fun|object|va[lr])\b")
_MOST_BEFORE: Final = 800
"""Maximum bytes of a class head before a delegate that are examined."""
_KEPT: Final = re.compile(rb"[^\n]")


def with_plain_heads(data: bytes) -> bytes:
    """Return the text to parse, of the same length as `data`."""
    return _SIMPLER.sub(_simpler, data)


def _simpler(match: re.Match[bytes]) -> bytes:
    whole = match[0]
    match match.lastgroup:
        case "others":
            return match["first"] + b"(" + _KEPT.sub(b" ", match["others"][1:-1]) + b")"
        case "where" | "end":
            return (match["head"] or b"").ljust(len(whole))
        case "skip":
            return whole
        case "by" if not _is_in_class_head(match.string, match.start()):
            return whole
        case _:
            return _KEPT.sub(b" ", whole)


def _is_in_class_head(data: bytes, end: int) -> bool:
    """Return whether the declaration that continues at `end` is a class."""
    depth = 0
    for token in reversed(list(_AROUND.finditer(data, max(0, end - _MOST_BEFORE), end))):
        if token[0] in b"()":
            depth += 1 if token[0] == b")" else -1
        elif depth == 0:
            return token[0] in {b"class", b"object"}
    return False

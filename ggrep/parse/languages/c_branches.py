"""Keeps one branch of a C preprocessor conditional, if a parser would misread all branches.

A parser reads all branches. If each of two branches opens a block, but only one block is closed,
the enclosing function would extend to the end of the file. A branch that continues the head of a
class, a parameter list or an `else` is not a declaration, and breaks the definition around it.
"""

import re
from typing import Final, TypeAlias

from msgspec import Struct

_CHOICE: Final = re.compile(rb"#[ \t]{0,80}el(?:se|if)")
_TOKEN: Final = re.compile(
    rb"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.){1,8}'|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    rb"|^[ \t]{0,80}#[ \t]{0,80}(?P<word>[a-z]*+)(?P<rest>(?:[^\n\\]|\\\n|\\)*+)|[{}]",
    re.MULTILINE,
)
_CUT: Final = (
    re.compile(rb"#[ \t]{0,8}if[^\n]{0,400}\n\s{0,200}[,:](?!:)"),
    re.compile(rb"else[ \t\r]{0,8}\n[ \t]{0,80}#[ \t]{0,8}endif"),
    re.compile(rb"class[ \t\r]{0,8}\n[ \t]{0,80}#[ \t]{0,8}if"),
    re.compile(rb"struct[ \t\r]{0,8}\n[ \t]{0,80}#[ \t]{0,8}if"),
)
"""Conditionals in the middle of a head or statement; each form begins with a fixed text."""
_GOES_ON: Final = re.compile(rb"\s*[,:](?!:)")
_ELSE: Final = re.compile(rb"\belse\s*\Z")
_OPEN_HEAD: Final = re.compile(rb"\b(?:class|struct)\s*\Z")
_MOST_BEFORE: Final = 80
"""Maximum bytes before a conditional that are searched for the head of a class."""
_NOT_SPACE: Final = re.compile(rb"\S")
_OPENING: Final = frozenset({b"if", b"ifdef", b"ifndef"})
_FURTHER: Final = frozenset({b"else", b"elif", b"elifdef", b"elifndef"})

_Span: TypeAlias = tuple[int, int]


class _Branch(Struct):
    """The text from one directive to the next, and the number of blocks that it leaves open."""

    start: int
    off: bool
    end: int = 0
    opens: int = 0


class _Choice(Struct, frozen=True):
    start: int
    branches: list[_Branch]


def with_one_branch(data: bytes) -> bytes:
    """Return a text of the same length, in which each opened block is closed once.

    If the branches of a conditional open or close blocks, or continue the text before them, one
    branch is kept: the first that is not disabled (`#if 0`). The other branches and the directives
    become blank.
    """
    if _CHOICE.search(data) is None and not any(form.search(data) for form in _CUT):
        return data
    parts, at = list[bytes](), 0
    for start, end in sorted(_unwanted(data)):
        if start >= at:
            parts += [data[at:start], _NOT_SPACE.sub(b" ", data[start:end])]
            at = end
    return b"".join((*parts, data[at:])) if parts else data


def _unwanted(data: bytes) -> list[_Span]:
    """Return the spans to blank; they can be nested."""
    blank, choices, whole = list[_Span](), list[_Choice](), _Branch(0, off=False)
    for token in _TOKEN.finditer(data):
        word = token["word"]
        here = choices[-1].branches[-1] if choices else whole
        if word is None:
            here.opens += (token[0] == b"{") - (token[0] == b"}")
        elif word in _OPENING:
            first = _Branch(token.end(), off=token["rest"].strip() == b"0")
            choices.append(_Choice(token.start(), [first]))
        elif choices and word in _FURTHER:
            here.end = token.start()
            choices[-1].branches.append(_Branch(token.end(), off=False))
        elif choices and word == b"endif":
            here.end = token.start()
            choice = choices.pop()
            outer = choices[-1].branches[-1] if choices else whole
            kept = next((each for each in choice.branches if not each.off), choice.branches[0])
            opening = len(choice.branches) > 1 and any(each.opens for each in choice.branches)
            if opening or _goes_on(data, choice):
                blank += ((choice.start, kept.start), (kept.end, token.end()))
                outer.opens += kept.opens
            else:
                outer.opens += sum(each.opens for each in choice.branches)
    return blank


def _goes_on(data: bytes, choice: _Choice) -> bool:
    """Return whether a statement extends over the start or the end of the conditional."""
    if _OPEN_HEAD.search(data, max(0, choice.start - _MOST_BEFORE), choice.start):
        return True
    return any(
        _GOES_ON.match(data, each.start, each.end)
        or _ELSE.search(data, max(each.start, each.end - _MOST_BEFORE), each.end)
        for each in choice.branches
    )

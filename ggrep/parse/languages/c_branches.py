"""Keeps one branch of what the preprocessor of C chooses from, where braces need it.

A parser reads all branches. Two that open one block each leave a block open, and the function that
they stand in would run to the end of the file.
"""

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

_CHOICE: Final = re.compile(rb"^[ \t]{0,80}#[ \t]{0,80}el(?:se|if)", re.MULTILINE)
_TOKEN: Final = re.compile(
    rb"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.){1,8}'|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    rb"|^[ \t]{0,80}#[ \t]{0,80}(?P<word>[a-z]*+)(?P<rest>(?:[^\n\\]|\\\n|\\)*+)|[{}]",
    re.MULTILINE,
)
_NOT_SPACE: Final = re.compile(rb"\S")
_OPENING: Final = frozenset({b"if", b"ifdef", b"ifndef"})
_FURTHER: Final = frozenset({b"else", b"elif", b"elifdef", b"elifndef"})

_Span: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class _Branch:
    """What stands from one directive to the next one, and what it opens more than it closes."""

    start: int
    off: bool
    end: int = 0
    opens: int = 0


@dataclass(frozen=True, slots=True)
class _Choice:
    start: int
    branches: list[_Branch]


def with_one_branch(data: bytes) -> bytes:
    """Return a text of the same length in which each block that is opened is closed once.

    Where the branches of a choice open or close blocks, one is kept, the first that is not
    switched off (`#if 0`); the others and the directives are blank.
    """
    if _CHOICE.search(data) is None:
        return data
    parts, at = list[bytes](), 0
    for start, end in sorted(_unwanted(data)):
        if start >= at:
            parts += [data[at:start], _NOT_SPACE.sub(b" ", data[start:end])]
            at = end
    return b"".join((*parts, data[at:])) if parts else data


def _unwanted(data: bytes) -> list[_Span]:
    """Return what is to be blank; spans may lie in each other."""
    found, choices, whole = list[_Span](), list[_Choice](), _Branch(0, off=False)
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
            if len(choice.branches) > 1 and any(each.opens for each in choice.branches):
                found += ((choice.start, kept.start), (kept.end, token.end()))
                outer.opens += kept.opens
            else:
                outer.opens += sum(each.opens for each in choice.branches)
    return found

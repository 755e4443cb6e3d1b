"""Finds where a file's own text begins, after its licence header."""

import re
from collections.abc import Sequence
from typing import Final

_LINE_COMMENTS: Final = ("//", "#", "--", ";", "%")
_BLOCK_COMMENTS: Final = {"/*": "*/", "<!--": "-->", "{-": "-}", "(*": "*)"}
_NOTICE: Final = re.compile(
    r"copyright|\u00a9|spdx-|@licen[cs]e\b|\blicen[cs]e:|\blicen[cs]ed (?:under|to)\b"
    r"|\bunder the .{0,60}\blicen[cs]e|\bsee (?:the )?(?:file )?licen[cs]e\b"
    r"|all rights reserved|permission (?:is hereby granted|to use)|redistribution and use",
    re.IGNORECASE,
)
_FOR_TOOLS: Final = re.compile(
    r"#!|-\*-|\bvim?:|eslint|prettier|pylint|noqa|mypy:|clang-|//go:|\+build|@flow|@ts-"
)
"""Lines that tell interpreters, editors and linters something, and readers nothing."""

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_TELLING_WORDS: Final = 3
"""A file's bare name says less than this, a sentence about it more."""

_LINE_CHARACTERS: Final = 300


def told_lines(lines: Sequence[str]) -> tuple[int, int]:
    """Return the range of a source file's opening lines that describe it: first, end.

    Comments on copyright and licence that stand in front of everything else are passed over. Where
    one begins by saying what the file is, or follows a comment that does, only that is told.
    The range is empty where nothing but notices is there.
    """
    first = place = 0
    telling = False
    while place < len(lines):
        if not lines[place].strip():
            place += 1
            continue
        end = _comment_end(lines, place)
        if end == place:
            break
        notice = _first(_NOTICE, lines, place, end)
        telling = telling or any(map(_is_telling, lines[place:notice]))
        if telling and notice < end:
            return first, _trimmed(lines, first, notice)
        place = end
        if notice < end:
            first = end
    while first < len(lines) and not lines[first].strip():
        first += 1
    return first, len(lines)


def _comment_end(lines: Sequence[str], place: int) -> int:
    """Return where the comment at a line ends, behind its last line; `place` where none is."""
    opening = lines[place].lstrip("\ufeff \t")
    for begin, close in _BLOCK_COMMENTS.items():
        if opening.startswith(begin):
            behind = opening[len(begin) :]
            if close in behind:
                return place + 1
            closed = (i for i in range(place + 1, len(lines)) if close in lines[i])
            return next(closed, len(lines) - 1) + 1
    marker = next((mark for mark in _LINE_COMMENTS if opening.startswith(mark)), None)
    end = place
    while marker and end < len(lines) and lines[end].lstrip("\ufeff \t").startswith(marker):
        end += 1
    return end


def _first(pattern: re.Pattern[str], lines: Sequence[str], start: int, end: int) -> int:
    found = (i for i in range(start, end) if pattern.search(lines[i], 0, _LINE_CHARACTERS))
    return next(found, end)


def _is_telling(line: str) -> bool:
    start = line[:_LINE_CHARACTERS]
    return not _FOR_TOOLS.search(start) and len(_WORD.findall(start)) >= _TELLING_WORDS


def _trimmed(lines: Sequence[str], first: int, end: int) -> int:
    """Return the end without the lines before it that hold no word."""
    while end > first and not _WORD.search(lines[end - 1], 0, _LINE_CHARACTERS):
        end -= 1
    return end

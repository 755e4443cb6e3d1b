"""What a file says of itself at its top, before any code."""

import re
from typing import Final

from msgspec import Struct

from training.encoder.comments import Comment, comments_in
from training.encoder.phrases import is_licence

_SCANNED_CHARACTERS: Final = 8_000
_DOCSTRING: Final = re.compile(
    r"\s*[rRuU]?(?:\"\"\"(.*?)\"\"\"|'''(.*?)'''|\"[^\"\n]+\")", re.DOTALL
)
_SKIPPED: Final = re.compile(
    r"\s*(?:#![^\n]*|<\?php|[\"']use (?:strict|client|server)[\"'];?|#pragma once"
    r"|declare\s*\(strict_types=1\);|#ifndef \w+\s*\n\s*#define \w+|\{-#.*?#-\})",
    re.DOTALL,
)
_BEGINNING: Final = re.compile(
    r"(?:package|import|use|using|from|module|namespace|#include|#ifndef|#define|#import|#pragma"
    r"|\"use |'use |require|local \w+ = require|const .*require\(|var .*require\(|mod |extern"
    r"|pub mod|pub use|set -|#!\[|defmodule|<\?php|@file|syntax )"
)
_ANY_COMMENTS: Final = re.compile(
    r"/\*.*?\*/|\{-.*?-\}|(?:^[ \t]*(?://|#|--|;|%)[^\n]*\n?)+", re.DOTALL | re.MULTILINE
)


class Header(Struct, frozen=True):
    """The file's own documentation.

    Attributes:
        start: offset in the file's text, in characters; `end` is exclusive.
        raw: the text between, its marks still on.
    """

    start: int
    end: int
    raw: str


def header_of(text: str, language: str) -> Header | None:
    """Return what documents the file as a whole, licences left aside."""
    top = text[:_SCANNED_CHARACTERS]
    comments = [each for each in comments_in(top, language) if each.whole_lines]
    at = 0
    while True:
        at = _behind_preamble(top, at)
        comment = next((each for each in comments if each.start == at), None)
        if comment is None:
            break
        if not is_licence(comment.raw) and _is_of_file(top, comment, language):
            return Header(comment.start, comment.end, comment.raw)
        at = comment.end
    match = _DOCSTRING.match(top, at) if language == "python" else None
    if match is None or is_licence(match[0]):
        return None
    return Header(
        match.start() + len(match[0]) - len(match[0].lstrip()), match.end(), match[0].strip()
    )


def _behind_preamble(text: str, at: int) -> int:
    """Return the offset of the next word that is no shebang, guard or pragma."""
    while (match := _SKIPPED.match(text, at)) is not None and match.end() > at:
        at = match.end()
    return at + len(text[at:]) - len(text[at:].lstrip())


def _is_of_file(text: str, comment: Comment, language: str) -> bool:
    """Return whether a comment at the top speaks of the file and not of its first definition."""
    if comment.raw.startswith(("//!", "/*!")) and language in {"rust", "zig"}:
        return True
    if language == "python" and "\n" not in comment.raw:
        return False
    behind = text[comment.end :]
    blank = behind[: len(behind) - len(behind.lstrip())].count("\n") > 1
    return blank or _BEGINNING.match(behind.lstrip()) is not None


def without_licence(text: str) -> str:
    """Return the file's text behind the comments at its top that speak of rights."""
    top = text[:_SCANNED_CHARACTERS]
    end = 0
    for match in _ANY_COMMENTS.finditer(top):
        if is_licence(match[0]):
            end = match.end()
    return text[end:]

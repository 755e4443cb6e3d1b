"""Determines the role of a usage: import, call, write or read."""

import re
from typing import Final

from ggrep.model.navigation import UseRole
from ggrep.parse.occurrences.words import Occurrence

_IMPORT: Final = re.compile(r"\s*(?:import|from|use|using|require|include|#\s*include)\b")
_CALL: Final = re.compile(r"\s*(?:(?:::)?<[^<>()]*>)?\s*(?:\(|!\s*[\[({])")
_WRITE: Final = re.compile(r"\s*(?::\s*[\w\[\], .|*&<>]+?)?\s*(?::=|[-+*/%|&^]{0,2}=(?![=>~]))")
_MAKING: Final = re.compile(r"(?:\bnew\s+|@)(?:[\w.]+\.)?$")


def role_in(mention: Occurrence, line: str) -> UseRole:
    """Return the role of an occurrence, determined from its syntax or its line."""
    if mention.kind != "usage":
        return "read"
    if mention.role:
        return mention.role
    if not mention.container and _IMPORT.match(line):
        return "import"
    start = mention.column - 1
    before, after = line[:start], line[start + len(mention.text) :]
    if _CALL.match(after) or _MAKING.search(before):
        return "call"
    return "write" if _WRITE.match(after) else "read"

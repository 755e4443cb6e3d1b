"""Finds a name in a file and classifies it: definition, usage, string or comment.

Words are found in the text first; the syntax tree is asked about those places alone.
"""

from ggrep.parse.languages.registry import GRAMMARS, holds_scripts, language_of
from ggrep.parse.occurrences.sql import defining_mentions
from ggrep.parse.occurrences.words import Occurrence, mentions_by_words, spots


def mentions(
    path_key: str, data: bytes, name: str, *, any_case: bool = False
) -> tuple[Occurrence, ...]:
    """Return the places of `name` in source order; parses in this process.

    Args:
        path_key: what the file is read as depends on it.
        data: the file's bytes.
        name: without what qualifies it.
        any_case: take other spellings in upper and lower case too.
    """
    if not has_syntax(path_key, data):
        words = mentions_by_words(path_key, data, name, any_case=any_case)
        return defining_mentions(data, words) if language_of(path_key, data) == "sql" else words
    found = spots(path_key, data, name, any_case=any_case)
    if not found:
        return ()
    from ggrep.parse.occurrences.syntax import read_spots

    return read_spots(path_key, data, found)


def has_syntax(path_key: str, data: bytes) -> bool:
    """Say whether a file's names are read by its syntax, which only a killable child may do."""
    language = language_of(path_key, data)
    return language in GRAMMARS or holds_scripts(language, data)

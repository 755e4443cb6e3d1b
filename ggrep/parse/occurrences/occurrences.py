"""Finds a name in a file and classifies it: definition, usage, string or comment.

A text search finds the words; the syntax tree is only read at the positions of these words.
"""

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from ggrep.model.written_names import name_readings
from ggrep.parse.chunking.headers import clean_doc, clean_signature
from ggrep.parse.languages.registry import GRAMMARS, holds_scripts, language_of
from ggrep.parse.occurrences.words import Defined, Occurrence, mentions_by_words, spots


def mentions(
    path_key: str, data: bytes, name: str, *, any_case: bool = False
) -> tuple[Occurrence, ...]:
    """Return the occurrences of `name` in source order; the parser runs in this process.

    Args:
        path_key: path of the file, which determines its language.
        data: the file's bytes.
        name: the requested name; if it has a container, types of receivers are determined.
        any_case: also match other spellings in upper and lower case.
    """
    if not has_syntax(path_key, data):
        words = mentions_by_words(path_key, data, name, any_case=any_case)
        return defining_mentions(data, words) if language_of(path_key, data) == "sql" else words
    places = spots(path_key, data, name, any_case=any_case)
    if not places:
        return ()
    from ggrep.parse.occurrences.tree_places import read_spots

    qualified = any(each.owners for each in name_readings(name, language_of(path_key, data)))
    return read_spots(path_key, data, places, receivers=qualified)


def has_syntax(path_key: str, data: bytes) -> bool:
    """Return whether reading the file's names needs a parser, which only workers may run."""
    language = language_of(path_key, data)
    return language in GRAMMARS or holds_scripts(language, data)


_MOST_BEFORE: Final = 300
"""Maximum number of characters before a name to examine."""
_HEAD_LINES: Final = 4
_KINDS: Final = {
    "aggregate": "function",
    "domain": "typealias",
    "function": "function",
    "macro": "function",
    "package": "module",
    "procedure": "function",
    "schema": "module",
    "table": "class",
    "trigger": "function",
    "type": "typealias",
    "view": "class",
}
"""Kinds of objects that `CREATE` defines; every other kind counts as a constant."""
_CREATED: Final = re.compile(
    r"\bcreate(?:\s{1,80}(?:or|replace|temp|temporary|materialized|recursive|unlogged|unique"
    r"|global|local|foreign|constraint)){0,4}\s{1,80}(\w{1,40})(?:\s{1,80}body)?"
    r"(?:\s{1,80}concurrently)?(?:\s{1,80}if\s{1,80}not\s{1,80}exists)?\s{1,80}"
    r"(?:[\w@$\"`\[\]]{1,130}\.){0,3}[\"`\[]?$",
    re.IGNORECASE,
)
_NOT_CREATED: Final = frozenset({"if", "on", "as", "or"})


def defining_mentions(data: bytes, all_mentions: Sequence[Occurrence]) -> tuple[Occurrence, ...]:
    """Return the mentions in SQL: after `CREATE` as definitions, after `--` as comments."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    return tuple(_read(lines, mention) for mention in all_mentions)


def _read(lines: Sequence[str], mention: Occurrence) -> Occurrence:
    row = mention.line - 1
    before = "\n".join([*lines[max(0, row - 2) : row], lines[row][: mention.column - 1]])
    created = _CREATED.search(before[-_MOST_BEFORE:])
    if "--" in lines[row][: mention.column - 1]:
        return replace(mention, kind="comment")
    if created is None or created[1].casefold() in _NOT_CREATED:
        return mention
    first = row - created[0].count("\n")
    start = first
    while start and lines[start - 1].lstrip().startswith("--"):
        start -= 1
    defined = Defined(
        kind=_KINDS.get(created[1].casefold(), "constant"),
        start_line=start + 1,
        end_line=_end(lines, row) + 1,
        declared_only=False,
        signature=clean_signature("\n".join(lines[first : first + _HEAD_LINES]).partition(";")[0]),
        doc=clean_doc("\n".join(lines[start:first])),
    )
    return replace(mention, kind="definition", defined=defined)


def _end(lines: Sequence[str], row: int) -> int:
    """Return the last line of code before the next `CREATE` statement."""
    last = row
    for place in range(row, len(lines)):
        if place > row and lines[place].lstrip()[:7].casefold() == "create ":
            break
        if lines[place].strip() and not lines[place].lstrip().startswith("--"):
            last = place
    return last

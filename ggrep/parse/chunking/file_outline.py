"""Lists the definitions of a file in source order, each with its depth and lines."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from ggrep.parse.chunking.headers import clean_signature
from ggrep.parse.chunking.outline import Definition, Outline
from ggrep.parse.chunking.spans import NO_SPAN
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.embedded_scripts import scripts_of
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.registry import GRAMMARS, KEYED, holds_scripts, language_of

MAX_OUTLINED: Final = 20_000
"""Maximum number of returned definitions of a file; later definitions are not counted."""


class Outlined(Struct, frozen=True):
    """A definition in a file, as an outline lists it.

    Attributes:
        depth: 0 at the top of the file.
        kind: the chunk type of the definition, or `field`.
        name: several names with commas between them if one statement defines several.
        signature: the definition's head on one line; empty for a field.
        start_line: 1-based, including preceding comments and attributes; `end_line` is inclusive.
    """

    depth: int
    kind: str
    name: str
    signature: str
    start_line: int
    end_line: int


def is_outlined(path_key: str, data: bytes) -> bool:
    """Return whether the file's definitions are read by a parser, which only workers may run."""
    language = language_of(path_key, data)
    return (language in GRAMMARS and language not in KEYED) or holds_scripts(language, data)


def outline_file(path_key: str, data: bytes) -> tuple[Outlined, ...]:
    """Return the definitions of a file; this parses in the current process.

    Requires: `is_outlined` returned True.
    """
    table = LineTable(data)
    language = language_of(path_key, data)
    definitions = (
        _own(language, table) if language in GRAMMARS else tuple(_embedded(language, table))
    )
    outlined: list[Outlined] = []
    _tell(definitions, table, 0, outlined)
    return tuple(outlined)


def _own(language: str, table: LineTable) -> Sequence[Definition]:
    from ggrep.parse.languages.syntax import rules_for, tree

    root = tree(language, table)
    rules = rules_for(language, root, table.data)
    return Outline(root, table, rules, ChunkLimits()).definitions


def _embedded(language: str, table: LineTable) -> Iterator[Definition]:
    from ggrep.parse.languages.syntax import rules_for, script_tree

    for script in scripts_of(language, table.data):
        root = script_tree(table, script)
        rules = rules_for(script.language, root, table.data)
        yield from Outline(root, table, rules, ChunkLimits()).definitions


def _tell(
    definitions: Sequence[Definition], table: LineTable, depth: int, outlined: list[Outlined]
) -> None:
    for definition in definitions:
        if len(outlined) >= MAX_OUTLINED:
            return
        name = ", ".join(
            filter(None, (definition.construct.name, *definition.construct.more_names))
        )
        if definition.construct.owners:
            name = ".".join((*definition.construct.owners, name))
        outlined.append(
            Outlined(
                depth=depth,
                kind=definition.chunk_type,
                name=name,
                signature=_signature(definition, table),
                start_line=table.line_of(definition.start) + 1,
                end_line=table.line_of(max(definition.start, definition.end - 1)) + 1,
            )
        )
        _tell(definition.members, table, depth + 1, outlined)


def _signature(definition: Definition, table: LineTable) -> str:
    if definition.signature == NO_SPAN:
        return ""
    start, end = definition.signature
    return clean_signature(table.data[start:end].decode("utf-8", "replace"))

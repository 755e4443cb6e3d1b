"""Converts locations and definitions in answers to the forms that editors show."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lsprotocol import types

from ggrep.interfaces.lsp.texts import Places

_KINDS: Final = {
    "class": types.SymbolKind.Class,
    "constant": types.SymbolKind.Constant,
    "constructor": types.SymbolKind.Constructor,
    "entry": types.SymbolKind.Key,
    "enum": types.SymbolKind.Enum,
    "field": types.SymbolKind.Field,
    "function": types.SymbolKind.Function,
    "interface": types.SymbolKind.Interface,
    "key": types.SymbolKind.Key,
    "method": types.SymbolKind.Method,
    "module": types.SymbolKind.Module,
    "section": types.SymbolKind.String,
    "struct": types.SymbolKind.Struct,
    "typealias": types.SymbolKind.Class,
    "variable": types.SymbolKind.Variable,
}
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>()#+.!|~&-])")
_TICKS: Final = re.compile("`+")


def symbol_kind(kind: str) -> types.SymbolKind:
    """Return the protocol's symbol kind for a kind of the index."""
    return _KINDS.get(kind, types.SymbolKind.Object)


def is_subsequence(letters: str, name: str) -> bool:
    """Return whether a name contains all letters in this order, ignoring case and blanks."""
    left = iter(name.lower())
    return all(letter in left for letter in letters.lower() if not letter.isspace())


def hover_text(definitions: Sequence[Mapping[str, Any]], total: int, *, markdown: bool) -> str:
    """Return the signatures, documentation and locations of definitions, for a hover.

    Indexed text is escaped, so that it is not read as Markdown.
    """
    blocks = [
        part
        for each in definitions
        for part in (
            _fenced(each["signature"] or each["name"], each["language"], markdown=markdown),
            _plain(each["doc"], markdown=markdown),
            _plain(_place(each), markdown=markdown),
        )
        if part
    ]
    if total > len(definitions):
        blocks.append(f"{total - len(definitions)} more definitions")
    return "\n\n".join(blocks)


def _place(definition: Mapping[str, Any]) -> str:
    owner = f" of {definition['container']}" if definition["container"] else ""
    alias = definition.get("repoAlias") or definition.get("repoId")
    where = f"{alias}:{definition['path']}" if alias else definition["path"]
    return f"{definition['kind']}{owner}, {where}:{definition['line']}"


def _fenced(text: str, language: str, *, markdown: bool) -> str:
    if not markdown:
        return text
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _plain(text: str, *, markdown: bool) -> str:
    return _MARKDOWN.sub(r"\\\1", text) if markdown else text


def document_symbols(
    entries: Sequence[Mapping[str, Any]], places: Places
) -> list[types.DocumentSymbol]:
    """Return the tree of an outline's entries, which are in the order of the file."""
    levels: list[list[types.DocumentSymbol]] = [[]]
    for entry in entries:
        children: list[types.DocumentSymbol] = []
        span = places.span(entry["start_line"], entry["end_line"])
        symbol = types.DocumentSymbol(
            name=entry["name"],
            kind=symbol_kind(entry["kind"]),
            range=span,
            selection_range=places.inside(span, entry["name"].partition(",")[0]),
            detail=entry["signature"],
            children=children,
        )
        del levels[entry["depth"] + 1 :]
        levels[-1].append(symbol)
        levels.append(children)
    return levels[0]

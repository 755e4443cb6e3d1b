"""Selects the rules of each language: a module of rules, or else a file of queries."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Final, cast

from msgspec.structs import replace
from tree_sitter import Node

from ggrep.parse.languages.constructs import Rules, nothing
from ggrep.parse.languages.embedded_scripts import Script
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.recovery import parse_recovered
from ggrep.parse.languages.registry import GRAMMARS, QUERIED
from ggrep.parse.languages.trees import parse_parts, part

_DECLARES: Final = re.compile(rb"^val\b", re.MULTILINE)
"""Declarations of OCaml that an interface can contain, but not a structure."""
_KEPT: Final = re.compile(rb"\S")
MAX_RECOVERED: Final = 8
"""Maximum number of embedded scripts of a file that are parsed again without their broken parts."""
_RULED: Final = MappingProxyType(
    {language: language for language in GRAMMARS.keys() - QUERIED}
    | {
        "cpp": "c",
        "javascript": "script",
        "objc": "c",
        "starlark": "python",
        "tsx": "script",
        "typescript": "script",
    }
)
"""Languages with a module of rules, and the name of this module."""
_REWRITTEN: Final = MappingProxyType(
    {
        "c": "c_macros.expanded",
        "cpp": "c_macros.expanded",
        "fsharp": "fsharp.without_marks",
        "haskell": "masks.haskell",
        "kotlin": "kotlin.with_plain_heads",
        "objc": "c_macros.expanded_objc",
        "typescript": "masks.typescript",
    }
)
"""Languages whose text a grammar cannot read directly, and the function that rewrites the text."""

_SIMPLER: Final = MappingProxyType({"bash": "bash.with_plain_words"})
"""Functions that rewrite a text further if the grammar reports errors."""


def shown(language: str, data: bytes) -> bytes:
    """Return the text to parse, of the same length as the file.

    Chunks, outlines and names are all read from this text, so a definition has the same name in
    each.
    """
    return _rewriter(_REWRITTEN[language])(data) if language in _REWRITTEN else data


def grammar_of(language: str, data: bytes) -> str:
    """Return the grammar that parses a file of the language."""
    if language == "ocaml" and _DECLARES.search(data) is not None:
        return "ocaml_interface"
    return GRAMMARS[language]


def tree(language: str, table: LineTable) -> Node:
    """Return the root of the file's syntax tree.

    Set `table.marked` to the text without marks (see `c_marks`), and `table.shown` to the parsed
    text.
    """
    data, text = table.data, shown(language, table.data)
    table.marked = data if text == data else text
    simpler = _rewriter(_SIMPLER[language]) if language in _SIMPLER else None
    parsed = parse_recovered(grammar_of(language, data), table.marked, simpler)
    table.shown = parsed.text
    return parsed.root


def script_tree(table: LineTable, script: Script) -> Node:
    """Return the root of an embedded script's syntax tree; its nodes have the file's offsets."""
    grammar, within = GRAMMARS[script.language], part(table, script.start, script.end)
    root = parse_parts(grammar, table.data, [within])
    if not root.has_error or (script.end - script.start) * MAX_RECOVERED < len(table.data):
        return root
    before, behind = table.data[: script.start], table.data[script.end :]
    inner = table.data[script.start : script.end]
    text = b"".join((_KEPT.sub(b" ", before), inner, _KEPT.sub(b" ", behind)))
    return parse_recovered(grammar, text).root


def rules_for(language: str, root: Node, data: bytes) -> Rules:
    """Return the rules for the file with the syntax tree `root`."""
    rules = _rules(_RULED[language]) if language in _RULED else None
    if language in QUERIED:
        from ggrep.parse.languages.query_rules import read

        base = nothing if rules is None else rules.describe
        made = read(grammar_of(language, data), root, base)
        return (
            made
            if rules is None
            else replace(made, imported=rules.imported, prototypes=rules.prototypes)
        )
    if rules is None:
        raise ValueError(f"no rules for {language}")
    return rules if rules.with_text is None else rules.with_text(data)


@cache
def _rules(module: str) -> Rules:
    """Return the rules of a module, which is loaded for the first file of its language."""
    return cast("Rules", import_module(f"ggrep.parse.languages.rules.{module}").RULES)


@cache
def _rewriter(name: str) -> Callable[[bytes], bytes]:
    module, _, function = name.partition(".")
    rewriting = import_module(f"ggrep.parse.languages.{module}")
    return cast("Callable[[bytes], bytes]", getattr(rewriting, function))

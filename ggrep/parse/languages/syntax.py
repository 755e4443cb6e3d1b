"""The rules of each language: a module of rules, or else a file of queries."""

import re
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Final, cast

from tree_sitter import Node

from ggrep.parse.languages.embedded_scripts import Script
from ggrep.parse.languages.found import Rules, nothing
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.registry import GRAMMARS, QUERIED
from ggrep.parse.languages.recovery import Parsed, parse_recovered
from ggrep.parse.languages.trees import parse_parts, part

_DECLARES: Final = re.compile(rb"^val\b", re.MULTILINE)
"""What an OCaml interface has and a structure has not."""
_WITH_MACROS: Final = frozenset({"c", "cpp", "objc"})
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
"""Languages with rules of their own, and the module that holds them."""


def shown(language: str, data: bytes) -> bytes:
    """Return the text to parse, byte for byte as long as the file's."""
    if language == "matlab":
        from ggrep.parse.languages.octave import as_matlab

        return as_matlab(data)
    if language == "groovy":
        from ggrep.parse.languages.groovy import as_words

        return as_words(data)
    if language == "kotlin":
        from ggrep.parse.languages.kotlin import with_plain_heads

        return with_plain_heads(data)
    if language == "fsharp":
        from ggrep.parse.languages.fsharp import without_marks

        return without_marks(data)
    if language not in _WITH_MACROS:
        return data
    from ggrep.parse.languages.c_macros import expanded, expanded_objc

    return expanded_objc(data) if language == "objc" else expanded(data)


def grammar_of(language: str, data: bytes) -> str:
    """Return the grammar that a file of the language is parsed by."""
    if language == "ocaml" and _DECLARES.search(data) is not None:
        return "ocaml_interface"
    return GRAMMARS[language]


def tree(language: str, data: bytes) -> Node:
    """Return the root of the file's syntax tree."""
    return parsed(language, data, shown(language, data)).root


def parsed(language: str, data: bytes, text: bytes) -> Parsed:
    """Return the syntax tree of a file of which `text` is to be parsed."""
    simpler = None
    if language == "bash":
        from ggrep.parse.languages.bash import with_plain_words as simpler
    return parse_recovered(grammar_of(language, data), text, simpler)


def script_tree(table: LineTable, script: Script) -> Node:
    """Return the root of a program inside of a file; its nodes stand where they do there."""
    within = part(table, script.start, script.end)
    return parse_parts(GRAMMARS[script.language], table.data, [within])


def rules_for(language: str, root: Node, data: bytes) -> Rules:
    """Return how the file with that syntax tree is read."""
    rules = _rules(_RULED[language]) if language in _RULED else None
    if language in QUERIED:
        from ggrep.parse.languages.query_rules import read

        base = nothing if rules is None else rules.describe
        made = read(grammar_of(language, data), root, base)
        return made if rules is None else replace(made, imported=rules.imported)
    if rules is None:
        raise ValueError(f"nobody reads {language}")
    return rules if rules.with_text is None else rules.with_text(data)


@cache
def _rules(module: str) -> Rules:
    """Return the rules of a module, loaded when a file of its language comes first."""
    return cast("Rules", import_module(f"ggrep.parse.languages.rules.{module}").RULES)

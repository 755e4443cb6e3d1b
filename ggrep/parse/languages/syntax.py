"""The rules of each language: a module of rules, or else a file of queries."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Final, cast

from tree_sitter import Node

from ggrep.parse.languages.embedded_scripts import Script
from ggrep.parse.languages.found import Rules, nothing
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.recovery import Parsed, parse_recovered
from ggrep.parse.languages.registry import GRAMMARS, QUERIED
from ggrep.parse.languages.trees import parse_parts, part

_DECLARES: Final = re.compile(rb"^val\b", re.MULTILINE)
"""What an OCaml interface has and a structure has not."""
_SHOWN: Final = MappingProxyType(
    {
        "c": ("c_macros", "expanded"),
        "cpp": ("c_macros", "expanded"),
        "fsharp": ("fsharp", "without_marks"),
        "groovy": ("groovy", "as_words"),
        "kotlin": ("kotlin", "with_plain_heads"),
        "matlab": ("octave", "as_matlab"),
        "objc": ("c_macros", "expanded_objc"),
    }
)
"""Languages of which a simpler text is parsed, and the function that makes it."""
_SIMPLER: Final = MappingProxyType({"bash": ("bash", "with_plain_words")})
"""Languages of which a simpler text is parsed where errors hide definitions."""
_KEPT: Final = re.compile(rb"\S")
MAX_RECOVERED: Final = 8
"""Programs of one file at most that are parsed again without what is broken."""
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
    if language not in _SHOWN:
        return data
    module, function = _SHOWN[language]
    return _simplifier(module, function)(data)


@cache
def _simplifier(module: str, function: str) -> Callable[[bytes], bytes]:
    """Return what simplifies a text, loaded when a file of its language comes first."""
    loaded = import_module(f"ggrep.parse.languages.{module}")
    return cast("Callable[[bytes], bytes]", getattr(loaded, function))


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
    simpler = _simplifier(*_SIMPLER[language]) if language in _SIMPLER else None
    return parse_recovered(grammar_of(language, data), text, simpler)


def script_tree(table: LineTable, script: Script) -> Node:
    """Return the root of a program inside of a file; its nodes stand where they do there."""
    grammar, within = GRAMMARS[script.language], part(table, script.start, script.end)
    root = parse_parts(grammar, table.data, [within])
    if not root.has_error or (script.end - script.start) * MAX_RECOVERED < len(table.data):
        return root
    before, behind = table.data[: script.start], table.data[script.end :]
    inner = table.data[script.start : script.end]
    text = b"".join((_KEPT.sub(b" ", before), inner, _KEPT.sub(b" ", behind)))
    return parse_recovered(grammar, text).root


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

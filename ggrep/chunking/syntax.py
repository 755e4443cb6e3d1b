"""How each language is read: by a module of rules, or else by a file of queries."""

import re
from dataclasses import replace
from typing import Final

from tree_sitter import Node

from ggrep.chunking import (
    query_rules,
    rules_bash,
    rules_c,
    rules_csharp,
    rules_elixir,
    rules_go,
    rules_graphql,
    rules_haskell,
    rules_java,
    rules_kotlin,
    rules_lua,
    rules_php,
    rules_proto,
    rules_python,
    rules_ruby,
    rules_rust,
    rules_scala,
    rules_script,
    rules_swift,
    rules_zig,
)
from ggrep.chunking.found import Rules, nothing
from ggrep.chunking.languages import GRAMMARS, QUERIED
from ggrep.chunking.line_table import LineTable
from ggrep.chunking.scripts import Script
from ggrep.chunking.trees import parse, parse_parts, part

_DECLARES: Final = re.compile(rb"^val\b", re.MULTILINE)
"""What an OCaml interface has and a structure has not."""
_WITH_MACROS: Final = frozenset({"c", "cpp", "objc"})
_RULES: Final[dict[str, Rules]] = {
    "bash": rules_bash.RULES,
    "c": rules_c.RULES,
    "cpp": rules_c.RULES,
    "csharp": rules_csharp.RULES,
    "elixir": rules_elixir.RULES,
    "go": rules_go.RULES,
    "graphql": rules_graphql.RULES,
    "haskell": rules_haskell.RULES,
    "java": rules_java.RULES,
    "javascript": rules_script.RULES,
    "kotlin": rules_kotlin.RULES,
    "lua": rules_lua.RULES,
    "php": rules_php.RULES,
    "proto": rules_proto.RULES,
    "objc": rules_c.RULES,
    "python": rules_python.RULES,
    "ruby": rules_ruby.RULES,
    "rust": rules_rust.RULES,
    "scala": rules_scala.RULES,
    "starlark": rules_python.RULES,
    "swift": rules_swift.RULES,
    "tsx": rules_script.RULES,
    "typescript": rules_script.RULES,
    "zig": rules_zig.RULES,
}


def shown(language: str, data: bytes) -> bytes:
    """Return the text to parse, byte for byte as long as the file's."""
    if language not in _WITH_MACROS:
        return data
    from ggrep.chunking.c_macros import expanded, expanded_objc

    return expanded_objc(data) if language == "objc" else expanded(data)


def grammar_of(language: str, data: bytes) -> str:
    """Return the grammar that a file of the language is parsed by."""
    if language == "ocaml" and _DECLARES.search(data) is not None:
        return "ocaml_interface"
    return GRAMMARS[language]


def tree(language: str, data: bytes) -> Node:
    """Return the root of the file's syntax tree."""
    return parse(grammar_of(language, data), shown(language, data))


def script_tree(table: LineTable, script: Script) -> Node:
    """Return the root of a program inside of a file; its nodes stand where they do there."""
    within = part(table, script.start, script.end)
    return parse_parts(GRAMMARS[script.language], table.data, [within])


def rules_for(language: str, root: Node, data: bytes) -> Rules:
    """Return how the file with that syntax tree is read."""
    rules = _RULES.get(language)
    if language in QUERIED:
        base = nothing if rules is None else rules.describe
        made = query_rules.read(grammar_of(language, data), root, base)
        return made if rules is None else replace(made, imported=rules.imported)
    if rules is None:
        raise ValueError(f"nobody reads {language}")
    return rules_rust.with_macros(data) if language == "rust" else rules

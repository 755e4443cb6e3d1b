"""Bytes become a syntax tree. With `found` and the rules, the only users of tree-sitter."""

import re
from functools import cache
from typing import Final, cast

from tree_sitter import Node, Parser
from tree_sitter_language_pack import SupportedLanguage, get_parser

from ggrep.chunking import (
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
from ggrep.chunking.found import Rules
from ggrep.chunking.languages import GRAMMARS

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
    "python": rules_python.RULES,
    "ruby": rules_ruby.RULES,
    "rust": rules_rust.RULES,
    "scala": rules_scala.RULES,
    "swift": rules_swift.RULES,
    "tsx": rules_script.RULES,
    "typescript": rules_script.RULES,
    "zig": rules_zig.RULES,
}

_CPP_HEADER: Final = re.compile(
    rb"^[ \t]*(?:class|namespace|template|using|public|private|protected)\b", re.MULTILINE
)


def grammar_for(path_key: str, language: str, data: bytes) -> str:
    """Return the language to parse as: a `.h` file that speaks C++ is read as C++."""
    if language == "c" and path_key.lower().endswith(".h") and _CPP_HEADER.search(data):
        return "cpp"
    return language


def parse(language: str, data: bytes) -> Node:
    """Return the root of the file's syntax tree; broken text gives a tree with errors."""
    return _parser(language).parse(data).root_node


def load(language: str) -> None:
    """Load the grammar of a language."""
    _parser(language)


def rules_for(language: str) -> Rules:
    """Return how `language` is read."""
    return _RULES[language]


@cache
def _parser(language: str) -> Parser:
    return get_parser(cast("SupportedLanguage", GRAMMARS[language]))

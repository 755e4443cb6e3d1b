"""How each language is read: by a module of rules, or else by a file of queries."""

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
from ggrep.chunking.c_macros import expanded
from ggrep.chunking.found import Rules

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
    "python": rules_python.RULES,
    "ruby": rules_ruby.RULES,
    "rust": rules_rust.RULES,
    "scala": rules_scala.RULES,
    "swift": rules_swift.RULES,
    "tsx": rules_script.RULES,
    "typescript": rules_script.RULES,
    "zig": rules_zig.RULES,
}


def shown(language: str, data: bytes) -> bytes:
    """Return the text to parse, byte for byte as long as the file's."""
    return expanded(data) if language in _WITH_MACROS else data


def rules_for(language: str, root: Node, data: bytes) -> Rules:
    """Return how the file with that syntax tree is read."""
    rules = _RULES.get(language)
    if rules is None:
        return query_rules.read(language, root)
    return rules_rust.with_macros(data) if language == "rust" else rules

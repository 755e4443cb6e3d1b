"""Bytes become a syntax tree. With `found` and the rules, the only users of tree-sitter."""

import re
from functools import cache
from typing import Final, cast

from tree_sitter import Node, Parser
from tree_sitter_language_pack import SupportedLanguage, get_parser

from ggrep.chunking import (
    rules_c,
    rules_go,
    rules_java,
    rules_python,
    rules_rust,
    rules_script,
)
from ggrep.chunking.found import Rules
from ggrep.chunking.languages import GRAMMARS

_RULES: Final[dict[str, Rules]] = {
    "c": rules_c.RULES,
    "cpp": rules_c.RULES,
    "go": rules_go.RULES,
    "java": rules_java.RULES,
    "javascript": rules_script.RULES,
    "python": rules_python.RULES,
    "rust": rules_rust.RULES,
    "tsx": rules_script.RULES,
    "typescript": rules_script.RULES,
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


def rules_for(language: str) -> Rules:
    """Return how `language` is read."""
    return _RULES[language]


@cache
def _parser(language: str) -> Parser:
    return get_parser(cast("SupportedLanguage", GRAMMARS[language]))

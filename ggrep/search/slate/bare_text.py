"""Separates a source text into code, string literals and comments."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

_TRIPLE: Final = (
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)' "|" r"'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\Z)"
)
_DOUBLE: Final = r'"(?:[^"\\\n]|\\.)*+"'
_SINGLE: Final = r"'(?:[^'\\\n]|\\.)*+'"
_CHARACTER: Final = r"'(?:[^'\\\n]|\\.[\w{}]{0,9})'"
_BACKTICK: Final = r"`(?:[^`\\]|\\.)*+`"
_BLOCK: Final = r"/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
_HASHES_WORDS: Final = (
    "python ruby bash yaml toml ini elixir perl r make dockerfile nix julia starlark mojo"
    " just powershell crystal coffeescript fish awk tcl cmake gdscript desktop text lock"
)
_HASHES: Final = frozenset(_HASHES_WORDS.split())
_DASHES: Final = frozenset({"sql", "lua", "haskell", "elm", "ada", "vhdl"})
_CHARACTERS_WORDS: Final = (
    "c cpp rust java go csharp kotlin swift zig scala d objc fsharp odin glsl verilog"
)
_CHARACTERS: Final = frozenset(_CHARACTERS_WORDS.split())
_BACKTICKS: Final = frozenset({"javascript", "typescript", "tsx", "go", "vue", "svelte"})
_BOTH: Final = frozenset({"php", "hcl"})


@dataclass(frozen=True, slots=True)
class BareText:
    """One text, taken apart.

    Attributes:
        code: without comments; string literals are empty.
        uncommented: without comments and without strings of several lines.
        literals: what stands inside of string literals.
    """

    code: str
    uncommented: str
    literals: tuple[str, ...]


@lru_cache(1 << 11)
def bare_text(text: str, language: str) -> BareText:
    """Return the parts of `text`; an unclosed comment reaches to the end."""
    literals: list[str] = []

    code: list[str] = []
    uncommented: list[str] = []
    end = 0
    for found in _pattern(language).finditer(text):
        between, literal, end = text[end : found.start()], found["literal"], found.end()
        code += (between, " " if literal is None else '""')
        if literal is None:
            uncommented += (between, " ")
            continue
        uncommented += (between, '""' if "\n" in literal else literal)
        literals.append(literal.strip("\"'`"))
    rest = text[end:]
    return BareText("".join((*code, rest)), "".join((*uncommented, rest)), tuple(literals))


@cache
def _pattern(language: str) -> re.Pattern[str]:
    literals = [_TRIPLE, _DOUBLE]
    literals.append(_CHARACTER if language in _CHARACTERS else _SINGLE)
    if language in _BACKTICKS:
        literals.append(_BACKTICK)
    return re.compile(f"(?P<literal>{'|'.join(literals)})|{_comments(language)}", re.DOTALL)


def _comments(language: str) -> str:
    if language in _BOTH:
        return rf"{_BLOCK}|//[^\n]*|(?<!\S)\#[^\n]*"
    if language in _HASHES:
        return r"(?<![^\s;])\#[^\n]*|^[ \t]*;[^\n]*" if language == "ini" else r"(?<!\S)\#[^\n]*"
    if language in _DASHES:
        return rf"{_BLOCK}|--[^\n]*"
    return rf"{_BLOCK}|(?<!:)//[^\n]*"


_NAME: Final = re.compile(r"[A-Za-z_@][\w.$:/@-]{2,79}")


def whole_names(literals: tuple[str, ...]) -> frozenset[str]:
    """Return those literals that are one name: a key, a dotted path, a file's name."""
    return frozenset(
        word for literal in literals if _NAME.fullmatch(word := literal.strip().lstrip("-"))
    )

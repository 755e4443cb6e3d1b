"""Determines the language and corpus of a file by its path, and lists the grammars."""

import sys
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ggrep.config.endings import CODE, ENDINGS, NAMED_RECORDS, NAMES, RECORDS
from ggrep.model.corpus import Corpus
from ggrep.parse.languages.by_content import (
    NOTEBOOK,
    by_ending,
    by_first_line,
    is_open,
    notebook_language,
)
from ggrep.parse.languages.by_form import by_form

CHUNKER_REVISION: Final = "chunker-9"
"""Version of the chunking, which is part of the configuration fingerprint.

    chunker-1  definitions, headings, diagrams, line windows
    chunker-2  more grammars, structured records; signatures and doc comments
    chunker-3  35 languages by query files; programs inside of pages and components; items inside
               of Rust's macros and what C's macros make; languages by content and first line
    chunker-4  Octave beside MATLAB; Verilog that was taken for V; members of nested definitions
               in Ada, D, SystemVerilog and VHDL
    chunker-5  members of Groovy, Zig and Nim that their types hid; names of patterns in scripts;
               reactive statements of components (`$: x = y`); notebooks as scripts in the kernel's
               language
    chunker-6  the form of lines, if neither name nor first line shows the language; one branch
               of a choice by C's preprocessor, where braces need it
    chunker-7  definitions after export, attribute and test macros; a text that a grammar cannot
               parse loses only the broken part; names as each language writes them
    chunker-8  PlantUML and DOT are plain text; Groovy and Octave as their grammars read them
    chunker-9  classes of C++ whose comment contains the word `class`
"""

GRAMMAR_PACKAGES: Final = ("tree_sitter", "tree_sitter_language_pack")
"""Python distributions that contain parsers."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


QUERIED: Final = _words(
    "ada clojure cmake d dart elisp elm erlang fortran fsharp gdscript gleam graphql groovy hcl"
    " julia lisp matlab nim nix objc ocaml odin pascal perl powershell proto purescript r racket"
    " scheme solidity starlark tcl v verilog vhdl zig"
)
"""Languages that are read by a file of queries."""

GRAMMARS: Final = MappingProxyType(
    {
        name: name
        for name in QUERIED
        | _words(
            "bash c cpp csharp elixir go haskell java javascript kotlin lua php"
            " python ruby rust scala swift tsx typescript"
        )
    }
    | {"lisp": "commonlisp"}
)
"""Languages that are parsed, with their grammars.

The list is explicit, because a grammar can hang.
"""

KEYED: Final = frozenset({"hcl"})
"""Languages that are parsed only for names; chunks follow their keys."""

HOLDERS: Final = frozenset({"astro", "html", "svelte", "vue"})
"""Languages whose files can contain programs in other languages."""

MERMAID: Final = "mermaid"
"""Language of diagrams, in files, fences and directives, whose edges are extracted."""

_READ_OTHERWISE: Final = frozenset(
    {"astro", "css", "erb", "less", "make", "scss", "sql", "svelte", "vue"}
)
"""Languages whose files contain programs in other languages, or no definitions."""


def language_of(path_key: str, data: bytes = b"") -> str:
    """Return the language of a file, lower-case; `text` if it is unknown.

    Args:
        path_key: the path, which is usually sufficient.
        data: the file's bytes, for endings that several languages share and for names without an
            ending.
    """
    name = path_key.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2] if "." in name else ""
    named = _by_name(name, ending)
    if not ending and data.startswith(b"#!"):
        return by_first_line(data) or named or "text"  # `build` is usually a script
    if not data or (named and not is_open(ending)):
        return named or "text"
    if ending == NOTEBOOK:
        return notebook_language(data) or named
    return by_first_line(data) or by_ending(ending, named or by_form(data), data)


def _by_name(name: str, ending: str) -> str:
    if name in NAMES:
        return NAMES[name]
    if ending in ENDINGS:
        return ENDINGS[ending]
    if name.startswith(("dockerfile.", "containerfile.")):
        return "dockerfile"
    return "make" if name.rpartition(".")[0].startswith("makefile") else ""


def holds_scripts(language: str, data: bytes) -> bool:
    """Return whether a file contains a program in another language."""
    if language not in HOLDERS:
        return False
    from ggrep.parse.languages.embedded_scripts import scripts_of

    return bool(scripts_of(language, data))


def is_unread(language: str) -> bool:
    """Return whether files in a language are indexed only as words, without definitions."""
    return language in CODE and language not in GRAMMARS and language not in _READ_OTHERWISE


def corpus_of(path_key: str, data: bytes = b"") -> Corpus:
    """Return the corpus of a file's text."""
    return corpus_of_language(language_of(path_key, data))


def corpus_of_language(language: str) -> Corpus:
    """Return the corpus of the text of files in a language."""
    if language in CODE:
        return Corpus.CODE
    if language in RECORDS or language in NAMED_RECORDS:
        return Corpus.RECORDS
    return Corpus.EXTRACTED_PROSE if language == MERMAID else Corpus.PROSE


@cache
def grammar_revision() -> str:
    """Return the versions of the parsers, for the fingerprint; loads no grammar.

    Raises:
        PackageNotFoundError: the installation is broken.
    """
    return " ".join(f"{name}={_version(name)}" for name in GRAMMAR_PACKAGES)


def _version(name: str) -> str:
    """Return a distribution's version, without loading the slow `importlib.metadata`."""
    for directory in sys.path:
        files = [*Path(directory).glob(f"{name}-*.dist-info/METADATA")]
        if len(files) == 1:
            with files[0].open(encoding="utf-8") as lines:
                for line in lines:
                    if line.startswith("Version: "):
                        return line.removeprefix("Version: ").strip()
        if files:
            break
    from importlib.metadata import version

    return version(name)

"""What a path says about a file's language and corpus, and which grammars are loaded."""

from functools import cache
from importlib.metadata import version
from types import MappingProxyType
from typing import Final

from ggrep.chunking.contents import by_ending, by_first_line, is_open
from ggrep.domain.corpus import Corpus

CHUNKER_REVISION: Final = "chunker-3"
"""What chunking makes of a file; enters the fingerprint.

    chunker-1  definitions, headings, diagrams, line windows
    chunker-2  more grammars, structured records; signatures and doc comments
"""

GRAMMAR_PACKAGES: Final = ("tree_sitter", "tree_sitter_language_pack")
"""Distributions that parse."""

GRAMMARS: Final = MappingProxyType(
    {
        "bash": "bash",
        "c": "c",
        "cpp": "cpp",
        "csharp": "csharp",
        "elixir": "elixir",
        "go": "go",
        "graphql": "graphql",
        "haskell": "haskell",
        "java": "java",
        "javascript": "javascript",
        "kotlin": "kotlin",
        "lua": "lua",
        "php": "php",
        "proto": "proto",
        "purescript": "purs",
    "puppet": "",
    "python": "python",
        "ruby": "ruby",
        "rust": "rust",
        "scala": "scala",
        "swift": "swift",
        "tsx": "tsx",
        "typescript": "typescript",
        "zig": "zig",
        "dart": "dart",
        "julia": "julia",
        "objc": "objc",
        "ocaml": "ocaml",
        "odin": "odin",
        "starlark": "starlark",
        "verilog": "verilog",
        "lisp": "commonlisp",
        "ada": "ada",
        "d": "d",
        "elisp": "elisp",
        "elm": "elm",
        "fortran": "fortran",
        "gdscript": "gdscript",
        "gleam": "gleam",
        "matlab": "matlab",
        "nim": "nim",
        "pascal": "pascal",
        "purescript": "purescript",
        "racket": "racket",
        "scheme": "scheme",
        "tcl": "tcl",
        "v": "v",
        "vhdl": "vhdl",
        "clojure": "clojure",
        "cmake": "cmake",
        "erlang": "erlang",
        "fsharp": "fsharp",
        "groovy": "groovy",
        "hcl": "hcl",
        "nix": "nix",
        "perl": "perl",
        "powershell": "powershell",
        "qmake": "",
    "r": "r",
        "solidity": "solidity",
    }
)
"""Languages that are parsed, and the grammar of each. A list, because a grammar can hang."""

QUERIED: Final = frozenset(
    "dart julia objc ocaml odin starlark verilog clojure cmake erlang fsharp groovy hcl nix perl powershell r solidity ada d elisp elm"
    " fortran gdscript gleam lisp matlab nim pascal purescript racket scheme tcl v vhdl".split()
)
"""Languages that are read by a file of queries."""

KEYED: Final = frozenset({"hcl"})
"""Languages that are parsed for names alone: chunks follow their keys."""

DIAGRAMS: Final = frozenset({"mermaid", "plantuml", "dot"})

# Languages without an ending of their own are told by what stands in a file.
_CODE: Final = {
    "ada": "adb ads ada",
    "apex": "",
    "assembly": "s asm nasm",
    "astro": "astro",
    "awk": "awk",
    "batch": "bat cmd",
    "bash": "sh bash zsh ksh bats",
    "bitbake": "",
    "c": "c h",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "cobol": "cob cbl",
    "coffeescript": "coffee",
    "coq": "",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp cppm ixx cu cuh ino",
    "crystal": "cr",
    "csharp": "cs csx",
    "css": "css",
    "d": "d di",
    "dart": "dart",
    "elisp": "el",
    "elixir": "ex exs",
    "elm": "elm",
    "erb": "erb",
    "erlang": "erl hrl",
    "fennel": "fnl",
    "fish": "fish",
    "fortran": "f f77 f90 f95 f03 f08 for",
    "fsharp": "fs fsi fsx",
    "gdscript": "gd",
    "gleam": "gleam",
    "glsl": "glsl vert frag geom comp hlsl wgsl metal",
    "go": "go",
    "groovy": "groovy gradle",
    "haskell": "hs lhs",
    "java": "java",
    "javascript": "js jsx mjs cjs es6",
    "julia": "jl",
    "just": "just",
    "kotlin": "kt kts",
    "less": "less",
    "lisp": "lisp lsp cl",
    "lua": "lua",
    "make": "mk mak make",
    "mathematica": "",
    "matlab": "m",
    "mercury": "",
    "mojo": "mojo",
    "nim": "nim nims",
    "nix": "nix",
    "objc": "mm",
    "ocaml": "ml mli",
    "odin": "odin",
    "pascal": "pas pp dpr",
    "perl": "pl pm t",
    "php": "php phtml",
    "powershell": "ps1 psm1 psd1",
    "prolog": "pro",
    "purescript": "purs",
    "puppet": "",
    "python": "py pyi pyw pyx pxd",
    "qmake": "",
    "r": "r",
    "racket": "rkt",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "scala": "scala sc sbt",
    "scheme": "scm ss",
    "scss": "scss sass",
    "solidity": "sol",
    "starlark": "bzl star bazel",
    "svelte": "svelte",
    "swift": "swift",
    "tcl": "tcl",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "vb": "vb vbs bas",
    "v": "",
    "verilog": "v vh sv svh",
    "vhdl": "vhd vhdl",
    "vim": "vim",
    "vue": "vue",
    "zig": "zig zon",
}
_PROSE: Final = {
    "asciidoc": "adoc asciidoc asc",
    "html": "html htm xhtml",
    "latex": "tex cls sty",
    "markdown": "md markdown mdx mdown mdwn mkd mkdn mkdown mdc",
    "org": "org",
    "rst": "rst rest",
    "text": "txt text log inc",
    "typst": "typ",
}
_RECORDS: Final = {
    "avro": "avsc avdl",
    "capnp": "capnp",
    "csv": "csv tsv psv",
    "cue": "cue",
    "desktop": "desktop service socket timer",
    "diff": "diff patch",
    "dockerfile": "dockerfile containerfile",
    "graphql": "graphql gql graphqls",
    "hcl": "hcl tf tfvars nomad",
    "ini": "ini cfg conf cnf properties editorconfig gitconfig env",
    "json": "json jsonc json5 jsonl ndjson geojson webmanifest map har code-workspace",
    "jsonnet": "jsonnet libsonnet",
    "jupyter": "ipynb",
    "lock": "lock",
    "plist": "plist",
    "prisma": "prisma",
    "proto": "proto",
    "sql": "sql psql ddl dml",
    "thrift": "thrift",
    "toml": "toml",
    "xml": "xml xsd xsl xslt wsdl svg csproj fsproj vbproj props targets pom rss",
    "yaml": "yaml yml",
}
_PICTURES: Final = {
    "dot": "dot gv",
    "mermaid": "mmd mermaid",
    "plantuml": "puml plantuml pu iuml",
}
_NAMES: Final = {
    ".babelrc": "json",
    ".bashrc": "bash",
    ".clang-format": "yaml",
    ".clang-tidy": "yaml",
    ".dockerignore": "ignore",
    ".editorconfig": "ini",
    ".eslintrc": "json",
    ".gitattributes": "ignore",
    ".gitignore": "ignore",
    ".gitmodules": "ini",
    ".npmrc": "ini",
    ".prettierrc": "json",
    ".zshrc": "bash",
    "build": "starlark",
    "cmakelists.txt": "cmake",
    "codeowners": "ignore",
    "containerfile": "dockerfile",
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "gnumakefile": "make",
    "go.mod": "gomod",
    "go.sum": "gomod",
    "go.work": "gomod",
    "jenkinsfile": "jenkinsfile",
    "justfile": "just",
    "makefile": "make",
    "pipfile": "toml",
    "podfile": "ruby",
    "procfile": "yaml",
    "rakefile": "ruby",
    "requirements.txt": "requirements",
    "vagrantfile": "ruby",
    "workspace": "starlark",
}
_READ_OTHERWISE: Final = frozenset(
    {"astro", "css", "erb", "less", "make", "scss", "sql", "svelte", "vue"}
)
"""Languages that hold programs in others, or nothing that one would call a definition."""
_NAMED_RECORDS: Final = frozenset({"ignore", "gomod", "jenkinsfile", "requirements"})


def _by_extension() -> dict[str, str]:
    tables = (_CODE, _PROSE, _RECORDS, _PICTURES)
    pairs = ((table, name) for table in tables for name in table)
    return {word: name for table, name in pairs for word in table[name].split()}


ENDINGS: Final = MappingProxyType(_by_extension())
"""Language by a file name's ending, without the dot."""


def language_of(path_key: str, data: bytes = b"") -> str:
    """Return the language of a file, lower-case; `text` when nothing is known of it.

    Args:
        path_key: mostly enough.
        data: its bytes, where endings that several languages share and names without an ending
            are to be told apart.
    """
    name = path_key.rpartition("/")[2].lower()
    named = _NAMES.get(name)
    if named is not None:
        return named
    stem, dot, ending = name.rpartition(".")
    if dot and ending in ENDINGS:
        usual = ENDINGS[ending]
        if not data or not is_open(ending):
            return usual
        return by_first_line(data) or by_ending(ending, usual, data)
    if name.startswith(("dockerfile.", "containerfile.")):
        return "dockerfile"
    if stem.startswith("makefile"):
        return "make"
    return by_first_line(data) or "text"


def is_unread(language: str) -> bool:
    """Say whether programs in a language are read by their words, without definitions."""
    return language in _CODE and language not in GRAMMARS and language not in _READ_OTHERWISE


def corpus_of(path_key: str, data: bytes = b"") -> Corpus:
    """Return the corpus that a file's own text belongs to."""
    language = language_of(path_key, data)
    if language in _CODE:
        return Corpus.CODE
    if language in _RECORDS or language in _NAMED_RECORDS:
        return Corpus.RECORDS
    return Corpus.EXTRACTED_PROSE if language in DIAGRAMS else Corpus.PROSE


@cache
def grammar_revision() -> str:
    """Return the versions of what parses, for the fingerprint; loads no grammar.

    Raises:
        PackageNotFoundError: the installation is broken.
    """
    return " ".join(f"{name}={version(name)}" for name in GRAMMAR_PACKAGES)

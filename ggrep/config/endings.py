"""The languages of files by their endings."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final


def _by_word(*tables: Mapping[str, str]) -> dict[str, str]:
    return {word: name for table in tables for name in table for word in table[name].split()}


# Languages whose endings all belong to other languages are recognised by a file's content.
CODE: Final = {
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
    "code": "",
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
PROSE: Final = {
    "asciidoc": "adoc asciidoc asc",
    "html": "html htm xhtml",
    "latex": "tex cls sty",
    "markdown": "md markdown mdx mdown mdwn mkd mkdn mkdown mdc",
    "org": "org",
    "rst": "rst rest",
    "text": "txt text log inc",
    "typst": "typ",
}
RECORDS: Final = {
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
PICTURES: Final = {
    "dot": "dot gv",
    "mermaid": "mmd mermaid",
    "plantuml": "puml plantuml pu iuml",
}
NAMES: Final = _by_word(
    {
        "bash": (
            ".bash_aliases .bash_functions .bash_login .bash_logout .bash_profile .bashrc"
            " .profile .zlogin .zprofile .zshenv .zshrc apkbuild pkgbuild"
        ),
        "cmake": "cmakelists.txt",
        "dockerfile": "containerfile dockerfile",
        "erlang": "rebar.config",
        "gomod": "go.mod go.sum go.work",
        "ignore": ".dockerignore .gitattributes .gitignore codeowners",
        "ini": ".editorconfig .gitmodules .npmrc",
        "jenkinsfile": "jenkinsfile",
        "json": ".babelrc .eslintrc .prettierrc",
        "just": "justfile",
        "lisp": "dune dune-project dune-workspace",
        "make": "gnumakefile kbuild makefile",
        "python": "sconscript sconstruct snakefile wscript",
        "r": ".rprofile",
        "requirements": "requirements.txt",
        "ruby": (
            ".irbrc appfile appraisals berksfile brewfile capfile dangerfile fastfile gemfile"
            " guardfile gymfile matchfile podfile puppetfile rakefile steepfile thorfile"
            " vagrantfile"
        ),
        "starlark": "buck build tiltfile workspace",
        "toml": "pipfile",
        "vim": ".vimrc",
        "yaml": ".clang-format .clang-tidy procfile",
    }
)
NAMED_RECORDS: Final = frozenset({"ignore", "gomod", "jenkinsfile", "requirements"})


ENDINGS: Final = MappingProxyType(_by_word(CODE, PROSE, RECORDS, PICTURES))
"""Language by a file name's ending, without the dot."""

"""Traits of a file, as bits derived from its path and content; intents weigh them.

Conventions of common build tools and test runners, by whole path parts and word ends, so that
`contest.py` is not a test and `latest/` is not one either.
"""

import re
from typing import Final

TEST: Final = 1
EXAMPLE: Final = 2
VENDORED: Final = 4
GENERATED: Final = 8
DECLARATION: Final = 16
ENTRANCE: Final = 32
"""A file that mostly hands on what others define: `__init__.py`, `index.js`, `mod.rs`."""

MASKED: Final = 64
"""Secrets in the file are masked."""
RECODED: Final = 128
"""The file is not UTF-8; what is indexed of it is."""
REPLACED: Final = 256
"""U+FFFD stands for bytes of the file that its encoding does not know."""
MINIFIED: Final = 512
DATA: Final = 1024
"""A table, a dump, a blob, a lock file: nothing that anybody reads through."""
SHORTENED: Final = 2048
"""Only the beginning of the file is indexed."""
UNREAD: Final = 4096
"""A notebook that is none of a known form: its whole text is indexed, as it stands."""
GUESSED: Final = 8192
"""The file's encoding is neither marked nor declared: it is the likeliest for its bytes."""
CELL_LINES: Final = 16_384
"""A notebook whose source has no lines of its own in the file: lines count within its cells."""

MADE: Final = GENERATED | MINIFIED | DATA
"""What no person wrote; it ranks behind what one did."""
BULK: Final = MINIFIED | DATA
"""What is indexed up to a bound."""
UNSURE: Final = GUESSED | REPLACED
"""The text of the file may not be what its author wrote."""
READING: Final = UNSURE | CELL_LINES
"""How a file was read, where an answer that shows it has to say so."""
CONTENT_TRAITS: Final = MASKED | RECODED | MADE | SHORTENED | UNREAD | READING
"""Those that a file's content tells; its path tells the others, and `GENERATED` too."""

TRAITS_REVISION: Final = "traits-5"
"""What files are taken for; enters the fingerprint.

    traits-1  directories and names of tests, examples, vendored and generated files
    traits-2  directories named after what they test: `App.Tests`, `core-test`, `AppTests`
    traits-3  generated, minified and data files by their content
    traits-4  notebooks by what is written in their cells
    traits-5  tables written as code, by rows of texts and numbers; more words of generators
"""

_TEST_DIRS = frozenset(
    {"test", "tests", "__tests__", "testing", "testdata", "spec", "specs", "e2e"}
)
_EXAMPLE_DIRS = frozenset(
    {"example", "examples", "demo", "demos", "sample", "samples", "tutorial", "benchmarks", "bench"}
)
_VENDOR_DIRS = frozenset(
    {"vendor", "vendored", "_vendor", "third_party", "thirdparty", "external", "deps", "extern"}
)
_TEST_DIR = re.compile(r"[._-][Tt]ests?$|[a-z0-9]Tests?$")
_TEST_NAME = re.compile(
    r"^(test|tests|conftest)[._-]|^test\w*\.py$|[._-](test|tests|spec|specs)\.|[a-z0-9](Test|Tests|Spec)\."
)
_GENERATED_NAME = re.compile(r"(\.pb\.|_pb2|\.g\.|\.generated\.|_generated\.|\.min\.)")
_DECLARATION_NAME = re.compile(r"(\.d\.[cm]?ts|\.pyi)$")
_ENTRANCES = frozenset(
    {"__init__.py", "index.js", "index.ts", "index.tsx", "mod.rs", "lib.rs", "doc.go", "index.mjs"}
)


def traits_of(path_key: str) -> int:
    """Return the trait bits of a path."""
    *directories, name = path_key.split("/")
    parts = {part.lower() for part in directories}
    traits = 0
    if parts & _TEST_DIRS or any(map(_TEST_DIR.search, directories)) or _TEST_NAME.search(name):
        traits |= TEST
    if parts & _EXAMPLE_DIRS:
        traits |= EXAMPLE
    if parts & _VENDOR_DIRS:
        traits |= VENDORED
    if _GENERATED_NAME.search(name):
        traits |= GENERATED
    if _DECLARATION_NAME.search(name):
        traits |= DECLARATION
    if name in _ENTRANCES:
        traits |= ENTRANCE
    return traits

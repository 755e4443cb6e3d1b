"""Discovered and read files, their traits, and their chunks."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.model.constraints import Code, RepoPath, SafeLine
from ggrep.model.corpus import Corpus


class SourceFile(Struct, frozen=True):
    """An eligible file that has not been read, with its stat values."""

    path_key: PathKey
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class SkippedFile(Struct, frozen=True):
    """A file that is not indexed."""

    path_key: RepoPath
    reason: Code
    """Stable name of the cause."""
    detail: SafeLine


class FileText(Struct, frozen=True):
    """The content of a file, read while the file did not change.

    Attributes:
        data: the text as UTF-8, with secrets masked.
        digest: SHA-256 of the file's bytes, lower-case hex.
        encoding: encoding of the file; empty for UTF-8.
        traits: bits of `CONTENT_TRAITS`.
        file: stat values after reading.
    """

    path_key: PathKey
    data: bytes
    digest: str
    file: SourceFile
    encoding: str = ""
    traits: int = 0


TEST: Final = 1
EXAMPLE: Final = 2
VENDORED: Final = 4
GENERATED: Final = 8
DECLARATION: Final = 16
ENTRANCE: Final = 32
"""A file that mostly re-exports definitions of other files: `__init__.py`, `index.js`, `mod.rs`."""

MASKED: Final = 64
"""Secrets in the file are masked."""
RECODED: Final = 128
"""The file is not UTF-8; its indexed text is converted to UTF-8."""
REPLACED: Final = 256
"""U+FFFD replaces bytes that are invalid in the file's encoding."""
MINIFIED: Final = 512
DATA: Final = 1024
"""A table, a dump, a blob or a lock file: content that is not meant for reading."""
SHORTENED: Final = 2048
"""Only the beginning of the file is indexed."""
UNREAD: Final = 4096
"""A notebook with an unknown format: its whole text is indexed unchanged."""
GUESSED: Final = 8192
"""The file's encoding is neither marked nor declared, but guessed from its bytes."""
CELL_LINES: Final = 16_384
"""A notebook that is stored on few lines: line numbers count within its cells."""

MACHINE_WRITTEN: Final = GENERATED | MINIFIED | DATA
"""Machine-written files; they rank below hand-written ones."""
BULK: Final = MINIFIED | DATA
"""Files of which only the first part is indexed."""
UNSURE: Final = GUESSED | REPLACED
"""The indexed text may differ from the author's text."""
READING: Final = UNSURE | CELL_LINES
"""Traits that an answer with the file must mention."""
CONTENT_TRAITS: Final = MASKED | RECODED | MACHINE_WRITTEN | SHORTENED | UNREAD | READING
"""Traits that depend on a file's content. The other traits depend on its path; `GENERATED` depends
on both."""

TRAITS_REVISION: Final = "traits-5"
"""Revision of the traits, which is part of the fingerprint.

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
    """Return the trait bits of a path.

    The bits depend on names that common build tools and test runners use. A name matches a whole
    path part or the end of a word: `contest.py` and `latest/` are not tests.
    """
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


ANCHOR = "anchor"
TEXT = "text"

DEFINING: Final = (
    *("function", "method", "class", "interface", "enum", "typealias", "module", "constant"),
)
"""Types of chunks that are definitions of their name."""

TYPE_KINDS: Final = frozenset({"class", "enum", "interface", "module", "typealias"})
"""Kinds of definitions that are types."""
CHUNK_TYPES: Final = (*DEFINING, "section", "diagram", "block", ANCHOR)


class Chunk(Struct, frozen=True):
    """A chunk of a file, not yet embedded.

    Attributes:
        kind: `anchor` for the header chunk of the file, else `text`.
        chunk_type: one of `CHUNK_TYPES`.
        name: unqualified name of the definition or heading; empty for blocks.
        qualified_name: the parents' names and `name`, joined with dots; empty if `name` is empty.
        names: names of all definitions with text in this chunk, `name` first.
        breadcrumb: enclosing definitions or headings, outermost first, without `name`.
        start_line: first line, 1-based; `end_line` is the last line, inclusive.
        byte_start: offset of `text` in the file's bytes; `byte_end` is exclusive.
        text: the file's text from `byte_start` to `byte_end`; for an anchor, its opening lines.
        extra: words that are searchable but never shown: edges of diagrams, imports of an anchor.
        signature: head of the definition on one line; empty if there is none.
        doc: documentation of the definition, without comment marks.
        tail: whitespace between this chunk and the next chunk or the end of the file; for an
            anchor, the text before the first chunk.
    """

    kind: str
    chunk_type: str
    corpus: Corpus
    name: str
    qualified_name: str
    names: tuple[str, ...]
    breadcrumb: tuple[str, ...]
    start_line: int
    end_line: int
    byte_start: int
    byte_end: int
    text: str
    extra: str
    signature: str = ""
    doc: str = ""
    tail: str = ""

    @property
    def embedded_text(self) -> str:
        """Return the text for embedding and hashing: breadcrumb, text and extra words."""
        return embedded_text(self.breadcrumb, self.text, self.extra)


def embedded_text(breadcrumb: Sequence[str], text: str, extra: str) -> str:
    """Return a chunk's text for embedding and hashing: breadcrumb, text and extra words."""
    return "\n".join(part for part in (" > ".join(breadcrumb), text, extra) if part)


class ChunkedFile(Struct, frozen=True):
    """All chunks of a file in source order, starting with the anchor.

    Attributes:
        language: lower-case name such as `python` or `markdown`; `text` if unknown.
        method: chunking method: `tree-sitter`, `markdown`, `structure` (keys, sections, rules,
            stages, targets), `notebook` (cells), `diagram` or `lines`.
        problem: why the best method failed: `parse_exhausted`, `parse_crashed` or
            `chunk_cap_exceeded`; None if it succeeded. A file with a problem makes the snapshot
            degraded.
    """

    path_key: PathKey
    language: str
    method: str
    chunks: tuple[Chunk, ...]
    problem: str | None = None

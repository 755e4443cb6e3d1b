"""Files as they are discovered and read, their traits, and their chunks."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.model.constraints import Code, RepoPath, SafeLine
from ggrep.model.corpus import Corpus


class SourceFile(Struct, frozen=True):
    """An eligible file from its stat; its bytes have not been read."""

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
    """The whole content of one file, read in one piece while it did not change.

    Attributes:
        data: its text as UTF-8, secrets masked.
        digest: SHA-256 of the file's own bytes, lower-case hex.
        encoding: encoding of the file; empty for UTF-8.
        traits: some of `CONTENT_TRAITS`.
        file: its stat after the read.
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
"""A file that mostly re-exports definitions of others: `__init__.py`, `index.js`, `mod.rs`."""

MASKED: Final = 64
"""Secrets in the file are masked."""
RECODED: Final = 128
"""The file is not UTF-8; its indexed text is."""
REPLACED: Final = 256
"""U+FFFD stands for bytes of the file that its encoding does not know."""
MINIFIED: Final = 512
DATA: Final = 1024
"""A table, a dump, a blob, a lock file: content that people do not read through."""
SHORTENED: Final = 2048
"""Only the beginning of the file is indexed."""
UNREAD: Final = 4096
"""A notebook of an unknown form: its whole text is indexed unchanged."""
GUESSED: Final = 8192
"""The file's encoding is neither marked nor declared: it is the likeliest for its bytes."""
CELL_LINES: Final = 16_384
"""A notebook whose source has no lines of its own in the file: lines count within its cells."""

MACHINE_WRITTEN: Final = GENERATED | MINIFIED | DATA
"""Machine-written files; they rank below hand-written ones."""
BULK: Final = MINIFIED | DATA
"""Files that are indexed up to a bound."""
UNSURE: Final = GUESSED | REPLACED
"""The text of the file may not be what its author wrote."""
READING: Final = UNSURE | CELL_LINES
"""Traits of reading that an answer with the file has to mention."""
CONTENT_TRAITS: Final = MASKED | RECODED | MACHINE_WRITTEN | SHORTENED | UNREAD | READING
"""Traits that a file's content decides; its path decides the others, and `GENERATED` too."""

TRAITS_REVISION: Final = "traits-5"
"""Revision of the traits; enters the fingerprint.

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

    Names follow common build tools and test runners, by whole path parts and word ends: neither
    `contest.py` nor `latest/` is a test.
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
"""Types of chunks that define the name they bear."""

CHUNK_TYPES: Final = (*DEFINING, "section", "diagram", "block", ANCHOR)


class Chunk(Struct, frozen=True):
    """One piece of a file, not yet embedded.

    Attributes:
        kind: `anchor` for the file's header chunk, else `text`.
        chunk_type: one of `CHUNK_TYPES`.
        name: the definition's or heading's own name; empty for blocks.
        qualified_name: `name` behind its parents, joined with dots; empty when `name` is.
        names: names of all definitions whose text lies in this chunk, `name` first.
        breadcrumb: enclosing definitions or headings, outermost first, without `name`.
        start_line: 1-based, inclusive, as is `end_line`.
        byte_start: offset of `text` in the file's bytes; `byte_end` is exclusive.
        text: the file's own text between those bytes; an anchor's is the file's opening lines.
        extra: words that are searched but never shown (diagram edges, an anchor's imports).
        signature: the definition's head on one line; empty without one.
        doc: the definition's documentation, without comment marks.
        tail: blanks between this chunk and the next, or the end; an anchor's is the text before
            the first chunk.
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
        """Return the text as it is embedded and hashed: breadcrumb, text, extra."""
        return embedded_text(self.breadcrumb, self.text, self.extra)


def embedded_text(breadcrumb: Sequence[str], text: str, extra: str) -> str:
    """Return a chunk's text as it is embedded and hashed: breadcrumb, text, extra."""
    return "\n".join(part for part in (" > ".join(breadcrumb), text, extra) if part)


class ChunkedFile(Struct, frozen=True):
    """All chunks of one file, in source order; the anchor is the first.

    Attributes:
        language: lower-case name such as `python` or `markdown`; `text` when unknown.
        method: method of cutting: `tree-sitter`, `markdown`, `structure` (keys, sections, rules,
            stages, targets), `notebook` (cells), `diagram` or `lines`.
        problem: None, or why the best method failed: `parse_exhausted`, `parse_crashed`,
            `chunk_cap_exceeded`. A file with a problem makes the snapshot degraded.
    """

    path_key: PathKey
    language: str
    method: str
    chunks: tuple[Chunk, ...]
    problem: str | None = None

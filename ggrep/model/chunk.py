"""The stored piece of a file."""

from typing import Final

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.model.corpus import Corpus

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
        chunk_type: what it is: one of `CHUNK_TYPES`.
        name: the definition's or heading's own name; empty for blocks.
        qualified_name: `name` behind its parents, joined with dots; empty when `name` is.
        names: names of all definitions whose text lies in this chunk, `name` first.
        breadcrumb: enclosing definitions or headings, outermost first, without `name`.
        start_line: 1-based, inclusive, as is `end_line`.
        byte_start: offset of `text` in the file's bytes; `byte_end` is exclusive.
        text: the file's own text between those bytes, for display. An anchor's is the file's
            opening lines.
        extra: words that are searched but never shown (diagram edges, an anchor's imports).
        signature: the definition's head on one line; empty for what has none.
        doc: what documents the definition, without comment marks; empty when nothing does.
        tail: the file's own text between this chunk and the next, or its end: blanks that no chunk
            holds. An anchor's is the text in front of the first chunk.
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
        crumb = " > ".join(self.breadcrumb)
        return "\n".join(part for part in (crumb, self.text, self.extra) if part)


class ChunkedFile(Struct, frozen=True):
    """All chunks of one file, in source order; the anchor is the first.

    Attributes:
        language: lower-case name such as `python` or `markdown`; `text` when unknown.
        method: how it was cut: `tree-sitter`, `markdown`, `structure` (keys, sections, rules,
            stages, targets), `notebook` (cells), `diagram` or `lines`.
        problem: None, or why the best method was not used: `parse_exhausted`, `parse_crashed`,
            `chunk_cap_exceeded`. A file with a problem makes the snapshot degraded.
    """

    path_key: PathKey
    language: str
    method: str
    chunks: tuple[Chunk, ...]
    problem: str | None = None

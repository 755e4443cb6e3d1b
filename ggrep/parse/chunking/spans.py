"""The line ranges of a file's chunks, before their text is extracted.

A worker process returns only line ranges, because the parent process has the file's bytes.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.base.stable_json import Json
from ggrep.model.corpus import Corpus
from ggrep.model.files import ANCHOR, Chunk, ChunkedFile
from ggrep.parse.chunking.headers import clean_doc, clean_signature
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import BLANK

Span = tuple[int, int]
NO_SPAN: Final[Span] = (0, 0)


class Piece(Struct, frozen=True):
    """A range of a file that becomes a chunk, and its kind.

    Attributes:
        names: see `Chunk.names`.
        signature: byte range of the definition's head; empty without a definition.
        doc: byte range of the documentation; empty without documentation.
        loose: whether the piece can be joined with its neighbours.
    """

    start: int
    end: int
    chunk_type: str
    name: str = ""
    names: tuple[str, ...] = ()
    breadcrumb: tuple[str, ...] = ()
    extra: str = ""
    signature: Span = NO_SPAN
    doc: Span = NO_SPAN
    loose: bool = False


Cutter = Callable[[ChunkLimits], list[Piece] | None]
"""A function that cuts one file, whose structure it has already read, into pieces within limits.

The function can stop once there are more pieces than a file can have; then only the names in the
first pieces are used. It returns None if the method does not suit the file.
"""


class Plan(Struct, frozen=True):
    """The plan by which a file is cut into chunks.

    Attributes:
        pieces: the pieces in source order, the anchor first.
        problem: see `ChunkedFile.problem`.
    """

    language: str
    method: str
    pieces: tuple[Piece, ...]
    problem: str | None = None


def plan_to_json(plan: Plan) -> Json:
    """Return the plan in the form of JSON values."""
    return [
        plan.language,
        plan.method,
        plan.problem,
        [
            [
                *(p.start, p.end, p.chunk_type, p.name, p.names, p.breadcrumb, p.extra),
                *(p.signature, p.doc),
            ]
            for p in plan.pieces
        ],
    ]


def plan_from_json(value: list[object]) -> Plan:
    """Return the plan that `plan_to_json` wrote.

    Raises:
        ValueError, TypeError: `value` is not such a plan.
    """
    language, method, problem, rows = value
    if not isinstance(rows, list):
        raise TypeError("the pieces of a file must be a list")
    return Plan(
        str(language),
        str(method),
        tuple(
            Piece(
                start,
                end,
                chunk_type,
                name,
                tuple(names),
                tuple(crumb),
                extra,
                (signature[0], signature[1]),
                (doc[0], doc[1]),
            )
            for start, end, chunk_type, name, names, crumb, extra, signature, doc in rows
        ),
        None if problem is None else str(problem),
    )


def to_chunks(path_key: PathKey, data: bytes, plan: Plan, corpus: Corpus) -> ChunkedFile:
    """Return the chunks with their text; `corpus` applies to all chunks except diagrams."""
    lines = _LineNumbers(data)
    return ChunkedFile(
        path_key=path_key,
        language=plan.language,
        method=plan.method,
        chunks=tuple(
            [
                _chunk(data, lines, piece, corpus, tail)
                for piece, tail in zip(plan.pieces, _tails(data, plan.pieces), strict=True)
            ]
        ),
        problem=plan.problem,
    )


def _tails(data: bytes, pieces: Sequence[Piece]) -> Iterator[str]:
    """Yield the text after each piece; empty for the last piece if later pieces were left out."""
    end = 0
    for piece, following in zip_longest(pieces, pieces[1:]):
        if piece.chunk_type != ANCHOR:
            end = piece.end
        rest = data[end:] if following is None else data[end : following.start]
        is_cut = following is None and bool(rest.strip(BLANK))
        yield "" if is_cut else rest.decode("utf-8", "replace")


class _LineNumbers:
    """Returns line numbers of ascending offsets; counts the lines since the previous offset."""

    __slots__ = ("_data", "_line", "_offset")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offset = 0
        self._line = 1

    def of(self, offset: int) -> int:
        """Return the 1-based line of the byte at `offset`."""
        if offset < self._offset:
            self._offset, self._line = 0, 1
        self._line += self._data.count(b"\n", self._offset, offset)
        self._offset = offset
        return self._line


def _chunk(data: bytes, lines: _LineNumbers, piece: Piece, corpus: Corpus, tail: str) -> Chunk:
    diagram = piece.chunk_type == "diagram"
    return Chunk(
        kind=ANCHOR if piece.chunk_type == ANCHOR else "text",
        chunk_type=piece.chunk_type,
        corpus=Corpus.EXTRACTED_PROSE if diagram else corpus,
        name=piece.name,
        qualified_name=".".join((*piece.breadcrumb, piece.name)) if piece.name else "",
        names=piece.names,
        breadcrumb=piece.breadcrumb,
        start_line=lines.of(piece.start),
        end_line=lines.of(max(piece.start, piece.end - 1)),
        byte_start=piece.start,
        byte_end=piece.end,
        text=data[piece.start : piece.end].decode("utf-8", "replace"),
        extra=piece.extra,
        signature=clean_signature(_text(data, piece.signature)),
        doc=clean_doc(_text(data, piece.doc)),
        tail=tail,
    )


def _text(data: bytes, span: Span) -> str:
    start, end = span
    return data[start:end].decode("utf-8", "replace") if start < end else ""

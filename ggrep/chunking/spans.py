"""Where the chunks of a file are, before their text is cut out of it.

A worker answers with spans alone: the parent holds the file's bytes already.
"""

from dataclasses import dataclass
from typing import Final

from ggrep.chunking.headers import clean_doc, clean_signature
from ggrep.chunking.line_table import LineTable
from ggrep.domain.chunk import ANCHOR, Chunk, ChunkedFile
from ggrep.domain.corpus import Corpus
from ggrep.domain.ids import PathKey
from ggrep.stable_json import Json

Span = tuple[int, int]
NO_SPAN: Final[Span] = (0, 0)


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of a file and what it is.

    Attributes:
        names: see `Chunk.names`.
        signature: byte range of the definition's head; empty when it has none.
        doc: byte range of what documents it; empty when nothing does.
        loose: it may be joined with its neighbours.
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


@dataclass(frozen=True, slots=True)
class Plan:
    """How a file is cut.

    Attributes:
        pieces: in source order, the anchor first.
        problem: see `ChunkedFile.problem`.
    """

    language: str
    method: str
    pieces: tuple[Piece, ...]
    problem: str | None = None


def plan_to_json(plan: Plan) -> Json:
    """Return the plan as lists and words."""
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
        ValueError, TypeError: `value` is something else.
    """
    language, method, problem, rows = value
    if not isinstance(rows, list):
        raise TypeError("pieces are not a list")
    return Plan(
        str(language),
        str(method),
        tuple(
            Piece(
                *(start, end, chunk_type, name, tuple(names), tuple(crumb), extra),
                (signature[0], signature[1]),
                (doc[0], doc[1]),
            )
            for start, end, chunk_type, name, names, crumb, extra, signature, doc in rows
        ),
        None if problem is None else str(problem),
    )


def to_chunks(path_key: PathKey, data: bytes, plan: Plan, corpus: Corpus) -> ChunkedFile:
    """Return the chunks with their text; diagrams leave the file's corpus for their own."""
    table = LineTable(data)
    return ChunkedFile(
        path_key=path_key,
        language=plan.language,
        method=plan.method,
        chunks=tuple(_chunk(table, piece, corpus) for piece in plan.pieces),
        problem=plan.problem,
    )


def _chunk(table: LineTable, piece: Piece, corpus: Corpus) -> Chunk:
    diagram = piece.chunk_type == "diagram"
    return Chunk(
        kind=ANCHOR if piece.chunk_type == ANCHOR else "text",
        chunk_type=piece.chunk_type,
        corpus=Corpus.EXTRACTED_PROSE if diagram else corpus,
        name=piece.name,
        qualified_name=".".join((*piece.breadcrumb, piece.name)) if piece.name else "",
        names=piece.names,
        breadcrumb=piece.breadcrumb,
        start_line=table.line_of(piece.start) + 1,
        end_line=table.line_of(max(piece.start, piece.end - 1)) + 1,
        byte_start=piece.start,
        byte_end=piece.end,
        text=_text(table, (piece.start, piece.end)),
        extra=piece.extra,
        signature=clean_signature(_text(table, piece.signature)),
        doc=clean_doc(_text(table, piece.doc)),
    )


def _text(table: LineTable, span: Span) -> str:
    return table.data[span[0] : span[1]].decode("utf-8", "replace")

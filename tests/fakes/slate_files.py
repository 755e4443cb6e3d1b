"""Files that match a question, and what is shown of them, of which only what is named matters."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from ggrep.model.slate import Section
from ggrep.model.slate_material import FileCandidate, PackMaterial, Pick, TextPiece

PIECE = TextPiece(
    row_id="a" * 64,
    chunk_id="c" * 64,
    start_line=1,
    end_line=1,
    score=0.0,
    chunk_type="function",
    name="",
    breadcrumb=(),
    signature="",
    names=(),
    text="",
    extra="",
    snippet="",
    snippet_start_line=1,
    hidden_lines=0,
    reason="semantic_match",
)


def candidate(
    path: str, section: Section = Section.CODE, score: float = 1.0, **more: Any
) -> FileCandidate:
    plain = FileCandidate(path, section, frozenset(), "python", score, 0, 0, frozenset({0}))
    return replace(plain, **more)


def piece(text: str, start_line: int = 1, score: float = 1.0, **more: Any) -> TextPiece:
    """Return a chunk that is shown whole; its id is its first line's number."""
    plain = replace(
        PIECE,
        chunk_id=f"{start_line:064d}",
        start_line=start_line,
        end_line=start_line + text.count("\n"),
        score=score,
        priority=score,
        text=text,
        snippet=text,
        snippet_start_line=start_line,
    )
    return replace(plain, **more)


def material(
    path: str, *evidence: TextPiece, section: Section = Section.CODE, **more: Any
) -> PackMaterial:
    """Return a chosen file with its evidence; it scores as the best of that does."""
    score = max((each.score for each in evidence), default=1.0)
    pick = Pick(candidate(path, section, score), "semantic_match", 0)
    return replace(PackMaterial(pick, None, evidence, (), 0), **more)


def selected(
    path: str,
    section: Section,
    language: str,
    *texts: str,
    names: Sequence[str] = (),
    extras: Sequence[str] = (),
    listed: str = "",
) -> PackMaterial:
    """Return a chosen file: its chunks, what they define, its diagrams, and its anchor's lists."""
    chunks = [piece(text, names=tuple(names)) for text in texts]
    diagrams = [piece("", extra=extra) for extra in extras]
    chosen = Pick(candidate(path, section, language=language), "semantic_match", 0)
    anchor = piece("", extra=listed) if listed else None
    return PackMaterial(chosen, anchor, (*chunks, *diagrams), (), 0)

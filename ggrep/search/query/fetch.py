"""Turns ordered candidates into hits by reading their text from the segments' tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ggrep.base.errors import CorruptStore
from ggrep.index.store.rows import ShownRow
from ggrep.index.store.tables import read_columns, take_shown
from ggrep.index.store.view import SnapshotView, gone
from ggrep.model.corpus import CORPORA
from ggrep.model.hit import Hit
from ggrep.model.limits import LimitHit
from ggrep.model.quota import Dealt
from ggrep.model.request import SearchRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.model.traits import RECODED
from ggrep.search.query.literal import Matches
from ggrep.search.query.order import Candidate
from ggrep.search.query.score import DECIMALS, SegmentScores
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.query.snippets import cap_snippets, cut_snippet


@dataclass(frozen=True, slots=True)
class Caps:
    """Byte caps of one answer's snippets."""

    per_result: int
    total: int


@dataclass(frozen=True, slots=True)
class Scored:
    """A snapshot's segments with their scores, in the same order.

    Attributes:
        matches: whose lines snippets must show; None where none must.
    """

    view: SnapshotView
    segments: tuple[SearchableSegment, ...]
    scores: tuple[SegmentScores, ...]
    matches: tuple[Matches, ...] | None = None

    def match_line(self, candidate: Candidate) -> int:
        """Return the line of the file that a candidate's snippet must include; 0 for any."""
        return self.matches[candidate.segment].line_of(candidate.row) if self.matches else 0


def fetch_hits(
    scored: Scored,
    dealt: Dealt[Candidate],
    *,
    request: SearchRequest,
    terms: frozenset[str],
    caps: Caps,
) -> tuple[tuple[Hit, ...], tuple[LimitHit, ...]]:
    """Return the hits in the given order, and the limits that the caps hit.

    Raises:
        CorruptStore: a table does not hold the row its image says.
        SnapshotGone: the snapshot was removed meanwhile.
        NoIndex: the whole store was.
    """
    candidates = dealt.items
    try:
        rows = _take(scored, candidates)
        encodings = _encodings(scored, candidates)
    except CorruptStore as error:
        if (removed := gone(scored.view)) is not None:
            raise removed from error
        raise
    hits = [
        replace(
            _hit(row, candidate, rule, scored, request, terms),
            encoding=encodings.get((candidate.segment, candidate.row), ""),
        )
        for row, candidate, rule in zip(rows, candidates, dealt.rules, strict=True)
    ]
    return cap_snippets(hits, per_result=caps.per_result, total=caps.total)


def _take(scored: Scored, candidates: Sequence[Candidate]) -> list[ShownRow]:
    found: dict[tuple[int, int], ShownRow] = {}
    for place in sorted({candidate.segment for candidate in candidates}):
        image = scored.segments[place].image
        offsets = [candidate.row for candidate in candidates if candidate.segment == place]
        for offset, row in zip(
            offsets, take_shown(scored.view.store, image.name, offsets), strict=True
        ):
            if bytes.fromhex(row.row_id) != image.row_id(offset):
                raise CorruptStore(f"segment {image.name}: row {offset} is not the image's")
            found[place, offset] = row
    return [found[candidate.segment, candidate.row] for candidate in candidates]


def _encodings(scored: Scored, candidates: Sequence[Candidate]) -> dict[tuple[int, int], str]:
    """Return the encodings of the candidates' files that are not UTF-8."""
    found: dict[tuple[int, int], str] = {}
    for candidate in candidates:
        image, row = scored.segments[candidate.segment].image, candidate.row
        if image.file_traits[image.row_files[row]] & RECODED:
            column = read_columns(scored.view.store, image.name, (row,), ("encoding",))
            found[candidate.segment, row] = str(column.column("encoding")[0].as_py())
    return found


def _hit(
    row: ShownRow,
    candidate: Candidate,
    rule: str,
    scored: Scored,
    request: SearchRequest,
    terms: frozenset[str],
) -> Hit:
    scores, image = scored.scores[candidate.segment], scored.segments[candidate.segment].image
    place = candidate.row
    file = int(image.row_files[place])
    start_line, end_line = image.lines(place)
    line = scored.match_line(candidate)
    snippet = cut_snippet(row.text, terms, request.snippet, line - start_line if line else None)
    parts: tuple[tuple[str, float], ...] = ()
    if request.explain:
        parts = tuple(
            (name, round(float(values[candidate.row]), DECIMALS))
            for name, values in sorted(scores.parts.items())
        )
    return Hit(
        row_id=row.row_id,
        chunk_id=row.chunk_id,
        path=sanitise_line(image.path(file)),
        start_line=start_line,
        end_line=end_line,
        score=candidate.score,
        lexical=candidate.lexical,
        corpus=CORPORA[int(image.row_corpora[place])],
        chunk_type=image.types[int(image.row_types[place])],
        name=sanitise_line(row.name),
        qualified_name=sanitise_line(row.qualified_name),
        breadcrumb=tuple(sanitise_line(part) for part in row.breadcrumb),
        language=image.language(file),
        is_anchor=bool(image.row_anchors[place]),
        content=snippet.text,
        content_start_line=start_line + snippet.first_line,
        hidden_lines=snippet.hidden_lines,
        signature=sanitise_line(row.signature),
        components=parts,
        rule=rule if request.explain else "",
    )

"""Turns ordered candidates into hits by reading the text of their rows."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.index.store.row_texts import ShownRow
from ggrep.model.corpus import CORPORA, Allocation
from ggrep.model.files import READING
from ggrep.model.limits import LimitHit
from ggrep.model.response import Extent, Hit, HitLine
from ggrep.model.sanitise import sanitise_line
from ggrep.search.query.best_rows import CODE
from ggrep.search.query.correction import LEARNED
from ggrep.search.query.file_notices import encoding_of
from ggrep.search.query.literal import matching_lines
from ggrep.search.query.order import Candidate
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.row_reading import row_extents, shown_rows
from ggrep.search.query.score import DECIMALS
from ggrep.search.query.snippets import cap_snippets, cut_snippet


class Caps(Struct, frozen=True):
    """Byte caps of one answer's snippets."""

    per_result: int
    total: int


def show(
    ranked: Ranked, dealt: Allocation[Candidate], caps: Caps, deadline: Deadline
) -> tuple[tuple[Hit, ...], tuple[LimitHit, ...]]:
    """Return the chosen candidates as hits in their order, and the limits that cut their text.

    Raises:
        CorruptStore: a stored text does not match its row id.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        DeadlineExceeded: time ran out.
    """
    deadline.check("format")
    terms = frozenset(ranked.query.terms)
    rows = _rows(ranked, dealt.items)
    lines = _lines(ranked, dealt.items, deadline)
    hits = [
        replace(
            _hit(ranked, item, row, rule, terms, lines.get((item.segment, item.row), ())),
            definition=extent and Extent(*extent),
        )
        for (row, extent), item, rule in zip(rows, dealt.items, dealt.rules, strict=True)
    ]
    shown = cap_snippets(hits, per_result=caps.per_result, total=caps.total)
    deadline.check("format")
    return shown


def show_all(
    ranked: Ranked, lists: Sequence[Allocation[Candidate]], caps: Caps, deadline: Deadline
) -> list[tuple[Hit, ...]]:
    """Return several lists of candidates as hits; a row in more than one list is read once.

    Args:
        ranked: the ranking that the candidates come from.
        lists: lists of candidates; a list may be empty.
        caps: `per_result` applies; `total` must exceed the bytes of all hits.
        deadline: checked before and after reading.
    """
    places = {(item.segment, item.row): item for dealt in lists for item in dealt.items}
    every = Allocation(list(places.values()), ("",) * len(places), 0)
    hits = dict(zip(places, show(ranked, every, caps, deadline)[0], strict=True))
    explained = ranked.request.explain
    return [
        tuple(
            replace(hit, rule=rule) if explained else hit
            for item, rule in zip(dealt.items, dealt.rules, strict=True)
            for hit in (hits[item.segment, item.row],)
        )
        for dealt in lists
    ]


def bare_hit(ranked: Ranked, candidate: Candidate, chunk_id: str) -> Hit:
    """Return a candidate as a hit without text or names, without reading the table."""
    image, place = ranked.segments[candidate.segment].image, candidate.row
    start_line, end_line = image.lines(place)
    return Hit(
        row_id=image.row_id(place).hex(),
        chunk_id=chunk_id,
        path=sanitise_line(image.path(candidate.file)),
        start_line=start_line,
        end_line=end_line,
        score=candidate.score,
        lexical_score=candidate.lexical,
        corpus=CORPORA[candidate.corpus],
        chunk_type=image.types[int(image.row_types[place])],
        name="",
        qualified_name="",
        breadcrumb=(),
        language=image.language(candidate.file),
        is_anchor=bool(image.row_anchors[place]),
        content="",
        content_start_line=start_line,
        hidden_lines=0,
        signature="",
    )


def _rows(
    ranked: Ranked, candidates: Sequence[Candidate]
) -> list[tuple[ShownRow, tuple[int, int] | None]]:
    """Return the candidates' rows, and the lines of the definitions that contain these rows."""
    read: dict[tuple[int, int], tuple[ShownRow, tuple[int, int] | None]] = {}
    for place in sorted({candidate.segment for candidate in candidates}):
        segment = ranked.segments[place]
        rows = sorted({candidate.row for candidate in candidates if candidate.segment == place})
        shown = shown_rows(ranked.view, segment, rows)
        lines = row_extents(ranked.view, segment, rows)
        for row, values in zip(rows, zip(shown, lines, strict=True), strict=True):
            read[place, row] = values
    return [read[candidate.segment, candidate.row] for candidate in candidates]


def _lines(
    ranked: Ranked, candidates: Sequence[Candidate], deadline: Deadline
) -> dict[tuple[int, int], tuple[HitLine, ...]]:
    lines: dict[tuple[int, int], tuple[HitLine, ...]] = {}
    for place in sorted({candidate.segment for candidate in candidates}):
        rows = {candidate.row for candidate in candidates if candidate.segment == place}
        segment = ranked.segments[place]
        shown = matching_lines(ranked.view, segment, ranked.request, rows, deadline)
        lines.update({(place, row): shown[row] for row in shown})
    return lines


def _hit(
    ranked: Ranked,
    candidate: Candidate,
    row: ShownRow,
    rule: str,
    terms: frozenset[str],
    lines: tuple[HitLine, ...],
) -> Hit:
    image, request, place = ranked.segments[candidate.segment].image, ranked.request, candidate.row
    start_line, end_line = image.lines(place)
    count = ranked.verified.matches[candidate.segment].lines_of(place) if ranked.verified else 0
    match = next((each.line for each in lines if each.columns), None)
    offset = None if match is None else min(max(match, start_line), end_line) - start_line
    snippet = cut_snippet(row.text, terms, request.snippet, offset, first=start_line)
    parts: tuple[tuple[str, float], ...] = ()
    if request.explain:
        scores = ranked.scores[candidate.segment]
        scored = {name: scores.part_at(name, place) for name in scores.parts}
        if ranked.correction is not None:
            best = ranked.best[candidate.segment]
            scored[LEARNED] = best.factor(candidate.file, candidate.corpus)
        parts = tuple((name, round(value, DECIMALS)) for name, value in sorted(scored.items()))
        if ranked.correction is not None and candidate.corpus == CODE:
            parts += ranked.correction.effects(
                ranked.segments[candidate.segment], scores, candidate.file
            )
    return Hit(
        row_id=row.row_id,
        chunk_id=row.chunk_id,
        path=sanitise_line(image.path(candidate.file)),
        start_line=start_line,
        end_line=end_line,
        score=candidate.score,
        lexical_score=candidate.lexical,
        corpus=CORPORA[candidate.corpus],
        chunk_type=image.types[int(image.row_types[place])],
        name=sanitise_line(row.details.name),
        qualified_name=sanitise_line(row.details.qualified_name),
        breadcrumb=tuple(sanitise_line(part) for part in row.details.breadcrumb),
        language=image.language(candidate.file),
        is_anchor=bool(image.row_anchors[place]),
        content=snippet.text,
        content_start_line=start_line + snippet.first_line,
        hidden_lines=snippet.hidden_lines,
        signature=sanitise_line(row.details.signature),
        components=parts,
        rule=rule if request.explain else "",
        encoding=encoding_of(ranked.view, ranked.segments[candidate.segment], candidate.file),
        traits=int(image.file_traits[candidate.file]) & READING,
        lines=lines,
        matching_lines=count,
    )

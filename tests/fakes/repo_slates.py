"""What a repository in memory gives for a slate: real packs, over rows that were never a file."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.confidence import Confidence
from ggrep.model.corpus import Corpus
from ggrep.model.limits import LimitHit
from ggrep.model.response import Provenance
from ggrep.model.slate import (
    Budgets,
    Evidence,
    FileFacts,
    GraphBounds,
    GraphEdge,
    Overview,
    Pack,
    Section,
    Slate,
    SlateRequest,
    SlateResponse,
)
from ggrep.model.slate_material import PackMaterial
from ggrep.search.slate.combine import RepoSlate
from ggrep.search.slate.graph import bounded_graph
from ggrep.search.slate.levels import effective
from ggrep.search.slate.overview import SlatePlan
from ggrep.search.slate.pack_draft import drawn
from tests.fakes.slate_files import material, piece

_SECTIONS = {
    Corpus.CODE: Section.CODE,
    Corpus.PROSE: Section.DOCS,
    Corpus.EXTRACTED_PROSE: Section.CODE,
    Corpus.RECORDS: Section.CONFIG,
}


class Matched(Struct, frozen=True):
    """A stored chunk that matches."""

    row_id: str
    path: str
    start: int
    score: float
    corpus: Corpus
    text: str


def response_of(
    request: SlateRequest, matched: Sequence[Matched], provenance: Provenance
) -> SlateResponse:
    """Return the slate of what matches, best first, as a repository would give it."""
    budgets, clamps = effective(request.budgets, request.level)
    by_path: dict[str, list[Matched]] = {}
    for row in matched:
        by_path.setdefault(row.path, []).append(row)
    files = list(by_path.values())
    chosen = files[: budgets.files]
    result = drawn(
        [_file(rows, chosen, request, budgets.evidence_per_file) for rows in chosen],
        SlatePlan(
            request.level,
            budgets,
            Confidence.STRONG,
            terms=tuple(sorted(set(request.search.query.split()))),
            graph=request.graph,
        ),
        facts=request.facts,
    )
    over = (LimitHit("max_slate_files", budgets.files, len(files)),)
    return SlateResponse(
        request=request,
        request_id="01J0000000REQVESTREQVESTRE",
        query_fingerprint="q" * 64,
        provenance=provenance,
        confidence=Confidence.STRONG,
        slate=result.slate,
        limits_hit=(*clamps, *result.limits, *(over if len(files) > budgets.files else ())),
        warnings=(),
        facts=result.facts,
    )


def _file(
    rows: Sequence[Matched], files: Sequence[Sequence[Matched]], request: SlateRequest, most: int
) -> PackMaterial:
    """Return a file with its best rows; its rank is its place within its section."""
    section = _SECTIONS[rows[0].corpus]
    before = files[: files.index(rows)]
    best = sorted(rows[:most], key=lambda row: row.start)
    result = material(
        rows[0].path,
        *(
            piece(row.text if request.level else "", row.start, row.score, row_id=row.row_id)
            for row in best
        ),
        section=section,
        more_evidence=max(0, len(rows) - most),
    )
    rank = sum(_SECTIONS[other[0].corpus] is section for other in before)
    return replace(result, pick=replace(result.pick, rank=rank))


def pack(path: str, score: float = 1.0, section: Section = Section.CODE, text: str = "x") -> Pack:
    """Return a file with one piece of evidence."""
    evidence = Evidence(
        row_id="a" * 64,
        chunk_id="c" * 64,
        start_line=3,
        end_line=3 + text.count("\n"),
        score=score,
        priority=score,
        chunk_type="function",
        name=path.rpartition("/")[2].partition(".")[0],
        breadcrumb=(),
        signature="",
        reason="semantic_match",
        snippet=text,
        snippet_start_line=3 if text else 0,
    )
    return Pack(
        path, 3, score, "python", section, "semantic_match", ("Code",), (), None, (evidence,)
    )


def repo_slate(
    repo: str,
    *packs: Pack,
    edges: Sequence[GraphEdge] = (),
    facts: Sequence[FileFacts] = (),
) -> RepoSlate:
    """Return the slate of a repository, its packs in the order of their sections and scores."""
    graph, _ = bounded_graph(packs, edges, GraphBounds())
    ordered = sorted(packs, key=lambda each: (-each.score, each.path))
    sections = tuple(
        (section, ours)
        for section in Section
        if (ours := tuple(each for each in ordered if each.section is section))
    )
    slate = Slate(
        level=1,
        overview=Overview((), "words", (), (), (), ()),
        sections=sections,
        graph=graph,
        next_actions=(),
        limits=effective(Budgets(), 1)[0],
    )
    return RepoSlate(repo, slate, tuple(facts))

"""Builds a slate from chosen files and their text, within its budgets."""

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.limits import LimitHit
from ggrep.model.line_numbers import folded_range, last_line, numbered_lines
from ggrep.model.slate import (
    DEFINITIONS,
    ContextGraph,
    Evidence,
    FileFacts,
    GraphBounds,
    Pack,
    Slate,
)
from ggrep.model.slate_material import PackMaterial, TextPiece
from ggrep.search.slate.document import MOST_NAME, SECTION_TAGS
from ggrep.search.slate.facts import facts_of, published
from ggrep.search.slate.graph import bounded_graph
from ggrep.search.slate.graph_edges import graph_edges
from ggrep.search.slate.measures import measure_of
from ggrep.search.slate.overview import SlatePlan, assembled
from ggrep.search.slate.packing import RankedPack, kept_packs, room_for_graph, shown_size


class Drawn(Struct, frozen=True):
    """A slate, with data that are not shown.

    Attributes:
        facts: names in its files for a coordinator, by path; empty unless requested.
        limits: the limits that cut the slate.
    """

    slate: Slate
    facts: tuple[FileFacts, ...]
    limits: tuple[LimitHit, ...]


def drawn(files: Sequence[PackMaterial], plan: SlatePlan, *, facts: bool = False) -> Drawn:
    """Return the slate of some files, which may be in any order."""
    ranked = [RankedPack(_pack(each), each.pick.rank) for each in files]
    kept, cuts = kept_packs(ranked, plan.budgets, plan.level)
    paths = {each.pack.path for each in kept}
    read = files if plan.graph or facts else ()
    known = [
        facts_of(material, interfaces=facts)
        for material in {each.pick.candidate.path: each for each in reversed(read)}.values()
        if material.pick.candidate.path in paths
    ]
    packs = [each.pack for each in kept]
    graph: ContextGraph | None = None
    bounds: tuple[LimitHit, ...] = ()
    if plan.graph:
        most_bytes = room_for_graph(kept, plan.budgets, plan.level)
        graph, bounds = bounded_graph(packs, graph_edges(known), GraphBounds(bytes=most_bytes))
    too_much = shown_size(kept, plan.level, measure_of(plan.budgets)) > plan.budgets.total_bytes
    plan = replace(plan, cut=plan.cut or bool(cuts) or too_much)
    slate, shrunk = assembled(kept, plan, graph)
    known.sort(key=lambda each: each.path)
    shared = published(known) if facts else ()
    return Drawn(slate, shared, (*cuts, *bounds, *shrunk, *_over_evidence(files, paths, plan)))


def _over_evidence(
    files: Sequence[PackMaterial], paths: Collection[str], plan: SlatePlan
) -> tuple[LimitHit, ...]:
    """Return the limit of evidence per file, if it cut the evidence of a file."""
    counts = (
        len(file.evidence) + file.more_evidence
        for file in files
        if file.pick.candidate.path in paths
    )
    most, pieces = plan.budgets.evidence_per_file, max(counts, default=0)
    over = plan.level > 0 and pieces > most
    return (LimitHit("max_evidence_per_file", most, pieces),) if over else ()


def _pack(material: PackMaterial) -> Pack:
    candidate = material.pick.candidate
    tag = SECTION_TAGS[candidate.section]
    evidence = [_evidence(piece) for piece in (*material.evidence, *material.neighbours)]
    best = max(_placing(material), key=lambda each: (each.score, -each.start_line), default=None)
    anchor = _anchor(material)
    return Pack(
        path=candidate.path,
        line=best.start_line if best else anchor.start_line if anchor else 1,
        score=candidate.score,
        language=candidate.language,
        section=candidate.section,
        reason=material.pick.reason,
        tags=_pack_tags(material, tag),
        roles=tuple(sorted(candidate.roles, key=lambda role: role.value)),
        anchor=anchor,
        evidence=tuple(sorted(evidence, key=lambda item: (item.start_line, item.chunk_id))),
        more_evidence=material.more_evidence,
        name=_name_at(best) if best else "",
    )


def _name_at(piece: TextPiece) -> str:
    """Return a definition's name, such as `Queue.retry`; empty if the piece is no definition."""
    if not piece.name or piece.chunk_type not in DEFINITIONS:
        return ""
    return ".".join((*piece.breadcrumb[-1:], piece.name))[:MOST_NAME]


def _placing(material: PackMaterial) -> Sequence[TextPiece]:
    """Return the evidence that contains requested lines; all evidence if there is none."""
    lines = material.pick.lines
    asked = [
        piece
        for piece in material.evidence
        if any(piece.start_line <= line <= piece.end_line for line in lines)
    ]
    return asked or material.evidence


def _pack_tags(material: PackMaterial, tag: str) -> tuple[str, ...]:
    defines = any(piece.chunk_type in DEFINITIONS for piece in material.evidence)
    is_test = material.pick.candidate.is_test and tag != "Test"
    named = [tag, *(["Definition"] if defines else []), *(["Test"] if is_test else [])]
    return tuple(named)


def _anchor(material: PackMaterial) -> Evidence | None:
    """Return the first lines of the file, up to the first line that evidence shows.

    Return None if the file has no such lines, or if all of them are hidden, such as a licence.
    """
    piece = material.anchor
    if piece is None or (piece.hidden_lines and not piece.snippet):
        return None
    item = _evidence(piece)
    if not item.snippet:
        return item
    numbered = list(numbered_lines(item.snippet.split("\n"), item.snippet_start_line))
    first = min((each.snippet_start_line for each in material.evidence if each.snippet), default=0)
    shown = [row for row in numbered if not first or last_line(*row) < first]
    if all(folded_range(number, line) for number, line in shown if line.strip()):
        shown = []
    end = last_line(*shown[-1]) if shown else item.snippet_start_line - 1
    hidden = item.hidden_lines + last_line(*numbered[-1]) - end
    start = item.snippet_start_line if shown else 0
    snippet = "\n".join(line for _, line in shown)
    return replace(item, snippet=snippet, snippet_start_line=start, hidden_lines=hidden)


def _evidence(piece: TextPiece) -> Evidence:
    shown = Evidence(*(getattr(piece, field) for field in Evidence.__struct_fields__))
    return shown if piece.snippet else replace(shown, snippet_start_line=0)

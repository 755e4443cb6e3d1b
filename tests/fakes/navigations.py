"""Slates, definitions, usages and surroundings that say something in every field."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.model.confidence import Confidence
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.navigation import (
    Definition,
    ExpandRequest,
    ExpandResponse,
    Neighbour,
    Reference,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.outline import (
    ListedPath,
    OutlineEntry,
    OutlineRequest,
    OutlineResponse,
    PathOutline,
    TourFact,
    TourRequest,
    TourResponse,
    TourSection,
)
from ggrep.model.request import SearchRequest
from ggrep.model.response import GitState, Provenance
from ggrep.model.slate import (
    Budgets,
    ContextGraph,
    Evidence,
    FileFacts,
    GraphEdge,
    GraphNode,
    NextAction,
    Overview,
    Pack,
    Role,
    Section,
    SessionRequest,
    SessionState,
    Slate,
    SlateRequest,
    SlateResponse,
)
from ggrep.search.engine.engine import Engine

ROW = "a" * 64
PROVENANCE = Provenance(
    store_id="shop-0123456789ab-0123456789ab",
    config_fingerprint="1" * 64,
    ignore_fingerprint="2" * 64,
    embed_config_fingerprint="3" * 64,
    snapshot_id="01JH0000000000000000000000",
    git=GitState("4" * 40, dirty=False, untracked_included=True),
    degraded=False,
    partial=False,
    indexed_files=13,
    eligible_files=14,
)
LIMITS = (LimitHit("max_slate_files", 2, observed=5),)
WARNINGS = (Notice("degraded_file", "could not be read", "src/bad.py"),)
SLATE = SlateRequest(
    SearchRequest("how are refunds made?", deterministic=True),
    session=SessionRequest(op="start"),
)
SYMBOL = SymbolRequest("Refund.total", deterministic=True)
REFERENCES = ReferencesRequest("refund", strings=True, deterministic=True)
OUTLINE = OutlineRequest(("src/refund.py", "src"), deterministic=True)
TOUR = TourRequest(deterministic=True)
EXPAND = ExpandRequest("src/refund.py:4", max_bytes=400, deterministic=True)


def slate_response(request: SlateRequest = SLATE) -> SlateResponse:
    """Return a slate of two files, with a graph, a session and facts."""
    return SlateResponse(
        request=request,
        request_id="r-1",
        query_fingerprint="5" * 64,
        provenance=PROVENANCE,
        confidence=Confidence.STRONG,
        slate=_slate(request.level),
        limits_hit=LIMITS,
        warnings=WARNINGS,
        session=SessionState("djE", "start", "6" * 64, 2, 3600) if request.session else None,
        facts=(
            FileFacts("docs/refund.md", Section.DOCS, "markdown", links=("src/refund.py",)),
            FileFacts(
                "src/refund.py",
                Section.CODE,
                "python",
                imports=("money",),
                defines=("refund",),
                relations=(("Refund", "Ledger"),),
                needs=(("package", "money"),),
            ),
        ),
        timings_ms=() if request.search.deterministic else (("admission", 1), ("retrieve", 2)),
    )


def symbol_response(request: SymbolRequest = SYMBOL) -> SymbolResponse:
    """Return one definition of two."""
    found = Definition(
        row_id=ROW,
        path="src/refund.py",
        line=4,
        start_line=3,
        end_line=9,
        name="total",
        qualified_name="Refund.total",
        container="Refund",
        kind="method",
        language="python",
        signature="def total(self) -> int:",
        doc="The sum, in cents.",
    )
    return SymbolResponse(
        request=request,
        request_id="r-2",
        query_fingerprint="7" * 64,
        provenance=PROVENANCE,
        definitions=(found,),
        total=2,
        suggestions=("totals",),
        limits_hit=(LimitHit("max_symbols", 1, observed=2),),
        warnings=(),
    )


def references_response(request: ReferencesRequest = REFERENCES) -> ReferencesResponse:
    """Return one usage and one mention in a string."""
    usage = Reference(ROW, "src/till.py", 12, 9, "usage", "Till.close", "python", "refund(order)")
    return ReferencesResponse(
        request=request,
        request_id="r-3",
        query_fingerprint="8" * 64,
        provenance=PROVENANCE,
        references=(usage, replace(usage, line=14, kind="string", content="log('refund')")),
        totals=(("comment", 0), ("definition", 1), ("string", 1), ("usage", 1)),
        files=1,
        limits_hit=(),
        warnings=WARNINGS,
    )


def expand_response(request: ExpandRequest = EXPAND) -> ExpandResponse:
    """Return a method with a neighbour on both sides."""
    before = Neighbour("before", ROW, 1, 2, "block", "", "")
    after = Neighbour("after", "b" * 64, 10, 14, "method", "paid", "def paid(self) -> bool:")
    return ExpandResponse(
        request=request,
        request_id="r-4",
        query_fingerprint="9" * 64,
        provenance=PROVENANCE,
        path="src/refund.py",
        language="python",
        boundary="definition",
        start_line=3,
        end_line=9,
        breadcrumb=("Refund", "total"),
        content="    @property\n    def total(self) -> int:\n",
        hidden_lines=5,
        file_lines=20,
        neighbours=(before, after),
        limits_hit=(LimitHit("max_expand_bytes", 400, observed=900),),
        warnings=(),
    )


def outline_response(request: OutlineRequest = OUTLINE) -> OutlineResponse:
    """Return the outline of a file and of its folder."""
    entries = (
        OutlineEntry(0, "class", "Refund", "", 1, 20),
        OutlineEntry(1, "method", "total", "total(self) -> int", 3, 9),
    )
    file = PathOutline(
        "src/refund.py", False, "python", 1, 20, "syntax", entries, left_out={"field": 2}
    )
    listed = (
        ListedPath(0, "old", True, 2, 30, "python"),
        ListedPath(0, "refund.py", False, 1, 20, "python", ("Refund", "refund()"), 3),
    )
    folder = PathOutline("src", True, "python", 3, 50, "structure", listed=listed)
    return OutlineResponse(
        request=request,
        request_id="r-5",
        query_fingerprint="a" * 64,
        provenance=PROVENANCE,
        outlines=(file, folder),
        limits_hit=(LimitHit("max_outline_bytes", 4_096, 9_000, "src/refund.py"),),
        warnings=(),
    )


def tour_response(request: TourRequest = TOUR) -> TourResponse:
    """Return a tour of two sections."""
    return TourResponse(
        request=request,
        request_id="r-6",
        query_fingerprint="b" * 64,
        provenance=PROVENANCE,
        sections=(
            TourSection("about", (TourFact("Shops pay here.", "README.md", 3),)),
            TourSection("tests", (TourFact("4 files", "tests/"),), 1),
        ),
        limits_hit=(LimitHit("max_tour_bytes", 4_096, 9_000),),
        warnings=(),
    )


@dataclass(slots=True)
class FakeNavigation:
    """Stands in for what engines make of slates, names and places.

    Attributes:
        asked: every request so far, with what came along.
        fail: raised by what is asked next, once.
    """

    asked: list[tuple[Any, dict[str, Any]]] = field(default_factory=list)
    fail: list[Exception] = field(default_factory=list)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Answer for all engines of this process."""
        made: dict[type, Callable[[Any], Any]] = {
            SlateRequest: slate_response,
            SymbolRequest: symbol_response,
            ReferencesRequest: references_response,
            ExpandRequest: expand_response,
            OutlineRequest: outline_response,
            TourRequest: tour_response,
        }

        def answer(_: Engine, request: Any, deadline: Deadline, **told: Any) -> Any:
            self.asked.append((request, {**told, "deadline": deadline}))
            if self.fail:
                raise self.fail.pop(0)
            return replace(made[type(request)](request), request_id=told["request_id"])

        monkeypatch.setattr(Engine, "ask", answer)


def _slate(level: int) -> Slate:
    evidence = Evidence(
        row_id=ROW,
        chunk_id="c" * 64,
        start_line=3,
        end_line=9,
        score=1.25,
        chunk_type="function",
        name="refund",
        breadcrumb=("Refund",),
        signature="def refund(order):",
        reason="semantic_match",
        tags=("Definition",),
        snippet="def refund(order):\n    return order.total",
        snippet_start_line=3,
        hidden_lines=5,
        also=("src/old.py:3",),
    )
    anchor = replace(
        evidence,
        chunk_id="d" * 64,
        start_line=1,
        end_line=2,
        score=0.0,
        chunk_type="anchor",
        name="",
        breadcrumb=(),
        signature="",
        reason="anchor_for_context",
        tags=("Anchor",),
        snippet="import money",
        snippet_start_line=1,
        also=(),
    )
    code = Pack(
        path="src/refund.py",
        line=3,
        score=1.25,
        language="python",
        section=Section.CODE,
        reason="semantic_match",
        tags=("Definition",),
        roles=(Role.ENTRYPOINT,),
        anchor=anchor,
        evidence=(evidence,),
        more_evidence=1,
    )
    docs = replace(
        code,
        path="docs/refund.md",
        language="markdown",
        section=Section.DOCS,
        reason="docs_quota",
        roles=(Role.DOCUMENT,),
        anchor=None,
        evidence=(replace(evidence, snippet="", snippet_start_line=0, also=()),),
    )
    nodes = (
        GraphNode("docs/refund.md", "docs/refund.md", 3, Section.DOCS),
        GraphNode("src/refund.py", "src/refund.py", 3, Section.CODE),
    )
    edges = (GraphEdge("links", "docs/refund.md", "src/refund.py", "src/refund.py"),)
    return Slate(
        level=level,
        overview=Overview(
            terms=("refund", "made"),
            kind="question",
            files=((Section.CODE, 1), (Section.DOCS, 1)),
            top_paths=("src/refund.py", "docs/refund.md"),
            names=("refund",),
            missing=(Section.DIAGRAMS, Section.CONFIG, Section.TESTS),
        ),
        sections=((Section.CODE, (code,)), (Section.DOCS, (docs,))),
        graph=ContextGraph(nodes, edges),
        next_actions=(NextAction("expand", ROW[:8], "the rest of the best evidence"),),
        limits=Budgets(24_000, 6_000, 12, 4),
        total_bytes=2_000,
        estimated_tokens=500,
    )

"""Slates, definitions, usages and surroundings that say something in every field."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.navigation import (
    ExpandRequest,
    ExpandResponse,
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
    FileFacts,
    Section,
    SessionRequest,
    SessionState,
    SlateRequest,
    SlateResponse,
)
from ggrep.search.engine.engine import Engine
from tests.fakes import slates

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
    return replace(
        slates.ANSWER,
        request=request,
        request_id="r-1",
        query_fingerprint="5" * 64,
        provenance=PROVENANCE,
        slate=replace(slates.SLATE, level=request.level),
        warnings=WARNINGS,
        session=SessionState("djE", "start", "6" * 64, 2, 3600) if request.session else None,
        facts=(
            FileFacts(slates.DOCS.path, Section.DOCS, "markdown", links=(slates.CODE.path,)),
            FileFacts(
                slates.CODE.path,
                Section.CODE,
                "python",
                imports=("payments",),
                defines=("pay",),
                relations=(("Checkout", "Ledger"),),
                needs=(("package", "payments"),),
            ),
        ),
        timings_ms=() if request.search.deterministic else (("admission", 1), ("retrieve", 2)),
    )


def symbol_response(request: SymbolRequest = SYMBOL) -> SymbolResponse:
    return replace(
        slates.SYMBOL,
        request=request,
        request_id="r-2",
        query_fingerprint="7" * 64,
        provenance=PROVENANCE,
        total=3,
        suggestions=("payments",),
        limits_hit=(LimitHit("max_symbols", 2, observed=3),),
    )


def references_response(request: ReferencesRequest = REFERENCES) -> ReferencesResponse:
    """Return usages and a mention in a string."""
    *usages, last = slates.REFERENCES.references
    return replace(
        slates.REFERENCES,
        request=request,
        request_id="r-3",
        query_fingerprint="8" * 64,
        provenance=PROVENANCE,
        references=(*usages, replace(last, kind="string", content="log('pay')")),
        warnings=WARNINGS,
    )


def expand_response(request: ExpandRequest = EXPAND) -> ExpandResponse:
    """Return a part of a method with a neighbour on both sides."""
    return replace(
        slates.EXPANSION,
        request=request,
        request_id="r-4",
        query_fingerprint="9" * 64,
        provenance=PROVENANCE,
        hidden_lines=5,
        limits_hit=(LimitHit("max_expand_bytes", 400, observed=900),),
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

"""A slate of a shop with something in every section, and what navigation says of it."""

from ggrep.model.confidence import Confidence
from ggrep.model.limits import LimitHit
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
from ggrep.model.request import SearchRequest
from ggrep.model.response import Provenance
from ggrep.model.slate import (
    Budgets,
    ContextGraph,
    Evidence,
    GraphEdge,
    GraphNode,
    NextAction,
    Overview,
    Pack,
    Role,
    Section,
    SessionState,
    Slate,
    SlateRequest,
    SlateResponse,
)

ORIGIN = Provenance(
    store_id="shop-0-0",
    config_fingerprint="c" * 64,
    ignore_fingerprint="i" * 64,
    embed_config_fingerprint="e" * 64,
    snapshot_id="01J0000000ABCDEFGHJKMNPQRS",
    git=None,
    degraded=False,
    partial=False,
    indexed_files=9,
    eligible_files=9,
)

ANCHOR = Evidence(
    row_id="a" * 64,
    chunk_id="a" * 16,
    start_line=1,
    end_line=9,
    score=0.0,
    chunk_type="module",
    name="",
    breadcrumb=(),
    signature="",
    reason="anchor_for_context",
    snippet='"""Checkout."""\n\nfrom shop import payments\n',
    snippet_start_line=1,
    hidden_lines=6,
)
METHOD = Evidence(
    row_id="b" * 64,
    chunk_id="b" * 16,
    start_line=98,
    end_line=117,
    score=2.5,
    chunk_type="method",
    name="pay",
    breadcrumb=("Checkout",),
    signature="def pay(self, card: Card) -> Receipt",
    reason="semantic_match",
    snippet="    def pay(self, card: Card) -> Receipt:\n\n        return payments.charge(card)\n",
    snippet_start_line=98,
    hidden_lines=17,
    also=("src/legacy/checkout.py:40", "src/kiosk/checkout.py:12"),
)
MIDDLE = Evidence(
    row_id="d" * 64,
    chunk_id="d" * 16,
    start_line=130,
    end_line=190,
    score=1.5,
    chunk_type="method",
    name="refund",
    breadcrumb=("Checkout",),
    signature="def refund(self, receipt: Receipt) -> None",
    reason="neighbour_context",
    snippet="        gateway.refund(receipt)\n",
    snippet_start_line=150,
    hidden_lines=60,
)
SECTION = Evidence(
    row_id="f" * 64,
    chunk_id="f" * 16,
    start_line=30,
    end_line=30,
    score=1.2,
    chunk_type="section",
    name="Cards",
    breadcrumb=("Payments", "Cards"),
    signature="",
    reason="docs_quota",
    snippet="A card is charged once.",
    snippet_start_line=30,
)
CODE = Pack(
    path="src/shop/checkout.py",
    line=98,
    score=2.5,
    language="python",
    section=Section.CODE,
    reason="entrypoint_rule",
    tags=("Code", "Definition"),
    roles=(Role.ENTRYPOINT,),
    anchor=ANCHOR,
    evidence=(METHOD, MIDDLE),
    more_evidence=3,
)
DOCS = Pack(
    path="docs/payments.md",
    line=30,
    score=1.2,
    language="markdown",
    section=Section.DOCS,
    reason="docs_quota",
    tags=("Doc",),
    roles=(Role.DOCUMENT,),
    anchor=None,
    evidence=(SECTION,),
    more_evidence=1,
)
GRAPH = ContextGraph(
    nodes=(
        GraphNode("docs/payments.md", "docs/payments.md", 30, Section.DOCS),
        GraphNode("src/shop/checkout.py", "src/shop/checkout.py", 98, Section.CODE),
    ),
    edges=(GraphEdge("links", "docs/payments.md", "src/shop/checkout.py", "checkout.py"),),
)
SLATE = Slate(
    level=1,
    overview=Overview(
        terms=("card", "charge", "charged", "refund"),
        kind="question",
        files=((Section.CODE, 1), (Section.DOCS, 1)),
        top_paths=("src/shop/checkout.py", "docs/payments.md"),
        names=("pay", "refund"),
        missing=(Section.DIAGRAMS, Section.CONFIG, Section.TESTS),
    ),
    sections=((Section.CODE, (CODE,)), (Section.DOCS, (DOCS,))),
    graph=GRAPH,
    next_actions=(
        NextAction("expand", "src/shop/checkout.py:98", "read all of the best match"),
        NextAction("symbol", "pay", "see its definition"),
        NextAction("level", "2", "show more of these files"),
        NextAction("refine", "session", "files that match were left out; go on in a session"),
    ),
    limits=Budgets(61_440, 8_192, 18, 3),
    total_bytes=5_432,
    estimated_tokens=1_358,
)
ANSWER = SlateResponse(
    request=SlateRequest(SearchRequest("where is a card charged")),
    request_id="01J0000000REQVESTREQVESTRE",
    query_fingerprint="q" * 64,
    provenance=ORIGIN,
    confidence=Confidence.STRONG,
    slate=SLATE,
    limits_hit=(LimitHit("max_slate_files", 18, 40),),
    warnings=(),
)
SESSION = SessionState("dG9rZW4", "start", "0" * 64, 2, 3_600)

DEFINITIONS = (
    Definition(
        row_id="b" * 64,
        path="src/shop/checkout.py",
        line=98,
        start_line=97,
        end_line=117,
        name="pay",
        qualified_name="Checkout.pay",
        container="Checkout",
        kind="method",
        language="python",
        signature="def pay(self, card: Card) -> Receipt",
        doc="Charge a card.\n\nOnce.",
    ),
    Definition(
        row_id="c" * 64,
        path="src/kiosk.go",
        line=7,
        start_line=7,
        end_line=9,
        name="pay",
        qualified_name="pay",
        container="",
        kind="function",
        language="go",
        signature="func pay(card Card) Receipt",
        doc="",
    ),
)
SYMBOL = SymbolResponse(
    request=SymbolRequest("pay"),
    request_id="01J0000000REQVESTREQVESTRE",
    query_fingerprint="q" * 64,
    provenance=ORIGIN,
    definitions=DEFINITIONS,
    total=2,
    suggestions=(),
    limits_hit=(),
    warnings=(),
)
REFERENCES = ReferencesResponse(
    request=ReferencesRequest("Checkout.pay"),
    request_id="01J0000000REQVESTREQVESTRE",
    query_fingerprint="q" * 64,
    provenance=ORIGIN,
    references=(
        Reference(
            "1" * 64, "src/app.py", 9, 18, "usage", "main", "python", "    checkout.pay(card)"
        ),
        Reference("1" * 64, "src/app.py", 120, 5, "usage", "", "python", "pay = checkout.pay"),
        Reference("2" * 64, "tests/test_pay.py", 3, 8, "usage", "", "python", "assert pay(card)"),
    ),
    totals=(("usage", 3), ("string", 1), ("comment", 2), ("definition", 2)),
    files=2,
    limits_hit=(),
    warnings=(),
)
EXPANSION = ExpandResponse(
    request=ExpandRequest("src/shop/checkout.py:98"),
    request_id="01J0000000REQVESTREQVESTRE",
    query_fingerprint="q" * 64,
    provenance=ORIGIN,
    path="src/shop/checkout.py",
    language="python",
    boundary="definition",
    start_line=98,
    end_line=100,
    breadcrumb=("Checkout", "pay"),
    content="    def pay(self, card):\n\n\treturn payments.charge(card)",
    hidden_lines=0,
    file_lines=240,
    neighbours=(
        Neighbour("before", "3" * 64, 1, 1, "module", "", "import shop"),
        Neighbour("after", "4" * 64, 102, 130, "method", "refund", "def refund(self, receipt)"),
    ),
    limits_hit=(),
    warnings=(),
)

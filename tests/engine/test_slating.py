"""Slates of a repository: what they select, what they show of it, how sessions go on with them."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import (
    DeadlineExceeded,
    InvalidRequest,
    NoIndex,
    SessionExpired,
    SessionFull,
    SnapshotGone,
)
from ggrep.model.confidence import Confidence
from ggrep.model.request import SearchRequest, StatisticsRequest
from ggrep.model.slate import (
    SESSION_SECS,
    Budgets,
    Evidence,
    Pack,
    Role,
    Section,
    SessionRequest,
    SlateRequest,
    SlateResponse,
)
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine
from ggrep.search.slate.tokens import MAX_TOKEN_BYTES, path_hash
from tests.fakes.repos import AheadClock, IndexOf, indexed, open_engine, write_tree

CHECK = '''def check_permission(user, order):
    """Return whether a user may refund an order: staff always, others their own."""
    if user.is_staff:
        return True
    return order.owner == user.name
'''
REFUND = '''"""Refunds of orders."""

from shop.permissions import check_permission
from shop.settings import REFUND_DAYS


class RefundService:
    """Gives money back for an order."""

    def refund_order(self, order, user):
        """Refund an order for a user that may do so."""
        if not check_permission(user, order):
            raise PermissionError(order.name)
        if order.age_days > REFUND_DAYS:
            raise TimeoutError(order.name)
        return self.ledger.book(order, -order.total)

    def refund_total(self, orders):
        """Return what refunds of the orders come to."""
        return sum(order.total for order in orders)
'''
SERVER = '''"""The routes of the shop."""

from shop.refund import RefundService


@app.post("/orders/{name}/refund")
def refund_route(name, user):
    """Refund an order over HTTP."""
    return RefundService().refund_order(find_order(name), user)
'''
SETTINGS = '''"""Settings of refunds, from the environment."""

import os

REFUND_DAYS = int(os.environ.get("SHOP_REFUND_DAYS", "30"))
REFUND_CURRENCY = os.environ.get("SHOP_REFUND_CURRENCY", "EUR")
'''
GUIDE = """# Orders

## How refunds are made

A refund of an order goes through RefundService and asks check_permission first.

```mermaid
sequenceDiagram
  Client->>Server: refund order
  Server->>RefundService: refund_order
  RefundService->>Ledger: book refund
```

## How orders are shipped

Nothing here is about money.
"""
TESTS = '''from shop.refund import RefundService


def test_refund_order_needs_permission(user, order):
    """A refund of another's order is refused."""
    with raises(PermissionError):
        RefundService().refund_order(order, user)
'''
TREE = {
    "shop/server.py": SERVER,
    "shop/refund.py": REFUND,
    "shop/permissions.py": CHECK,
    "shop/settings.py": SETTINGS,
    "shop/shipping.py": "def ship_parcel(parcel):\n    return parcel.carrier\n",
    "config/app.toml": '[refund]\ndays = 30\ncurrency = "EUR"\norder_limit = 5\n',
    "docs/orders.md": GUIDE,
    "docs/flow.mmd": "flowchart TD\n  Order --> Refund\n  Refund --> Ledger\n",
    "tests/test_refund.py": TESTS,
    "README.md": "# Shop\n\nSells things, ships parcels, refunds orders.\n",
}
QUESTION = "how do we refund an order?"
ASKED = SlateRequest(SearchRequest(QUESTION, deterministic=True, keep_weak=True), facts=True)
STRANGE = SearchRequest("kubernetes tokenizer gradient descent for zebra migration")
SOME = "x"
STARTED = replace(ASKED, session=SessionRequest())


class LateClock(AheadClock):
    """A clock that is two hours further: every session has ended."""

    def now(self):  # type: ignore[no-untyped-def] # noqa: ANN201 - as the one it inherits
        return super().now() + timedelta(seconds=2 * SESSION_SECS)


@pytest.fixture(scope="module")
def shop(shared_index: IndexOf) -> Engine:
    """Return an engine over a shop, which no test changes."""
    return shared_index(TREE, encoder="none")


@pytest.fixture(scope="module")
def many(shared_index: IndexOf) -> Engine:
    """Return an engine over more files of every kind than a slate shows."""
    tree = {}
    for n in range(30):
        tree[f"src/refund_{n:02d}.py"] = f"def refund_{n:02d}(order):\n    return order + {n}\n"
        tree[f"docs/page{n:02d}.md"] = f"# Refund {n}\n\nAbout the refund of order {n}.\n"
        tree[f"tests/test_refund_{n:02d}.py"] = f"def test_{n}():\n    refund_{n:02d}({n})\n"
    return shared_index(tree, encoder="none")


def packs(found: SlateResponse) -> list[Pack]:
    return [pack for _, some in found.slate.sections for pack in some]


def paths(found: SlateResponse, section: Section | None = None) -> list[str]:
    return [pack.path for pack in packs(found) if section in {None, pack.section}]


def pack_of(found: SlateResponse, path: str) -> Pack:
    return next(pack for pack in packs(found) if pack.path == path)


def shown(found: SlateResponse) -> Iterator[Evidence]:
    for pack in packs(found):
        yield from pack.evidence
        if pack.anchor:
            yield pack.anchor


def codes(found: SlateResponse) -> set[str]:
    return {cut.code for cut in found.limits_hit} | {each.code for each in found.warnings}


def printed(found: SlateResponse) -> dict[str, Any]:
    """Return the answer's JSON without what may differ between equal stores."""
    document: dict[str, Any] = answer_json(found)
    for key in ("snapshot_id", "request_id", "git"):
        document.pop(key)
    document.get("session", {}).pop("token", None)
    return document


def printed_bytes(found: SlateResponse) -> bytes:
    return stable_json.dumps(printed(found))


def gone_on(found: SlateResponse, **more: Any) -> SessionRequest:
    assert found.session is not None
    return SessionRequest(**{"token": found.session.token, "op": "refine", **more})


def seen_digest(some: set[str]) -> str:
    return hashlib.sha256(b"".join(sorted(map(path_hash, some)))).hexdigest()


def test_a_slate_holds_what_a_change_needs(shop: Engine) -> None:
    """Each kind of file in its section, documents by headings, and the graph of all."""
    answer = shop.ask(ASKED)
    kinds = [section for section, _ in answer.slate.sections]

    assert kinds == list(Section)
    assert {"shop/refund.py", "shop/server.py", "shop/permissions.py"} <= set(
        paths(answer, Section.CODE)
    )
    assert {"config/app.toml", "shop/settings.py"} & set(paths(answer, Section.CONFIG))
    assert "docs/orders.md" in paths(answer, Section.DOCS) + paths(answer, Section.DIAGRAMS)
    assert "docs/flow.mmd" in paths(answer, Section.DIAGRAMS)
    assert paths(answer, Section.TESTS) == ["tests/test_refund.py"]
    assert len(paths(answer)) == len(set(paths(answer)))
    assert answer.slate.overview.missing == ()
    assert set(answer.slate.overview.top_paths) <= set(paths(answer))

    guides = [pack for pack in packs(answer) if pack.path == "docs/orders.md"]
    trails = [(*item.breadcrumb, item.name) for pack in guides for item in pack.evidence]

    assert any("How refunds are made" in trail for trail in trails), trails

    assert answer.slate.graph is not None
    edges = {(edge.kind, edge.source, edge.target) for edge in answer.slate.graph.edges}

    assert ("imports", "shop/server.py", "shop/refund.py") in edges
    assert ("tests", "tests/test_refund.py", "shop/refund.py") in edges


def test_packs_say_what_files_are_and_where_to_read(shop: Engine) -> None:
    """A caller jumps to a line, and knows why it is sent there."""
    answer = shop.ask(ASKED)

    assert Role.ENTRYPOINT in pack_of(answer, "shop/server.py").roles
    assert Role.POLICY in pack_of(answer, "shop/permissions.py").roles
    assert pack_of(answer, "tests/test_refund.py").tags[0] == "Test"
    best = shop.ask(replace(ASKED, budgets=Budgets(evidence_per_file=1)))
    refund = pack_of(best, "shop/refund.py")
    assert refund.evidence
    assert refund.anchor is not None
    assert refund.anchor.reason == "anchor_for_context"
    assert "RefundService" in {item.name for item in refund.evidence}
    for pack in packs(answer):
        text = (TREE[pack.path]).splitlines()
        assert 1 <= pack.line <= len(text)
        for item in pack.evidence:
            assert 1 <= item.start_line <= item.end_line <= len(text)


@pytest.fixture
def owned(root: Path, home: Path) -> Engine:
    """Return an engine over files with notices, one of them longer than an opening is."""
    notice = "# Copyright 2020 The Shop\n# Licensed under the Apache License\n"
    body = "\n".join(f"x{n} = {n}" for n in range(20))
    write_tree(
        root,
        {
            "refund.py": f"{notice}\nimport ledger\n\n{body}\n\n{REFUND}",
            "owned.py": f"{notice * 10}\n{body}\n\n{CHECK}",
        },
    )
    engine = open_engine(root, home, encoder="none")
    engine.sync()
    return engine


def test_opening_lines_begin_behind_a_licence(owned: Engine) -> None:
    """In a project with licence headers every file would otherwise show the same lines."""
    answer = owned.ask(replace(ASKED, budgets=Budgets(evidence_per_file=1)))
    anchor = pack_of(answer, "refund.py").anchor

    assert anchor is not None
    assert anchor.snippet_start_line == 4
    assert anchor.snippet.startswith("import ledger\n")
    assert anchor.start_line == 1
    assert pack_of(answer, "owned.py").anchor is None


def test_snippets_stand_in_the_file_where_they_say(shop: Engine) -> None:
    """An edit is made by those numbers."""
    answer = shop.ask(replace(ASKED, level=3))
    compared = 0
    for pack in packs(answer):
        text = TREE[pack.path].splitlines()
        for item in (*pack.evidence, *([pack.anchor] if pack.anchor else [])):
            if not item.snippet or pack.section is Section.DIAGRAMS:
                continue
            first = item.snippet_start_line - 1
            lines = item.snippet.split("\n")
            assert text[first : first + len(lines)] == lines
            compared += 1

    assert compared > 8


def test_diagrams_are_shown_as_what_they_join(shop: Engine) -> None:
    """Arrows of a diagram's language say less to a reader than their ends."""
    answer = shop.ask(ASKED)
    drawings = [
        item
        for pack in packs(answer)
        if pack.section is Section.DIAGRAMS
        for item in pack.evidence
        if item.snippet
    ]

    assert drawings
    assert not any("->>" in item.snippet or "flowchart" in item.snippet for item in drawings)
    assert any("Refund" in item.snippet and "Ledger" in item.snippet for item in drawings)


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_levels_select_the_same(shop: Engine, level: int) -> None:
    first, result = shop.ask(ASKED), shop.ask(replace(ASKED, level=level))

    def evidence(answer: SlateResponse) -> list[tuple[str, list[str]]]:
        return [
            (
                pack.path,
                [item.row_id for item in pack.evidence if item.reason != "neighbour_context"],
            )
            for pack in packs(answer)
        ]

    assert paths(result) == paths(first)
    assert evidence(result) == evidence(first)
    assert result.slate.level == level
    assert result.confidence is first.confidence


def test_the_least_level_shows_paths_alone_and_higher_ones_more_of_each_chunk(shop: Engine) -> None:
    """Triage must not cost a file's content."""
    document = printed(shop.ask(replace(ASKED, level=0)))["slate"]

    files = [file for section in document["sections"] for file in section["files"]]
    assert files
    for file in files:
        assert set(file) - {"name", "tags"} == {"path", "line", "score", "reason"}
    assert document["total_bytes"] <= 2_048

    sizes = [
        sum(len(item.snippet) for item in shown(shop.ask(replace(ASKED, level=level))))
        for level in range(4)
    ]

    assert sizes[0] == 0 < sizes[1] <= sizes[2] <= sizes[3]
    assert any(
        item.reason == "neighbour_context"
        for item in shown(shop.ask(replace(ASKED, level=2, budgets=Budgets(evidence_per_file=1))))
    )


def test_a_usual_answer_is_no_larger_than_20_kilobytes(many: Engine) -> None:
    answer = many.ask(replace(STARTED, search=SearchRequest("refund order", keep_weak=True)))

    assert len(stable_json.dumps(answer_json(answer))) <= 20_480
    assert answer.slate.total_bytes <= 16_384
    assert len(paths(answer)) == 28


@pytest.mark.parametrize("level", [2, 3])
def test_levels_select_the_same_of_many_files(many: Engine, level: int) -> None:
    """Files with short paths fit each level's own budget."""
    request = replace(ASKED, search=SearchRequest("refund order", keep_weak=True))

    assert paths(many.ask(replace(request, level=level))) == paths(many.ask(request))


@pytest.mark.slow
def test_the_least_level_shows_the_first_of_many_files(root: Path, home: Path) -> None:
    """A list of paths that has no room for all says so, and shows no others."""
    deep = "packages/orders-service/src/main/python/company/orders/refunds/refund_handler"
    engine = indexed(
        root,
        home,
        {f"{deep}_{n:02d}.py": f"def refund_{n}():\n    pass\n" for n in range(20)},
        encoder="none",
    )
    request = SlateRequest(SearchRequest("refund handler", keep_weak=True))

    every, least = engine.ask(request), engine.ask(replace(request, level=0))

    assert len(paths(every)) == 20
    assert paths(least) == paths(every)[: len(paths(least))]
    assert 5 <= len(paths(least)) < 20
    assert "max_slate_files_by_bytes" in {cut.code for cut in least.limits_hit}


def test_the_same_question_has_the_same_bytes(shop: Engine) -> None:
    """Asked again, and of another process; absolute paths would tell where somebody works."""
    first = stable_json.dumps(answer_json(shop.ask(STARTED)))
    other = open_engine(shop.identity.root, shop.home.base, encoder="none")

    assert stable_json.dumps(answer_json(shop.ask(STARTED))) == first
    assert stable_json.dumps(answer_json(other.ask(STARTED))) == first
    assert b"timings_ms" not in first

    reported = stable_json.dumps(answer_json(shop.ask(STARTED)))

    assert str(shop.identity.root).encode() not in reported
    assert str(shop.home.base).encode() not in reported


def test_facts_are_told_to_those_who_ask_for_them(shop: Engine) -> None:
    """They are for a coordinator; the slate is the same without."""
    reported, silent = shop.ask(ASKED), shop.ask(replace(ASKED, facts=False))

    assert [each.path for each in reported.facts] == sorted(paths(reported))
    assert silent.facts == ()
    assert stable_json.dumps(answer_json(silent)) == stable_json.dumps(answer_json(reported))


def test_a_question_about_something_else_has_an_empty_slate(shop: Engine) -> None:
    """And says so: files that fit nothing would be read all the same."""
    answer = shop.ask(SlateRequest(STRANGE, facts=True))
    kept = shop.ask(SlateRequest(replace(STRANGE, query=f"{STRANGE.query} refund")))

    assert answer.confidence is Confidence.NONE
    assert packs(answer) == []
    assert "no_strong_matches" in codes(answer)
    assert answer.facts == ()
    assert kept.confidence is not Confidence.STRONG


def test_doubtful_files_are_shown_on_request(many: Engine) -> None:
    search = replace(STRANGE, query=f"{STRANGE.query} refund order")
    answer = many.ask(SlateRequest(search))
    kept = many.ask(SlateRequest(replace(search, keep_weak=True)))
    cuts = {cut.code: cut for cut in answer.limits_hit}

    assert len(paths(kept)) > len(paths(answer))
    assert set(paths(answer)) <= set(paths(kept))
    assert cuts["low_confidence"].limit == len(paths(answer))
    assert cuts["low_confidence"].observed == len(paths(kept))
    assert "low_confidence" not in {cut.code for cut in kept.limits_hit}
    assert {each.code for each in kept.warnings} & {"low_confidence", "no_strong_matches"}


def test_anchors_and_the_graph_can_be_left_out(shop: Engine) -> None:
    """Each costs bytes that somebody may want for evidence."""
    asked = replace(ASKED, budgets=Budgets(evidence_per_file=1))
    full = shop.ask(asked)
    bare = shop.ask(replace(asked, anchors=False, graph=False))

    assert any(pack.anchor for pack in packs(full))
    assert not any(pack.anchor for pack in packs(bare))
    assert full.slate.graph is not None
    assert {node.path for node in full.slate.graph.nodes} == set(paths(full))
    assert bare.slate.graph is None
    assert "graph" not in printed(bare)["slate"]
    assert paths(bare) == paths(full)
    assert full.query_fingerprint != bare.query_fingerprint


def test_budgets_are_honoured_and_cuts_said(many: Engine) -> None:
    """Files, evidence and bytes, each by its own name."""
    search = SearchRequest("refund order", keep_weak=True)
    few = many.ask(SlateRequest(search, budgets=Budgets(files=4)))
    small = many.ask(SlateRequest(search, budgets=Budgets(total_bytes=6_000)))
    tiny = many.ask(SlateRequest(search, level=3, budgets=Budgets(file_bytes=1)))

    assert len(paths(few)) == 4
    assert {"max_slate_files"} <= codes(few)
    assert small.slate.total_bytes <= 6_000
    assert codes(small) & {"max_slate_bytes", "max_slate_files_by_bytes"}
    assert small.slate.limits.total_bytes == 6_000
    assert paths(tiny) == []
    assert "max_slate_files_by_bytes" in codes(tiny)
    with pytest.raises(InvalidRequest, match="max_slate_bytes"):
        many.ask(SlateRequest(search, budgets=Budgets(total_bytes=9)))
    with pytest.raises(InvalidRequest, match="level: 7"):
        many.ask(SlateRequest(search, level=7))


@pytest.mark.slow
def test_copies_are_told_and_not_shown(root: Path, home: Path) -> None:
    """A vendored module is the same code to read, and another place to change."""
    engine = indexed(root, home, TREE | {"vendor/shop/refund.py": REFUND}, encoder="none")
    answer = engine.ask(ASKED)
    copied = {"shop/refund.py", "vendor/shop/refund.py"}
    kept = copied & set(paths(answer))

    assert len(kept) == 1
    (other,) = copied - kept
    places = [place for item in shown(answer) for place in item.also]
    assert any(place.startswith(f"{other}:") for place in places)


def test_a_session_goes_on_with_what_it_has_not_returned(many: Engine) -> None:
    """Over several questions, nothing is returned twice, and the client can count along."""
    queries = ("refund order", "test refund", "page about the refund", "order", "refund", "refund")
    answer = many.ask(SlateRequest(SearchRequest(queries[0]), session=SessionRequest()))
    assert answer.session is not None
    assert answer.session.op == "start"
    seen = set(paths(answer))
    for query in queries[1:]:
        search = SearchRequest(query, keep_weak=True)
        answer = many.ask(SlateRequest(search, session=gone_on(answer, delta_only=True)))
        assert answer.session is not None
        assert seen.isdisjoint(paths(answer))
        seen.update(paths(answer))
        assert answer.session.seen_files == len(seen)
        assert answer.session.seen_set_digest == seen_digest(seen)
        assert answer.session.op == "refine"

    assert len(seen) > 60


def test_without_delta_a_session_may_return_files_again(many: Engine) -> None:
    """It is the snapshot that is kept then, and the list of what was seen."""
    request = SlateRequest(SearchRequest("refund order", deterministic=True))
    first = many.ask(replace(request, session=SessionRequest()))
    again = many.ask(replace(request, session=gone_on(first)))

    assert paths(again) == paths(first)
    assert again.session is not None
    assert first.session is not None
    assert again.session.seen_set_digest == first.session.seen_set_digest


@pytest.mark.slow
def test_a_session_sees_the_snapshot_that_it_began_with(root: Path, home: Path) -> None:
    """Two answers about different trees would contradict each other."""
    repo = indexed(root, home, TREE, encoder="none")
    first = repo.ask(STARTED)
    write_tree(root, {"shop/refund.py": None, "shop/money.py": REFUND})
    repo.sync()
    going_on = repo.ask(replace(ASKED, session=gone_on(first)))
    anew = repo.ask(STARTED)

    assert going_on.provenance.snapshot_id == first.provenance.snapshot_id
    assert paths(going_on) == paths(first)
    assert anew.provenance.snapshot_id != first.provenance.snapshot_id
    assert "shop/money.py" in paths(anew)
    assert "shop/refund.py" not in paths(anew)


def test_another_process_goes_on_with_a_session(shop: Engine) -> None:
    """The daemon that began it may be gone."""
    first = shop.ask(STARTED)
    other = open_engine(shop.identity.root, shop.home.base, encoder="none")
    delta = replace(ASKED, session=gone_on(first, delta_only=True))

    assert paths(first)
    assert set(paths(other.ask(delta))).isdisjoint(paths(first))
    assert printed_bytes(other.ask(delta)) == printed_bytes(shop.ask(delta))


def test_targets_are_opened_with_the_lines_that_are_asked_for(shop: Engine) -> None:
    first = shop.ask(STARTED)
    targets = ("shop/shipping.py:1", "shop/refund.py:19")
    answer = shop.ask(replace(ASKED, level=3, session=gone_on(first, op="expand", targets=targets)))

    assert set(paths(answer)) == {"shop/shipping.py", "shop/refund.py"}
    assert {pack.reason for pack in packs(answer)} == {"expand_target"}
    assert any("ship_parcel" in i.snippet for i in pack_of(answer, "shop/shipping.py").evidence)
    assert any("refund_total" in i.snippet for i in pack_of(answer, "shop/refund.py").evidence)
    assert answer.session is not None
    assert answer.session.seen_set_digest == seen_digest({*paths(first), "shop/shipping.py"})


@pytest.mark.parametrize("target", ["shop/shipping.py", "shop/shipping.py:999"])
def test_a_target_without_a_match_is_opened_from_its_top(shop: Engine, target: str) -> None:
    """It was asked for; that it does not repeat the question is no reason to hide it."""
    first = shop.ask(STARTED)
    going_on = replace(ASKED, level=3, session=gone_on(first, op="expand", targets=(target,)))
    (pack,) = packs(shop.ask(going_on))

    assert "ship_parcel" in "".join(item.snippet for item in pack.evidence)


@pytest.mark.parametrize(
    "target", ["nowhere.py", "shop/nowhere.py:3", "../repo/shop/refund.py", "", "shop", "a\udcff:1"]
)
def test_a_target_that_is_no_file_is_refused(shop: Engine, target: str) -> None:
    """Nothing else would be opened in its stead."""
    first = shop.ask(STARTED)
    session = gone_on(first, op="expand", targets=(target,))

    with pytest.raises(InvalidRequest):
        shop.ask(replace(ASKED, session=session))


@pytest.mark.parametrize(
    "wrong",
    [
        SessionRequest(SOME),
        SessionRequest(op="refine"),
        SessionRequest(SOME, op="refine", targets=("a.py",)),
        SessionRequest(SOME, op="expand"),
        SessionRequest(SOME, op="expand", targets=("a.py",), delta_only=True),
        SessionRequest(SOME, op="expand", targets=("a.py",) * 33),
    ],
)
def test_what_a_session_cannot_be_asked_is_refused(shop: Engine, wrong: SessionRequest) -> None:
    """By the field that is wrong, before anything is read."""
    with pytest.raises(InvalidRequest, match=r"^session: "):
        shop.ask(replace(ASKED, session=wrong))


def test_foreign_tokens_are_refused(shop: Engine, many: Engine) -> None:
    ours, other = shop.ask(STARTED).session, many.ask(STARTED).session
    assert ours is not None
    assert other is not None
    turned = ours.token[:40] + ("A" if ours.token[40] != "A" else "B") + ours.token[41:]
    for token in (other.token, turned, ours.token[:-1], "x", "é", "A" * 1_048_576, "a\udcff"):
        with pytest.raises(InvalidRequest, match="session_token"):
            shop.ask(replace(ASKED, session=SessionRequest(token=token, op="refine")))

    assert len(ours.token) <= MAX_TOKEN_BYTES


def test_an_ended_session_says_so(shop: Engine) -> None:
    """Its client starts anew; any other error would not tell it to."""
    first = shop.ask(STARTED)
    late = open_engine(shop.identity.root, shop.home.base, encoder="none")
    late.clock = LateClock()

    with pytest.raises(SessionExpired):
        late.ask(replace(ASKED, session=gone_on(first)))


def test_a_full_session_says_so(shop: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It forgets nothing, and the token is good for a smaller question."""
    first = shop.ask(replace(STARTED, budgets=Budgets(files=2)))
    monkeypatch.setattr("ggrep.search.slate.tokens.MAX_SEEN", 2)

    assert paths(shop.ask(replace(STARTED, budgets=Budgets(files=2)))) == paths(first)
    with pytest.raises(SessionFull):
        shop.ask(replace(ASKED, session=gone_on(first)))

    monkeypatch.setattr("ggrep.search.slate.tokens.MAX_SEEN", 3)
    going_on = replace(ASKED, session=gone_on(first, delta_only=True))
    with pytest.raises(SessionFull):
        shop.ask(going_on)

    answer = shop.ask(replace(going_on, budgets=Budgets(files=1)))
    assert len(paths(answer)) == 1


def test_statistics_of_another_snapshot_and_a_past_deadline_are_refused(shop: Engine) -> None:
    """Scores by them would compare with nothing; a late answer is read by nobody."""
    with pytest.raises(SnapshotGone):
        shop.ask(replace(ASKED, snapshot_id="01ARZ3NDEKTSV4RRFFQ69G5FAV"))

    with pytest.raises(DeadlineExceeded):
        shop.ask(ASKED, Deadline.after(SystemClock(), 0))


def test_a_repository_without_an_index_says_so(root: Path, home: Path) -> None:
    """A session is not begun for it either."""
    engine = open_engine(root, home, encoder="none")

    for request in (ASKED, STARTED):
        with pytest.raises(NoIndex):
            engine.ask(request)


def test_scores_of_packs_are_those_of_their_best_evidence(shop: Engine, many: Engine) -> None:
    """Files are ordered by it."""
    one_each = replace(ASKED, budgets=Budgets(evidence_per_file=1))
    for each in (shop.ask(ASKED), many.ask(ASKED), shop.ask(one_each)):
        for pack in packs(each):
            searched = [item for item in pack.evidence if item.score > 0.0]
            if searched:
                assert pack.score == max(item.score for item in searched), pack.path


WORDS = ("zyxbody", "zyxstring", "zyxcomment", "zyxprose", "zyxlabel", "zyxvalue", "zyxheading")
CANARIES = {
    "shop/server.py": "from shop.refund import give_back\n\n\n"
    'def refund_order(order):\n    """Refund an order zyxprose."""\n'
    '    zyxbody = "zyxstring secret"  # zyxcomment\n    return give_back(order, zyxbody)\n',
    "shop/refund.py": 'def give_back(order, why):\n    """Refund the order zyxprose."""\n'
    '    # zyxcomment\n    zyxbody = order[settings["refund_days"]]\n    return zyxbody\n',
    "docs/guide.md": "# Refund of an order zyxheading\n\nSee [code](../shop/refund.py): zyxprose\n"
    "[zyxprose](../shop/server.py#zyxheading) [x](zyxprose/../../shop/refund.py)\n\n"
    "`give_back` of an order.\n\n```mermaid\ngraph TD\n  order --> zyxlabel\n```\n",
    "docs/flow.mmd": "sequenceDiagram\n  order->>give_back: zyxlabel\n"
    "  give_back->>zyxlabel: refund of an order\n",
    "conf/app.toml": '# zyxcomment\n[refund]\norder = "zyxvalue"\nrefund_days = "zyxvalue"\n',
    "tests/test_refund.py": "from shop.refund import give_back\n\n\n"
    'def test_refund_order():\n    zyxbody = give_back("zyxstring order", None)\n'
    "    assert zyxbody  # zyxcomment\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 1, 3])
def test_neither_graph_nor_facts_hold_what_files_say(index_of: IndexOf, level: int) -> None:
    """They leave where snippets must not: only names that join files stand in them."""
    engine = index_of(CANARIES, encoder="none")
    search = SearchRequest("refund of an order", keep_weak=True)
    answer = engine.ask(SlateRequest(search, level=level, facts=True))
    graph = printed(answer)["slate"]["graph"]
    reported = stable_json.dumps(graph).decode() + repr(answer.facts)
    whole = stable_json.dumps(printed(answer)).decode()

    assert set(paths(answer)) == set(CANARIES) == {each.path for each in answer.facts}
    kinds = {edge["kind"] for edge in graph["edges"]}
    assert level == 0 or kinds == {"imports", "links", "relates", "configures", "tests"}
    assert "give_back" in reported
    assert [word for word in WORDS if word in reported] == []
    assert any(word in whole for word in WORDS) == (level > 0)


def test_statistics_of_the_same_snapshot_change_nothing(shop: Engine) -> None:
    """A coordinator of one repository gets what the repository says by itself."""
    counted = shop.ask(StatisticsRequest(ASKED.search))
    given = shop.ask(replace(ASKED, statistics=counted.statistics, snapshot_id=counted.snapshot_id))

    assert printed_bytes(given) == printed_bytes(shop.ask(ASKED))
    assert given.facts == shop.ask(ASKED).facts
    # Who sent them has them.
    assert given.request.statistics is None


def paths_of_a_session(engine: Engine, request: SlateRequest) -> list[str]:
    """Return the paths of the answers of a session, of which some have no room for all files."""
    answer = engine.ask(replace(request, session=SessionRequest()))
    seen: list[str] = []
    cut = 0
    while shown_paths := paths(answer):
        seen += shown_paths
        cut += "max_slate_files_by_bytes" in codes(answer)
        answer = engine.ask(replace(request, session=gone_on(answer, delta_only=True)))
    assert cut > 0
    return seen


def test_files_that_had_no_room_come_next_in_a_session(many: Engine) -> None:
    """They were not returned, so they are not counted as seen."""
    search = SearchRequest("refund order", keep_weak=True)
    small = SlateRequest(search, budgets=Budgets(total_bytes=2_048, files=12), graph=False)
    seen = paths_of_a_session(many, small)
    ample = Budgets(4_194_304, 1_048_576, files=12)
    wanted = paths(many.ask(SlateRequest(search, budgets=ample)))

    assert len(seen) == len(set(seen))
    assert len(wanted) == 12
    assert set(wanted) <= set(seen)


@pytest.mark.slow
def test_a_file_with_a_copied_piece_and_words_of_its_own_comes_next(root: Path, home: Path) -> None:
    """Where it had no room, naming its copied piece beside another one does not return it."""
    weak = "def other_{0}(order):\n    return check(order.user_{0}, {0}, 'permission')\n"
    strong = (
        "def permission_{0}(user):\n    return check(user.refund_{0}, {0}, 'permission refund')\n"
    )
    tree = {
        f"a_module_with_a_rather_long_name_for_number_{i:02}.py": f"{CHECK}\n\n{ours.format(i)}"
        for i in range(16)
        for ours in [weak if i < 6 else strong]
    }
    engine = indexed(root, home, tree, encoder="none")
    search = SearchRequest("check permission of a refund", keep_weak=True)
    small = SlateRequest(search, level=0, budgets=Budgets(total_bytes=2_048), graph=False)

    assert sorted(paths_of_a_session(engine, small)) == sorted(tree)

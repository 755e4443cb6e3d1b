"""A workspace answers about a name as one store over all its files would, whole or in pages."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace_names import (
    FederatedReferences,
    FederatedSymbol,
    federated_references,
    federated_symbol,
)
from ggrep.model.filters import Filter
from ggrep.model.navigation import (
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.request import SearchRequest
from ggrep.search.engine.repo_index import Hosted
from tests.fakes.mentions import InProcessMentions
from tests.fakes.union import UnionStore, build_union, references_of, symbol_of
from tests.properties.workspaces import IndexedWorkspace, write_trees

PATHS = (
    *("app/store.py", "app/box/__init__.py", "app/box/lid.py", "tests/test_store.py"),
    *("lib/box.rb", "src/box.go", "web/box.ts", "docs/guide.md", "db/schema.sql"),
)
NAMES = ("open", "Open", "OPEN", "Box", "box", "close_all", "lid")

ASKED = (
    *NAMES,
    *("Box.open", "box.Box.open", "store.open", "app/store/open", "Lid.open", "lid.Open"),
    *("Box.lid", "Open.lid", "open.lid"),
    *("opens", "opne", "CLOSE_ALL", "boxes", "Nothing.open", "nowhere", "lid#close_all"),
)

names = st.sampled_from(NAMES)
_BLOCKS = {
    "py": (
        "class {a}:\n    def {b}(self):\n        return {a}.{b}\n",
        "def {a}():\n    # {b} it\n    return {b}()\n",
        "{a} = {b}\n",
        "from app.{a} import {b}\n",
        "print('{a}', {b})\n",
        "class {a}({b}):\n    def lid(self):\n        return self.lid(), {b}.lid\n",
        "def run({a}, thing):\n    {a}.{b} = thing.{b}\n    {b}.lid(thing.lid(), lid())\n",
    ),
    "rb": ("class {a}\n  def {b}\n    {a}.{b}\n  end\nend\n", "def {a}\n  {b}\nend\n"),
    "go": ("func {a}() int {{ return {b}() }}\n", "type {a} struct {{ {b} int }}\n"),
    "ts": (
        "export class {a} {{ {b}() {{ return {a}; }} }}\n",
        "export function {a}() {{ {b}(); }}\n",
    ),
    "md": ("# {a}\n\nHow {b} works.\n\n",),
    "sql": ("CREATE TABLE {a} ({b} int);\n",),
}


@st.composite
def _texts(draw: st.DrawFn, path: str) -> str:
    ending = path.rpartition(".")[2]
    blocks = draw(
        st.lists(
            st.builds(
                lambda form, a, b: form.format(a=a, b=b),
                st.sampled_from(_BLOCKS[ending]),
                names,
                names,
            ),
            min_size=1,
            max_size=3,
        )
    )
    return ("package box\n\n" if ending == "go" else "") + "\n".join(blocks)


@st.composite
def named_repos(draw: st.DrawFn, most: int = 3) -> list[dict[str, str]]:
    """Draw two repositories or more, most of whose paths are the same."""
    return [
        {
            path: draw(_texts(path))
            for path in draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=4, unique=True))
        }
        for _ in range(draw(st.integers(2, most)))
    ]


_filters = st.sampled_from(
    [(), (), (Filter("test", "false"),), (Filter("lang", "python"),), (Filter("path", "lib"),)]
)
_limits = st.sampled_from([0, 1, 2, 5])

symbols = st.builds(
    SymbolRequest,
    name=st.sampled_from(ASKED),
    filters=_filters,
    limit=_limits,
    deterministic=st.just(True),
)
references = st.builds(
    ReferencesRequest,
    name=st.sampled_from(ASKED),
    filters=_filters,
    strings=st.booleans(),
    comments=st.booleans(),
    limit=_limits,
    deterministic=st.just(True),
)


REQUEST = FederatedRequest(SearchRequest("", timeout_ms=0))
HOSTED = Hosted(occurrences=InProcessMentions())  # type: ignore[arg-type]  # answers alike
SAID = ("other_case", "other_container", "nothing_selected")
CUTS = {"max_symbols", "max_references"}


class NamedWorkspace(IndexedWorkspace):
    """A workspace that is asked about names through the real coordinator."""

    def __init__(self, base: Path, roots: Sequence[Path]) -> None:
        super().__init__(base, roots, "none", HOSTED)

    def symbol(self, asked: SymbolRequest) -> FederatedSymbol:
        return anyio.run(
            federated_symbol, self.workspace, REQUEST, asked, self.searchers(), SystemClock()
        )

    def references(self, asked: ReferencesRequest) -> FederatedReferences:
        return anyio.run(
            federated_references, self.workspace, REQUEST, asked, self.searchers(), SystemClock()
        )


def assert_symbol_alike(asked: SymbolRequest, workspace: NamedWorkspace, union: UnionStore) -> None:
    result = symbol_of(union, asked)
    answer = workspace.symbol(asked)
    assert isinstance(result.answer, SymbolResponse)

    assert answer.errors == ()
    shown = [(each.repo_id, each.place) for each in answer.definitions]
    assert shown == list(zip(result.repos, result.answer.definitions, strict=True))
    assert answer.total == result.answer.total
    assert answer.suggestions == result.answer.suggestions
    assert_same_said(answer, result.answer)
    if asked.limit:
        every = workspace.symbol(replace(asked, limit=0))
        assert symbol_pages(workspace, asked) == list(every.definitions)


def assert_references_alike(
    asked: ReferencesRequest, workspace: NamedWorkspace, union: UnionStore
) -> None:
    result = references_of(union, asked)
    answer = workspace.references(asked)
    assert isinstance(result.answer, ReferencesResponse)

    assert answer.errors == ()
    shown = [(item.repo_id, item.place) for item in answer.references]
    assert shown == list(zip(result.repos, result.answer.references, strict=True))
    counts = [(dict(each.totals), each.mentions) for each in (answer, result.answer)]
    if any(mentions for _, mentions in counts):  # each repository reads a page of its own
        every_place = [sum(totals.values()) + mentions for totals, mentions in counts]
        assert every_place[0] == every_place[1]
    else:
        assert answer.totals == result.answer.totals
    assert answer.files == len({(repo, item.path) for repo, item in shown})
    assert tuple(item.place for item in answer.defined) == result.answer.defined
    assert_same_said(answer, result.answer)
    if asked.limit:
        every = workspace.references(replace(asked, limit=0))
        assert reference_pages(workspace, asked) == [
            (item.repo_id, item.place) for item in every.references
        ]


def assert_same_said(
    answer: FederatedSymbol | FederatedReferences, one: SymbolResponse | ReferencesResponse
) -> None:
    """The cut, other spellings and containers, and filters that match nothing are told alike."""
    reported = {item.code: item.message for item in answer.warnings}
    expected = {item.code: item.message for item in one.warnings}
    assert {code: reported.get(code) for code in SAID} == {
        code: expected.get(code) for code in SAID
    }
    cuts = [entry.limit for entry in answer.limits_hit if entry.limit.code in CUTS]
    expected_cuts = [limit for limit in one.limits_hit if limit.code in CUTS]
    assert [(cut.code, cut.limit) for cut in cuts] == [
        (cut.code, cut.limit) for cut in expected_cuts
    ]
    observed = {cut.observed for cut in (*cuts, *expected_cuts)} - {None}
    assert len(observed) <= 1, "amounts that are known are equal"


def symbol_pages(workspace: NamedWorkspace, asked: SymbolRequest) -> list[object]:
    """Return the definitions of all pages, one after the other."""
    results: list[object] = []
    while True:
        page = workspace.symbol(asked)
        results += page.definitions
        if not page.next_cursor:
            return results
        asked = replace(asked, cursor=page.next_cursor)


def reference_pages(workspace: NamedWorkspace, asked: ReferencesRequest) -> list[object]:
    """Return the usages of all pages, one after the other."""
    results: list[object] = []
    while True:
        page = workspace.references(asked)
        results += [(each.repo_id, each.place) for each in page.references]
        if not page.next_cursor:
            return results
        asked = replace(asked, cursor=page.next_cursor)


def check_example(
    repos: list[dict[str, str]],
    defined: list[SymbolRequest],
    used: list[ReferencesRequest],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        roots = write_trees(base, repos)
        workspace = NamedWorkspace(base, roots)
        union = build_union(base, roots, "none")
        for symbol in defined:
            assert_symbol_alike(symbol, workspace, union)
        for asked in used:
            assert_references_alike(asked, workspace, union)


FEW = settings(
    max_examples=2,  # the first is the smallest, the second drawn
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
EXAMPLES = given(
    named_repos(),
    st.lists(symbols, min_size=8, max_size=12),
    st.lists(references, min_size=6, max_size=8),
)


BOX = "class Box:\n    def open(self):\n        return Box.close\n"
LID = "def Open():\n    return open()\n\n\ndef close_all():\n    return Open()\n"
SMALL = [
    {"app/box.py": BOX, "tests/test_box.py": "def open():\n    return Box()\n"},
    {"app/box.py": LID + BOX, "app/lid/open.py": "def shut():\n    return Open\n"},
    {
        "app/box.py": "def open():\n    return CLOSE_ALL, Lid\n",
        "web/Lid.py": "class Crate:\n    pass\n",
    },
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[NamedWorkspace, UnionStore]:
    """Return three repositories and the one store of their files."""
    base = tmp_path_factory.mktemp("small").resolve()
    roots = write_trees(base, SMALL)
    return NamedWorkspace(base, roots), build_union(base, roots, "none")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["open", "Box.open", "Lid.Crate", "BOX", "opne", "Nothing.open", "CLOSE_ALL"]
)
def test_a_name_is_one_stores(name: str, small: tuple[NamedWorkspace, UnionStore]) -> None:
    """Equal paths, other letter cases, qualifiers that are paths, names that look alike."""
    for limit in (0, 1):
        assert_symbol_alike(SymbolRequest(name, limit=limit, deterministic=True), *small)
    assert_references_alike(ReferencesRequest(name, limit=2, deterministic=True), *small)


TILL = "class Till:\n    def pay(self):\n        return self.pay()\n"
CARDS = (
    "class Card(Till):\n    def pay(self):\n        return self.pay()\n\n\n"
    "class Coin:\n    def pay(self):\n        return self.pay()\n"
)
STORE = "package shop\n\ntype Store interface {\n\tKeep() error\n}\n"
DISK = "package shop\n\nfunc (d *disk) Keep() error { return store.Keep() }\n"
PAYING = [
    {"shop/till.py": TILL, "shop/store.go": STORE},
    {"shop/card.py": CARDS, "shop/disk.go": DISK, "tests/test_card.py": "Card.pay(Coin.pay)\n"},
    {
        "shop/card.py": "def main(card, thing):\n    card.pay(thing.pay(), pay(), Coin.pay)\n",
        "app/main.py": "from shop.till import pay\n\ntill.pay()\ncoin.pay()\n",
    },
]
"""One defines a type, the next what extends it and what does not, the last uses all of them."""


@pytest.fixture(scope="module")
def paying(tmp_path_factory: pytest.TempPathFactory) -> tuple[NamedWorkspace, UnionStore]:
    """Return three repositories whose types extend each other's, and the one store."""
    base = tmp_path_factory.mktemp("paying").resolve()
    roots = write_trees(base, PAYING)
    return NamedWorkspace(base, roots), build_union(base, roots, "none")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["Till.pay", "Card.pay", "Coin.pay", "till/pay", "Wallet.pay", "Store.Keep", "Till.PAY"]
)
def test_usages_are_one_stores(name: str, paying: tuple[NamedWorkspace, UnionStore]) -> None:
    for limit in (0, 2):
        assert_references_alike(ReferencesRequest(name, limit=limit, deterministic=True), *paying)
    rust = ReferencesRequest(name, filters=(Filter("lang", "rust"),), deterministic=True)
    assert_references_alike(rust, *paying)
    assert_symbol_alike(SymbolRequest(name, deterministic=True), *paying)


@pytest.mark.slow
def test_usages_of_other_containers_are_left_out(
    paying: tuple[NamedWorkspace, UnionStore],
) -> None:
    """Not only of the one that defines both."""
    result = paying[0].references(ReferencesRequest("Till.pay", deterministic=True))
    placed = [(each.place.path, each.place.line, each.place.guess) for each in result.references]
    reports = [each.message for each in result.warnings if each.code == "other_container"]

    assert ("app/main.py", 3, False) in placed
    assert ("app/main.py", 4, True) not in placed
    assert {(each.place.qualified_name, each.place.relation) for each in result.defined} == {
        ("Till.pay", "definition"),
        ("Card.pay", "implementation"),
    }
    assert reports == [
        "omitted: 5 usages of other classes or modules; for all usages, query the plain name pay"
    ]
    assert len(result.defining) == 2


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("examples", [2, pytest.param(300, marks=pytest.mark.deep)])
def test_names_are_answered_as_by_one_store(examples: int) -> None:
    """Where files lie, in one repository or in three, changes neither places, order nor totals."""
    settings(FEW, max_examples=examples)(EXAMPLES(check_example))()

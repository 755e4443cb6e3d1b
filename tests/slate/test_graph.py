"""The context graph: which files of a slate hang together, and under which bounds."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.model.limits import LimitHit
from ggrep.model.slate import ContextGraph, FileFacts, GraphBounds, GraphEdge, Pack, Section
from ggrep.search.slate.document import graph_json
from ggrep.search.slate.graph import bounded_graph
from ggrep.search.slate.graph_edges import graph_edges

CODE, DOCS, CONFIG, TESTS = Section.CODE, Section.DOCS, Section.CONFIG, Section.TESTS


def context_graph(
    packs: Sequence[Pack], facts: Sequence[FileFacts], **bounds: int
) -> tuple[ContextGraph, tuple[LimitHit, ...]]:
    """Return the graph of the packs of one repository, and the bounds that cut it."""
    return bounded_graph(packs, graph_edges(facts), GraphBounds(**bounds))


def pack(path: str, section: Section = CODE, score: float = 1.0, repo: str = "") -> Pack:
    return Pack(path, 3, score, "", section, "semantic_match", (), (), None, (), repo=repo)


def code(path: str, *imports: str, language: str = "", **more: tuple[str, ...]) -> FileFacts:
    languages = {"py": "python", "ts": "typescript", "rs": "rust", "rb": "ruby", "h": "c"}
    ending = path.rpartition(".")[2]
    return FileFacts(path, CODE, language or languages.get(ending, ending), imports, **more)


def suite_file(path: str, *imports: str, **more: tuple[str, ...]) -> FileFacts:
    return FileFacts(path, TESTS, path.rpartition(".")[2].replace("py", "python"), imports, **more)


def edges(*facts: FileFacts) -> list[tuple[str, str, str, str]]:
    graph, limits = context_graph([pack(item.path, item.section) for item in facts], facts)
    assert limits == ()
    return [(edge.kind, edge.source, edge.target, edge.via) for edge in graph.edges]


def joined(*facts: FileFacts) -> list[tuple[str, str]]:
    return [(source, target) for _, source, target, _ in edges(*facts)]


def document(path: str, *links: str, **more: tuple[tuple[str, str], ...]) -> FileFacts:
    return FileFacts(path, DOCS, "markdown", links=links, **more)


def config(path: str, *keys: str, **more: tuple[str, ...]) -> FileFacts:
    return FileFacts(path, CONFIG, "toml", keys=keys, **more)


@pytest.mark.parametrize(
    ("source", "name", "target"),
    [
        ("shop/api.py", "shop.cart.Cart", "shop/cart.py"),
        ("tests/x.py", "shop.cart", "src/shop/cart.py"),
        ("shop/api.py", ".cart.Cart", "shop/cart.py"),
        ("shop/web/api.py", "..cart", "shop/cart.py"),
        ("shop/api.py", "shop.web.View", "shop/web/__init__.py"),
        ("src/server.ts", "./rate_limit", "src/rate_limit.ts"),
        ("src/server.ts", "./auth.js", "src/auth.ts"),
        ("src/server.ts", "../lib", "lib/index.tsx"),
        ("src/pages/a.ts", "@/lib/cart", "src/lib/cart.ts"),
        ("cmd/main.go", "example.test/gateway/internal/retry", "internal/retry/retry.go"),
        ("cmd/main.go", "github.com/acme/shop/v2/cart", "cart/cart.go"),
        ("src/lib.rs", "self::journal", "src/journal.rs"),
        ("src/a/b.rs", "crate::money::Amount", "src/money.rs"),
        ("src/a/b.rs", "super::c::D", "src/a/c.rs"),
        ("src/a/mod.rs", "self::b", "src/a/b.rs"),
        ("cli/src/main.rs", "shop_core::cart", "shop-core/src/cart.rs"),
        ("src/main/java/com/acme/A.java", "com.acme.shop.B", "src/main/java/com/acme/shop/B.java"),
        ("src/A.kt", "com.acme.shop.B", "src/com/acme/shop/B.kt"),
        ("src/main.c", "usual/list.h", "lib/usual/list.h"),
        ("native/a.cpp", "money.hpp", "native/money.hpp"),
        ("lib/r10k/cli.rb", "r10k/module", "lib/r10k/module.rb"),
        ("lib/r10k/cli.rb", "../b/c", "lib/b/c.rb"),
        ("app/Http/A.php", "App.Models.User", "app/Models/User.php"),
        ("lib/a.ex", "MyApp.CartItem", "lib/my_app/cart_item.ex"),
        ("src/A.hs", "Data.Shop.Cart", "src/Data/Shop/Cart.hs"),
        ("a/b.proto", "shop/cart.proto", "proto/shop/cart.proto"),
        ("bin/run.sh", "../lib/log.sh", "lib/log.sh"),
    ],
)
def test_imports_lead_to_the_selected_file_they_mean(source: str, name: str, target: str) -> None:
    """Each language finds its modules by rules of its own."""
    assert edges(code(source, name), code(target)) == [("imports", source, target, name)]


@pytest.mark.parametrize(
    ("source", "name", "target"),
    [
        ("app/main.py", "json.loads", "tools/json.py"),
        ("shop/api.py", "cart", "vendor/deep/cart.py"),
        ("shop/api.py", "shop.states", "shop/__init__.py"),
        ("src/a.c", "string.h", "src/string.h"),
        ("cmd/main.go", "log", "log/log.go"),
        ("cmd/main.go", "github.com/other/store", "store/store.go"),
        ("cli/main.go", "github.com/acme/shop/cli/config", "config/config.go"),
        ("config/a.go", "github.com/other/common/config", "config/b.go"),
        ("src/a.ts", "cart", "src/cart.ts"),
        ("src/a.ts", "./cart", "src/cart.md"),
        ("src/A.java", "org.other.shop.B", "src/com/acme/shop/B.java"),
        ("src/a.rs", "std::io", "src/io.rs"),
    ],
)
def test_imports_of_other_things_lead_nowhere(source: str, name: str, target: str) -> None:
    """A wrong edge costs a reader more than a missing one."""
    assert edges(code(source, name), code(target)) == []


WORKFLOW = config(".github/workflows/ci.yml", "jobs.fail_fast", "SHOP_BIND")
CHOICES = {
    "of two equal files neither": ((code("x.c", "log.h"), code("a/log.h"), code("b/log.h")), []),
    "the nearest of several files": (
        (code("a/src/x.c", "log.h"), code("a/include/log.h"), code("b/include/log.h")),
        [("a/src/x.c", "a/include/log.h")],
    ),
    "of a Go package the file that defines the name": (
        (
            code("cmd/main.go", "example.test/shop/cart", mentions=("NewCart",)),
            *(code(f"cart/f{number}.go") for number in (0, 1, 3, 4)),
            code("cart/f2.go", defines=("NewCart",)),
        ),
        [("cmd/main.go", "cart/f2.go")],
    ),
    "no README of another directory": (
        (document("docs/a.md", "../lib/README.md"), document("pkg/README.md")),
        [],
    ),
    "no settings.py of another directory": (
        (document("docs/a.md", "settings.py"), code("shop/settings.py")),
        [],
    ),
    "of two files for one label neither": (
        (
            document("a.md", relations=(("Client", "Server"),)),
            code("a/client.py"),
            code("b/client.ts"),
        ),
        [],
    ),
    "no key of a workflow but variables": (
        (
            WORKFLOW,
            code("a.py", mentions=("fail_fast",)),
            code("b.py", mentions=("SHOP_BIND",)),
        ),
        [(WORKFLOW.path, "b.py")],
    ),
    "the nearest of the files that set a key": (
        (
            config("one/a.toml", "SHOP_BIND"),
            config("two/a.toml", "SHOP_BIND"),
            code("two/b.py", mentions=("SHOP_BIND",)),
        ),
        [("two/a.toml", "two/b.py")],
    ),
}


@pytest.mark.parametrize(("facts", "expected"), CHOICES.values(), ids=CHOICES)
def test_an_edge_leads_to_the_only_or_nearest_file_that_fits(
    facts: tuple[FileFacts, ...], expected: list[tuple[str, str]]
) -> None:
    """A guess between equal files would be right half of the time."""
    assert joined(*facts) == expected


@pytest.mark.parametrize(
    ("source", "link", "target"),
    [
        ("docs/a.md", "b.md", "docs/b.md"),
        ("docs/a.md", "../src/x.py", "src/x.py"),
        ("docs/a.md", "/docs/b.md", "docs/b.md"),
        ("docs/a.md", "guide/", "docs/guide/index.md"),
        ("docs/a.rst", "intro", "docs/intro.rst"),
        ("docs/a.md", "b.html", "docs/b.md"),
        ("docs/a.md", "ggrep/search/slate/graph.py", "ggrep/search/slate/graph.py"),
        ("docs/a.md", "slate/graph.py", "ggrep/search/slate/graph.py"),
        ("docs/a.md", "retry.go", "internal/retry.go"),
    ],
)
def test_links_lead_from_the_document_or_by_the_end_of_a_path(
    source: str, link: str, target: str
) -> None:
    """Authors write links as their site wants them, and paths as the repository has them."""
    other = FileFacts(target, DOCS if target.startswith("docs") else CODE, "")

    assert edges(document(source, link), other) == [("links", source, target, link)]


def test_a_diagram_leads_to_the_files_it_names_and_joins_them() -> None:
    """Its labels spell names as people do; the graph spells them as the files do."""
    diagram = document(
        "docs/flow.md", relations=(("Order Service", "PriceList"), ("User", "Order Service"))
    )
    service = code("shop/orders.py", defines=("OrderService",))
    prices = code("shop/price_list.py")

    assert edges(diagram, service, prices) == [
        ("relates", "docs/flow.md", "shop/orders.py", "OrderService"),
        ("relates", "docs/flow.md", "shop/price_list.py", "price_list"),
        ("relates", "shop/orders.py", "shop/price_list.py", "docs/flow.md"),
    ]


@pytest.mark.parametrize(
    ("key", "mention", "via"),
    [
        ("pool.max_size", "max_size", "max_size"),
        ("pool.max-size", "max_size", "max_size"),
        ("SHOP_BIND", "SHOP_BIND", "SHOP_BIND"),
        ("pool.maxSize", "maxSize", "maxSize"),
    ],
)
def test_a_distinctive_key_joins_its_file_with_those_that_mention_it(
    key: str, mention: str, via: str
) -> None:
    """A reader of a setting wants to see where it is set."""
    facts = (config("a.toml", key), code("b.py", mentions=(mention,)))

    assert edges(*facts) == [("configures", "a.toml", "b.py", via)]


@pytest.mark.parametrize("key", ["name", "project.version", "tool.include", "pool.limit", "db.url"])
def test_a_key_that_is_a_plain_word_joins_nothing_by_itself(key: str) -> None:
    """Every file mentions `name` and `limit`."""
    assert edges(config("a.toml", key), code("b.py", mentions=("limit", "name", "version"))) == []


@pytest.mark.parametrize(
    ("test", "subject"),
    [
        ("tests/test_cart.py", "shop/cart.py"),
        ("cart/cart_test.go", "cart/cart.go"),
        ("tests/rate_limit.test.ts", "src/rate_limit.ts"),
        ("src/test/java/CartTest.java", "src/main/java/Cart.java"),
        ("spec/cart_spec.rb", "lib/cart.rb"),
    ],
)
def test_a_test_is_about_the_file_it_is_named_after(test: str, subject: str) -> None:
    """Every language marks its tests, one before the name, one behind it."""
    stem = subject.rpartition("/")[2].partition(".")[0]

    assert edges(suite_file(test), code(subject)) == [("tests", test, subject, stem)]


def test_what_a_test_imports_beside_its_subject_stays_an_import() -> None:
    """Errors that a test catches are not what it tests."""
    facts = (
        suite_file("tests/test_cart.py", "shop.cart.Cart", "shop.errors.Refused"),
        code("shop/cart.py"),
        code("shop/errors.py"),
    )

    assert [(kind, target) for kind, _, target, _ in edges(*facts)] == [
        ("imports", "shop/errors.py"),
        ("tests", "shop/cart.py"),
    ]


def test_a_test_without_a_namesake_is_about_what_it_imports() -> None:
    """`test_checkout` exercises the cart and the stock."""
    facts = (
        suite_file("tests/test_checkout.py", "shop.cart", "shop.stock"),
        code("shop/cart.py"),
        code("shop/stock.py"),
    )

    assert [kind for kind, *_ in edges(*facts)] == ["tests", "tests"]


def test_a_test_without_imports_is_about_the_file_beside_it_whose_names_it_knows() -> None:
    """Tests of one package need no import."""
    test = suite_file("cart/more_test.go", mentions=("AddItem", "DropItem"))
    subject = code("cart/items.go", defines=("AddItem", "DropItem"))

    assert edges(test, subject) == [("tests", "cart/more_test.go", "cart/items.go", "AddItem")]


FACTS: Sequence[FileFacts] = (
    code("shop/api.py", "shop.cart.Cart", "shop.stock", defines=("Api",), mentions=("max_size",)),
    code("shop/cart.py", "shop.stock.Stock", defines=("Cart",), mentions=("Stock", "SHOP_BIND")),
    code("shop/stock.py", defines=("Stock",)),
    config("conf/a.toml", "pool.max_size", "SHOP_BIND"),
    document("docs/a.md", "../shop/api.py", relations=(("Cart", "Stock"), ("User", "Api"))),
    suite_file("tests/test_cart.py", "shop.cart.Cart", "shop.stock.Stock"),
)
PACKS = [pack(item.path, item.section, 1.0 + number) for number, item in enumerate(FACTS)]


@given(st.permutations(range(len(FACTS))), st.permutations(range(len(FACTS))))
@settings(max_examples=25)
def test_the_order_of_packs_and_facts_does_not_matter(left: list[int], right: list[int]) -> None:
    """The same selection gives the same bytes."""
    shuffled = context_graph([PACKS[i] for i in left], [FACTS[i] for i in right], edges=5)

    assert shuffled == context_graph(PACKS, FACTS, edges=5)


def test_nodes_and_edges_are_in_order_and_edges_end_at_nodes() -> None:
    """Whoever reads it may search by halving."""
    graph, _ = context_graph(PACKS, FACTS)

    keys = [(edge.kind, edge.source, edge.target, edge.via) for edge in graph.edges]
    ids = [node.id for node in graph.nodes]
    assert keys == sorted(set(keys))
    assert ids == sorted(set(ids))
    assert {end for key in keys for end in key[1:3]} <= set(ids)
    assert {key[0] for key in keys} == {"imports", "links", "relates", "configures", "tests"}


def test_files_that_are_not_selected_are_not_in_the_graph() -> None:
    """Nodes are the files of the slate and no others."""
    graph, _ = context_graph(PACKS[:2], FACTS)

    assert [node.id for node in graph.nodes] == ["shop/api.py", "shop/cart.py"]


def test_too_many_nodes_leave_the_best_and_are_told() -> None:
    """The files with the lowest scores go."""
    graph, limits = context_graph(PACKS, FACTS, nodes=2)

    assert [node.path for node in graph.nodes] == ["docs/a.md", "tests/test_cart.py"]
    assert [(hit.code, hit.limit, hit.observed) for hit in limits] == [("max_graph_nodes", 2, 6)]


def test_too_many_edges_leave_some_of_each_kind_and_are_told() -> None:
    """A hundred imports must not drive out the one edge to the configuration."""
    whole, _ = context_graph(PACKS, FACTS)
    graph, limits = context_graph(PACKS, FACTS, edges=5)

    assert {edge.kind for edge in graph.edges} == {edge.kind for edge in whole.edges}
    assert [(hit.code, hit.limit, hit.observed) for hit in limits] == [
        ("max_graph_edges", 5, len(whole.edges))
    ]


@pytest.mark.parametrize("most", [0, 26, 200, 700, 1_200])
def test_a_graph_keeps_to_its_bytes(most: int) -> None:
    """Edges go before nodes; not even an empty graph is smaller than its brackets."""
    graph, limits = context_graph(PACKS, FACTS, bytes=most)

    assert len(stable_json.dumps(graph_json(graph))) <= max(most, len(b'{"edges":[],"nodes":[]}'))
    whole, _ = context_graph(PACKS, FACTS)
    size = len(stable_json.dumps(graph_json(whole)))
    assert [(hit.code, hit.observed) for hit in limits] == [("max_graph_bytes", size)]
    ends = {end for edge in graph.edges for end in (edge.source, edge.target)}
    assert not graph.edges or len(graph.nodes) == len(FACTS) or _ids(graph) == ends


def test_where_bytes_are_few_the_files_that_edges_join_stay() -> None:
    """A list of files without one edge says only what the slate says already."""
    whole, _ = context_graph(PACKS, FACTS)
    bare = len(stable_json.dumps(graph_json(replace(whole, edges=()))))
    graph, _ = context_graph(PACKS, FACTS, bytes=bare)

    assert graph.edges
    assert len(graph.nodes) < len(whole.nodes)
    assert _is_sound(graph)


def test_the_largest_graph_that_fits_is_kept() -> None:
    """A bound of exactly its size cuts nothing; one byte less does."""
    whole, _ = context_graph(PACKS, FACTS)
    size = len(stable_json.dumps(graph_json(whole)))

    fitting, cuts = context_graph(PACKS, FACTS, bytes=size)
    assert (graph_json(fitting), cuts) == (graph_json(whole), ())
    less, _ = context_graph(PACKS, FACTS, bytes=size - 1)
    assert len(less.edges) == len(whole.edges) - 1


def test_many_repositories_in_one_graph_are_told_apart() -> None:
    """Both have a `README.md`."""
    packs = [pack("README.md", DOCS, repo="one"), pack("README.md", DOCS, repo="two")]
    across = GraphEdge("package", "one:README.md", "two:README.md", "shop")
    astray = GraphEdge("package", "one:README.md", "three:README.md", "shop")

    graph, limits = bounded_graph(packs, [across, astray, across], GraphBounds())

    assert [(node.id, node.repo) for node in graph.nodes] == [
        ("one:README.md", "one"),
        ("two:README.md", "two"),
    ]
    assert (graph.edges, limits) == ((across,), ())


@pytest.mark.slow
@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_any_selection_gives_a_graph_within_its_bounds(seed: int) -> None:
    """Random names collide in every way."""
    chance = random.Random(seed)
    names = ["cart", "stock", "Cart", "a_b", "SHOP_BIND", "pool.max_size", "main", "../x", "", "."]

    def some(most: int) -> tuple[str, ...]:
        return tuple(chance.choice(names) for _ in range(chance.randint(0, most)))

    facts = [
        FileFacts(
            f"{chance.choice(['a', 'b/c', 'tests'])}/{chance.choice(names) or 'x'}{number % 7}"
            f"{chance.choice(['.py', '.md', '.toml', '.go', '.rs', ''])}",
            chance.choice(list(Section)),
            "python",
            some(6),
            some(4),
            some(4),
            tuple(zip(some(3), some(3), strict=False)),
            some(4),
            some(6),
        )
        for number in range(chance.randint(0, 30))
    ]
    packs = [pack(item.path, item.section, chance.random()) for item in facts]
    graph, _ = context_graph(packs, facts, nodes=9, edges=7, bytes=1_500)

    assert _is_sound(graph)
    assert len(graph.nodes) <= 9
    assert len(graph.edges) <= 7
    assert len(stable_json.dumps(graph_json(graph))) <= 1_500


def _ids(graph: ContextGraph) -> set[str]:
    return {node.id for node in graph.nodes}


def _is_sound(graph: ContextGraph) -> bool:
    ids = {node.id for node in graph.nodes}
    return all(edge.source in ids and edge.target in ids and edge.via for edge in graph.edges)

"""Edges between repositories: what one names and another provides."""

import sys
from subprocess import run

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.model.slate import FileFacts, Section
from ggrep.search.slate.cross_repo import KINDS, MOST_EDGES, cross_repo_edges
from ggrep.search.slate.facts import facts_of
from tests.fakes.slate_files import selected

Name = tuple[str, str]


def needing(path: str, *names: Name) -> FileFacts:
    return FileFacts(path, Section.CODE, "python", needs=names)


def providing(path: str, *names: Name, section: Section = Section.CODE) -> FileFacts:
    return FileFacts(path, section, "python", provides=names)


def shown(facts: dict[str, list[FileFacts]]) -> list[tuple[str, str, str, str]]:
    return [(edge.kind, edge.source, edge.target, edge.via) for edge in cross_repo_edges(facts)]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_need_of_one_repository_meets_what_another_provides(kind: str) -> None:
    """That is how a change in one of them reaches the other."""
    name = (kind, "shop_core")
    facts = {"web": [needing("a.py", name)], "shop": [providing("b.py", name)]}

    assert shown(facts) == [(kind, "web:a.py", "shop:b.py", name[1])]


PACKAGE, TYPE = ("package", "utils"), ("type", "Cart")
JOINED = {
    "files of one repository": (
        {"shop": [needing("a.py", PACKAGE), providing("b.py", PACKAGE)]},
        [],
    ),
    "a name that the repository provides itself": (
        {
            "web": [needing("a.py", PACKAGE), providing("setup.py", PACKAGE)],
            "shop": [providing("setup.py", PACKAGE)],
        },
        [],
    ),
    "a copied description and its original": (
        {
            "web": [needing("a.py", TYPE), providing("proto/cart.proto", TYPE)],
            "shop": [providing("cart.proto", TYPE)],
        },
        [("type", "web:a.py", "shop:cart.proto", "Cart")],
    ),
    "sources before tests, and one place of a repository": (
        {
            "web": [needing("a", TYPE)],
            "shop": [
                providing("a_test.py", TYPE, section=Section.TESTS),
                providing("z.py", TYPE),
                providing("y.py", TYPE),
            ],
        },
        [("type", "web:a", "shop:y.py", "Cart")],
    ),
    "two files once, by the smallest name": (
        {
            "web": [needing("a", ("type", "B"), ("type", "A"))],
            "shop": [providing("b", ("type", "B"), ("type", "A"))],
        },
        [("type", "web:a", "shop:b", "A")],
    ),
}


@pytest.mark.parametrize(("facts", "expected"), JOINED.values(), ids=JOINED)
def test_a_name_joins_the_file_that_needs_it_with_one_file_that_provides_it(
    facts: dict[str, list[FileFacts]], expected: list[tuple[str, str, str, str]]
) -> None:
    assert shown(facts) == expected


def test_a_name_that_many_repositories_provide_joins_none() -> None:
    """Which of four is meant, nobody can tell."""
    name = ("package", "core")
    three = {f"r{number}": [providing("a.yaml", name)] for number in range(3)}
    reader = {"web": [needing("a.py", name)]}

    assert len(shown(reader | three)) == 3
    assert shown(reader | three | {"r3": [providing("a.yaml", name)]}) == []


def test_edges_are_few() -> None:
    """A workspace of a hundred repositories must not fill an answer."""
    names = [("package", f"p{number}") for number in range(400)]
    facts = {
        "web": [needing(f"{number:03}.py", name) for number, name in enumerate(names)],
        "shop": [providing("b.py", *names)],
    }

    assert len(shown(facts)) == MOST_EDGES


_names = st.lists(
    st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from(["a", "b", "c"])),
    max_size=4,
).map(tuple)
_repos = st.dictionaries(
    st.sampled_from("abcde"),
    st.lists(
        st.builds(
            lambda path, needs, provides: FileFacts(
                path, Section.CODE, "", needs=needs, provides=provides
            ),
            st.sampled_from(["x", "y", "z"]),
            _names,
            _names,
        ),
        max_size=3,
    ),
)


@given(_repos)
@settings(max_examples=25)
def test_the_order_of_repositories_and_files_does_not_matter(
    repos: dict[str, list[FileFacts]],
) -> None:
    """Repositories answer in any order."""
    turned = {repo: repos[repo][::-1] for repo in reversed(repos)}
    result = cross_repo_edges(repos)

    assert result == cross_repo_edges(turned)
    assert all(edge.source.partition(":")[0] != edge.target.partition(":")[0] for edge in result)


def test_two_languages_are_joined_by_their_texts_through_types_and_packages() -> None:
    """From the source to the edge, with nothing told about either repository."""
    described = facts_of(selected("a.proto", Section.CODE, "proto", "message Cart {\n}\n"))
    manifest = facts_of(selected("package.json", Section.CONFIG, "json", '{"name": "@acme/shop"}'))
    client = facts_of(
        selected("src/a.go", Section.CODE, "go", "func f() { c := &pb.Cart{Id: id} }\n")
    )
    page = facts_of(selected("a.ts", Section.CODE, "typescript", 'import x from "@acme/shop"\n'))

    assert shown({"shop": [described, manifest], "web": [client, page]}) == [
        ("package", "web:a.ts", "shop:package.json", "@acme/shop"),
        ("type", "web:src/a.go", "shop:a.proto", "Cart"),
    ]


@pytest.mark.parametrize(
    ("server", "client"),
    [
        ('@router.get("/carts/{cart_id}")', 'requests.get(f"{BASE}/carts/{cart}")'),
        ("add_CartsServicer_to_server(Carts(), server)", "cart_pb2_grpc.CartsStub(channel)"),
        ("SHOP_BIND = 1", "os.environ['SHOP_BIND']"),
    ],
)
def test_routes_services_and_variables_join_no_repositories(server: str, client: str) -> None:
    facts = {
        repo: [
            facts_of(selected(path, section, "python", f"{text}\n"))
            for path, section in (("a.py", Section.CODE), ("conf.py", Section.CONFIG))
        ]
        for repo, text in (("shop", server), ("web", client))
    }

    assert shown(facts) == []


@pytest.mark.slow
def test_joining_repositories_loads_no_library() -> None:
    """Coordinators start without arrays and stores."""
    script = (
        "import sys, ggrep.search.slate.cross_repo\n"
        "print([name for name in ('numpy', 'lancedb', 'pyarrow', 'orjson') if name in sys.modules])"
    )

    done = run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"

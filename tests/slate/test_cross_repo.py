"""Edges between repositories: what one names and another provides."""

import sys
from subprocess import run

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.model.slate import FileFacts, Section
from ggrep.search.slate.cross_repo import KINDS, MOST_EDGES, cross_repo_edges
from ggrep.search.slate.facts import SelectedText, facts_of

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
    name = (kind, "GET /carts/{}" if kind == "route" else "shop_core")
    facts = {"web": [needing("a.py", name)], "shop": [providing("b.py", name)]}

    assert shown(facts) == [(kind, "web:a.py", "shop:b.py", name[1])]


def test_files_of_one_repository_are_not_joined() -> None:
    """The graph of that repository does so."""
    name = ("package", "shop")

    assert shown({"shop": [needing("a.py", name), providing("b.py", name)]}) == []


def test_what_a_repository_provides_itself_is_not_looked_for_elsewhere() -> None:
    """Its own `DATABASE_URL` is not the neighbour's."""
    name = ("environment", "SHOP_BIND")
    facts = {
        "web": [needing("a.py", name), providing("compose.yaml", name)],
        "shop": [providing("b.yaml", name)],
    }

    assert shown(facts) == []


def test_a_copied_description_does_not_hide_who_serves_it() -> None:
    """Clients keep the `.proto` of the service they call."""
    name = ("rpc", "Carts")
    facts = {
        "web": [needing("a.py", name), providing("proto/cart.proto", name)],
        "shop": [providing("cart.proto", name)],
    }

    assert shown(facts) == [("rpc", "web:a.py", "shop:cart.proto", "Carts")]


def test_a_name_that_many_repositories_provide_joins_none() -> None:
    """Which of four is meant, nobody can tell."""
    name = ("environment", "APP_PORT")
    three = {f"r{number}": [providing("a.yaml", name)] for number in range(3)}
    reader = {"web": [needing("a.py", name)]}

    assert len(shown(reader | three)) == 3
    assert shown(reader | three | {"r3": [providing("a.yaml", name)]}) == []


def test_a_route_for_any_method_answers_each() -> None:
    """Frameworks declare a path and look at the method inside."""
    call = needing("a.ts", ("route", "PUT /carts/{}"))
    declared = {"shop": [providing("b.py", ("route", "ANY /carts/{}"))]}
    other = {"shop": [providing("b.py", ("route", "GET /carts/{}"))]}

    assert shown({"web": [call], **declared}) == [
        ("route", "web:a.ts", "shop:b.py", "PUT /carts/{}")
    ]
    assert shown({"web": [call], **other}) == []


def test_one_place_of_a_repository_is_named_sources_before_tests() -> None:
    """A route that is declared once and tested ten times is one edge."""
    name = ("route", "GET /carts/{}")
    held = [
        providing("a_test.py", name, section=Section.TESTS),
        providing("z.py", name),
        providing("y.py", name),
    ]

    assert [target for _, _, target, _ in shown({"web": [needing("a", name)], "shop": held})] == [
        "shop:y.py"
    ]


def test_two_files_are_joined_once_by_the_smallest_name() -> None:
    """Ten routes of one client are one dependency."""
    names = (("route", "GET /b"), ("route", "GET /a"))
    facts = {"web": [needing("a", *names)], "shop": [providing("b", *names)]}

    assert shown(facts) == [("route", "web:a", "shop:b", "GET /a")]


def test_edges_are_few() -> None:
    """A workspace of a hundred repositories must not fill an answer."""
    names = [("package", f"p{number}") for number in range(400)]
    facts = {
        "web": [needing(f"{number:03}.py", name) for number, name in enumerate(names)],
        "shop": [providing("b.py", *names)],
    }

    assert len(shown(facts)) == MOST_EDGES


_names = st.lists(
    st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from(["GET /a", "ANY /a", "b", "c"])),
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
    found = cross_repo_edges(repos)

    assert found == cross_repo_edges(turned)
    assert all(edge.source.partition(":")[0] != edge.target.partition(":")[0] for edge in found)


def test_a_client_and_a_server_in_two_languages_are_joined_by_their_texts() -> None:
    """From the source to the edge, with nothing told about either repository."""
    server = facts_of(
        SelectedText(
            "shop/api.py",
            Section.CODE,
            "python",
            texts=('@router.get("/carts/{cart_id}")\ndef show(cart_id): ...',),
        )
    )
    client = facts_of(
        SelectedText(
            "src/cart.ts",
            Section.CODE,
            "typescript",
            texts=("const cart = await fetch(`${base}/carts/${id}`)",),
        )
    )
    deployed = facts_of(
        SelectedText(
            "compose.yaml",
            Section.CONFIG,
            "yaml",
            texts=("services:\n  web:\n    environment:\n      SHOP_URL: x\n",),
        )
    )
    reader = facts_of(
        SelectedText(
            "src/env.ts", Section.CODE, "typescript", texts=("const url = process.env.SHOP_URL",)
        )
    )

    assert shown({"shop": [server], "web": [client, reader], "ops": [deployed]}) == [
        ("environment", "web:src/env.ts", "ops:compose.yaml", "SHOP_URL"),
        ("route", "web:src/cart.ts", "shop:shop/api.py", "GET /carts/{}"),
    ]


@pytest.mark.slow
def test_joining_repositories_loads_no_library() -> None:
    """Coordinators start without arrays and stores."""
    script = (
        "import sys, ggrep.search.slate.cross_repo\n"
        "print([name for name in ('numpy', 'lancedb', 'pyarrow', 'orjson') if name in sys.modules])"
    )

    done = run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"

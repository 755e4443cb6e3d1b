"""What is read out of a selected file: names, and nothing but names."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.model.slate import FileFacts, Section
from ggrep.search.slate.facts import MOST_NAME_CHARACTERS, MOST_NAMES, facts_of, published
from tests.fakes.slate_files import selected


def facts(
    path: str, text: str, language: str = "python", section: Section = Section.CODE, **more: Any
) -> FileFacts:
    return facts_of(selected(path, section, language, text, **more))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "from ..store import (pins as p, image)\nimport a.b", ("..store.image", "a.b")),
        ("typescript", 'import { x } from "./rate_limit"\n', ("./rate_limit",)),
        ("javascript", 'const z = require("../q/z.js")\n', ("../q/z.js",)),
        ("c", '#include "usual/time.h"\n', ("usual/time.h",)),
        ("java", "import com.acme.shop.Cart;\n", ("com.acme.shop.Cart",)),
        ("rust", "use crate::journal::Entry;\npub mod money;\n", ("self::money",)),
        ("ruby", "require 'r10k/module'\n", ("r10k/module",)),
        ("php", "use App\\Models\\User;\n", ("App\\Models\\User",)),
        ("go", 'import "example.test/gateway/retry"\n', ("example.test/gateway/retry",)),
        ("proto", 'import "shop/cart.proto";\n', ("shop/cart.proto",)),
        ("bash", "source ./lib/log.sh\n", ("./lib/log.sh",)),
        ("hcl", 'module "net" {\n  source = "./modules/net"\n}\n', ("./modules/net",)),
    ],
)
def test_import_lines_of_every_common_language_are_read(
    language: str, text: str, expected: tuple[str, ...]
) -> None:
    """A chunk in the middle of a file imports too, and the anchor's list does not know it."""
    assert set(expected) <= set(facts("a", text, language).imports)


def test_the_anchors_list_is_read_with_groups_written_out() -> None:
    """Rust keeps `a::{b, c}` in one item, with the comma that separates items."""
    extra = "File: a.rs\nImports: crate::a::{b, c::D}, std::io\nDefines: foo, bar"

    result = facts("a.rs", "", "rust", listed=extra)

    assert result.imports == ("crate::a::b", "crate::a::c::D", "std::io")
    assert result.defines == ("bar", "foo")


def test_imports_inside_of_comments_and_docstrings_are_none() -> None:
    """`from shop import cart` in an explanation joins nothing."""
    text = '"""\nfrom shop import cart\n"""\n# import shop.stock\n'

    assert facts("a.py", text).imports == ()


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "markdown",
            "[a](../b/c.md#part) [x](https://e.test/y.md) [m](mailto:a@b)",
            ("../b/c.md",),
        ),
        ("markdown", "[ref]: docs/one.md\n", ("docs/one.md",)),
        ("markdown", "see `ggrep/search/slate/graph.py:12`", ("ggrep/search/slate/graph.py",)),
        ("rst", ".. include:: ../shared.rst\n:doc:`guide <intro/first>`", ("../shared.rst",)),
        (
            "rst",
            ".. toctree::\n   :maxdepth: 2\n\n   intro\n   api/index\n",
            ("api/index", "intro"),
        ),
        ("asciidoc", "include::parts/setup.adoc[]\n", ("parts/setup.adoc",)),
        ("html", '<a href="guide.html?x=1#y">', ("guide.html",)),
    ],
)
def test_links_lose_fragment_and_query_and_external_ones_are_left_out(
    language: str, text: str, expected: tuple[str, ...]
) -> None:
    """Only what lies inside of the repository can be another selected file."""
    result = facts("a.md", text, language, section=Section.DOCS).links

    assert set(expected) <= set(result)
    assert not any(":" in link or "#" in link or "?" in link for link in result)


@pytest.mark.parametrize(
    ("path", "language", "text", "expected"),
    [
        ("a.toml", "toml", "[search]\ntimeout_ms = 5\n", {"timeout_ms"}),
        ("a.yaml", "yaml", "pool:\n  max_size: 3\nname: x\n", {"pool", "max_size", "name"}),
        ("a.json", "json", '{"pool": {"maxSize": [1, 2], "on": "off"}}', {"pool", "maxSize"}),
        ("a.ini", "ini", "; note_key = 1\n[db]\nauth_file = x\n", {"auth_file"}),
        ("a.properties", "ini", "spring.datasource.url=x\n", {"spring.datasource.url"}),
        ("Dockerfile", "dockerfile", "ENV SHOP_BIND=0\nARG SHOP_USER\n", {"SHOP_BIND"}),
        ("compose.yaml", "yaml", "environment:\n  - SHOP_BIND=1\n", {"SHOP_BIND"}),
        ("settings.py", "python", "SHOP_LIMIT: int = 3\n", {"SHOP_LIMIT"}),
    ],
)
def test_keys_of_configuration_are_read_in_every_common_format(
    path: str, language: str, text: str, expected: set[str]
) -> None:
    result = facts(path, text, language, section=Section.CONFIG).keys

    assert expected <= set(result)
    assert "note_key" not in result


def test_requirements_in_a_list_are_no_keys() -> None:
    """`identity==1.0` sets nothing."""
    text = "[testenv]\ndeps =\n    service_identity==18.1.0\n    pytest_x>=2\n"

    assert facts("a.ini", text, "ini", section=Section.CONFIG).keys == ("deps",)


def test_labels_of_diagrams_are_relations_and_messages_are_not() -> None:
    """What an arrow says is prose."""
    extras = (
        "Order Service -[asks for a price]-> Pricing",
        "Client -> Server: sends it all",
        "group Backend",
    )

    result = facts("a.md", "", "markdown", section=Section.DOCS, extras=extras).relations

    assert result == (("Client", "Server"), ("Order Service", "Pricing"))


@pytest.mark.parametrize(
    ("path", "language", "text", "expected"),
    [
        ("pyproject.toml", "toml", '[project]\nversion = "1"\nname = "shop_core"\n', "shop-core"),
        ("package.json", "json", '{"private": true, "name": "@acme/shop"}', "@acme/shop"),
        ("Cargo.toml", "toml", '[package]\nname = "ledger"\n', "ledger"),
        ("go.mod", "go", "module example.test/gateway\n", "example.test/gateway"),
        (
            "pom.xml",
            "xml",
            "<parent><artifactId>p</artifactId></parent><artifactId>core</artifactId>",
            "core",
        ),
        ("shop.gemspec", "ruby", 'spec.name = "shop"\n', "shop"),
    ],
)
def test_manifests_provide_their_package(
    path: str, language: str, text: str, expected: str
) -> None:
    """Other repositories name it in their imports and dependencies."""
    result = facts(path, text, language, section=Section.CONFIG).provides

    assert ("package", expected) in result


def test_types_of_interfaces_are_provided() -> None:
    proto = "service Carts {\n  rpc Add(Item) returns (Cart);\n}\nmessage Item {\n}\n"

    assert facts("cart.proto", proto, "proto").provides == (("type", "Item"),)


def test_every_name_is_short_clean_and_one_of_few() -> None:
    """A hostile file must not make an answer large, nor write to a terminal."""
    lines = "\n".join(f"import word_{number}" for number in range(3_000))
    hostile = facts("a.py", f"{lines}\nimport {'x' * 500}\n", names=("evil\x1b[31m", "y" * 400))
    names = (*hostile.mentions, *hostile.imports)

    assert 0 < len(hostile.imports) <= MOST_NAMES
    assert all(len(name) <= MOST_NAME_CHARACTERS and name.isprintable() for name in names)
    assert hostile.defines == ()


@pytest.mark.parametrize("opening", ["{", "[", "(", " ", "\t", '{"a":', "use a::{", "<dependency>"])
@pytest.mark.parametrize("path", ["package.json", "a.yaml", "a.rs", "pom.xml"])
def test_a_hostile_text_costs_no_more_than_its_length(opening: str, path: str) -> None:
    """A run of one mark once took seconds, or all of the stack."""
    text = (opening * 4_000)[:16_000]
    language = path.rpartition(".")[2].replace("rs", "rust")

    result = facts(path, text, language, section=Section.CONFIG, listed=f"Imports: {text}")

    assert len(result.keys) <= 200


CODE = """
# {0} in a comment
LIMIT = "{1} in a string"
def add(value):
    '''{2} in a docstring'''
    return requests.get("{3} {3}", mode="{4}")
"""
DOCUMENT = "# {0} heading\n\nprose {1} and `{2}` and [{3}](https://e.test/{4})\n"
CONFIG = "[part]\ntitle = '{0} {1}'\n# {2}\nwords = ['{3}', '{4}']\n"
_canary = st.text("abcdefghijklmnopqrstuvwxyz", min_size=6, max_size=12).map("zq{}qz".format)


def _selection(words: Sequence[str]) -> list[FileFacts]:
    extras = (f"{words[0]} {words[1]} -[{words[2]}]-> {words[3]}", f"step {words[4]}")
    return [
        facts("shop/cart.py", CODE.format(*words), names=("add",)),
        facts(
            "docs/a.md", DOCUMENT.format(*words), "markdown", section=Section.DOCS, extras=extras
        ),
        facts("conf/a.toml", CONFIG.format(*words), "toml", section=Section.CONFIG),
    ]


@given(st.lists(_canary, min_size=5, max_size=5, unique=True))
@settings(max_examples=25)
def test_published_facts_hold_no_word_of_strings_comments_or_prose(words: list[str]) -> None:
    """What is published is shown to callers that asked for no content."""
    shown = repr(published(_selection(words)))

    assert not [word for word in words if word in shown]


def test_interfaces_are_published_for_whoever_joins_repositories() -> None:
    """The other end of a package is in no file of this repository."""
    client = facts("a.py", "import acme\n")

    (shown,) = published((client,))

    assert shown.needs == client.needs
    assert ("package", "acme") in client.needs


def test_a_text_gives_the_same_facts_in_any_order_of_its_chunks() -> None:
    """Facts are compared and merged; the order of evidence must not show in them."""
    texts = ("import shop.cart\nx = Ledger()", "import shop.stock", "y = os.environ['SHOP_BIND']")

    first, other = (
        facts_of(selected("a.py", Section.CODE, "python", *ordered))
        for ordered in (texts, texts[::-1])
    )

    assert first == other

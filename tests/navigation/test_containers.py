"""Usages of a qualified name, those of other containers told apart."""

from pathlib import Path

import pytest

from ggrep.model.filters import Filter
from ggrep.model.navigation import ReferencesRequest, ReferencesResponse, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf, write_tree

FILES = {
    "shop/till.py": (
        "LIMIT = 5\n\n\n"
        "class Till:\n"
        "    def pay(self):\n"
        "        return self.count()\n\n"
        "    def again(self):\n"
        "        return self.pay()\n"
    ),
    "shop/card.py": (
        "from shop.till import LIMIT, Till\n\n\n"
        "class Card(Till):\n"
        "    def pay(self):\n"
        "        return LIMIT\n\n\n"
        "class Coin:\n"
        "    def pay(self):\n"
        "        return self.pay()\n"
    ),
    "shop/app.py": (
        "def main(till, thing):\n"
        "    till.pay()\n"
        "    thing.pay()\n"
        "    Coin.pay(None)\n"
        "    pay()\n\n\n"
        'if __name__ == "__main__":\n'
        "    main(Till(), None)\n"
    ),
    "shop/store.go": (
        "package shop\n\n"
        "type Store interface {\n\tKeep() error\n}\n\n"
        "type disk struct{}\n\n"
        "func (d *disk) Keep() error { return nil }\n"
    ),
}


@pytest.fixture
def engine(index_of: IndexOf) -> Engine:
    """Return an engine over a till, what extends it and what only sounds like it."""
    return index_of(FILES, encoder="none")


def ask(engine: Engine, name: str, **more: object) -> ReferencesResponse:
    """Return the usages of a name."""
    return engine.ask(ReferencesRequest(name, deterministic=True, **more))  # type: ignore[arg-type] # fields of it


def lines(answer: ReferencesResponse, *, guess: bool) -> list[tuple[str, int]]:
    """Return the places that are certain, or those that are not."""
    return [(each.path, each.line) for each in answer.references if each.guess is guess]


def test_uses_that_say_another_container_are_left_out(engine: Engine) -> None:
    """A name such as `pay` is used of everything."""
    answer = ask(engine, "Till.pay")

    assert lines(answer, guess=False) == [("shop/app.py", 2), ("shop/till.py", 9)]
    assert lines(answer, guess=True) == [("shop/app.py", 3)]
    (notice,) = [each for each in answer.warnings if each.code == "other_container"]
    assert notice.message.startswith("omitted: 3 usages of other classes or modules")


def test_without_a_container_every_use_is_one(engine: Engine) -> None:
    """Nothing is judged that was not asked."""
    answer = ask(engine, "pay")

    assert len(answer.references) == 6
    assert lines(answer, guess=True) == []
    assert answer.warnings == ()


def test_what_extends_a_type_implements_its_method(engine: Engine) -> None:
    """Beside the definition that was asked for."""
    reported = {
        (each.qualified_name, each.relation, each.guess) for each in ask(engine, "Till.pay").defined
    }
    go = {
        (each.qualified_name, each.relation, each.guess)
        for each in ask(engine, "Store.Keep").defined
    }

    assert reported == {("Till.pay", "definition", False), ("Card.pay", "implementation", False)}
    assert go == {("Store.Keep", "definition", False), ("disk.Keep", "implementation", True)}


def test_a_name_of_another_container_alone_says_so(engine: Engine) -> None:
    """Instead of nothing at all."""
    defined = engine.ask(SymbolRequest("Wallet.again", deterministic=True))
    used = ask(engine, "Wallet.again")

    for answer in (defined, used):
        assert [each.code for each in answer.warnings] == ["other_container"]
        assert "no definition of Wallet.again; similar: Till.again" in answer.warnings[0].message


def test_a_use_tells_what_it_does(engine: Engine) -> None:
    """Calls are looked for more often than imports."""
    roles = {(each.path, each.line): each.role for each in ask(engine, "LIMIT").references}
    main = ask(engine, "main").references

    assert roles == {("shop/card.py", 1): "import", ("shop/card.py", 6): "read"}
    assert [(each.role, each.test) for each in main] == [("call", False)]


def test_a_filter_that_selects_nothing_is_named(engine: Engine) -> None:
    """An empty answer would be taken for the repository's."""
    rust = (Filter("lang", "rust"),)
    answers = (
        ask(engine, "pay", filters=rust),
        engine.ask(SymbolRequest("pay", filters=rust, deterministic=True)),
        engine.search(SearchRequest("pay", filters=rust, deterministic=True)),
    )

    for answer in answers:
        reports = [each.message for each in answer.warnings if each.code == "nothing_selected"]
        assert reports == ["no indexed file matches lang:rust"]
    both = ask(engine, "pay", filters=(Filter("lang", "go"), Filter("path", "shop/*.py")))
    assert "matches all of lang:go, path:shop/*.py" in both.warnings[0].message


def uses_of(engine: Engine, name: str, *, comments: bool = False) -> list[tuple[str, int, bool]]:
    answer = engine.ask(ReferencesRequest(name, strings=comments, comments=comments))
    return [(each.path, each.line, each.guess) for each in answer.references]


def test_a_receiver_with_an_evident_type_is_certain(engine: Engine, root: Path) -> None:
    write_tree(
        root,
        {
            "shop/made.py": (
                "def made(thing, other: Coin):\n"
                "    box = Till()\n"
                "    box.pay()\n"
                "    Till().pay()\n"
                "    other.pay()\n"
            )
        },
    )
    engine.sync()
    uses = [use for use in uses_of(engine, "Till.pay") if use[0] == "shop/made.py"]

    assert uses == [("shop/made.py", 3, False), ("shop/made.py", 4, False)]


def test_many_doubtful_usages_are_only_counted(engine: Engine, root: Path) -> None:
    """A common method name has hundreds of usages of other types."""
    text = "def many(a):\n" + "    a.pay()\n" * 30
    write_tree(root, {"shop/many.py": text})
    engine.sync()
    answer = engine.ask(ReferencesRequest("Till.pay"))

    assert not any(each.guess and each.path == "shop/many.py" for each in answer.references)
    assert any("31 usages of pay" in notice.message for notice in answer.warnings)
    assert len(uses_of(engine, "pay")) > 30


def test_words_in_data_and_documents_are_mentions_behind_all_usages(
    engine: Engine, root: Path
) -> None:
    """A usage is code; a word in a template of an issue is none."""
    texts = {
        ".github/ISSUE_TEMPLATE/a.yml": "body: call pay\n",
        "a.json": '{"pay": "pay"}\n',
        "a.toml": 'x = "pay"\n',
        "a.md": "Use pay.\n",
        "a.xml": "<a>pay</a>\n",
        "a.csv": "pay,1\n",
        "a.txt": "pay\n",
    }
    write_tree(root, texts)
    engine.sync()
    shown = engine.ask(ReferencesRequest("pay"))
    every = engine.ask(ReferencesRequest("pay", strings=True, comments=True)).references
    kinds = [each.kind for each in every]

    assert not {each.path for each in shown.references} & {*texts}
    assert {each.path for each in every} >= {*texts}
    assert kinds == sorted(kinds, key=["usage", "string", "comment"].index)
    assert dict(shown.totals)["usage"] == kinds.count("usage")


def test_operators_are_found_in_languages_that_define_them(engine: Engine, root: Path) -> None:
    """No posting holds an operator."""
    write_tree(
        root,
        {
            "a.rb": "class V\n  def <=>(o)\n    a <=> o.a\n  end\nend\n",
            "b.hs": "a <=> b = a\nc = a <=>= b\n",
            "c.py": "# a <=> b\n",
        },
    )
    engine.sync()

    assert [(each.path, each.line) for each in engine.ask(SymbolRequest("<=>")).definitions] == [
        ("a.rb", 2),
        ("b.hs", 1),
    ]
    assert uses_of(engine, "<=>") == [("a.rb", 3, False)]

"""The filter `test:` tells tests inside of source files from the code around them."""

import pytest

from ggrep.model.filters import Filter
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf

TREE = {
    "src/till.rs": (
        "pub fn pay(amount: u32) -> u32 {\n    amount + 1\n}\n\n"
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn pays() {\n"
        "        assert_eq!(super::pay(1), 2);\n    }\n}\n"
    ),
    "src/till.go": (
        "package till\n\nfunc refund(amount int) int {\n\treturn amount - 1\n}\n\n"
        "func TestPay(t *testing.T) {\n\tpay(refund(1))\n}\n"
    ),
    "tests/pay.py": "def check():\n    return pay(3)\n",
}
TESTS = (Filter("test", "true"),)
SOURCES = (Filter("test", "true", negated=True),)


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    return shared_index(TREE, encoder="none")


def places(engine: Engine, filters: tuple[Filter, ...]) -> set[tuple[str, int]]:
    answer = engine.search(SearchRequest("pay refund", filters=filters, keep_weak=True))
    return {(hit.path, hit.start_line) for hit in answer.hits}


@pytest.mark.parametrize("sources", [SOURCES, (Filter("test", "false"),)])
def test_a_search_shows_tests_or_none(engine: Engine, sources: tuple[Filter, ...]) -> None:
    assert places(engine, sources) == {("src/till.rs", 1), ("src/till.go", 3)}
    assert places(engine, TESTS) == {("src/till.rs", 7), ("src/till.go", 7), ("tests/pay.py", 1)}


def test_names_and_slates_show_tests_or_none(engine: Engine) -> None:
    def uses(filters: tuple[Filter, ...]) -> set[str]:
        asked = ReferencesRequest("pay", filters=filters, deterministic=True)
        return {each.path for each in engine.ask(asked).references}

    defined = engine.ask(SymbolRequest("pays", filters=SOURCES, deterministic=True))
    search = SearchRequest("pay refund", filters=SOURCES, keep_weak=True)
    slate = engine.ask(SlateRequest(search, anchors=False)).slate
    shown = [
        piece.snippet for _, packs in slate.sections for pack in packs for piece in pack.evidence
    ]

    assert uses(SOURCES) == set()
    assert uses(TESTS) == set(TREE)
    assert not defined.definitions
    assert shown
    assert not any("assert_eq" in text or "TestPay" in text for text in shown)

"""Words that nothing indexed contains are named, whatever else matches."""

from pathlib import Path

import pytest

from ggrep.model.request import Find, SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf, open_engine, write_tree

FILES = {
    "retry.py": "def retry_policy(attempts):\n    # how often a payment is tried\n    return 3\n",
    "cookies.py": "def parse_cookies(header):\n    return header.split(';')\n",
    "graphs/draw.py": "def draw(canvas):\n    return canvas\n",
}
NEAR = "; nearest: parse_cookies"


@pytest.fixture
def engine(index_of: IndexOf) -> Engine:
    return index_of(FILES, encoder="none")


def unknown(engine: Engine, query: str, find: Find = Find.AUTO) -> list[str]:
    response = engine.search(SearchRequest(query, find=find, keep_weak=True))
    return [each.message for each in response.warnings if each.code == "unknown_words"]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("parseHttpCookieJar", "`parseHttpCookieJar`"),
        ("how often is parse_cookie tried", f"`parse_cookie`{NEAR}"),
        ("payment of cookies.parse_cookis", f"`cookies.parse_cookis`{NEAR}"),
        ("kubernetes header eviction", "`kubernetes`, `eviction`"),
        ("prse_cookies", f"`prse_cookies`{NEAR}"),
    ],
)
def test_an_unknown_word_is_named_as_it_was_typed(engine: Engine, query: str, named: str) -> None:
    """Other words of the question match; the answer looks as good as any."""
    assert unknown(engine, query) == [f"no file contains {named}"]


@pytest.mark.parametrize(
    "query", ["how often is a payment tried", "retry_policy", "draw in graphs", "retries", "Draw"]
)
def test_a_word_that_occurs_in_text_or_path_is_not(engine: Engine, query: str) -> None:
    """Forms of a word and names of folders are known; an answer without hits says it by that."""
    assert unknown(engine, query) == []

    assert unknown(engine, "kubernetes") == []
    assert unknown(engine, "kubernetes pod eviction") == []


@pytest.mark.parametrize(
    ("query", "find"),
    [("KeyError: 'quux'", Find.AUTO), ('"quux"', Find.AUTO), ("quux", Find.EXACT_TEXT)],
)
def test_messages_and_quoted_text_are_exempt(engine: Engine, query: str, find: Find) -> None:
    assert unknown(engine, query, find) == []


def test_a_scan_of_all_files_says_so_too(tmp_path: Path) -> None:
    """Its figures count every file that was searched, ranked or not."""
    engine = open_engine(root := tmp_path.resolve() / "repo", tmp_path / "home", encoder="none")
    root.mkdir()
    write_tree(root, FILES)
    response = engine.scan(SearchRequest("how often is parse_cookie tried", keep_weak=True))

    messages = [each.message for each in response.warnings if each.code == "unknown_words"]
    assert messages == [f"no file contains `parse_cookie`{NEAR}"]

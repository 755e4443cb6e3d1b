"""Words are found whole and by their parts, in any script that has case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.index.lexical.tokens import whole_names, word_terms, words


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("parse", ("parse", "pars")),
        ("parseTree", ("parsetree", "pars", "tree")),
        ("HTTPServer2", ("httpserver2", "http", "serv", "2")),
        ("http_server_2", ("http_server_2", "http", "serv", "2")),
        ("XMLHttpRequest", ("xmlhttprequest", "xml", "http", "request")),
        ("__init__", ("init",)),
        ("___", ("___",)),
        ("utf8", ("utf8", "utf", "8")),
        ("ÉcoleNormale", ("écolenormale", "école", "norm")),
        ("ПарсерДерева", ("парсердерева", "парсер", "дерева")),
        ("Straße", ("strasse", "strass")),
        ("aa" * 100, ("aa" * 40,)),
    ],
)
def test_a_word_gives_itself_and_its_parts(word: str, terms: tuple[str, ...]) -> None:
    """A query spells names as people do, code spells them as its language does."""
    assert word_terms(word) == terms


def test_spellings_of_one_name_share_their_parts() -> None:
    """`HTTPServer` must be found by `http server`."""
    spellings = ["HTTPServer2", "http_server_2", "httpServer2", "HTTP_SERVER_2"]
    shared = set.intersection(*(set(word_terms(word)) for word in spellings))

    assert shared == {"http", "serv", "2"}


def test_text_is_split_at_everything_that_is_no_word() -> None:
    """Punctuation carries no weight."""
    assert words("a.b(c_d) -> é, 9!") == ["a", "b", "c_d", "é", "9"]


def test_names_are_kept_whole_and_once() -> None:
    """A symbol query asks for the name, not for a part of it."""
    assert whole_names(["_Foo_bar", "foo_bar", "", "__"]) == ("foo_bar", "__")


@given(st.text())
def test_terms_are_distinct_and_never_empty(text: str) -> None:
    """An empty term would be in every row."""
    for word in words(text):
        terms = word_terms(word)
        assert len(set(terms)) == len(terms) > 0
        assert all(terms)

"""What is looked for in files stands in every word that a term of the query stands for."""

import pytest

from ggrep.index.lexical.tokens import word_terms
from ggrep.search.query.understand import parse_query
from ggrep.search.scan.scan_patterns import MOST_NEEDLES, comparable, needles_of


def found_in(query: str, text: str) -> list[bool]:
    """Return, for each needle, whether it stands in a text."""
    data = comparable(text.encode(), any_script=not query.isascii())
    return [needle.text in data for needle in needles_of(parse_query(query))]


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("validated", "RequestValidator"),
        ("copies", "copy_file"),
        ("copy", "COPIES"),
        ("query", "queries"),
        ("parsing", "parser"),
        ("stopped", "stopping"),
        ("HTTPServer", "http_servers"),
        ("größe", "GRÖSSE"),
        ("größe", "größen"),
        ("straße", "Straßenbahn"),
        ("STRASSE\u00ad", "straße"),
        ("単語", "日本語の単語です"),
        ("テキスト", "ﾃｷｽﾄ処理"),
        ("ガ", "カ\u3099"),
        ("café", "cafe\u0301s"),
        ("خواهم", "می\u200cخواهم"),  # noqa: RUF001 - Persian
        ("ภาษา", "คำ\u200bภาษา\u200bไทย"),
    ],
)
def test_a_word_of_the_same_stem_is_seen(query: str, word: str) -> None:
    """Else its file would not be among those that are ranked."""
    assert any(found_in(query, word))


def test_each_term_has_a_needle_and_no_needle_says_what_another_does() -> None:
    """Each costs a pass over all files."""
    query = parse_query("validated requests parse_query")
    needles = needles_of(query)
    roots = {term for needle in needles for term in needle.terms} | query.spellings

    assert roots >= {term for word in ("validated", "requests") for term in word_terms(word)}
    assert [needle.text for needle in needles] == [
        b"pars",
        b"parse_quer",
        b"quer",
        b"request",
        b"valid",
    ]


def test_a_long_question_has_its_longest_words_looked_for() -> None:
    """A pasted text must not cost a pass for each of its words."""
    words = [chr(97 + number % 26) * (number + 3) for number in range(60)]

    assert len(needles_of(parse_query(" ".join(words)))) == MOST_NEEDLES

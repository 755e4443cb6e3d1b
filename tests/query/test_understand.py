"""A query is understood by rule."""

import pytest

from ggrep.errors import InvalidRequest
from ggrep.lexical.layout import MAX_QUERY_TERMS
from ggrep.query.understand import MAX_QUERY_CHARACTERS, parse_query


def test_question_words_carry_no_weight() -> None:
    """Agents ask in sentences."""
    assert parse_query("how does the parser work?").terms == ("parser", "work")


def test_question_words_count_when_there_is_nothing_else() -> None:
    """`what` may be a name."""
    assert parse_query("what is it").terms == ("is", "it", "what")


def test_a_lone_name_is_a_symbol_query() -> None:
    """Somebody who types a name wants its definition."""
    assert parse_query("HTTPServer").is_symbol
    assert parse_query("run()").is_symbol
    assert parse_query("a::b.c").is_symbol
    assert not parse_query("http server").is_symbol
    assert "a.b.c" in parse_query("a::b.c").symbols


def test_terms_come_in_the_order_of_their_bytes() -> None:
    """Scores are summed in it, so that their last bits are settled."""
    assert parse_query("zeta Alpha école beta").terms == ("alpha", "beta", "zeta", "école")


def test_terms_past_the_bound_are_reported() -> None:
    """A pasted page is a query too, but nobody may think that all of it counted."""
    query = parse_query(" ".join(f"q{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(100)))

    assert len(query.terms) == MAX_QUERY_TERMS
    assert [(cut.code, cut.limit, cut.observed) for cut in query.limits_hit] == [
        ("max_query_terms", 64, 100)
    ]


@pytest.mark.parametrize(
    "text", ["", "  \x00 ", "?!", "\x1b[31m", "x" * (MAX_QUERY_CHARACTERS + 1)]
)
def test_what_cannot_be_searched_is_refused(text: str) -> None:
    """An empty answer would look like there is nothing."""
    with pytest.raises(InvalidRequest, match="query"):
        parse_query(text)


def test_a_query_that_speaks_of_tests_wants_them() -> None:
    """Tests are put behind otherwise."""
    assert parse_query("test of the parser").wants_tests
    assert not parse_query("contest").wants_tests


def test_names_behind_the_last_scored_term_do_not_score() -> None:
    """The bound on terms would otherwise be none on what a query can cost."""
    parsed = parse_query(" ".join(f"w{chr(97 + i % 26) * (i // 26 + 2)}" for i in range(100)))

    assert len(parsed.symbols) <= 64
    assert {name for name in parsed.symbols if "." not in name} <= set(parsed.terms)
    assert len(parse_query(" ".join(f"a.{c}{d}" for c in "abcde" for d in "vwxyz")).symbols) <= 64

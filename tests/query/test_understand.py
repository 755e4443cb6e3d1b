"""A query is understood by rule."""

import re

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.index.lexical.layout import MAX_QUERY_TERMS
from ggrep.search.query.query_paths import SpelledPath
from ggrep.search.query.understand import MAX_QUERY_CHARACTERS, parse_query


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("how does the parser work?", ("pars", "parser", "work")),
        ("what is it", ("is", "it", "what")),
        ("zeta Alpha école beta", ("alpha", "beta", "zeta", "école")),
    ],
    ids=["question words", "question words alone", "order of bytes"],
)
def test_terms_are_ordered_words_without_question_words(text: str, terms: tuple[str, ...]) -> None:
    """Scores are summed in that order; question words count if there are no other words."""
    assert parse_query(text).terms == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("how is auth handled", ("auth",)),
        ("where are uploads handled in tests?", ("tests", "upload", "uploads")),
        ("how is it done", ("done",)),
        ("what handled the request", ("handl", "handled", "request")),
        ("where is it registered, handled and removed", ("handl", "handled")),
    ],
)
def test_the_verb_of_how_is_it_handled_carries_no_weight(text: str, terms: tuple[str, ...]) -> None:
    """Many names contain `handle`; they would rank before the thing that is handled."""
    assert set(terms) <= set(parse_query(text).terms)
    assert ("handled" in parse_query(text).terms) == ("handled" in terms)


def test_a_lone_name_is_a_symbol_query() -> None:
    """Somebody who types a name wants its definition."""
    assert "a.b.c" in parse_query("a::b.c").symbols


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("HTTPServer", "symbol"),
        ("run()", "symbol"),
        ("a::b.c", "symbol"),
        ("node->next", "symbol"),
        ("res.json", "symbol"),
        ("http server", "words"),
        ("error handling middleware", "words"),
        ("and/or of conditions", "words"),
        ("text/html content type", "words"),
        ("src/router/index.ts", "path"),
        ("utils.py:123", "path"),
        ("where is core/router.py", "path"),
        ("./build", "path"),
        ("context.go", "path"),
        ("README.md", "path"),
        ("server.c", "path"),
        ("go.mod", "path"),
        ('"connection refused"', "phrase"),
        ("“connection refused” “by peer”", "phrase"),
        ('find "connection refused"', "words"),
        ("how does the parser work", "question"),
        ("the parser, where?", "question"),
        ('KeyError: "foo"', "error"),
        ("panic: runtime error: index out of range [3]", "error"),
        ("cannot open shared object file: No such file or directory", "error"),
        ('File "/app/x.py", line 3, in f', "error"),
        ("what does error: E0382 mean", "error"),
    ],
)
def test_the_kind_of_a_query_follows_written_rules(text: str, kind: str) -> None:
    """Each kind is weighed otherwise, and `--explain` names it."""
    assert parse_query(text).kind.value == kind


def test_quoted_text_is_kept_word_for_word_unless_a_message_quotes_it() -> None:
    """What a message quotes was somebody's value, and code holds quotes of its own."""
    assert parse_query('find "max  retries" and "time out".').phrases == ("max retries", "time out")
    assert parse_query('KeyError: "foo" is missing').phrases == ()
    assert parse_query('where is print("hello") called').phrases == ()


def test_paths_are_found_with_what_tools_put_around_them() -> None:
    """People paste from compilers, stack traces and other agents."""
    text = "see `src/a.py:12:3`, (lib\\B.cs) and ./docs/ but not e.g. 1.5/2 or and/or"

    assert parse_query(text).places == (
        *(SpelledPath("src/a.py", 12), SpelledPath("lib/b.cs", 0), SpelledPath("docs", 0)),
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a/b.go:868", SpelledPath("a/b.go", 868)),
        ("b.go:868:12:", SpelledPath("b.go", 868)),
        ("gin.go:", SpelledPath("gin.go", 0)),
        ("src/a.ts#L10-L20", SpelledPath("src/a.ts", 10)),
        ("Cart.cs(40,3)", SpelledPath("cart.cs", 40)),
        (r"C:\\x\\gin.go".replace("\\\\", "\\"), SpelledPath("x/gin.go", 0)),
    ],
)
def test_a_position_behind_a_path_is_no_word(text: str, place: SpelledPath) -> None:
    """`130` would be looked for in every chunk otherwise."""
    query = parse_query(text)

    assert query.places == (place,)
    assert not any(term.isdigit() for term in query.terms)


def test_a_spelling_is_told_from_the_stem() -> None:
    """`parsing` finds `parser`, and counts for more where it stands itself."""
    query = parse_query("parsing http parsers")

    assert query.terms == ("http", "pars", "parsers", "parsing")
    assert query.spellings == {"parsers", "parsing"}


def test_terms_past_the_bound_are_reported() -> None:
    """A pasted page is a query too, but nobody may think that all of it counted."""
    query = parse_query(" ".join(f"q{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(100)))

    assert len(query.terms) == MAX_QUERY_TERMS
    assert [(cut.code, cut.limit, cut.observed) for cut in query.limits_hit] == [
        ("max_query_terms", 64, 100)
    ]


def test_a_query_past_the_bound_is_cut_between_words_and_said() -> None:
    """A pasted log deserves an answer, and half a word is none that anybody asked for."""
    text = "zebra quartz " * MAX_QUERY_CHARACTERS
    bound = text[:MAX_QUERY_CHARACTERS].rindex(" ")
    query = parse_query(text)

    assert query.text == text[:bound].strip()
    assert query.terms == ("quartz", "zebra")
    assert [(cut.code, cut.limit, cut.observed) for cut in query.limits_hit] == [
        ("max_query_characters", MAX_QUERY_CHARACTERS, len(text))
    ]


@pytest.mark.parametrize("before", ["", "  ", "?!"])
def test_a_single_word_past_the_bound_is_split(before: str) -> None:
    """There is no border to cut at, and an error would help nobody."""
    query = parse_query(before + "x" * (MAX_QUERY_CHARACTERS + 1))

    assert query.terms == ("x" * 80,)
    assert [cut.code for cut in query.limits_hit] == ["max_query_characters"]


def test_a_word_that_ends_at_the_bound_is_kept() -> None:
    """It is whole."""
    text = "a" * (MAX_QUERY_CHARACTERS - 6) + " zebra"

    assert "zebra" in parse_query(text + " tail").terms
    assert "zebra" not in parse_query(text + "s tail").terms
    assert parse_query(text).limits_hit == ()


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("", "enter at least one word"),
        ("  \x00 ", "enter at least one word"),
        ("\x1b[31m", "enter at least one word"),
        ("?!", "ggrep -F '?!'"),
        ("=>", "ggrep -F '=>'"),
        ('"=>"', "ggrep -F '\"=>\"'"),
        ("->", "ggrep -F -- '->'"),
        ("-> != => ?", "ggrep -F -- '-> != => ?'"),
        ("\N{FIRE}\N{ROCKET}", "ggrep -F '\N{FIRE}\N{ROCKET}'"),
        ("\u0301\u0302", "ggrep -F '\u0301\u0302'"),
    ],
)
def test_a_query_without_a_word_is_refused_with_what_finds_it(text: str, help_: str) -> None:
    """An empty answer would look like there is nothing."""
    with pytest.raises(InvalidRequest, match=re.escape(help_)):
        parse_query(text)


def test_a_query_that_speaks_of_tests_wants_them() -> None:
    """Tests are put behind otherwise."""
    assert parse_query("test of the parser").wants_tests
    assert not parse_query("contest").wants_tests


def test_names_behind_the_last_scored_term_do_not_score() -> None:
    """The bound on terms would otherwise be none on what a query can cost."""
    names = [f"{a}{b}oneTwo{a}{b}" for a in "bcdfg" for b in "hjklmnp"]
    parsed = parse_query(" ".join([*names, f"{names[0]}.{names[-1]}"]))
    whole = [name.casefold() for name in names if name.casefold() in parsed.terms]

    assert len(parsed.terms) == 64
    assert 0 < len(whole) < len(names)
    assert sorted(parsed.symbols) == sorted(whole)


def test_there_are_no_more_names_than_terms() -> None:
    """Few words make many dotted names."""
    dotted = [f"a{a}.b{b}" for a in "bcdfghjkl" for b in "bcdfghjkl"]
    parsed = parse_query(" ".join(dotted))

    assert len(parsed.terms) < 64 < len(dotted)
    assert len(parsed.symbols) == 64

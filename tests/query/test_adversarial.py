"""Whatever is asked, there is an answer or a refusal that helps; and no pattern runs away."""

import contextlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.index.lexical import stems, tokens
from ggrep.index.lexical.layout import MAX_QUERY_TERMS
from ggrep.model import sanitise
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query import kinds
from ggrep.search.query.understand import MAX_QUERY_CHARACTERS, parse_query
from tests.fakes.repos import answer, answer_bytes
from tests.query.backtracking import Matcher

ANSWERED = {
    "ten thousand words": "retry queue " * 5_000,
    "ten thousand different words": " ".join(f"w{i}" for i in range(10_000)),
    "one character": "x",
    "stop words": "the of and is in a",
    "pattern characters": ".*+?[retry](){2,}^$|\\",
    "emoji": "\N{FIRE} retry \N{ROCKET}",
    "right to left": "\u05e9\u05dc\u05d5\u05dd retry \u202e\u0645\u0631\u062d\u0628\u0627",
    "zero width": "re\u200btry\u200d\u2060 queue\ufeff",
    "combining": "e\u0301\u0301\u0301 " * 500,
    "lone quote": '"retry',
    "closing quote": 'retry"',
    "thousands of quotes": '"' * 4_000 + "retry",
    "nested quotes": '"retry "queue" cache"',
    "curly quotes": "\u201cretry \u201cqueue\u201d cache\u201d",
    "unclosed curly quotes": "\u201c" * 4_000 + "retry",
    "quoted stop words": '"the of"',
    "quoted nothing": '"" " " retry',
    "quoted signs": 'retry "=>"',
    "many phrases": " ".join(f'"retry {i}"' for i in range(300)),
    "one long word": "x" * MAX_QUERY_CHARACTERS,
    "one longer word": "x" * (MAX_QUERY_CHARACTERS * 3),
    "digits": "12345678901234567890",
    "underscores": "____",
    "path out of the root": "../../../etc/passwd",
    "windows path": "..\\..\\Windows\\System32\\queue.py",
    "shell": "retry; rm -rf / && $(reboot) `id`",
    "sql": "' OR 1=1; DROP TABLE chunks; --",
    "markup": "<script>alert('retry')</script>",
    "control characters": "\x00re\x07try\x1b[31m\r\n queue\x7f",
    "unclosed escape": "retry \x1b]0;title",
    "dotted": ".".join(["retry"] * 600),
    "dots": "a." * 2_000,
    "slashes": "retry" + "/" * 4_000,
    "spaces": "errno" + " " * 4_000 + "x",
    "format": "%s%n{0}{retry}",
    "null words": "nil null None undefined NaN",
}


@pytest.mark.parametrize("text", ANSWERED.values(), ids=ANSWERED.keys())
def test_whatever_holds_a_word_is_answered(engine: Engine, text: str) -> None:
    """Agents paste anything; the same again gives the same bytes."""
    request = SearchRequest(text, deterministic=True, explain=True)
    document = answer(engine, request)
    codes = {entry["code"] for entry in document["limits_hit"]}

    assert answer_bytes(engine, request) == stable_json.dumps(document)
    assert ("max_query_characters" in codes) == (len(text) > MAX_QUERY_CHARACTERS)
    assert len(parse_query(text).terms) <= MAX_QUERY_TERMS
    assert len(parse_query(text).symbols) <= MAX_QUERY_TERMS


def test_only_the_words_of_the_repository_are_found(engine: Engine) -> None:
    """What looks like a command or a pattern is words and nothing else."""
    plain = engine.search(SearchRequest("retry queue", deterministic=True, keep_weak=True)).hits
    dressed = engine.search(
        SearchRequest("(retry)+$ queue", deterministic=True, keep_weak=True)
    ).hits

    assert [hit.row_id for hit in dressed] == [hit.row_id for hit in plain]


@pytest.mark.slow
@settings(max_examples=60)
@given(st.text(max_size=200))
def test_any_text_is_answered_or_refused(engine: Engine, text: str) -> None:
    """Never anything else."""
    with contextlib.suppress(InvalidRequest):
        assert answer_bytes(engine, SearchRequest(text, deterministic=True))


HEADS = {
    kinds: (
        *("", "errno", "exit code ", "AError", "at ", "cannot open ", 'File "', "?", '"', "\u201c"),
        *("error", "E"),
    ),
    sanitise: ("", "\x1b]", "\x9b", "a:", "x/"),
    tokens: ("", "E"),
    stems: ("", "E"),
}
"""Texts with which a match begins, by the module of the pattern."""
PATTERNS = {
    f"{module.__name__}.{name}": (value, heads)
    for module, heads in HEADS.items()
    for name, value in sorted(vars(module).items())
    if isinstance(value, re.Pattern)
}
WHOLE = ("ggrep.search.query.kinds._PATH",)
"""Those that must match all of a text, and so are tried at its start alone."""
UNITS = (
    *(" ", "a", "A", "1", ".", "/", '"', "\u201c", '" ', "? ", ":1", "(1", "#L1", "a.", "a/"),
    *("a->", "errno ", "error ", "AError ", "\x1b]", "-", "aA"),
)
SIZE = 24
SLACK = 800
"""Steps of what is bounded by a figure in a pattern; growth by the square is thousands more."""


@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERNS)
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    """A query of the greatest length may not keep a process busy in a pattern."""
    pattern, heads = PATTERNS[name]
    for head in heads:
        for unit in UNITS:
            once, twice = (
                Matcher(pattern, head + (unit * times)[:times] + "!", whole=name in WHOLE).steps
                for times in (SIZE, 2 * SIZE)
            )
            assert twice <= 2 * once + SLACK, (head, unit, once, twice)


def test_the_counting_matcher_matches_as_the_real_one_does() -> None:
    """Else its steps would be those of other patterns."""
    for pattern, heads in PATTERNS.values():
        texts = [f"{head}{unit * 6}! see a/b.py:3" for head in heads for unit in UNITS]
        for text in texts[::5]:
            real = [match.span() for match in pattern.finditer(text)]
            assert [s for s in Matcher(pattern, text).spans if s[0] < s[1]] == real, pattern


def test_growth_by_the_square_would_be_noticed() -> None:
    """The measure itself is measured."""
    pattern = re.compile(r"a\s*[:=]?\s*b")
    once, twice = (Matcher(pattern, "a" + " " * size + "!").steps for size in (SIZE, 2 * SIZE))

    assert twice > 2 * once + SLACK

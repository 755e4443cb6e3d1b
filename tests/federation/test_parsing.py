"""What a workspace file's text spells, how long reading it takes, and what is said of a bad one."""

import random
from collections.abc import Callable
from datetime import UTC, datetime

import json5
import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import WorkspaceError
from ggrep.federation.jsonc import JsoncError, read_jsonc, scan
from ggrep.federation.workspace_text import (
    MAX_JUDGED_CHARS,
    MAX_WORKSPACE_BYTES,
    PARSE_DEADLINE_MS,
    is_json5,
    parse_text,
)
from tests.fakes.clocks import ManualClock
from tests.fakes.processor_time import quickest_s

FROZEN = ManualClock(datetime(2025, 1, 1, tzinfo=UTC))
NEVER = Deadline.never(FROZEN)
WORDS = (
    "",
    "a",
    "repos",
    "// no comment",
    "/* nor this */",
    "],}",
    "é",
    "\\u00e9\\n",
    "\\\\",
    "😀",
)
NUMBERS = ("0", "-0", "1", "-12", "2.50", "1e3", "9007199254740991", "-3.5E-2")
BLANKS = ("", "", " ", "\n", "\r\n", "\t", "// x\n", "/* [ */", "//\r")


class TickingClock(ManualClock):
    """Moves on by itself each time it is looked at."""

    def __init__(self, step_ms: float) -> None:
        super().__init__(datetime(2025, 1, 1, tzinfo=UTC))
        self._step_ms = step_ms

    def monotonic_ms(self) -> float:
        self.advance(self._step_ms)
        return super().monotonic_ms()


def document(chance: random.Random, depth: int = 0) -> str:
    """Return the text of any value, with comments and trailing commas at random."""
    blank = lambda: chance.choice(BLANKS)  # noqa: E731 - two letters, used a dozen times
    kind = chance.randrange(6 if depth < 4 else 4)
    match kind:
        case 0:
            text = chance.choice(NUMBERS)
        case 1:
            text = chance.choice(("true", "false", "null"))
        case 2 | 3:
            text = f'"{chance.choice(WORDS)}"'
        case 4:
            items = [document(chance, depth + 1) for _ in range(chance.randrange(4))]
            text = f"[{','.join(items)}{chance.choice(('', ',')) if items else ''}{blank()}]"
        case _:
            keys = chance.sample(WORDS, chance.randrange(4))
            pairs = [f'{blank()}"{key}"{blank()}:{document(chance, depth + 1)}' for key in keys]
            text = f"{{{','.join(pairs)}{chance.choice(('', ',')) if pairs else ''}{blank()}}}"
    return f"{blank()}{text}{blank()}"


def refusal(text: str) -> str:
    with pytest.raises(WorkspaceError) as caught:
        parse_text(text, "w.jsonc")
    return f"{caught.value.issues[0].reason}: {caught.value} | {caught.value.issues[0].hint}"


@pytest.mark.slow
def test_generated_documents_mean_what_the_json5_parser_reads_in_them() -> None:
    """Blanking comments out must neither lose a value nor make one up."""
    chance = random.Random(7)

    for _ in range(500):
        text = document(chance)
        # The JSON5 parser leaves the two halves of an escaped pair apart; none are generated.
        assert read_jsonc(text, NEVER) == json5.loads(text), text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1,]", [1]),
        ('{"a": [],}', {"a": []}),
        ("[1,/* , */]", [1]),
        ('["//", "/*", "*/"]', ["//", "/*", "*/"]),
        ("[1 // ]\n]", [1]),
        ("[1 //\r]", [1]),
        ("/***/[/**/]", []),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('"\u2028\u007f"', "\u2028\u007f"),
        ('\ufeff{"a": "\\u0000"}', {"a": "\0"}),
        ('{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}', {"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}),
        ('{"a": "a"}', {"a": "a"}),
    ],
)
def test_what_stands_in_strings_and_comments_is_kept_apart(text: str, value: object) -> None:
    """Each of these is where a quick comment stripper goes wrong."""
    assert read_jsonc(text, NEVER) == value


def test_a_line_separator_does_not_end_a_comment() -> None:
    """JSON5 ends it there: text that an editor shows as a comment would have become content."""
    text = '{} //\u2028 ,"repos": []'

    assert read_jsonc(text, NEVER) == {}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1, "a": 2}', "line 1, column 10: key 'a'"),
        ('{"a": 1,\n "b": {"c": 1}, "\\u0061": 2}', "line 2, column 17: key 'a'"),
        ('[{"a": 1}, {"b": 1, "b": 1}]', "line 1, column 21: key 'b'"),
        ("[\r\r\n\n\x01]", "line 4, column 1: unexpected '\\x01'"),
        ("/* \n */ [1 2]", "line 2, column 8: unexpected character, expected ',' or ']'"),
        ("[" * 65, "line 1, column 65: nested more than 64 levels"),
        ('["\\ude00"]', "line 1, column 2: the string contains half of a surrogate pair"),
        ("[1, 1e999]", "line 1, column 5: number"),
    ],
)
def test_a_refusal_names_line_and_column_of_the_text_as_written(text: str, place: str) -> None:
    """Comments are blanked before parsing; what is counted is the author's text."""
    with pytest.raises(JsoncError) as caught:
        read_jsonc(text, NEVER)

    assert str(caught.value).startswith(place)


@pytest.mark.parametrize(
    "text", ["{'a': 1}", "{a: 1}", "[0x10]", "[+1]", "[.5]", "[Infinity]", '["a\\\nb"]']
)
def test_json5_is_refused_by_name(text: str) -> None:
    assert "this is JSON5" in refusal(text)


def test_a_file_is_recognised_as_json5_and_what_is_none_is_not_called_so() -> None:
    entry = (
        "    {root: '../../services/payments-%02d', alias: 'payments-%02d', tags: ['service']},\n"
    )
    text = "{\n  schemaVersion: 1,\n  repos: [\n%s  ],\n}\n"

    assert "this is JSON5" in refusal(text % "".join(entry % (n, n) for n in range(12)))

    for text in ("{'a': 1", "[1 2]", "'", "[" * 60 + "'"):
        assert "this is JSON5" not in refusal(text)
        assert "one JSON object" in refusal(text)

    padding = " " * (MAX_JUDGED_CHARS - 2)

    assert is_json5("[]" + padding)
    assert not is_json5("[] " + padding)
    assert not is_json5("[" * 500)


def test_scanning_takes_one_step_a_token_and_no_token_is_empty() -> None:
    chance = random.Random(3)

    for _ in range(200):
        text = document(chance)
        tokens = list(scan(text))
        assert all(token.end > token.start for token in tokens)
        assert "".join(text[token.start : token.end] for token in tokens) == text


def test_a_file_that_takes_too_long_is_refused_as_such() -> None:
    """The cap on its size is one bound, time another."""
    text = "[" + "1, " * 20_000 + "]"

    with pytest.raises(WorkspaceError) as caught:
        parse_text(text, "w.jsonc", TickingClock(PARSE_DEADLINE_MS / 2))

    assert caught.value.code == "ERR_WORKSPACE_PARSE_FAILED"
    assert caught.value.issues[0].reason == "too-slow"
    assert "w.jsonc" in str(caught.value)
    assert len(parse_text(text, "w.jsonc")) == 20_000


def test_equal_texts_are_parsed_once() -> None:
    """Each search loads the file; its value is shared."""
    text = '{"once": []}'

    assert parse_text(text, "a") is parse_text(text, "b")
    assert parse_text(text, "a") is not parse_text(text, "a", FROZEN)


WORST: dict[str, Callable[[int], str]] = {
    "numbers": lambda size: "[" + "1," * (size // 2 - 1) + "]",
    "objects": lambda size: "[" + "{}," * (size // 3 - 1) + "]",
    "keys": lambda size: "{" + ",".join(f'"{n:04x}":1' for n in range(size // 9)) + "}",
    "escapes": lambda size: '"' + "\\u0041" * (size // 6 - 1) + '"',
    "unclosed string": lambda size: '"' + "\\n" * (size // 2 - 1),
    "unclosed comment": lambda size: "/*" + "*" * (size - 2),
    "comments": lambda size: "/**/" * (size // 4),
    "lines": lambda size: "//\r" * (size // 3),
    "digits": lambda size: "1" * size,
    "slashes": lambda size: "[1]" + "/" * (size - 3),
    "bad at the end": lambda size: "1 " * (size // 2 - 1) + "'",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
def test_a_large_file_is_read_or_refused_in_linear_time(name: str) -> None:
    """Nothing in the scanner looks back: sixteen times the text, not 256 times the time."""

    def seconds(size: int, enough_s: float = 0.0) -> float:
        text = WORST[name](size)
        assert len(text) > size * 0.9
        return quickest_s(lambda: read_jsonc(text, NEVER), enough_s, refusal=JsoncError)

    most_s = 4 * 16 * seconds(MAX_WORKSPACE_BYTES // 64)
    assert seconds(MAX_WORKSPACE_BYTES // 4, most_s) < most_s

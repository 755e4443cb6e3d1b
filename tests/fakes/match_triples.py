"""Texts with a pattern, made alike each time: what two engines are to say the same of."""

import random
from collections.abc import Iterator
from typing import NamedTuple

_ATOMS = (
    *("a", "b", "foo", "bar", "x1", "é", "ß", "_", "-", ";", r"\.", r"\\", "}", " ", r"\t"),
    *("[ab]", "[^a;]", "[[:alpha:]]", "[[:upper:]]", "[[:digit:]]", r"\p{L}", r"\p{Lu}", r"\x{66}"),
    *(".", r"\d", r"\w", r"\s", r"\bfoo\b", r"\bbar", "(?:foo|bar)", "(a|b)", "(?i:FOO)"),
)
_REPEATS = ("", "", "", "", "*", "+", "?", "{2}", "{1,3}", "+?", "*?")
_WORDS = (
    *("foo", "bar", "Foo", "foobar", "a", "b", "x1", "é", "éa", "ß", "_", "-", ";", ".", "\\", "}"),
    *(" ", "  ", "\t", "12", "A", "foo-bar", "FOO", "日本", "🚀"),
)


class Triple(NamedTuple):
    """A text, a pattern and the line end of the text.

    Attributes:
        options: `i` and `w`, as ripgrep has them.
    """

    text: str
    pattern: str
    end: str
    options: str


def triples(count: int, seed: int = 7) -> Iterator[Triple]:
    chance = random.Random(seed)
    for _ in range(count):
        end = chance.choice(("\n", "\r\n"))
        lines = [
            "".join(chance.choices(_WORDS, k=chance.randrange(7)))
            for _ in range(chance.randrange(1, 9))
        ]
        text = end.join(lines) + end * chance.choice((0, 1, 1, 2))
        options = "".join(chance.sample("iw", k=chance.choice((0, 0, 0, 1, 2))))
        yield Triple(text, _pattern(chance), end, options)


def _pattern(chance: random.Random) -> str:
    parts = [chance.choice(_ATOMS) + chance.choice(_REPEATS) for _ in range(chance.randrange(1, 4))]
    pattern = "".join(parts)
    whole = chance.choice(("^$", "$", "^", r"\s+$", r"^\s*$", ".*", r"(?i)foo", r"\bfoo\b"))
    forms = (
        *(f"^{pattern}", f"{pattern}$", f"^{pattern}$", f"{pattern}|^{chance.choice(_ATOMS)}"),
        *(whole, pattern, pattern, pattern),
    )
    return chance.choice(forms)

"""A tree whose every function holds a word of its own, and files that are written over and over."""

from pathlib import Path
from typing import Final

_LETTERS: Final = "bcdfghjklm"
_FUNCTIONS: Final = 40
_VERBS: Final = ("settle", "parse", "render", "encode", "refresh", "merge", "collect", "verify")
_NOUNS: Final = ("invoice", "session", "header", "ledger", "token", "archive", "window", "route")

COMMON: Final = tuple(f"{verb} the {noun}" for verb, noun in zip(_VERBS, _NOUNS, strict=True))
"""Queries that many functions answer."""

LIVE_FILES: Final = 12


def word(number: int) -> str:
    return "q" + "".join(_LETTERS[int(digit)] for digit in f"{number:06d}") + "x"


def live_word(number: int) -> str:
    return word(500_000 + number)


def live_path(number: int) -> str:
    return f"live/live_{number % LIVE_FILES:02d}.py"


def live_text(number: int) -> str:
    return f'def handle_{live_word(number)}(value):\n    """Handle the edit."""\n    return value\n'


def static_path(number: int) -> str:
    return f"src/part_{number // _FUNCTIONS:04d}.py"


def write_static(root: Path, chunks: int) -> int:
    """Write files of about so many chunks; return how many words they hold."""
    count = chunks // _FUNCTIONS * _FUNCTIONS
    (root / "src").mkdir(parents=True)
    (root / "live").mkdir()
    for first in range(0, count, _FUNCTIONS):
        text = "\n\n".join(_function(number) for number in range(first, first + _FUNCTIONS))
        (root / static_path(first)).write_text(text)
    return count


def _function(number: int) -> str:
    verb, noun = _VERBS[number % 8], _NOUNS[number // 8 % 8]
    return (
        f"def {verb}_{noun}_{number}(value):\n"
        f'    """{verb.capitalize()} the {noun} of {word(number)}."""\n'
        f"    return value + {number}\n"
    )

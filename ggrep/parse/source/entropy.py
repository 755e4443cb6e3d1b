"""Distinguishes random values and passwords from words, names and placeholders."""

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Final

from ggrep.config import secret_patterns as forms

_LEAST_RANDOM: Final = 16
_LEAST_PASSWORD: Final = 8
_MOST_PASSWORD: Final = 128
_LEAST_BITS: Final = 3.0
"""Minimum entropy in bits per byte; a short text of few distinct letters has less."""
_LEAST_TURNS: Final = 0.18
"""Minimum share of positions at which a digit, small letter or capital follows another kind."""
_MANY_TURNS: Final = 0.25
"""Like _LEAST_TURNS, for a value without a digit or sign; words have a smaller share."""
_MOST_WORDS: Final = 0.55
"""Maximum share of words in a random value."""

_LEAST_ALONE: Final = 20
_LEAST_OF_TWO: Final = 24
_LEAST_BITS_ALONE: Final = 3.4
_MANY_BITS: Final = 3.8
_MOST_WORDS_ALONE: Final = 0.45
_LEAST_ROW: Final = 4
"""Bounds for a value without context, for a value of two kinds of characters, and for sequences."""

_SMALL: Final = bytes(range(ord("a"), ord("z") + 1))
_CAPITALS: Final = _SMALL.upper()
_DIGITS: Final = b"0123456789"
_PRINTED: Final = re.compile(rb"[^\x00-\x20]+")
_PLACEHOLDER: Final = re.compile(forms.PLACEHOLDER, re.IGNORECASE)
_VISIBLE: Final = re.compile(rb"[!-~]+")
_HEXADECIMAL: Final = re.compile(rb"[0-9a-fA-F-]+")
_TURN: Final = re.compile(rb"(?=[a-z][A-Z0-9]|[A-Z]{2}[a-z0-9]|[A-Z][0-9]|[0-9][A-Za-z])")
_WORD: Final = re.compile(rb"[A-Za-z]?[a-z]*[aeiouy][a-z]*|[A-Z]*[AEIOUY][A-Z]*")
_PARTS: Final = re.compile(
    rb"\W*(?:[A-Za-z]{2,}\d{0,2}|[A-Za-z]?\d{1,4}|_)"
    rb"(?:[\W_]+(?:[A-Za-z]+\d{0,2}|[A-Za-z]?\d{1,4}))*\W*"
)
"""Words and small numbers, separated by signs: names, paths, versions, dates."""
_STRONG_SIGN: Final = re.compile(rb"[!@#$%^&?~+*]")


_ENCLOSED: Final = re.compile(rb"\{[A-Za-z0-9+/]{16,}={0,2}\}")
_SIGNED: Final = re.compile(rb"[A-Za-z]{3,}(?:[&!+#^~*][A-Za-z]{3,})+")
_LONG_WORD: Final = re.compile(rb"(?!%s)[a-z]{8,32}" % forms.FOREIGN)
_UNPRONOUNCEABLE: Final = re.compile(rb"[b-df-hj-np-tv-xz]{6}")
"""More consonants in a row than any word has."""
_SINGLE_NUMBER: Final = re.compile(rb"[^0-9]*[0-9]{3,}[^0-9]*")
_STRETCH: Final = re.compile(rb"[A-Za-z0-9]{12}")
_ENDING: Final = re.compile(rb"\.[a-z][a-z0-9]{0,3}\Z")
_NUMBER: Final = re.compile(rb"0[xX][0-9A-Fa-f]{1,16}[uUlL]*")
_CHOSEN: Final = re.compile(rb"[!-.0-~]{7,64}")
_DIGIT: Final = re.compile(rb"[0-9]")
_LETTER: Final = re.compile(rb"[A-Za-z]")
_ARRANGED: Final = re.compile(rb"(?=.*[A-Z])(?=.*[a-z])(?=.*[._-]).{10}", re.DOTALL)
_TECHNICAL: Final = re.compile(forms.TECHNICAL, re.IGNORECASE)
_SPOKEN: Final = re.compile(rb"[A-Za-z0-9]{2,12}(?: [A-Za-z0-9]{1,12}){2,7}")
_SENTENCE: Final = re.compile(rb"\b(?:%s)\b" % forms.SENTENCE, re.IGNORECASE)
_LEAST_NUMBER: Final = 8
_LEAST_SPOKEN: Final = 4


def is_template(value: bytes) -> bool:
    """Return whether a value is a template, whose placeholder is replaced later."""
    if any(part in value for part in forms.PLACEHOLDER_PARTS):
        return True
    return value.startswith(forms.PLACEHOLDER_STARTS) and not _is_whole(value)


def _is_whole(value: bytes) -> bool:
    """Return whether a value that begins like a placeholder is nevertheless a password or key."""
    first, rest = value[:1], value[1:]
    if first == b"/":
        return (
            b"/." not in value and looks_mixed(value) and _worded_part(value) <= _MOST_WORDS_ALONE
        )
    if first == b"{":
        return _ENCLOSED.fullmatch(value) is not None and looks_mixed(value[1:-1])
    return (
        first in forms.SIGNS
        and b"/" not in rest
        and not _PARTS.fullmatch(rest)
        and is_password(rest)
    )


def is_placeholder(value: bytes) -> bool:
    """Return whether a value is a usual placeholder, such as `xxxx`."""
    return _PLACEHOLDER.search(value) is not None or len(set(value)) * 4 < min(len(value), 24)


def is_made_up(value: bytes) -> bool:
    """Return whether a value is a placeholder or an example."""
    return is_template(value) or is_placeholder(value)


def looks_random(value: bytes) -> bool:
    """Return whether a value of sufficient length looks random and is not composed of words."""
    size = len(value)
    if size < _LEAST_RANDOM or not _VISIBLE.fullmatch(value):
        return False
    if size - len(value.translate(None, _SMALL + _CAPITALS)) < 2:
        return False
    if not _has(value, _DIGITS):
        return _turns_often(value)
    if _bits(value) < _LEAST_BITS or _HEXADECIMAL.fullmatch(value):
        return _bits(value) >= _LEAST_BITS
    often = len(_TURN.findall(value)) >= _LEAST_TURNS * size
    return (often or _is_unpronounceable(value)) and not _is_worded(value)


def looks_mixed(value: bytes) -> bool:
    """Return whether a value looks random and has small letters, capitals and digits."""
    mixed = all(_has(value, kind) for kind in (_SMALL, _CAPITALS, _DIGITS))
    return mixed and looks_random(value)


def is_random_alone(value: bytes) -> bool:
    """Return whether a value is certainly random, even without the name of a secret before it.

    Hexadecimal digits never count: checksums and commit hashes look the same.
    """
    size = len(value)
    if size < _LEAST_ALONE or not _VISIBLE.fullmatch(value) or _HEXADECIMAL.fullmatch(value):
        return False
    kinds = [_has(value, kind) for kind in (_SMALL, _CAPITALS, _DIGITS)]
    if not all(kinds) and not (
        kinds[2] and size >= _LEAST_OF_TWO and value.isalnum() and _bits(value) >= _MANY_BITS
    ):
        return False
    letters = value.translate(None, _SMALL + _CAPITALS)
    turns = len(_TURN.findall(value))
    return (
        turns >= _LEAST_TURNS * size
        and size - len(letters) >= size // 3
        and _bits(value) >= _LEAST_BITS_ALONE
        and not _is_worded(value)
        and _worded_part(value) <= _MOST_WORDS_ALONE
        and not _SINGLE_NUMBER.fullmatch(value)
        and not _ascends(value)
        and _STRETCH.search(value) is not None
        and not _ENDING.search(value)
    )


def is_password(value: bytes, *, least: int = _LEAST_PASSWORD) -> bool:
    """Return whether a value looks like a person's password, not like a word, name or path."""
    if not least <= len(value) <= _MOST_PASSWORD or not _PRINTED.fullmatch(value):
        return False
    if _NUMBER.fullmatch(value):
        return False
    small, capital, digit = _has(value, _SMALL), _has(value, _CAPITALS), _has(value, _DIGITS)
    sign = _STRONG_SIGN.search(value) is not None
    if digit and (small or capital):
        return sign or not _PARTS.fullmatch(value)
    if not (small and capital):
        return False
    return (sign and not _PARTS.fullmatch(value.strip(b"!?*"))) or _turns_often(value)


def is_phrase(value: bytes) -> bool:
    """Return whether a value looks like a passphrase of words and numbers."""
    if b" " in value:
        return _is_spoken(value)
    if not _CHOSEN.fullmatch(value) or _TECHNICAL.search(value):
        return False
    digits, letters = len(_DIGIT.findall(value)), len(_LETTER.findall(value))
    if digits == len(value):
        return digits >= _LEAST_NUMBER and len(set(value)) * 2 > _LEAST_NUMBER
    return letters >= 4 and (digits >= 2 or (digits == 1 and _ARRANGED.match(value) is not None))


def is_signed(value: bytes) -> bool:
    """Return whether a value consists of words joined by a sign that does not occur in names."""
    return _SIGNED.fullmatch(value) is not None and not _TECHNICAL.search(value)


def is_word(value: bytes) -> bool:
    """Return whether a value is one long word, and not a technical term."""
    return _LONG_WORD.fullmatch(value) is not None and not _TECHNICAL.search(value)


def _is_spoken(value: bytes) -> bool:
    """Return whether several words with blanks are neither a sentence nor a title."""
    words = value.split(b" ")
    if not _SPOKEN.fullmatch(value) or _SENTENCE.search(value):
        return False
    small = sum(word.islower() for word in words)
    return small * 2 >= len(words) and (len(words) >= _LEAST_SPOKEN or _has(value, _DIGITS))


def _turns_often(value: bytes) -> bool:
    """Return whether a value that consists only of letters looks random."""
    often = len(_TURN.findall(value)) >= _MANY_TURNS * len(value)
    return often and value.translate(None, b"_-").isalpha() and not _is_of_words(value)


def _is_unpronounceable(value: bytes) -> bool:
    return len(value) >= _LEAST_ALONE and _UNPRONOUNCEABLE.search(value) is not None


def _has(value: bytes, kind: bytes) -> bool:
    return len(value.translate(None, kind)) < len(value)


def _is_worded(value: bytes) -> bool:
    return _is_of_words(value) or _PARTS.fullmatch(value) is not None


def _is_of_words(value: bytes) -> bool:
    return _worded_part(value) > _MOST_WORDS


def _worded_part(value: bytes) -> float:
    words = (word for word in _WORD.findall(value) if len(word) >= 4)
    return sum(len(word) for word in words if not _UNPRONOUNCEABLE.search(word)) / len(value)


def _ascends(value: bytes) -> bool:
    """Return whether a value contains a sequence like `abcd`, or one character repeated."""
    steps = bytes((b - a) & 0xFF for a, b in pairwise(value))
    return any(step * (_LEAST_ROW - 1) in steps for step in (b"\x00", b"\x01", b"\xff"))


def _bits(value: bytes) -> float:
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())

"""Guesses an encoding from the bytes beyond ASCII, if it is not declared.

chardet rates encodings by pairs of letters, which is reliable for a page of text, but not for a
line. Here, chardet's rating is combined with rules for all languages: how common an encoding is,
and whether words in it are plausible. In plausible text, letters of different scripts do not occur
in one word, capitals occur at the beginning of words, and symbols occur around words.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from types import MappingProxyType
from typing import Final

from msgspec import Struct

FALLBACK: Final = "cp1252"
_SAMPLE_BYTES: Final = 16_384
_RATED_BYTES: Final = 4_096
_SAMPLE_LINES: Final = 256
_WORDS_CHARACTERS: Final = 1_024
"""Number of characters of a sample in which the form of words is checked."""
_LATIN: Final = (
    *("cp1252", "cp1250", "cp1254", "cp1257", "iso8859-15", "iso8859-2", "iso8859-9", "iso8859-13"),
    *("mac-roman", "cp850", "cp852"),
)
_OTHERS: Final = (
    *("cp1251", "cp1253", "cp1255", "cp1256", "cp874", "cp866", "koi8-r", "koi8-u", "mac-cyrillic"),
    *("iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8"),
)
_WIDE: Final = (*("cp932", "shift_jis_2004", "euc_jis_2004", "gb18030", "big5hkscs", "cp949"),)
_COMMONNESS: Final = MappingProxyType(
    {"cp1252": 1.25, "iso8859-15": 0.98, "iso8859-13": 0.97, "cp852": 0.8}
)
"""Factors of the ratings of some encodings; 1 for all others."""
_FEW: Final = 0.04
"""Added to the rating of the commonest encoding, divided by the number of bytes beyond ASCII."""
_ALPHABETS: Final = MappingProxyType(
    {
        "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
        "bg": "абвгдежзийклмнопрстуфхцчшщъьюя",
        "cs": "áčďéěíňóřšťúůýž",
        "et": "äõöüšž",
        "hr": "čćđšž",
        "hu": "áéíóöőúüű",
        "id": "é",
        "lt": "ąčęėįšųūž",
        "lv": "āčēģīķļņšūž",
        "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџш",
        "ms": "é",
        "pl": "ąćęłńóśźż",
        "ro": "ăâîşţșț",
        "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "sk": "áäčďéíĺľňóôŕšťúýž",
        "sl": "čćđšž",
        "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
        "tr": "âçğıîöşüû",
        "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    }
)
"""Letters beyond ASCII of languages whose encodings are similar."""
_ORDER: Final = MappingProxyType({name: at for at, name in enumerate((*_LATIN, *_OTHERS, *_WIDE))})
_LINES: Final = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_WITH_EURO: Final = "iso8859-15"
_EURO: Final = re.compile(rb"[\xa4\xa6\xa8\xb4\xb8\xbc-\xbe]")
"""Bytes that are letters in ISO-8859-15, but symbols in Windows-1252."""
_HIGH: Final = re.compile(rb"[\x80-\xff]")
_BEYOND: Final = re.compile(r"[^\x00-\x7f]")
_RUN: Final = re.compile(r"([a-zA-Z]?)([^\W\d_a-zA-Z]+)([a-zA-Z]?)")
_INSIDE_WORDS: Final = frozenset("\xa0\xad·\u2019\u2011")
"""Symbols beyond ASCII that occur within words."""
_COMMON: Final = MappingProxyType(
    {
        "big5hkscs": ("big5", 0xA4, 0xC6),
        "cp932": ("euc_jp", 0xA4, 0xCF),
        "cp949": ("euc_kr", 0xB0, 0xC8),
        "euc_jis_2004": ("euc_jp", 0xA4, 0xCF),
        "gb18030": ("gb2312", 0xB0, 0xD7),
        "shift_jis_2004": ("euc_jp", 0xA4, 0xCF),
    }
)
"""The standard of an encoding, and the first and last row of its most frequent letters."""
_UNUSED: Final = frozenset("\xa4\ufffd")
_FRAMES: Final = re.compile("[\u2500-\u259f]")
_JAPANESE: Final = frozenset({"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH"})
"""Scripts that share words with Han, by the names of their characters."""


class Guess(Struct, frozen=True):
    """The likeliest encoding of a file.

    Attributes:
        encoding: the name of the codec.
        is_latin: whether the letters of the encoding are Latin.
    """

    encoding: str
    is_latin: bool


def lines_beyond_ascii(data: bytes) -> bytes:
    """Return the first lines with bytes beyond ASCII, at most 16 kB."""
    lines = islice(_LINES.finditer(data), _SAMPLE_LINES)
    return b"\n".join(line[0][:_SAMPLE_BYTES] for line in lines)[:_SAMPLE_BYTES]


def guess_encoding(sample: bytes) -> Guess:
    """Return the likeliest encoding of lines that are neither ASCII nor UTF-8."""
    import chardet  # most files are UTF-8

    sample = sample[:_RATED_BYTES]
    ratings = chardet.detect_all(
        sample, compat_names=False, include_encodings=[*_ORDER], ignore_threshold=True
    )
    few = _FEW / max(len(_HIGH.findall(sample)), 1)
    rated = [
        (
            rating["confidence"] * _COMMONNESS.get(name, 1.0) + few * (name == FALLBACK),
            name,
            _ALPHABETS.get(rating["language"] or "", ""),
        )
        for rating in ratings
        if rating["encoding"] and (name := codecs.lookup(rating["encoding"]).name) in _ORDER
    ]
    best, score = Guess(FALLBACK, is_latin=True), -1.0
    for rating, name, alphabet in sorted(rated, key=lambda item: (-item[0], _ORDER[item[1]])):
        if rating <= score:
            break
        text = sample.decode(name, "replace")[:_WORDS_CHARACTERS]
        if name not in _LATIN and not _has_words(text, fewest=1 if name in _WIDE else 2):
            continue
        oddness = max(_oddness(text, alphabet), _rareness(text, name))
        if (weighed := rating * (1.0 - oddness) ** 4) > score:
            best, score = Guess(name, name in _LATIN), weighed
    if best.encoding == FALLBACK and _EURO.search(sample):
        texts = [sample.decode(name, "replace") for name in (FALLBACK, _WITH_EURO)]
        if _oddness(texts[1], "") < _oddness(texts[0], ""):
            return Guess(_WITH_EURO, is_latin=True)
    return best


def _has_words(text: str, fewest: int) -> bool:
    """Return whether most non-Latin letters are in words, and not single letters in Latin text."""
    runs = [
        (len(run[2]) > fewest) or (len(run[2]) == fewest and not (run[1] or run[3]))
        for run in _RUN.finditer(text)
    ]
    return 2 * sum(runs) >= len(runs) > 0


def _oddness(text: str, alphabet: str) -> float:
    marks = [*_odd_characters(text, alphabet)]
    return sum(marks) / len(marks) if marks else 0.0


def _rareness(text: str, name: str) -> float:
    """Return the share of letters beyond ASCII that are rare in the encoding's language.

    Return 0 if `_COMMON` does not contain the encoding.
    """
    if name not in _COMMON:
        return 0.0
    standard, first, last = _COMMON[name]
    letters = [letter for letter in text if letter > "\x7f" and letter.isalpha()]
    leads = [letter.encode(standard, "ignore")[:1] or b"\0" for letter in letters]
    return sum(not first <= lead[0] <= last for lead in leads) / len(leads) if leads else 0.0


def _odd_characters(text: str, alphabet: str) -> Iterator[bool]:
    """Yield for each character beyond ASCII whether its position is unusual for its kind.

    A control character is always unusual. A capital or a symbol is unusual within a word, and a
    box-drawing character beside a word. A letter is unusual three times in a row, beside a letter
    of another script, or if it is not in the language's alphabet.
    """
    for match in _BEYOND.finditer(text):
        at, character = match.start(), match[0]
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if character < "\xa0" or character in _UNUSED:
            yield True
        elif character.isalpha():
            capital = character.isupper() and before.islower()
            alien = before > "\x7f" and before.isalpha() and _script(before) != _script(character)
            unknown = bool(alphabet) and character.lower() not in alphabet
            yield capital or alien or unknown or before == character == after
        elif _FRAMES.match(character):
            yield before.isalpha() or after.isalpha()
        else:
            inside = before.isalpha() and after.isalpha()
            joins = character in _INSIDE_WORDS or unicodedata.category(character) == "Mn"
            yield inside and not joins


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if name in _JAPANESE else name

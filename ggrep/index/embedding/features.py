"""The input of the static encoder: the features of a text's words.

Training and encoding both use this module, so their features are the same. The module needs only
the standard library.
"""

from typing import Final

from ggrep.index.lexical.tokens import word_terms, words

FEATURES: Final = "features-2"
"""Version of the features; part of the encoder's identity, because vectors depend on it.

1. For each of the first 4,096 words: the whole word in lower case, and the stems of its parts
   (`word_terms` of lexical-2).
2. Words and terms of lexical-4. They differ from version 1 only in words beyond ASCII.
"""

MAX_WORDS: Final = 4096
"""Maximum number of words of a text that are encoded; a chunk has a few hundred."""
MAX_WORD_FEATURES: Final = 81
"""Maximum number of features of a word: the whole word, and as parts its first 80 characters."""


def text_words(text: str) -> list[str]:
    """Return the first 4,096 words of `text` in order, as written."""
    return words(text)[:MAX_WORDS]


def features(word: str) -> tuple[str, ...]:
    """Return the distinct features of one word, at most 81; no feature contains whitespace."""
    return word_terms(word)

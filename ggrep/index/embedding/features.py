"""The input of the static encoder: the features of a text's words.

Training and use go through this module, so that the two never differ. It needs the standard
library alone.
"""

from typing import Final

from ggrep.index.lexical.tokens import word_terms, words

FEATURES: Final = "features-2"
"""What a text's features are; enters the encoder's identity, as other features give other vectors.

1. Of each of the first 4,096 words: the whole, lower-cased, and the stems of its parts
   (`word_terms` of lexical-2).
2. Words and terms of lexical-4. They differ from the first ones only beyond ASCII.
"""

MAX_WORDS: Final = 4096
"""Words of a text that count; a chunk has a few hundred."""
MAX_WORD_FEATURES: Final = 81
"""Features of one word at most: the whole and a part for each of its first 80 characters."""


def text_words(text: str) -> list[str]:
    """Return the first 4,096 words of `text` in order, as written."""
    return words(text)[:MAX_WORDS]


def features(word: str) -> tuple[str, ...]:
    """Return the distinct features of one word, 81 at most; none holds white space."""
    return word_terms(word)

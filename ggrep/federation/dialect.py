"""Tells whether a text that is not JSONC is JSON5, so that its author learns what to change."""

from typing import Final

import json5

MAX_JUDGED_CHARS: Final = 4096
"""Longest text that is judged: the JSON5 parser reads 30 to 140 characters a millisecond."""


def is_json5(text: str) -> bool:
    """Return True for JSON5: single quotes, bare names, hexadecimal numbers and so on.

    A longer text than `MAX_JUDGED_CHARS` is never said to be any.
    """
    if len(text) > MAX_JUDGED_CHARS:
        return False
    try:
        json5.loads(text)
    except (ValueError, RecursionError):
        return False
    return True

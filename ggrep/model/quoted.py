"""Text in double quotes within a query."""

import re
from typing import Final

QUOTED: Final = re.compile(
    r'(?<!\S)"([^"]+)"(?=[\s,.;:?!)]|$)'
    r"|\N{LEFT DOUBLE QUOTATION MARK}"
    r"([^\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}]+)"
    r"\N{RIGHT DOUBLE QUOTATION MARK}"
)
"""A phrase in double quotes; those inside of code, as in `print("x")`, are not."""


def quoted_whole(query: str) -> str:
    """Return the text of a query that is one quoted text; empty for any other query."""
    match = QUOTED.fullmatch(query.strip())
    return (match[1] or match[2]).strip() if match else ""

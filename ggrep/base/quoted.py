"""Queries that are one text in double quotes; the standard library alone, as every search asks."""

_PAIRS = (
    ('"', '"'),
    ("\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"),
)


def quoted_whole(query: str) -> str:
    """Return the text of a query that is one quoted text; empty for any other query."""
    text = query.strip()
    inner = text[1:-1]
    for left, right in _PAIRS:
        if text[:1] == left and text[1:][-1:] == right and left not in inner and right not in inner:
            return inner.strip()
    return ""

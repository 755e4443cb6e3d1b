"""The statements of a diagram's source, without blank lines and comments."""

from typing import Final

_MAX_LINES: Final = 2000
_LINE_CHARACTERS: Final = 1000


def statements(text: str, comments: tuple[str, ...]) -> list[str]:
    """Return bounded lines without comments, fence markers, quote marks and delimiters."""
    found: list[str] = []
    for raw in text.split("\n", _MAX_LINES)[:_MAX_LINES]:
        line = " ".join(raw[:_LINE_CHARACTERS].lstrip("> \t\ufeff").split())
        if line and not line.startswith(("```", "~~~", *comments)) and not _is_delimiter(line):
            found.append(line)
    return found


def _is_delimiter(line: str) -> bool:
    return len(line) >= 4 and line[0] in "-.=" and not line.strip(line[0])

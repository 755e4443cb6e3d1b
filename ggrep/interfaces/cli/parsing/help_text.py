"""A page of help as text."""

import textwrap
from typing import Final

from ggrep.interfaces.cli.parsing.help_values import Page, Row

MOST_COLUMNS: Final = 100
_LEAST_TEXT: Final = 30
_MOST_TERM: Final = 30


def text_of(page: Page, columns: int) -> str:
    """Return a page as lines of at most so many columns, examples alone excepted."""
    columns = min(columns, MOST_COLUMNS)
    blocks = [textwrap.wrap(f"Usage: {page.usage}", columns, subsequent_indent=" " * 7)]
    blocks += [_filled(paragraph, columns, "  ") for paragraph in page.about]
    terms = [row.term for section in page.sections for row in section.rows]
    width = max(len(term) for term in terms if len(term) <= _MOST_TERM)
    for section in page.sections:
        lines = [line for row in section.rows for line in _row(row, width, columns)]
        blocks.append([f"{section.title}:", *lines])
    if page.examples:
        blocks.append(["Examples:", *_examples(page, columns)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _row(row: Row, width: int, columns: int) -> list[str]:
    """Return a term and its text in two columns, or below each other where there is no room."""
    indent = " " * (width + 4)
    if columns - len(indent) < _LEAST_TEXT:
        return [f"  {row.term}", *_filled(row.text, columns, "      ")]
    lines = _filled(row.text, columns, indent)
    if len(row.term) > width:
        return [f"  {row.term}", *lines]
    return [f"  {row.term:{width}}  {lines[0].strip()}", *lines[1:]]


def _examples(page: Page, columns: int) -> list[str]:
    """Return the examples, each with what it does behind it, or above where that is too long."""
    width = max(len(line) for line, _ in page.examples)
    longest = max(len(text) for _, text in page.examples)
    if width + longest + 6 <= columns:
        return [f"  {line:{width}}  # {text}" for line, text in page.examples]
    return [part for line, text in page.examples for part in (f"  # {text}", f"  {line}")]


def _filled(text: str, columns: int, indent: str) -> list[str]:
    return textwrap.wrap(
        text, columns, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )

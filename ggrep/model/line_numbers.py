"""Lines of a file with their numbers; one line can replace a folded range of lines.

A folded range is one line: `… 12-40 29 constants: AUTO to ZONE`. The line contains the end of the
range, so all line numbers of a text with folds can be computed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

FOLD: Final = "\u2026"
"""The beginning of a line that replaces a folded range."""
COMMENTS: Final = "comments"
"""The label of folded comments, which are not shown."""
_FOLD_LINE: Final = re.compile(rf"\s*{FOLD} (\d{{1,9}})(?:-(\d{{1,9}}))?(?: (.*))?")
_MOST_BLANK: Final = 2
"""Maximum length of a run of blank lines that is shown unchanged."""


def fold_line(first: int, last: int, label: str, indent: str = "") -> str:
    """Return the line that replaces the lines from `first` to `last`."""
    return f"{indent}{FOLD} {line_range(first, last)} {label}".rstrip()


def folded_range(number: int, line: str) -> tuple[int, str] | None:
    """Return the last line and the label of a fold that begins at `number`; None for no fold."""
    match = _FOLD_LINE.fullmatch(line) if FOLD in line else None
    if match is None or int(match[1]) != number:
        return None
    return int(match[2] or match[1]), match[3] or ""


def without_fold_marks(text: str, first: int) -> str:
    """Return source text that begins at the line `first`, without lines that look like folds.

    In a line that looks like a fold, the mark becomes three dots. Otherwise the line would change
    the numbers of all lines below it, and hide lines.
    """
    if FOLD not in text:
        return text
    lines = enumerate(text.split("\n"), first)
    return "\n".join(
        line.replace(FOLD, "...", 1) if folded_range(number, line) else line
        for number, line in lines
    )


def last_line(number: int, line: str) -> int:
    """Return the last line number that a line covers: the end of a fold, else `number`."""
    fold = folded_range(number, line)
    return fold[0] if fold else number


def numbered_lines(lines: Iterable[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers; a fold is a single line."""
    number = first
    for line in lines:
        yield number, line
        number = (last_line(number, line) if FOLD in line else number) + 1


def is_comment_fold(number: int, line: str) -> bool:
    """Return whether a line replaces folded comments, which are not shown."""
    fold = folded_range(number, line) if FOLD in line else None
    return fold is not None and fold[1] == COMMENTS


def shown_lines(lines: Iterable[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a text without the lines that replace folded comments."""
    for number, line in numbered_lines(lines, first):
        if FOLD not in line or not is_comment_fold(number, line):
            yield number, line


def longest_fold(lines: Iterable[str], first: int) -> tuple[int, int] | None:
    """Return the range of the longest fold that is shown; None without a fold."""
    folds = [
        (number, fold[0])
        for number, line in shown_lines(lines, first)
        if (fold := folded_range(number, line))
    ]
    return max(folds, key=lambda fold: fold[1] - fold[0], default=None)


def collapsed_blanks(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield numbered lines, but only the first line of a long run of blank lines."""
    blank: list[tuple[int, str]] = []
    for number, line in (*shown_lines(lines, first), (0, None)):
        if line is not None and not line.strip():
            blank.append((number, line))
            continue
        yield from blank if len(blank) <= _MOST_BLANK else blank[:1]
        blank.clear()
        if line is not None:
            yield number, line


def window_end(lines: Sequence[str], start: int, most: int) -> int:
    """Return the end of a window of `most` lines; blank lines in a row count as at most two."""
    blank = 0
    for at in range(start, len(lines)):
        blank = 0 if lines[at].strip() else blank + 1
        if blank <= _MOST_BLANK:
            if not most:
                return at
            most -= 1
    return len(lines)


_STEP: Final = 5
"""Interval of shown line numbers: numbers on all lines would be an eighth of an agent's text."""


def with_numbers(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Yield lines in the form `NUMBER<TAB>TEXT`; most lines have no number before the tab.

    The first line, a line after a gap, and lines at multiples of five have a number.
    """
    expected = 0
    for number, line in lines:
        end = last_line(number, line) if FOLD in line else number
        shown = "" if end > number or (number == expected and number % _STEP) else str(number)
        yield f"{shown}\t{line}" if shown or line else ""
        expected = end + 1


def line_range(first: int, last: int = 0) -> str:
    """Return a range of lines as `3-7`, a single line as `3`."""
    return f"{first}-{last}" if last > first else str(first)

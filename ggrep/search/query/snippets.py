"""Cuts a chunk's snippet within byte limits."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ggrep.model.limits import LimitHit
from ggrep.model.line_numbers import window_end, without_fold_marks
from ggrep.model.request import SnippetMode
from ggrep.model.response import Hit, shortened
from ggrep.model.sanitise import sanitise
from ggrep.search.reading.question_words import Terms, terms_by_line

_NO_TERMS: Final = Terms()


class Snippet(Struct, frozen=True):
    """Lines of a chunk.

    Attributes:
        first_line: offset of the first shown line inside the chunk.
        hidden_lines: number of lines of the chunk below the last shown line.
    """

    text: str
    first_line: int
    hidden_lines: int


def cut_snippet(
    text: str,
    terms: frozenset[str],
    mode: SnippetMode,
    match: int | None = None,
    *,
    first: int = 1,
) -> Snippet:
    """Return the lines of a chunk's `text`, which begins at line `first`, to show as its snippet.

    The lines begin at the start of `text`, unless a later window has more distinct query terms, or
    the line at offset `match` would be missing.
    """
    lines = without_fold_marks(sanitise(text), first).rstrip("\n").split("\n")
    most = mode.lines
    if most is None:
        return Snippet("\n".join(lines), 0, 0)
    if most == 0:
        return Snippet("", 0, len(lines))
    if match is not None:
        start = _window_around(match, len(lines), most)
    else:
        start = _best_window(lines, terms, most) if len(lines) > most else 0
    shown = lines[start : window_end(lines, start, most)]
    return Snippet("\n".join(shown), start, len(lines) - start - len(shown))


def _window_around(match: int, lines: int, size: int) -> int:
    """Return the start of the window around a line; a third of the window precedes the line."""
    if match < size:
        return 0
    return max(min(match - size // 3, lines - size), 0)


def cap_snippets(
    hits: Sequence[Hit], *, per_result: int, total: int
) -> tuple[tuple[Hit, ...], tuple[LimitHit, ...]]:
    """Return the hits with their content cut to the byte caps, and the limits that were hit."""
    limits: list[LimitHit] = []
    left, wanted, capped = total, 0, []
    for hit in hits:
        size = len(hit.content.encode())
        allowed = min(size, per_result)
        if size > per_result:
            limits.append(LimitHit("max_snippet_bytes_per_result", per_result, size, hit.path))
        wanted += allowed
        given = min(allowed, left)
        left -= given
        capped.append(hit if given == size else shortened(hit, given))
    if wanted > total:
        limits.append(LimitHit("max_total_snippet_bytes", total, wanted))
    return tuple(capped), tuple(limits)


def _best_window(lines: Sequence[str], terms: frozenset[str], size: int) -> int:
    """Return the earliest start whose `size` lines contain the most distinct terms.

    The chunk's start wins unless another window has at least two terms more: a signature is worth
    more than one further word.
    """
    by_line = terms_by_line(lines[:size], terms)
    best, best_count = 0, len(_NO_TERMS.union(*by_line)) + 1
    if len(terms) <= best_count:
        return 0
    by_line += terms_by_line(lines[size:], terms)
    for start in range(1, len(lines) - size + 1):
        if not by_line[start + size - 1]:
            continue  # this window has no term that the previous window lacks
        count = len(_NO_TERMS.union(*by_line[start : start + size]))
        if count > best_count:
            best, best_count = start, count
    return best

"""Cuts a chunk's snippet within byte limits."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from ggrep.index.lexical.tokens import plain_text, word_terms, words
from ggrep.model.limits import LimitHit
from ggrep.model.line_numbers import window_end
from ggrep.model.request import SnippetMode
from ggrep.model.response import Hit, shortened
from ggrep.model.sanitise import sanitise

_word_terms = lru_cache(1 << 14)(word_terms)
"""A cache, because code repeats its words; about 4 MB when full."""
_NO_TERMS: Final = frozenset[str]()


class Snippet(Struct, frozen=True):
    """Lines of a chunk.

    Attributes:
        first_line: offset of the first shown line inside the chunk.
        hidden_lines: lines of the chunk below the last shown one.
    """

    text: str
    first_line: int
    hidden_lines: int


def cut_snippet(
    text: str, terms: frozenset[str], mode: SnippetMode, match: int | None = None
) -> Snippet:
    """Return the lines of a chunk's `text` to show as its snippet.

    The lines begin at the start of `text`, unless a later window has more distinct query terms, or
    the line at offset `match` would be missing.
    """
    lines = sanitise(text).rstrip("\n").split("\n")
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
    more than one further word. For speed, only lines that contain the letters of a term are split
    into words; a final `y` is ignored, as `queries` has the stem `query`.
    """
    plain = plain_text("\n".join(lines))
    letters = [some for term in terms if (some := term.removesuffix("y")) in plain]
    pairs = list(zip(lines, plain.split("\n"), strict=True))

    def terms_of(pair: tuple[str, str]) -> frozenset[str]:
        line, folded = pair
        if not any(map(folded.__contains__, letters)):
            return _NO_TERMS
        return _NO_TERMS.union(*(terms.intersection(_word_terms(word)) for word in words(line)))

    by_line = list(map(terms_of, pairs[:size]))
    best, best_count = 0, len(_NO_TERMS.union(*by_line)) + 1
    if len(letters) <= best_count:
        return 0
    by_line += map(terms_of, pairs[size:])
    for start in range(1, len(lines) - size + 1):
        if not by_line[start + size - 1]:
            continue  # it adds no term to the window before
        count = len(_NO_TERMS.union(*by_line[start : start + size]))
        if count > best_count:
            best, best_count = start, count
    return best
